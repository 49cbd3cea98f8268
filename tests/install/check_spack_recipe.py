#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_spack_recipe.py ROOT: the Spack recipe without Spack: it loads, its source is this checkout, it names everything that
the build asks for, and defines only options that there are."""
import pathlib
import re
import sys
import types

# What the build asks for, by its name in messages (cmake/TracerDependencies.cmake), and in Spack.
IN_SPACK = {"OTF2": "otf2", "spdlog": "spdlog", "oneTBB": "intel-oneapi-tbb", "libdw": "elfutils", "libelf": "elfutils", "libzstd": "zstd", "xxhash": "xxhash",
            "CLI11": "cli11", "nlohmann-json": "nlohmann-json", "omp-tools.h of OpenMP 5.1 or later": "llvm-openmp"}


def load(recipe):
    """The recipe's class, and its dependencies as Spack would hear of them."""
    dependencies, package = {}, types.ModuleType("spack.package")

    class CMakePackage:
        def define(self, name, value):
            return f"-D{name}={value}"

    package.CMakePackage = CMakePackage
    package.depends_on = lambda spec, **how: dependencies.setdefault(re.split("[@ +]", spec)[0], how)
    for directive in ("license", "version", "variant", "generator"):
        setattr(package, directive, lambda *_, **__: None)
    package.join_path = lambda *parts: "/".join(map(str, parts))
    sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})
    scope = {"__file__": str(recipe), "__name__": "recipe"}
    exec(compile(recipe.read_text(encoding="utf-8"), recipe, "exec"), scope)
    return scope["TracerOpenmp"], dependencies


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    recipe, dependencies = load(root / "cmake/packaging/spack/packages/tracer-openmp/package.py")
    faults = [] if recipe.git == root.as_uri() else [f"its source is {recipe.git}"]
    for asked in re.findall(r'tracer_need\("([^"]+)"', (root / "cmake/TracerDependencies.cmake").read_text(encoding="utf-8")):
        if asked not in IN_SPACK:
            faults.append(f"{asked} is asked for: which package of Spack is that?")
        elif IN_SPACK[asked] not in dependencies:
            faults.append(f"it does not depend on {IN_SPACK[asked]}, for {asked}")
    options = re.findall(r"option\((\w+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))
    faults += [f"there is no option {name}" for name in re.findall(r"-D(\w+)=", " ".join(recipe().cmake_args())) if name not in options]
    print("\n".join(faults) or "ok")
    return 1 if faults else 0


sys.exit(main())
