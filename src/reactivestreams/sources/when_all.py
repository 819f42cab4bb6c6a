"""when_all: one tuple of the last elements of several streams."""

from typing import Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import OperatorDefinition, Recovery
from rs_core.operators.combine import LatestStage
from rs_core.stream.description import Description


class WhenAll(OperatorDefinition):
    """Send one tuple of the last elements of all sources when all have completed (fork_join).

    If a source had no element, the stream completes without a tuple, also only after all sources have completed.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables, as arguments or in one list; or one stream of
            them, which is read to its end first. Without any the stream is empty.
        prefetch: How many elements of each input may be requested and not yet taken, from 1 to 2**24.

    Demand: all elements of each input, `prefetch` at a time, for any demand; the tuple waits for demand.
    Errors: the first error of an input cancels the others.
    State: the buffered elements and the last element of each input, and which inputs have ended; the nodes of all
        inputs are part of the tree; version 1.0.0.0.
    Recovery: `exact`; the sources of the inputs state their own.
    Threads: signals run in the thread that requests, or in the thread of the input that ends last.
    Rules: §1.1, §1.3, §1.7, §2.7.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.when_all(Stream.range(4), "abc").to_list()
        [(3, 'c')]
    """

    id = "rx://sources/when_all"
    method = "when_all"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(*sources: Description, prefetch: int = DEFAULT_PREFETCH) -> tuple[Any, ...]:
        """Return the checked parameters."""
        return sources, checked_count(prefetch, operator="when_all", name="prefetch", at_least=1, at_most=2**24)

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int) -> LatestStage:
        """Return a new live stage."""
        return LatestStage(sources, prefetch, waits=True)
