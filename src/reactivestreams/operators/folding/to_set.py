"""to_set: all elements in a set."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, FoldingDefinition, T, checked_bound
from rs_core.operators.reduce import SetStage


class ToSet(FoldingDefinition):
    """Collect the elements in a set.

    Args:
        max_elements: How many different elements may come, from 1; one more ends the stream with CapacityError. None:
            without a bound.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an element that cannot be hashed, or one more than the bound, cancels the
        upstream and becomes `on_error`.
    State: the set; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `collect`; RxJava `collect`; reactivex `to_set`.

    Example:
        >>> from reactivestreams import Stream
        >>> sorted(Stream.just("ant", "bee", "ant").to_set())
        ['ant', 'bee']
    """

    id = "rx://operators/to_set"
    method = "to_set"
    has_keys = True

    @staticmethod
    def parameters(*, max_elements: int | None = None) -> Checked[set[T]]:
        """Return the checked parameters."""
        return Checked((checked_bound(max_elements, operator="to_set"),))

    @staticmethod
    def stage(max_elements: int | None) -> SetStage:
        """Return a new live stage."""
        return SetStage(max_elements or 0)
