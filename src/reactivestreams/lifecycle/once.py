"""An action that runs once, in whichever thread is first."""

import threading

__all__ = ["Once"]


class Once:
    """Select the first caller.

    Threads: any.

    Example:
        >>> disposal = Once()
        >>> disposal.begin(), disposal.begin()
        (True, False)
    """

    __slots__ = ("_gate",)

    def __init__(self) -> None:
        self._gate = threading.Lock()  # taken by the first, and never given back

    def begin(self) -> bool:
        """Return True to the first caller, False to all others; never waits."""
        return self._gate.acquire(blocking=False)
