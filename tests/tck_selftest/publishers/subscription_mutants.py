"""The mutants by which the standard's kit for publishers is tried, chapter 3 of the rules, for the JVM and for .NET."""

from typing import Any

from reactivestreams.tck import Outcome
from tests.tck.subjects import ScriptedPublisher
from tests.tck_selftest.mutant import BOTH, Mutant
from tests.tck_selftest.publishers.publisher_case import PublisherCase, case
from tests.tck_selftest.publishers.reference_components import (
    KeepingItsSubscriber,
    OneTooManyFromPool,
    UntilCancelled,
    boom,
    erring_above_the_maximum,
    erring_at_the_maximum,
    idle,
    one_too_many,
)

__all__ = ["SUBSCRIPTION_MUTANTS"]


def arbitrary_refusal(subscriber: Any, n: int) -> None:
    if n <= 0:
        subscriber.on_error(ValueError("Illegal request value detected!"))


class UntilCancelledCase(PublisherCase):
    def __init__(self) -> None:
        self.publisher = UntilCancelled()
        super().__init__(lambda elements: self.publisher)

    def unexpected_count(self) -> str:
        return "" if self.publisher.sent == 11 else f"11 elements have to be sent, {self.publisher.sent} were"


SUBSCRIPTION_MUTANTS = (
    Mutant(
        "fails on every request",
        "PM25",
        "required_spec302",
        case(lambda: ScriptedPublisher(boom)),
        words="Async error during test execution: Test Exception: Boom!",
        editions=BOTH,
    ),
    Mutant(
        "recurses without bound",
        "PM26",
        "required_spec303_must",
        case(lambda: ScriptedPublisher(lambda subscriber, n: subscriber.on_next(0))),
        words="yet expected recursive bound was 1",
        editions=BOTH,
    ),
    Mutant(
        "takes no notice of cancel",
        "PM27",
        "required_spec306_after",
        case(one_too_many),
        words="Did not expect an element but got element [0]",
        editions=BOTH,
    ),
    Mutant("takes no notice of cancel", "PM28", "required_spec307", case(one_too_many), Outcome.PASS, editions=BOTH),
    Mutant(
        "fails on cancel",
        "PM29",
        "required_spec307",
        case(lambda: ScriptedPublisher(cancel=boom)),
        words="Async error during test execution: Test Exception: Boom!",
        editions=BOTH,
    ),
    Mutant(
        "ignores zero",
        "PM30",
        "required_spec309_request_zero",
        case(idle),
        words="Expected on_error",
        editions=BOTH,
    ),
    Mutant(
        "refuses zero in words of its own",
        "PM31",
        "required_spec309_request_zero",
        case(lambda: ScriptedPublisher(arbitrary_refusal)),
        Outcome.PASS,
    ),
    Mutant(
        "ignores negative numbers",
        "PM32",
        "required_spec309_request_negative",
        case(idle),
        words="Expected on_error",
        editions=BOTH,
    ),
    Mutant(
        "sends more than was requested before cancel",
        "PM33",
        "required_spec312_cancel_must_make",
        case(lambda: OneTooManyFromPool(2)),
        words=", which is more than the signalled demand: ",
        editions=BOTH,
    ),
    Mutant(
        "keeps its subscriber",
        "PM34",
        "required_spec313_cancel",
        case(KeepingItsSubscriber),
        words="did not drop reference to test subscriber after subscription cancellation",
        editions=BOTH,
    ),
    Mutant(
        "sends without end from a pool",
        "PM35",
        "required_spec317_must_support_a_pending",
        case(lambda: OneTooManyFromPool(10)),
        words="Expected end-of-stream but got",
        editions=BOTH,
    ),
    Mutant(
        "sends without end",
        "PM36",
        "required_spec317_must_support_a_pending",
        case(one_too_many),
        words=(
            "Received more than bufferSize (32) on_next signals. "
            "The Publisher probably emitted more signals than expected!"
        ),
        editions=BOTH,
    ),
    Mutant(
        "fails above the maximum",
        "PM37",
        "required_spec317_must_not",
        case(erring_above_the_maximum),
        words="Async error during test execution: Illegally signalling on_error (violates rule 3.17)",
        editions=BOTH,
    ),
    Mutant(
        "fails at the maximum",
        "PM38",
        "required_spec317_must_support_a_cumulative",
        case(erring_at_the_maximum),
        words="Async error during test execution: Illegally signalling on_error too soon!",
        editions=BOTH,
    ),
    Mutant(
        "sends eleven elements and no more",
        "PM39",
        "required_spec317_must_not",
        UntilCancelledCase,
        Outcome.PASS,
        confirm=UntilCancelledCase.unexpected_count,
        editions=BOTH,
    ),
)
