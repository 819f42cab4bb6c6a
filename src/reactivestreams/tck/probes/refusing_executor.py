"""An executor that refuses work, like one that was shut down or is full."""

from concurrent.futures import Executor
from typing import Any, NoReturn

__all__ = ["RefusingExecutor"]


class RefusingExecutor(Executor):
    """Raise RuntimeError for every submitted call, and count them.

    Attributes:
        refused: How many were refused.
    """

    def __init__(self) -> None:
        self.refused: int = 0

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> NoReturn:
        """Refuse.

        Raises:
            RuntimeError: Always.
        """
        self.refused += 1
        raise RuntimeError("this executor takes no work")
