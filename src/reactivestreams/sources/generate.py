"""generate: send the elements that a function computes from a state, step by step."""

from collections.abc import Callable
from typing import ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, S, U
from rs_core.sources.basic import UnfoldSource


class Generate(OperatorDefinition):
    """Send the element that a function computes from a state, and repeat this with the state that it returns (unfold).

    Args:
        seed: The first state of every subscription.
        step: Called with the current state for each element that is requested. It returns a tuple of the element and
            the next state, or None to complete. It must not change the state that it receives, because that may be
            saved, and all subscriptions share the seed.

    Demand: a request of n makes at most n calls. The end is noticed with the request after the last element.
    Errors: an exception of the function becomes `on_error`; so does a result that is neither a tuple of two nor None.
    State: the current state, which must be a value that can be saved; version 1.0.0.0.
    Recovery: `exact`.
    Threads: the function is called in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.5, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> def fibonacci(pair):
        ...     first, second = pair
        ...     return first, (second, first + second)
        >>> Stream.generate((0, 1), fibonacci).take(8).to_list()
        [0, 1, 1, 2, 3, 5, 8, 13]
    """

    id = "rx://sources/generate"
    method = "generate"
    stage = UnfoldSource
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(seed: S, step: Callable[[S], tuple[U, S] | None]) -> Checked[U]:
        """Return the checked parameters."""
        return Checked((seed, checked_callable(step, operator="generate", name="step")))
