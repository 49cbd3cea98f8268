#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Debian package, installs it in a new Debian root by apt, and traces an example there.
Exit status 77, with the reason, where no such root can be made."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def run(command, **kwargs):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500,
                          stdin=subprocess.DEVNULL, **kwargs)


def run_with_mirror(command, **kwargs):
    """One that fetches packages: that the mirror does not answer in time is no fault of ours."""
    try:
        return run(command, **kwargs)
    except subprocess.TimeoutExpired as slow:
        skip(f"the mirror is too slow: {slow}")


def need(done, what):
    if done.returncode:
        sys.exit(f"{what}: exit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def mirror():
    """Where this system gets its packages from."""
    listed = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]).stdout.split()
    found = next((uri for uri in listed if "security" not in uri), None)
    return found or skip("this system names no package repository")


def runtime_package(program, inside):
    """The package of the libomp that the program runs with here; the newest that the root can have, where that was unpacked only."""
    for line in run(["ldd", program]).stdout.splitlines():
        if "libomp" in line and "=>" in line:
            path = pathlib.Path(line.split("=>")[1].split()[0])
            for candidate in (path, path.resolve()):
                owner = run(["dpkg", "-S", candidate]).stdout or run(["dpkg", "-S", f"/usr{candidate}"]).stdout
                if owner:
                    return owner.split(":")[0]
    names = re.findall(r"^libomp5-\d+", inside("apt-cache", "search", "--names-only", r"^libomp5-[0-9]+$").stdout, re.MULTILINE)
    return max(names, key=lambda name: int(name.split("-")[1]), default=None) or skip("no libomp is packaged for the root")


def clean_root(root):
    if os.geteuid() != 0:
        skip("a root file system can be made by root only")
    for tool in ("debootstrap", "chroot"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    release = dict(line.strip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    if release.get("ID") != "debian":
        skip("the package is for Debian, and this is another system")
    done = run_with_mirror(["debootstrap", "--variant=minbase", release["VERSION_CODENAME"], root, mirror()])
    if done.returncode:
        skip(f"debootstrap cannot make a root here: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
    code, source = release["VERSION_CODENAME"], mirror().rstrip("/")
    pathlib.Path(root, "etc/apt/sources.list").write_text(
        f"deb {source} {code} main\ndeb {source}-security {code}-security main\n", encoding="utf-8")
    for name in ("resolv.conf", "hosts"):  # the network as it is here
        if os.path.exists(f"/etc/{name}"):
            shutil.copy(f"/etc/{name}", f"{root}/etc/{name}")
    if os.path.isdir("/etc/apt/apt.conf.d"):
        for path in pathlib.Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copy(path, f"{root}/etc/apt/apt.conf.d/")


def package(options, directory):
    """Made under a umask that grants others nothing; what the package contains all users may read."""
    # A build tree may be made by another user or at another path; the package goes where we may write.
    need(run([options.cpack, "-G", "DEB", "-B", directory, "--config", f"{options.build}/CPackConfig.cmake"], umask=0o077), "cpack")
    deb = next(pathlib.Path(directory).glob("*.deb"))
    listed = need(run(["dpkg-deb", "-c", deb]), "dpkg-deb").splitlines()
    if not any(line.endswith("/usr/share/zsh/vendor-completions/_tracer") for line in listed):
        sys.exit("no completion where Debian's zsh looks for it")
    for line in listed:
        if not line.startswith(("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "l")):
            sys.exit(f"others cannot read it: {line}")
    return deb


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--build", "--cpack", "--program"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    if not shutil.which("dpkg-shlibdeps"):
        skip("dpkg-shlibdeps is not installed")
    with tempfile.TemporaryDirectory() as directory:
        deb = package(options, directory)
        root = pathlib.Path(directory, "root")
        clean_root(root)
        shutil.copyfile(deb, root / "tmp/tracer.deb")
        shutil.copy(options.program, root / "tmp/program")
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "OMP_NUM_THREADS": "2",
                       **{k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}}

        def inside(*command, by=run):
            return by(["chroot", root, *command], env=environment)

        inside("apt-get", "-q", "update", by=run_with_mirror)
        done = inside("apt-get", "-q", "-y", "install", "--no-install-recommends", runtime_package(options.program, inside), "libdw1", by=run_with_mirror)
        if done.returncode:
            skip(f"no packages can be installed in the root: {done.stderr[-300:]}")
        need(inside("apt-get", "-q", "-y", "install", "/tmp/tracer.deb"), "installing the package")
        need(inside("tracer", "run", "--output", "/tmp/trace", "--", "/tmp/program", "64", "5"), "tracing in the clean root")
        if not (root / "tmp/trace/traces.otf2").exists():
            sys.exit("no trace was written in the clean root")
        need(inside("tracer", "info"), "tracer info in the clean root")
        need(inside("apt-get", "-q", "-y", "remove", "tracer-openmp"), "removing the package")
        if inside("sh", "-c", "command -v tracer").returncode == 0:
            sys.exit("the command is still there after removal")


if __name__ == "__main__":
    main()
