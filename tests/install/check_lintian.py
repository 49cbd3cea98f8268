#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the Debian package and lets lintian look at it: errors fail, warnings are shown. Exit status 77: no lintian here."""
import argparse
import shutil
import sys
import tempfile

from check_debian_package import SKIP, package, run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--build", "--cpack"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    for tool in ("lintian", "dpkg-shlibdeps"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return SKIP
    with tempfile.TemporaryDirectory() as directory:
        done = run(["lintian", "--fail-on", "error", "--tag-display-limit", "0", package(options, directory)])
        print(done.stdout + done.stderr)
        return done.returncode


sys.exit(main())
