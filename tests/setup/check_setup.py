#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the README's commands do on machines that this one is not: packages that exclude each other, a tool chain that was exchanged
since the last build, tests that had to skip. apt-get and dpkg-query are fakes here, that answer as Debian's do.

check_setup.py SOURCE conflict|newer|exchanged|skipped"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])

FAKE_APT = r"""#!/bin/bash
# apt-get [options] update|install PACKAGE...: what it is asked for is in $FAKE/asked; $FAKE/conflicts go with nothing that is installed.
packages=() verb= simulate=
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift ;;
    -s) simulate=1 ;;
    -*) ;;
    update | install | remove) verb=$1 ;;
    *) packages+=("$1") ;;
  esac
  shift
done
echo "$verb $simulate ${packages[*]}" >>"$FAKE/asked"
[ "$verb" = install ] || exit 0
for package in "${packages[@]}"; do
  if grep -qx "$package" "$FAKE/conflicts"; then
    echo "E: Packages need to be removed but remove is disabled."
    exit 100
  fi
done
[ -n "$simulate" ] || printf '%s\n' "${packages[@]}" >>"$FAKE/installed"
"""
FAKE_DPKG = r"""#!/bin/bash
case ${!#} in *\**) sed 's/^/installed /' "$FAKE/installed"; exit ;; esac
grep -qx "${!#}" "$FAKE/installed" || { echo "no packages found matching ${!#}" >&2; exit 1; }
printf installed
"""


def bash(script, directory=SOURCE, **environment):
    return subprocess.run(["bash", "-c", script], cwd=directory, capture_output=True, text=True, timeout=120, env=dict(os.environ, **environment))


def fake_apt(directory, installed, conflicts):
    for name, text in (("apt-get", FAKE_APT), ("dpkg-query", FAKE_DPKG), ("sudo", '#!/bin/bash\nshift\n"$@"\n')):
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    for name, packages in (("installed", installed), ("conflicts", conflicts)):
        (directory / name).write_text("".join(f"{package}\n" for package in packages.split()))


def newer(directory):
    """A clang with its libomp that is newer than all that are listed: it is taken, and no other libomp is asked for."""
    fake_apt(directory, "clang-29 libomp-29-dev clang-19", "libomp-23-dev libomp-22-dev libomp-19-dev libomp-16-dev libomp-14-dev")
    done = bash(". cmake/scripts/packages.sh && tracer_install build && tracer_openmp_present", FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
    if done.returncode != 0 or done.stdout.split() != ["clang-29", "libomp-29-dev"]:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
    asked = (directory / "asked").read_text()
    if "libomp-" in asked:
        yield f"asked for another libomp: {asked}"


def conflict(directory):
    """Debian 12 with clang and libomp-dev (14): liboffload-22-dev and LLVM 22's runtime exclude libomp5-14, chromium does not go."""
    fake_apt(directory, "clang-14 libomp-14-dev", "libomp-23-dev liboffload-23-dev libomp-22-dev liboffload-22-dev chromium")
    done = bash('. cmake/scripts/packages.sh && tracer_install build test && printf "%s\\n" "${TRACER_NOT_INSTALLED[@]}" && '
                'echo "${BUILD_PACKAGES[@]} ${TEST_PACKAGES[@]}" && printf "%s\\n" "${TEST_GROUPS[@]#*|}"',
                FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
    installed = set((directory / "installed").read_text().split())
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) < 3:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
        return
    if not re.fullmatch(r"the HTML report in a browser \(chromium xvfb could not be installed: Packages need to be removed .*\)", lines[0]):
        yield f"of the browser it says: {lines[0]}"
    wanted = set(" ".join(lines[1:]).split()) - {"chromium", "xvfb", "npm"}
    if missing := wanted - installed:
        yield f"not installed, though nothing stands against it: {missing}"
    asked = (directory / "asked").read_text()
    if "remove" in asked or "libomp-22-dev" in installed:
        yield f"asked for what removes something: {asked}"


def exchanged(directory):
    """The cache names a compiler, an OpenMP compiler and a header that are gone: they are looked for again."""
    build = directory / "build"
    gone = directory / "gone"
    command = ["cmake", "-S", str(SOURCE), "-B", str(build), "-G", "Ninja", "-DTRACER_BUILD_TESTS=OFF", f"-DOMP_TOOLS_INCLUDE_DIR={gone}",
               f"-DTRACER_OPENMP_C_COMPILER={gone}/clang", f"-DTRACER_OPENMP_CXX_COMPILER={gone}/clang++"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        yield f"cmake ends with {done.returncode}: {done.stderr[-2000:]}"
        return
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
    if not pathlib.Path(cache["OMP_TOOLS_INCLUDE_DIR"], "omp-tools.h").exists():
        yield f"the header is looked for in {cache['OMP_TOOLS_INCLUDE_DIR']}"
    if str(gone) in " ".join(value for name, value in cache.items() if name.startswith("TRACER_OPENMP")):
        yield "the cache keeps an OpenMP compiler that is gone"
    holds = f'. cmake/scripts/build.sh; TRACER_BUILD={build}; tracer_cache_holds'
    if bash(holds).returncode != 0:
        yield "a cache whose programs are all there is not kept"
    for name in ("CMAKE_CXX_COMPILER", "CMAKE_MAKE_PROGRAM"):
        text = (build / "CMakeCache.txt").read_text()
        (build / "CMakeCache.txt").write_text(re.sub(rf"^({name}:\w+)=.*$", rf"\1={gone}/program", text, flags=re.MULTILINE))
        if bash(holds).returncode == 0:
            yield f"a cache whose {name} is gone is kept"
        (build / "CMakeCache.txt").write_text(text)


def skipped(directory):
    """Each reason for which tests skipped is a line of its own, with the tests' names."""
    report = directory / "tests.xml"
    case = '<testcase name="{}" status="{}">{}<system-out>{}</system-out></testcase>'
    skip = '<skipped message="SKIP_RETURN_CODE=77"/>'
    report.write_text("<testsuite>" + "".join((
        case.format("unit: a", "run", "", "skipped: nothing of this is a reason, the test ran"),
        case.format("fake gpu: one", "notrun", skip, "skipped: no device runtime (cmake/scripts/nvptx_runtime.sh makes it)"),
        case.format("fake gpu: two", "notrun", skip, "skipped: no device runtime (cmake/scripts/nvptx_runtime.sh makes it)"),
        case.format("browser: one", "notrun", skip, "chromium is not installed"))) + "</testsuite>")
    done = subprocess.run([sys.executable, SOURCE / "tests/support/not_tested.py", report], capture_output=True, text=True, timeout=60)
    expected = ["not tested: 2 tests (fake gpu): no device runtime (cmake/scripts/nvptx_runtime.sh makes it)",
                "not tested: 'browser: one': chromium is not installed"]
    if done.stdout.splitlines() != expected:
        yield f"says {done.stdout!r} instead of {expected}"


def main():
    with tempfile.TemporaryDirectory() as directory:
        faults = list({"conflict": conflict, "newer": newer, "exchanged": exchanged, "skipped": skipped}[sys.argv[2]](pathlib.Path(directory)))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
