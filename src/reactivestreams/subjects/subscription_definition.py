"""The definition of a subscription to a subject, the source of its operator tree."""

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.definition import OperatorDefinition, Recovery
from rs_core.multicaster import SubjectSource


class SubjectSubscription(OperatorDefinition):
    """Send the signals of a subject; made by `bind` and `subscribe` of subjects, not by a method of streams.

    Demand: a request of n sends up to n elements; the subject's policy decides about elements without demand.
    Errors: the error of the subject; CapacityError if the policy fails a slow subscriber.
    State: the elements that arrived and were not sent, and the terminal signal after them; version 1.0.0.0.
    Recovery: `exact`, for elements that arrived before the state was saved. The producer is responsible for elements
        that arrive while nothing is subscribed.
    Threads: signals run in the thread that pushes or requests, one at a time.
    Rules: §1.1, §1.3, §1.7, §2.13, §3.3, §3.9, §3.12, §3.13.
    """

    id = "rx://subjects/subscription"
    method = "subscribe"
    stage = SubjectSource
    recovery: ClassVar[Recovery | None] = "exact"
    serializable = False

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return "subject.subscribe"
