"""The source of a subscription to a subject, as the description of a stream names it."""

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.definition import OperatorDefinition, Recovery
from rs_core.multicaster import SubjectSource


class SubjectSubscription(OperatorDefinition):
    """Send what comes to a subject; made by `bind` and `subscribe` of subjects, not by a method of streams.

    Demand: n requested are n sent; what the subject does about more or less says its policy.
    Errors: the subject's end; CapacityError where the policy fails a slow subscriber.
    State: the elements that came and were not sent, and the end after them; version 1.0.0.0.
    Recovery: `exact`, for what came before it was saved. What comes to the subject while nothing is subscribed to it is
        the business of whoever pushes.
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
