"""The stream that a text names, such as `path/to/file.py:name`."""

import inspect
from typing import TYPE_CHECKING, Any

from reactivestreams.cli.output import short_repr
from reactivestreams.cli.usage_error import UsageError
from reactivestreams.cli.verification.loading import load

if TYPE_CHECKING:
    from rs_core.stream.description import Description

__all__ = ["loaded_stream"]


def loaded_stream(subject: str, *, purpose: str) -> "Description":
    """Return the stream or pipeline that a text names, such as `module:name`.

    Args:
        subject: The text.
        purpose: What is done with it, for the message where it is none, such as "a graph is drawn of".

    Raises:
        UsageError: It names something else.
    """
    from rs_core.stream.description import Description

    loaded = load(subject)
    value = loaded.value
    if loaded.name and not isinstance(value, Description) and _is_called(value):
        value = value()
    if isinstance(value, Description):
        return value
    streams = [name for name, each in vars(loaded.module).items() if isinstance(each, Description)]
    has = f"; {loaded.place} has {', '.join(streams[:8])}" if streams else ""
    raise UsageError(
        f"{subject} gives {short_repr(value)}, and {purpose} a stream or a pipeline; name one, or a function "
        f"without arguments that returns one{has}"
    )


def _is_called(value: Any) -> bool:
    """Return whether a value is a function that can be called without arguments."""
    try:
        return inspect.isroutine(value) and inspect.signature(value).bind() is not None
    except (TypeError, ValueError):
        return False
