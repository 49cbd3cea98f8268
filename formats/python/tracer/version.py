# SPDX-License-Identifier: BSD-3-Clause
"""The version of Tracer: make_wheel.py puts it in."""
__version__ = "@PROJECT_VERSION@"
