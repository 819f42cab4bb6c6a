"""The subscribers that the inventory of the standard's kit proposes beyond its own self-tests: Y1 to Y19."""

import threading
from typing import Any

from reactivestreams.tck import Outcome
from tests.tck_selftest.mutant import Kit, Mutant
from tests.tck_selftest.subscribers.collector import Collector, require
from tests.tck_selftest.subscribers.subscriber_case import blackbox, whitebox

__all__ = ["FURTHER_SUBSCRIBER_MUTANTS"]


class RaisingInOnNext(Collector):
    def process(self, element: Any) -> None:
        raise RuntimeError("elements are not welcome")


class RequestingNothing(Collector):
    def ask_for_more(self) -> None:
        self.request(0)


class RaisingInOnComplete(Collector):
    def report_completion(self) -> None:
        raise RuntimeError("the end is not welcome")


class AskingFromAThreadAtTheEnd(Collector):
    def ended(self) -> None:
        super().ended()
        threading.Thread(target=self.ask_for_more, name="mutant", daemon=True).start()


class IgnoringTheSecond(Collector):
    def subscribed_again(self, subscription: Any) -> None:
        """Do nothing."""


class RefusingNoneOtherwise(Collector):
    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise ValueError("an element is needed")
        super().on_next(element)


class SilentElements(Collector):
    def report_element(self, element: Any) -> None:
        """Report nothing."""


class OtherElements(Collector):
    def report_element(self, element: Any) -> None:
        super().report_element(element + 1000)


class DeafToCancel(Collector):
    def cancelled_by_kit(self) -> None:
        """Do nothing."""


class CompletingTwice(Collector):
    def report_completion(self) -> None:
        super().report_completion()
        super().report_completion()


class FailingTwice(Collector):
    def report_error(self, error: Any) -> None:
        super().report_error(error)
        super().report_error(error)


class OtherError(Collector):
    def report_error(self, error: Any) -> None:
        super().report_error(RuntimeError("something else"))


class SilentError(Collector):
    def report_error(self, error: Any) -> None:
        """Report nothing."""


class OneAtMost(Collector):
    """Request one element, whatever the kit asks for, and never another one."""

    has_requested = False

    def requested_by_kit(self, n: int) -> None:
        if not self.has_requested:
            self.has_requested = True
            self.request(1)


class ElementsTwice(Collector):
    def report_element(self, element: Any) -> None:
        super().report_element(element)
        super().report_element(element)


class TakingNoneForASubscription(Collector):
    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is not None:
            super().on_subscribe(subscription)


class TakingNoneForAnElement(Collector):
    def on_next(self, element: Any, /) -> None:
        if element is not None:
            super().on_next(element)


class PassingNoneOn(Collector):
    def on_error(self, error: Any, /) -> None:
        self.ended()
        self.report_error(error)


class GoingOnAfterTheEnd(Collector):
    def ended(self) -> None:
        """Take no notice."""


class RefusingNoneLate(Collector):
    """Look at arguments only when there is a subscription."""

    def on_next(self, element: Any, /) -> None:
        if self.subscription is not None:
            super().on_next(element)

    def on_error(self, error: Any, /) -> None:
        if self.subscription is not None:
            require(error, "on_error")
            super().on_error(error)


_SURVIVED = "the standard's kit lets it through"


def black(source: str, defect: str, create: Any, check: str, words: str, *, survived: bool = False) -> Mutant:
    return _mutant(source, defect, blackbox(create), check, words, Kit.BLACKBOX, survived=survived)


def white(source: str, defect: str, create: Any, check: str, words: str, *, survived: bool = False) -> Mutant:
    return _mutant(source, defect, whitebox(create), check, words, Kit.WHITEBOX, survived=survived)


def _mutant(source: str, defect: str, subject: Any, check: str, words: str, kit: Kit, *, survived: bool) -> Mutant:
    return Mutant(
        defect,
        source,
        check,
        subject,
        words=words,
        kit=kit,
        reference_outcome=Outcome.PASS if survived else None,
        reason=_SURVIVED if survived else "",
    )


