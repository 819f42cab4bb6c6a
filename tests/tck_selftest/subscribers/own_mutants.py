"""Our own wrong subscribers: thought of before their kits had been looked at, with the check that sees them."""

from typing import Any

from reactivestreams.tck import Outcome
from tests.tck_selftest.mutant import HANGS, OWN, Kit, Mutant
from tests.tck_selftest.subscribers import own_subscribers as wrong
from tests.tck_selftest.subscribers.subscriber_case import blackbox, whitebox

__all__ = ["OWN_SUBSCRIBER_MUTANTS"]

_SECOND = "required_spec205_blackbox_must_call"
_FIRST = "required_spec205_blackbox_first"
_INSIDE_REQUEST = "required_spec310_blackbox"
_OVERLAP = "stochastic_spec207_blackbox"
_POSITIVE = "required_spec309_blackbox"
_ORDER = "stochastic_spec211"


def black(defect: str, create: Any, rule: str, check: str, words: str) -> Mutant:
    return Mutant(defect, OWN, check, blackbox(create), words=words, rule=rule, kit=Kit.BLACKBOX)


def white(defect: str, create: Any, rule: str, check: str, words: str) -> Mutant:
    return Mutant(defect, OWN, check, whitebox(create), words=words, rule=rule, kit=Kit.WHITEBOX)


def skipped(defect: str, subject: Any, kit: Kit, check: str, words: str) -> Mutant:
    return Mutant(defect, OWN, check, subject, Outcome.SKIP, words, kit=kit)


def right(defect: str, create: Any, check: str, kit: Kit = Kit.BLACKBOX) -> Mutant:
    make = blackbox if kit is Kit.BLACKBOX else whitebox
    return Mutant(defect, OWN, check, make(create), Outcome.PASS, kit=kit)


