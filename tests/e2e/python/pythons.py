# SPDX-License-Identifier: BSD-3-Clause
"""Which Python interpreters this machine has."""
import glob
import os
import shutil
import subprocess


def version_of(python):
    try:
        done = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2], sys.implementation.name)"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    return (int(words[0]), int(words[1])) if done.returncode == 0 and words[2:] == ["cpython"] else None


def find_pythons(oldest):
    """(path, version) of one interpreter of each version: the system's, those in PATH, and pyenv's."""
    names = ["/usr/bin/python3", *filter(None, (shutil.which(f"python3.{minor}") for minor in range(9, 20)))]
    names += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")))
    found = {}
    for name in names:
        version = version_of(name) if os.access(name, os.X_OK) else None
        if version and version >= oldest and (version not in found or "/shims/" in found[version]):
            found[version] = name
    return [(path, version) for version, path in sorted(found.items())]
