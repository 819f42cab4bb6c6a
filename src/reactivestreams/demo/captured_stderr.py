"""Capture the standard error of child processes, and show it only if it may explain a failure.

Java always writes a line of warning when it starts, in the middle of a progress bar.
"""

import os
import sys
import tempfile
from types import TracebackType
from typing import Self

__all__ = ["CapturedStandardError"]

SHOWN_BYTES = 64 * 1024
"""At most so many of the last captured bytes are shown."""


class CapturedStandardError:
    """Let processes that are started in the block write to a temporary file in place of standard error.

    The output of this process to `sys.stderr` is captured too, but not a progress bar on a copy of its file descriptor.
    If the block ends without an exception the file is deleted, else its end is written to standard error.
    """

    def __enter__(self) -> Self:
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()
        self._kept = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        self._is_held = True
        return self

    def release(self) -> None:
        """Restore this process's standard error; processes started in the block continue to write to the file."""
        if self._is_held:
            self._is_held = False
            sys.stderr.flush()
            os.dup2(self._kept, 2)
            os.close(self._kept)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        with self._file as file:
            if kind is not None and issubclass(kind, Exception):
                file.seek(max(0, file.seek(0, os.SEEK_END) - SHOWN_BYTES))
                sys.stderr.write(file.read().decode(errors="replace"))
                sys.stderr.flush()
