# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for what another process does."""
import time


def wait_until(condition, seconds):
    """Whether it holds within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
