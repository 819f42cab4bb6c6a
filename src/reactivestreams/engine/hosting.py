"""What an engine is to the nodes that it hosts."""

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Host"]


class Host(Protocol):
    """The engine, as one of its artifacts sees it."""

    @property
    def artifact_id(self) -> str:
        """The id of the artifact."""
        ...

    @property
    def last_checkpoint(self) -> int:
        """The number of the last stored checkpoint; 0: there is none."""
        ...

    def report(self, stage: str, error: Exception) -> None:
        """Record that something failed that is tried again.

        Args:
            stage: What failed.
            error: How.
        """

    def request_checkpoint(self) -> None:
        """Have a checkpoint taken soon, because a node waits for one; any thread, never blocks."""

    def encode(self, value: Any) -> bytes:
        """Return the bytes of a value that is stored beside states."""
        ...

    def run_soon(self, task: Callable[[], object]) -> None:
        """Have a function run on the scheduler of the artifact; any thread, never blocks."""
