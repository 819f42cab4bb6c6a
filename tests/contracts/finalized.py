"""An element that acts when it dies."""

from collections.abc import Callable


class Finalized:
    """Calls a function when nobody refers to it any more."""

    def __init__(self, when_dropped: Callable[[], object]) -> None:
        self.when_dropped = when_dropped

    def __del__(self) -> None:
        self.when_dropped()
