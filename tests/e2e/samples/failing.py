# SPDX-License-Identifier: BSD-3-Clause
"""How these tests fail."""
import sys


def fail(text):
    print("FAILED:", text)
    sys.exit(1)
