"""A second thread that calls the subject while the first one is busy."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import CheckAbandoned
from reactivestreams.tck.probes.latch import Latch

__all__ = ["PeerThread"]


class PeerThread:
    """Call a function on a separate thread; its exception is a flop. Leaving the context waits for it to end.

    Args:
        environment: The environment of the check.
        function: The function.
        purpose: Its purpose, for the list of steps.
    """

    def __init__(self, environment: CheckEnvironment, function: Callable[[], object], *, purpose: str) -> None:
        self._environment = environment
        self._function = function
        self._purpose = purpose
        self._done = Latch(environment)
        self._thread = threading.Thread(target=self._work, name=f"tck-peer: {purpose[:40]}", daemon=True)

    def __enter__(self) -> Self:
        self._environment.step(f"on another thread: {self._purpose}")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.wait_done(10 * self._environment.default_timeout_milliseconds) and error is None:
            self._environment.flop(f"the call did not return: {self._purpose}")

    def wait_done(self, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the function to return; return whether it has."""
        return self._done.wait_closed(timeout_milliseconds)

    def is_done(self) -> bool:
        """Return whether the function has returned."""
        return self._done.is_closed()

    def _work(self) -> None:
        try:
            self._function()
        except CheckAbandoned:
            pass
        except Exception as error:
            self._environment.flop(error)
        finally:
            self._done.close()
