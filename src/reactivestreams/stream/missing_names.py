"""The error for an attribute that a stream or pipeline does not have; it suggests the methods that may be meant."""

import difflib
import re

from reactivestreams.stream.names_elsewhere import NAMES_ELSEWHERE, NOT_HERE, REASONS

__all__ = ["missing_name"]

MOST_NAMED = 3
"""The largest number of methods that a message names."""


def missing_name(kind: type, name: str) -> AttributeError:
    """Return the error for a name that a class and its instances do not have."""
    text = f"{kind.__name__} has no {name!r}"
    if not name.startswith("_"):
        ours = [each for each in dir(kind) if not each.startswith("_")]
        snake = _snake(name)
        if _is_of_streams(kind, snake):
            text += "; only a Stream has it: call it on the stream, before or after through(pipeline)"
        elif snake in ours:
            text += f"; it is {snake!r} here"
        elif snake in NAMES_ELSEWHERE:
            text += f"; it is {' or '.join(NAMES_ELSEWHERE[snake][:MOST_NAMED])} here"
        elif snake in NOT_HERE:
            text += f"; {REASONS[NOT_HERE[snake]]}"
        elif near := difflib.get_close_matches(snake, ours, n=MOST_NAMED):
            text += f"; did you mean {' or '.join(near)}?"
        else:
            text += "; the page of operators lists all, and lift() adds one of your own"
    return AttributeError(text, name=name, obj=None)  # with the object, a traceback would add a second suggestion


def _is_of_streams(kind: type, name: str) -> bool:
    """Return whether a name needs a source: to run a stream, or to share one run of it."""
    from reactivestreams.stream.stream import Stream

    return not issubclass(kind, Stream) and name in dir(Stream)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
