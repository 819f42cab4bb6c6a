"""Lines of a buffer as a stream: a source and an operator that are compiled, and queues that need no GIL."""

from typing import Any

from native_lines.count_byte import CountByte
from native_lines.line_starts import LineStarts
from native_lines.shared_line_starts import SharedLineStarts
from native_lines.source import LinesSource
from reactivestreams import Stream
from reactivestreams.operators import OperatorDefinition

__all__ = ["LineStarts", "SharedLineStarts", "count_byte", "lines"]


class Lines(OperatorDefinition):
    """Names the source: the id stands in front of its saved state and in errors."""

    id = "native-lines://sources/lines"
    method = "lines"
    stage = LinesSource


def lines(data: Any) -> Stream[bytes]:
    """Describe a stream of the lines of a buffer, without their line ends; nothing is copied before it is requested."""
    memoryview(data).release()  # what is no buffer fails here, not when the stream runs
    return Stream(Lines, (data,))


def count_byte(stream: Stream[bytes], byte: bytes) -> Stream[int]:
    """Describe how often a byte comes in each element of a stream."""
    if len(byte) != 1:
        raise ValueError(f"count_byte(byte) needs one byte, got {byte!r}; pass e.g. b','")
    stage: Any = CountByte  # lift() knows the types of stages in Python only
    counted: Stream[int] = stream.lift(stage, byte)
    return counted
