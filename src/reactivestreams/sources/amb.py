"""amb: the elements of the stream that signals first."""

from typing import Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import OperatorDefinition, Recovery
from rs_core.operators.combine import AmbStage
from rs_core.stream.description import Description


class Amb(OperatorDefinition):
    """Send the elements of the source that signals first, with an element, completion or an error; cancel all others.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables, as arguments or in one list; or one stream of
            them, which is read to its end first. Without any the stream is empty.
        prefetch: How many elements of an input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: the demand is requested from each input in their order until one has signalled, then only from that one, at
        most `prefetch` elements at a time. So the first input that sends inside `request` wins.
    Errors: the error of the input that has won.
    State: which input has won, and its buffered elements; the nodes of all inputs are part of the tree; version
        1.0.0.0.
    Recovery: `exact`; the sources of the inputs state their own.
    Threads: signals run in the thread that requests, or in the thread of the input that sends an element.
    Rules: §1.1, §1.3, §1.7, §2.7, §3.12.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.amb(Stream.never(), [1, 2], [3]).to_list()
        [1, 2]
    """

    id = "rx://sources/amb"
    method = "amb"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(*sources: Description, prefetch: int = DEFAULT_PREFETCH) -> tuple[Any, ...]:
        """Return the checked parameters."""
        return sources, checked_count(prefetch, operator="amb", name="prefetch", at_least=1, at_most=2**24)

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int) -> AmbStage:
        """Return a new live stage."""
        return AmbStage(sources, prefetch)
