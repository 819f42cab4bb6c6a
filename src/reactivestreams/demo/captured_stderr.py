"""Hold back what child processes write to standard error, and show it only where it may explain a failure.

Java writes a line of warning past every setting when it starts, in the middle of a progress bar.
"""

import os
import sys
import tempfile
from types import TracebackType
from typing import Self

__all__ = ["CapturedStandardError"]

SHOWN_BYTES = 64 * 1024
"""Of what was held so much is shown at most: its end."""


class CapturedStandardError:
    """Let processes that are started meanwhile write to a temporary file in place of standard error.

    What this process writes to `sys.stderr` is held, too; a progress bar on a copy of its file descriptor is not. On
    leaving without an exception the file is dropped, else its end is written to standard error.
    """

    def __enter__(self) -> Self:
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()
        self._kept = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        self._is_held = True
        return self

    def release(self) -> None:
        """Give this process its standard error back; what it started meanwhile goes on writing to the file."""
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
