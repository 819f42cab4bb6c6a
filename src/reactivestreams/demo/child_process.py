"""A program of the demo in a process of its own, so that it can be killed."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import IO

__all__ = ["ChildProcess", "child_process"]

END_SECONDS = 600.0
"""How long a process may run after its last line."""

SHOWN_CHARACTERS = 400
"""At most so much of a process's last error is shown."""


class ChildProcess:
    """A process that writes lines for the one that started it.

    Attributes:
        process: The process.
    """

    def __init__(
        self, process: "subprocess.Popen[str]", errors: IO[bytes], name: str, error: Callable[[str], Exception]
    ) -> None:
        self.process: subprocess.Popen[str] = process
        self._errors = errors
        self._name = name
        self._error = error

    def read_line(self) -> str:
        """Return the next line without its end; empty: it has closed its output, as by its end."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip()

    def expect(self, word: str) -> None:
        """Wait for a line; raise if another one comes or the process ends."""
        line = self.read_line()
        if line != word:
            self.process.wait(END_SECONDS)
            raise self.failure(f"it printed {line!r} instead of {word!r}")

    def expect_end(self) -> None:
        """Wait for a successful end."""
        status = self.process.wait(END_SECONDS)
        if status:
            raise self.failure(f"it ended with status {status}")

    def kill(self) -> None:
        """Kill it and the processes that it has started, as `kill -9` does, and wait until it is dead."""
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def failure(self, what: str) -> Exception:
        """Return the error of a process that failed, with the last one that it has written."""
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()]
        last = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "nothing")
        return self._error(f"{self._name} of the demo failed: {what}; its last error: {last[:SHOWN_CHARACTERS]}")


@contextmanager
def child_process(
    module: str, argument: str, *, name: str, error: Callable[[str], Exception]
) -> Generator[ChildProcess]:
    """Run a module as a program in a process group of its own, which is killed on exit.

    Args:
        module: Its name.
        argument: What the program gets.
        name: What it is called where it failed.
        error: Makes the exception for that.
    """
    path = os.pathsep.join(filter(None, sys.path))  # the import path of this process
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-m", module, argument],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        ) as process,
    ):
        child = ChildProcess(process, errors, name, error)
        try:
            yield child
        finally:
            child.kill()
