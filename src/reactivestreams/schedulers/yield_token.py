"""How a scheduler asks a running task to give way."""

from typing import ClassVar, Protocol


class YieldTokenSource(Protocol):
    """Who may ask tasks to yield: a scheduler does while it is pausing, paused or disposed."""

    @property
    def is_yield_requested(self) -> bool:
        """Whether a running task shall return soon; may be read by any thread."""
        ...


class YieldToken:
    """What a yieldable task reads in its loop. Tokens of one source are equal.

    Args:
        source: Who is asked; None never asks to yield.

    Example:
        >>> YieldToken.NEVER.is_yield_requested
        False
        >>> YieldToken(None) == YieldToken.NEVER
        True
    """

    __slots__ = ("_source",)

    NEVER: ClassVar["YieldToken"]
    """The token without a source."""

    def __init__(self, source: YieldTokenSource | None) -> None:
        self._source = source

    @property
    def is_yield_requested(self) -> bool:
        """Whether the task shall return soon, as its source says now; it may take that back."""
        source = self._source
        return source is not None and source.is_yield_requested

    def __eq__(self, other: object) -> bool:
        return self._source is other._source if isinstance(other, YieldToken) else NotImplemented

    def __hash__(self) -> int:
        return 0 if self._source is None else hash(id(self._source))

    def __repr__(self) -> str:
        return "YieldToken.NEVER" if self._source is None else f"YieldToken({self._source!r})"


YieldToken.NEVER = YieldToken(None)
