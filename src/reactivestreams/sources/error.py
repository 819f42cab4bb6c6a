"""error: fail without an element."""

from typing import Any, ClassVar, cast

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery
from rs_core.sources.basic import ErrorSource, GivenError
from rs_core.stream.description import Description, new_head


class Error(OperatorDefinition):
    """Fail with an exception, without an element.

    Args:
        error: The exception for every subscriber.

    Demand: none is needed.
    Errors: the given exception.
    State: none but whether it is disposed; version 1.0.0.0.
    Recovery: `exact`.
    Threads: fails in the thread that subscribes.
    Rules: §1.4, §2.10.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.error(ValueError("no data")).to_list()
        Traceback (most recent call last):
        ...
        ValueError: no data
    """

    id = "rx://sources/error"
    method = "error"
    stage = ErrorSource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(error: Exception) -> Checked[Any]:
        """Return the checked parameters."""
        if not isinstance(error, Exception):
            raise ArgumentTypeError(
                f"error(error) needs an exception instance, got {error!r} ({type(error).__name__}); "
                f"pass e.g. ValueError('why')"
            )
        return Checked((GivenError(error),))


def failing(error: Exception) -> Description:
    """Return the description of a stream that fails with an exception."""
    return cast("Description", new_head(Description, Error, Error.parameters(error)))
