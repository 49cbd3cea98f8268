# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe. From a checkout:

    spack repo add cmake/packaging/spack
    spack dev-build tracer-openmp@main        # builds the current directory
"""
import pathlib

from spack.package import *

try:  # Spack 1.0 and later keep build systems with their packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass


class TracerOpenmp(CMakePackage):
    """Records what OpenMP programs do, on the host and on devices, and writes OTF2 archives."""

    git = pathlib.Path(__file__).resolve().parents[5].as_uri()  # the checkout that this recipe is in

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("cuda", default=False, description="Build the provider for NVIDIA devices (CUPTI's headers)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("otf2@3.0:")
    depends_on("spdlog@1.9:", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("intel-oneapi-tbb@2021:", type="build")
    depends_on("elfutils")
    depends_on("zstd")
    depends_on("xxhash", type="build")
    depends_on("sqlite@3:")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.10:", type="build")
    # omp-tools.h, and the runtime of the programs to be traced
    depends_on("llvm-openmp@15:")
    depends_on("cuda@12:", type="build", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("TRACER_BUILD_TESTS", False),
            self.define("TRACER_BUILD_EXAMPLES", False),
            self.define("TRACER_BUILD_BENCH", False),
        ]

    def setup_run_environment(self, env):
        env.set("TRACER_LIBRARY", join_path(self.prefix.lib, "libtracer.so"))
