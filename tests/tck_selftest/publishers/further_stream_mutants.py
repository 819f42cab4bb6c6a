"""The wrong streams that the inventory proposes beyond the self-tests of the standard's kit: of X1 to X46."""

from typing import Any

from reactivestreams.tck import Outcome
from tests.tck.subjects import IdleSubscription
from tests.tck_selftest.publishers import wrong_streams as wrong
from tests.tck_selftest.publishers.expected import SURVIVED, killed, passed, skipped, survived
from tests.tck_selftest.publishers.publisher_case import failed_case
from tests.tck_selftest.publishers.reference_components import OnlySubscribing

__all__ = ["FURTHER_STREAM_MUTANTS"]

_MULTICAST = (
    "optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_"
)
_ONE_BY_ONE = f"{_MULTICAST}requesting_one_by_one"
_UPFRONT = f"{_MULTICAST}requesting_many_upfront"
_UPFRONT_AND_END = f"{_MULTICAST}requesting_many_upfront_and_complete_as_expected"


def failing_then_completing(subscriber: Any) -> None:
    subscriber.on_subscribe(IdleSubscription())
    subscriber.on_error(RuntimeError("the source has failed before its first element"))
    subscriber.on_complete()


FURTHER_STREAM_MUTANTS = (
    killed(
        "X1",
        "returns for None",
        wrong.TakingNone,
        "required_spec109_subscribe_raise",
        "did not throw a TypeError when given a None",
    ),
    killed(
        "X2",
        "raises another error for None",
        wrong.RefusingNoneOtherwise,
        "required_spec109_subscribe_raise",
        "ValueError",
    ),
    killed(
        "X3",
        "never subscribes",
        wrong.Silent,
        "required_spec109_must_issue",
        "Should have received on_subscribe within",
    ),
    killed("X3", "never subscribes", wrong.Silent, "required_spec102", "Could not subscribe"),
    killed(
        "X4",
        "subscribes twice",
        wrong.SubscribingTwice,
        "required_spec109_must_issue",
        "Only one on_subscribe call expected",
        "2.12",
    ),
    killed(
        "X4",
        "subscribes twice",
        wrong.SubscribingTwice,
        "required_spec101_subscription",
        "called on an already-subscribed Subscriber",
        "2.12",
    ),
    killed(
        "X5",
        "remembers its subscribers",
        wrong.RememberingSubscribers,
        "required_spec313_cancel",
        "did not drop reference to test subscriber",
    ),
    killed(
        "X6",
        "ends an empty stream without a subscription",
        wrong.EmptyWithoutSubscription,
        "required_spec109_must_issue",
        "on_subscribe should be called prior to on_complete always",
        "1.9",
    ),
    passed("X7", "ends an empty stream on demand", wrong.CompletingOnDemand, "optional_spec105_empty"),
    killed(
        "X8",
        "never completes",
        wrong.NeverCompleting,
        "required_create_publisher_1",
        "Did not receive expected stream completion",
    ),
    killed(
        "X8", "never completes", wrong.NeverCompleting, "required_spec102", "Did not receive expected stream completion"
    ),
    *(
        skipped(
            "X8",
            "never completes",
            wrong.NeverCompleting,
            check,
            words,
            reference_outcome=Outcome.PASS,
            reason=SURVIVED,
        )
        for check, words in (
            ("optional_spec105_empty", "Did not receive expected stream completion"),
            (_ONE_BY_ONE, "did not complete the stream as expected on 3th subscriber"),
            (_UPFRONT_AND_END, "Did not receive expected stream completion"),
        )
    ),
    passed("X9", "completes only on demand", wrong.CompletingOnDemand, "required_spec105_must"),
    skipped(
        "X9",
        "completes only on demand",
        wrong.CompletingOnDemand,
        "optional_spec105_should",
        "Did not receive expected stream completion",
    ),
    killed(
        "X10",
        "completes twice",
        wrong.CompletingTwice,
        "required_spec107_must_not_emit_further_signals_once",
        "Unexpected additional complete signal received!",
        "1.7",
    ),
    killed(
        "X11",
        "fails after the end",
        wrong.FailingAfterTheEnd,
        "required_spec107_must_not_emit_further_signals_once",
        "called after on_complete",
        "1.7",
    ),
    killed(
        "X12",
        "sends after the end",
        wrong.SendingAfterTheEnd,
        "required_spec107_must_not_emit_further_signals_once",
        "received after stream completed",
        "1.7",
    ),
    killed(
        "X13",
        "goes on after the end",
        wrong.ServingAfterTheEnd,
        "required_spec107_must_not_emit_further_signals_once",
        "received after stream completed",
        "1.7",
    ),
    killed(
        "X13", "goes on after the end", wrong.ServingAfterTheEnd, "required_spec302", "called after on_complete", "1.7"
    ),
    killed(
        "X14",
        "refuses requests after the end",
        wrong.RefusingAfterTheEnd,
        "required_spec106_subscription_must_be_inert_after_on_complete",
        "called after on_complete",
        "1.7",
    ),
    killed(
        "X17",
        "loses the last element",
        wrong.LosingTheLast,
        "required_create_publisher_3",
        "produced only 2 elements",
    ),
    *(
        skipped("X41", "sends everybody other elements", wrong.DifferentForEach, check, words)
        for check, words in (
            (_ONE_BY_ONE, "did not produce the same element sequence for subscribers 1 and 2"),
            (_UPFRONT, "same sequence to 1st and 2nd subscribers"),
            (_UPFRONT_AND_END, "same sequence to 1st and 2nd subscribers"),
        )
    ),
    survived(
        "X43",
        "sends None for the end",
        wrong.NoneForTheEnd,
        "required_spec105_must",
        "on_next(None): a signal never carries None",
        "2.13",
    ),
    survived(
        "X45",
        "completes after it has failed",
        failed_case(lambda: OnlySubscribing(failing_then_completing)),
        "required_spec107_must_not_emit_further_signals_after_on_error",
        "on_complete() called after on_error",
        "1.7",
    ),
    survived(
        "X46",
        "fails without a subscription when refused",
        wrong.RefusedWithoutSubscription,
        "required_spec109_refused",
        "called before Subscriber::on_subscribe",
        "1.9",
    ),
)