OWN_SUBSCRIBER_MUTANTS = (
    black(
        "takes the second", wrong.TakingTheSecond, "2.5", _SECOND, "to be cancelled, but `Subscription.cancel()` was"
    ),
    black("cancels both", wrong.CancellingBoth, "2.5", _FIRST, "the first subscription was cancelled when the second"),
    black("loses the first", wrong.LosingTheFirst, "2.5", _FIRST, "1 elements were requested from the second"),
    black("requests from the second", wrong.RequestingFromTheSecond, "2.5", _SECOND, "illegally called"),
    white(
        "requests from the second",
        wrong.RequestingFromTheSecond,
        "2.5",
        "required_spec205_second",
        "1 elements were requested from the second subscription",
    ),
    black(
        "raises for the second", wrong.RaisingForTheSecond, "2.13", _SECOND, "raised RuntimeError: already subscribed"
    ),
    black(
        "cancels after the end",
        wrong.CancellingAfterTheEnd,
        "2.3",
        "required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_complete",
        "from Subscriber::on_complete (Rule 2.3)! It was called on another thread after that signal",
    ),
    black(
        "refuses None as the first element only",
        wrong.RefusingNoneOnce,
        "2.13",
        "required_spec213_blackbox_none_must_be_refused_after_elements",
        "on_next(None) did not throw TypeError",
    ),
    white(
        "refuses None as the first element only",
        wrong.RefusingNoneOnce,
        "2.13",
        "required_spec213_none_must_be_refused_after_elements",
        "on_next(None) did not throw TypeError",
    ),
    white(
        "requests after an error",
        wrong.RequestingAfterAnError,
        "2.3",
        "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_error",
        "from Subscriber::on_error (Rule 2.3)! It was called on another thread after that signal",
    ),
    black(
        "goes on after an error",
        wrong.TakingAfterAnError,
        "2.4",
        "required_spec204_blackbox_must_not_request_after_on_error",
        "request(1) was called after on_error",
    ),
    skipped(
        "goes on with elements after an error",
        whitebox(wrong.TakingAfterAnError),
        Kit.WHITEBOX,
        "optional_spec204_element_after_an_error",
        "The element that came after on_error was processed.",
    ),
    white(
        "needs a request for the end",
        wrong.NeedingARequestForTheEnd,
        "2.13",
        "required_spec209_must_be_prepared_to_receive_an_on_complete_signal_without",
        "completed before anything was requested",
    ),
    white(
        "needs a request for an error",
        wrong.NeedingARequestForAnError,
        "2.13",
        "required_spec210_must_be_prepared_to_receive_an_on_error_signal_without",
        "failed before anything was requested",
    ),
    white(
        "does not cancel when told to",
        wrong.DeafToCancel,
        "2.6",
        "required_spec206_must_cancel",
        "Did not receive expected cancelling of upstream subscription",
    ),
    Mutant(
        "forgets its subscription when it has enough",
        OWN,
        "required_spec206_blackbox",
        blackbox(wrong.Collector, limited=wrong.ForgettingItsSubscription),
        words="Did not receive expected cancelling of upstream subscription",
        rule="2.6",
        kit=Kit.BLACKBOX,
    ),
    black("requests nothing at last", wrong.RequestingNothingAtLast, "3.9", _POSITIVE, "received request(0)"),
    black("requests a negative number", wrong.RequestingANegativeNumber, "3.9", _POSITIVE, "received request(-1)"),
    black("requests from two threads", wrong.RequestingFromTwoThreads, "2.7", _OVERLAP, "while request was running"),
    black("cancels beside a request", wrong.CancellingBesideARequest, "2.7", _OVERLAP, "was running on another thread"),
    black("stores too late", wrong.StoringTooLate, "2.13", _INSIDE_REQUEST, "an element came before the subscription"),
    skipped(
        "requests first",
        whitebox(wrong.RequestingFirst),
        Kit.WHITEBOX,
        "optional_spec310_order",
        "Expected element but got end-of-stream",
    ),
    black(
        "ends only after a request",
        wrong.EndingOnlyAfterARequest,
        "2.13",
        "required_spec311_blackbox_must_bear_a_publisher_that_completes",
        "completed before request has returned",
    ),
    black("requests under a lock", wrong.RequestingUnderALock, "3.10", _INSIDE_REQUEST, HANGS),
    black(
        "raises at the third", wrong.RaisingAtTheThird, "2.13", _OVERLAP, "on_next(2) raised RuntimeError: three are"
    ),
    skipped(
        "lets requests raise",
        blackbox(wrong.LettingRequestsRaise),
        Kit.BLACKBOX,
        "optional_spec316_blackbox",
        "request raises (on purpose",
    ),
    skipped(
        "lets cancel raise",
        blackbox(wrong.LettingCancelRaise),
        Kit.BLACKBOX,
        "optional_spec315_blackbox",
        "cancel raises (on purpose",
    ),
    black(
        "raises another error for None",
        wrong.RefusingNoneOtherwise,
        "2.13",
        "required_spec213_blackbox_on_subscribe_must",
        "on_subscribe(None) did not throw TypeError, but ValueError",
    ),
    white(
        "raises when it ends after cancel",
        wrong.RaisingWhenCompletedAfterCancel,
        "2.13",
        "required_spec208_must_be_prepared_for_the_end",
        "completed, though cancelled",
    ),
    black(
        "on_next is a coroutine",
        wrong.ElementIsACoroutine,
        "",
        "required_spec201_blackbox",
        "are coroutines, which nobody awaits",
    ),
    skipped(
        "holds the publisher up",
        blackbox(wrong.HoldingThePublisherUp),
        Kit.BLACKBOX,
        "optional_spec202",
        "on_next held the publisher up for",
    ),
    skipped(
        "requests out of context",
        blackbox(wrong.RequestingOutOfContext),
        Kit.BLACKBOX,
        "optional_spec301",
        "calls came from outside of signals, the first of them request",
    ),
    white("a thread for each element", wrong.AThreadForEachSignal, "2.11", _ORDER, "rather than `register_on_next("),
    white("one slot", wrong.OneSlot, "2.11", _ORDER, "did not call `register_on_next("),
    # Right, though they look wrong.
    right("requests many", wrong.TakingMany, "required_spec201_blackbox"),
    right("requests many", wrong.TakingMany, _INSIDE_REQUEST),
    right("requests without bound", wrong.RequestingWithoutBound, "required_spec308_request", Kit.WHITEBOX),
    right("cancels the second twice", wrong.CancellingTwice, _SECOND),
    right("requests after cancel", wrong.RequestingAfterCancel, "required_spec206_must", Kit.WHITEBOX),
)
