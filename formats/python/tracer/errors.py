# SPDX-License-Identifier: BSD-3-Clause
"""The one exception of this package."""


class TracerError(Exception):
    """What went wrong, in words for the user. Names in it may be anybody's: without what a terminal obeys."""

    def __str__(self):
        return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in super().__str__())
