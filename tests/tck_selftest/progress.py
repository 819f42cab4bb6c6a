"""Says how far a long run is: on a terminal in one line that changes, elsewhere in a line now and then."""

import sys
import time

__all__ = ["Progress"]

_TERMINAL_SECONDS = 0.2
_FILE_SECONDS = 10.0


class Progress:
    """Count steps of a known number and say so on standard error.

    Args:
        title: What is counted.
        of: How many steps there are.
    """

    def __init__(self, title: str, of: int) -> None:
        self._title = title
        self._of = of
        self._done = 0
        self._stream = sys.__stderr__ or sys.stderr  # the other one may be turned off for noisy subjects
        self._begun = time.monotonic()
        self._said = 0.0

    def step(self, note: str = "") -> None:
        """Count one step.

        Args:
            note: What to add, such as what went wrong so far.
        """
        self._done += 1
        now = time.monotonic()
        on_terminal = self._stream.isatty()
        if self._done < self._of and now - self._said < (_TERMINAL_SECONDS if on_terminal else _FILE_SECONDS):
            return
        self._said = now
        elapsed = now - self._begun
        line = f"{self._title}: {self._done} of {self._of} in {elapsed:.0f} s{f', {note}' if note else ''}"
        if not on_terminal:
            print(line, file=self._stream)
            return
        end = "\n" if self._done == self._of else ""
        print(f"\r\x1b[K{line}", end=end, file=self._stream, flush=True)

    def say(self, line: str) -> None:
        """Print what should be known before the run is over, such as a failure, on a line of its own."""
        print(f"\r\x1b[K{line}" if self._stream.isatty() else line, file=self._stream, flush=True)
