"""Our own wrong processors: thought of before their kit had been looked at, with the check that sees them."""

from typing import Any

from reactivestreams.tck import Outcome
from tests.tck_selftest.mutant import OWN, Kit, Mutant
from tests.tck_selftest.processors import own_relays as wrong
from tests.tck_selftest.processors.processor_case import ProcessorCase, relay_case

__all__ = ["OWN_PROCESSOR_MUTANTS"]


def killed(defect: str, create: Any, rule: str, check: str, words: str) -> Mutant:
    return Mutant(defect, OWN, check, relay_case(create), words=words, rule=rule, kit=Kit.PROCESSOR)


OWN_PROCESSOR_MUTANTS = (
    killed("replaces the error", wrong.ErrorReplaced, "4.2", "must_immediately", "Expected error"),
    killed(
        "completes for an error",
        wrong.CompletingForAnError,
        "4.2",
        "must_immediately",
        "Did not receive expected error on downstream within",
    ),
    killed(
        "loses what waits",
        wrong.LosingTheWaiting,
        "",
        "required_spec401_end_must_follow",
        "Expected element but got end-of-stream",
    ),
    killed("replays the last", wrong.ReplayingTheLast, "1.1", "required_must_request", "but only 0 were requested"),
    killed(
        "cancels upstream for one",
        wrong.CancellingForOne,
        "2.3",
        "required_must_request",
        "Subscription::cancel MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
    killed(
        "sends to the cancelled",
        wrong.SendingToTheCancelled,
        "3.12",
        "required_spec108_endless_source_must_fall_silent_after_cancel_inside",
        "after cancel() was called",
    ),
    killed(
        "keeps the cancelled",
        wrong.KeepingTheCancelled,
        "3.13",
        "required_spec313_cancel",
        "did not drop reference to test subscriber after subscription cancellation",
    ),
    killed(
        "takes the second upstream",
        wrong.TakingTheSecondUpstream,
        "2.5",
        "required_spec205_second",
        "1 elements were requested from the second subscription",
    ),
    killed(
        "completes the first twice",
        wrong.CompletingTheFirstTwice,
        "1.7",
        "required_spec401_end_must_be",
        "Unexpected additional complete signal received!",
    ),
    killed(
        "needs a subscriber",
        wrong.NeedingASubscriber,
        "2.13",
        "required_spec208_must_be_prepared_to_receive",
        "raised RuntimeError: nobody has subscribed",
    ),
    killed(
        "asks from two threads",
        wrong.AskingFromTwoThreads,
        "2.7",
        "required_spec310",
        "request(1) was called while request was running on another thread",
    ),
    killed(
        "loses an error that comes early",
        wrong.LosingTheErrorOfTheEarly,
        "1.4",
        "optional_spec104_must",
        "did not call `on_error` on new Subscriber within",
    ),
    killed(
        "passes None on",
        wrong.PassingNoneOn,
        "2.13",
        "required_spec213_on_next_must_raise",
        "on_next(None) did not throw TypeError",
    ),
    Mutant(
        "loses what one has not asked for",
        OWN,
        "required_must_request",
        lambda: ProcessorCase(wrong.GreedyForTheFirst),
        words="timeout while awaiting 2",
        kit=Kit.PROCESSOR,
    ),
    killed(
        "forgets demand that came before its upstream",
        wrong.LosingTheDemandOfTheEarly,
        "",
        "required_spec401_demand_from_before",
        "Did not receive expected `request` call within",
    ),
    killed(
        "serves its buffer after an error",
        wrong.ServingTheBufferAfterAnError,
        "1.7",
        "required_spec107_no_element",
        "called after on_error",
    ),
    killed(
        "passes bad requests up",
        wrong.PassingBadRequestsUp,
        "3.9",
        "required_spec309_bad_requests",
        "was passed on to the upstream",
    ),
    killed(
        "refuses None as the first element only",
        wrong.RefusingNoneOnce,
        "2.13",
        "required_spec213_none_must_be_refused_after_elements",
        "on_next(None) did not throw TypeError",
    ),
    Mutant(
        "lets an error wait behind elements",
        OWN,
        "optional_spec402",
        relay_case(wrong.ErrorAfterElements),
        Outcome.SKIP,
        "The error is sent after the elements before it.",
        kit=Kit.PROCESSOR,
    ),
    # Right, though it looks wrong.
    Mutant(
        "asks for all at once",
        OWN,
        "required_spec401_every",
        relay_case(wrong.AskingTooOften),
        Outcome.PASS,
        kit=Kit.PROCESSOR,
    ),
)
