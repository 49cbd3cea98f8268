# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of this package."""


class TracerError(Exception):
    """What went wrong, in words for the user."""
