"""The comparison of recorded and expected notifications."""

from collections.abc import Iterable
from itertools import zip_longest

__all__ = ["assert_equal"]

_NOTHING = "-"


def assert_equal(actual: Iterable[object], *expected: object) -> None:
    """Compare recorded items with the expected ones, one by one.

    Args:
        actual: Recorded notifications, spans or requests.
        expected: The expected ones.

    Raises:
        AssertionError: They differ; the message shows both lists side by side.

    Example:
        >>> from reactivestreams.testing import on_next
        >>> assert_equal([on_next(210, 1)], on_next(210, 2))
        Traceback (most recent call last):
            ...
        AssertionError: 1 came, 1 expected, first difference at position 0
          actual              expected
        ! 210: on_next(1)     210: on_next(2)
    """
    came = list(actual)
    if came == list(expected):
        return
    pairs = [
        (_shown(mine), _shown(theirs), mine == theirs)
        for mine, theirs in zip_longest(came, expected, fillvalue=_NOTHING)
    ]
    first = next(position for position, (_, _, is_equal) in enumerate(pairs) if not is_equal)
    width = max(20, *(len(mine) + 2 for mine, _, _ in pairs))
    lines = [f"{' ' if is_equal else '!'} {mine:{width}}{theirs}" for mine, theirs, is_equal in pairs]
    raise AssertionError(
        "\n".join(
            [
                f"{len(came)} came, {len(expected)} expected, first difference at position {first}",
                f"  {'actual':{width}}expected",
                *lines,
            ]
        )
    )


def _shown(item: object) -> str:
    return _NOTHING if item is _NOTHING else repr(item)