_HAPPY_PATH = "required_exercise_whitebox_happy_path"
_END = "required_spec209_must_be_prepared_to_receive_an_on_complete_signal_without"
_ERROR = "required_spec210_must_be_prepared_to_receive_an_on_error_signal_without"

FURTHER_SUBSCRIBER_MUTANTS = (
    black(
        "Y1",
        "raises in on_next",
        RaisingInOnNext,
        "required_spec201_blackbox",
        "elements are not welcome",
        survived=True,
    ),
    black(
        "Y2",
        "requests nothing",
        RequestingNothing,
        "required_spec201_blackbox",
        "Requests cannot be zero or negative but received request(0)",
    ),
    black(
        "Y3",
        "raises in on_complete",
        RaisingInOnComplete,
        "required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_without",
        "the end is not welcome",
    ),
    black(
        "Y4",
        "asks from a thread at the end",
        AskingFromAThreadAtTheEnd,
        "required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_complete",
        "request",
        survived=True,
    ),
    black(
        "Y5",
        "ignores the second subscription",
        IgnoringTheSecond,
        "required_spec205_blackbox_must",
        "Expected SecondSubscription given to subscriber to be cancelled",
    ),
    black(
        "Y6",
        "raises another error for None",
        RefusingNoneOtherwise,
        "required_spec213_blackbox_on_next_must_raise",
        "ValueError",
    ),
    white(
        "Y7",
        "reports no elements",
        SilentElements,
        "required_spec201_must",
        "did not call `register_on_next(0)` within",
        survived=True,
    ),
    white("Y7", "reports no elements", SilentElements, _HAPPY_PATH, "did not call `register_on_next(0)` within"),
    white("Y8", "reports other elements", OtherElements, _HAPPY_PATH, "rather than"),
    *(
        white(
            "Y9",
            "deaf to cancel",
            DeafToCancel,
            check,
            "Did not receive expected cancelling of upstream subscription within",
        )
        for check in (_HAPPY_PATH, "required_spec208_must_be_prepared_to_receive")
    ),
    white("Y10", "reports the end twice", CompletingTwice, _END, "Unexpected additional complete signal received!"),
    white("Y11", "reports an error twice", FailingTwice, _ERROR, "Cannot complete a promise more than once!"),
    white("Y12", "reports another error", OtherError, _ERROR, "rather than"),
    white("Y13", "reports no error", SilentError, _ERROR, "did not call `register_on_error("),
    white(
        "Y14",
        "requests one at most",
        OneAtMost,
        "required_spec308_request",
        "Did not receive expected `request` call within",
    ),
    white("Y15", "reports elements twice", ElementsTwice, "required_spec308_request", "rather than"),
    white(
        "Y16",
        "takes None for a subscription",
        TakingNoneForASubscription,
        "required_spec213_on_subscribe_must",
        "on_subscribe(None) did not throw TypeError",
    ),
    white(
        "Y16",
        "takes None for an element",
        TakingNoneForAnElement,
        "required_spec213_on_next_must",
        "on_next(None) did not throw TypeError",
    ),
    white(
        "Y17",
        "passes None on",
        PassingNoneOn,
        "required_spec213_on_error_must",
        "on_error(None) did not throw TypeError",
        survived=True,
    ),
    black(
        "Y18",
        "goes on after the end",
        GoingOnAfterTheEnd,
        "required_spec204_blackbox_must_not_request_after_on_complete",
        "request",
        survived=True,
    ),
    Mutant(
        "goes on after the end",
        "Y18",
        "optional_spec204_element_after_the_end",
        whitebox(GoingOnAfterTheEnd),
        Outcome.SKIP,
        "The element that came after on_complete was processed.",
        kit=Kit.WHITEBOX,
        reference_outcome=Outcome.PASS,
        reason=_SURVIVED,
    ),
    black(
        "Y19",
        "takes None before it is subscribed",
        RefusingNoneLate,
        "required_spec213_blackbox_none_must_be_refused_before",
        "on_next(None) did not throw TypeError",
        survived=True,
    ),
)
