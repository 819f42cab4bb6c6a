"""Checks that the functions of a pipeline can be sent to another process."""

import io
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import NotSerializableError
from reactivestreams.spark.operator_names import place_of
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.stream import Operator

__all__ = ["require_serializable", "why_not_picklable"]


def require_serializable(operators: Iterable[Operator]) -> None:
    """Check that Spark can send each parameter of each operator to an executor.

    A one-shot iterator is refused although it can be pickled: each task would get its own copy and start it again.

    Raises:
        NotSerializableError: One cannot; the message names the operator, its line, the parameter and the reason.
    """
    for operator in operators:
        named = f"operator {place_of(operator)},"
        if not operator.definition.serializable_with(operator.parameters):
            raise NotSerializableError(
                f"{named} is about the threads, the clock or the demand of one process; leave it out on Spark, which "
                "runs partitions side by side and reads rows at its own pace"
            )
        for position, parameter in enumerate(operator.parameters, 1):
            reason = why_not_picklable(parameter)
            if reason is not None:
                raise NotSerializableError(
                    f"{named} cannot be sent to an executor: its parameter {position}, {short_repr(parameter)}, is or "
                    f"contains an object that cannot be pickled: {reason}; open files, create locks and make "
                    "iterators inside the function, or pass their contents as a value"
                )


def why_not_picklable(value: object) -> str | None:
    """Return why a value cannot be pickled, or None."""
    from pyspark import cloudpickle

    class Probe(cloudpickle.Pickler):
        """Pickles like Spark, but refuses objects of which a copy has no meaning."""

        def reducer_override(self, part: Any) -> Any:
            # The standard streams are pickled by name.
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
