"""The yield token, by which a scheduler asks a running task to return soon."""

from typing import ClassVar, Protocol


class YieldTokenSource(Protocol):
    """The source of yield requests: a scheduler requests them while it is pausing, paused or disposed."""

    @property
    def is_yield_requested(self) -> bool:
        """Whether a running task should return soon; any thread may read it."""
        ...


class YieldToken:
    """The token that a yieldable task reads in its loop. Tokens of one source are equal.

    Args:
        source: The source; None never requests a yield.

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
        """Whether the source requests that the task returns soon; the source may take that back."""
        source = self._source
        return source is not None and source.is_yield_requested

    def __eq__(self, other: object) -> bool:
        return self._source is other._source if isinstance(other, YieldToken) else NotImplemented

    def __hash__(self) -> int:
        return 0 if self._source is None else hash(id(self._source))

    def __repr__(self) -> str:
        return "YieldToken.NEVER" if self._source is None else f"YieldToken({self._source!r})"


YieldToken.NEVER = YieldToken(None)
