# SPDX-License-Identifier: LGPL-2.1-only
"""The exception of the package; a file of its own because the extension needs it first."""


class Error(OSError):
    """What libctrace or the kernel module refused.

    ``errno`` is the number (``errno.EPERM``, ``errno.ENOENT``, ...), ``strerror`` and ``str()`` are the library's
    sentence: what was wrong, and what to do.
    """

    __module__ = "ctrace"

    def __str__(self) -> str:
        return str(self.strerror) if self.strerror is not None else super().__str__()
