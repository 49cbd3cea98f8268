# SPDX-License-Identifier: BSD-3-Clause
"""ViTE draws a trace, without a display."""
import os
import shutil
import subprocess

TRIES, LIMIT = 6, 8


def drawn(anchor, picture):
    """What ViTE prints; None: it is not installed, or never comes to an end. ViTE 1.4 (Debian 13) hangs in one run of two at "0%", with
    archives of the OTF2 library's own writer as well."""
    if not shutil.which("vite"):
        print("not tested: pictures of ViTE, which is not installed")
        return None
    for _ in range(TRIES):
        try:
            done = subprocess.run(["vite", "-e", str(picture), str(anchor)], env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            continue
        return f"status {done.returncode} " * (done.returncode != 0) + done.stdout + done.stderr
    print(f"not tested: pictures of ViTE, which hung {TRIES} times")
    return None
