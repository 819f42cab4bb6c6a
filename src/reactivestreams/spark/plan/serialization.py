"""Checks, when a pipeline is built, that its functions can be sent to another process."""

import io
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import UntravelableFunctionError
from reactivestreams.spark.operator_names import place_of
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.stream import Operator

__all__ = ["require_serializable", "why_not_picklable"]


def require_serializable(operators: Iterable[Operator]) -> None:
    """Check that each parameter of each operator can be sent to an executor, as Spark sends functions.

    A one-shot iterator is refused although it could be sent: each task would get a copy of its own and start it again.

    Raises:
        UntravelableFunctionError: One cannot; the message names the operator, its line, the parameter and the reason.
    """
    for operator in operators:
        named = f"operator {place_of(operator)},"
        if not operator.definition.serializable_with(operator.parameters):
            raise UntravelableFunctionError(
                f"{named} is bound to a thread of this process; leave it out on Spark, which runs partitions side by "
                "side by itself"
            )
        for position, parameter in enumerate(operator.parameters, 1):
            reason = why_not_picklable(parameter)
            if reason is not None:
                raise UntravelableFunctionError(
                    f"{named} cannot be sent to an executor: its parameter {position}, {short_repr(parameter)}, is or "
                    f"holds what cannot be copied to another process: {reason}; open files, take locks and make "
                    "iterators inside the function, or pass what they hold as a value"
                )


def why_not_picklable(value: object) -> str | None:
    """Return why a value cannot be sent; None where it can."""
    from pyspark import cloudpickle

    class Probe(cloudpickle.Pickler):
        """Pickles as Spark does, but refuses what would arrive as a copy that has lost its meaning."""

        def reducer_override(self, part: Any) -> Any:
            # The standard streams are named, not copied.
            if isinstance(part, Iterator) and not any(part is stream for stream in (sys.stdin, sys.stdout, sys.stderr)):
                raise TypeError(
                    "an open file" if isinstance(part, io.IOBase) else f"a one-shot iterator ({type(part).__name__})"
                )
            return super().reducer_override(part)

    try:
        Probe(io.BytesIO()).dump(value)
    except Exception as error:
        return first_line(error)
    return None
