"""The processors by which the standard's kit is tried, IM1 and IM2, and those that its inventory proposes: Z0 to Z8."""

from typing import Any

from reactivestreams.tck import Outcome
from tests.tck.subjects import ScriptedPublisher
from tests.tck_selftest.mutant import BOTH, Kit, Mutant
from tests.tck_selftest.processors.processor_case import ProcessorCase, relay_case
from tests.tck_selftest.processors.relay import Relay, RelayLink, Step

__all__ = ["PROCESSOR_MUTANTS"]

_ALL_FAIL = "required_spec104_must_call_on_error_on_all_its_subscribers"
_AT_ONCE = "must_immediately"
_LONG_AGO = "required_must_request"


class ZeroForEachRequest:
    """Request one element, answer each request from below with 0, and swallow errors."""

    def __init__(self) -> None:
        self._subscribers: list[Any] = []

    def on_subscribe(self, subscription: Any, /) -> None:
        subscription.request(1)

    def on_next(self, element: Any, /) -> None:
        """Do nothing."""

    def on_error(self, error: Any, /) -> None:
        """Do nothing."""

    def on_complete(self) -> None:
        """Do nothing."""

    def subscribe(self, subscriber: Any, /) -> None:
        ScriptedPublisher(lambda subscriber, n: subscriber.on_next(0)).subscribe(subscriber)


def ten_for_each_request(elements: int) -> ScriptedPublisher:
    def request(subscriber: Any, n: int) -> None:
        for number in range(10):
            subscriber.on_next(number)

    return ScriptedPublisher(request)


class SendingDuringOnSubscribe(Relay):
    """Put a subscriber on the list before `on_subscribe` has returned."""

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        link = RelayLink(self, subscriber)
        with self.lock:
            self.links.append(link)
            self.had_subscribers = True
        self.deliver(link, subscriber.on_subscribe, link)
        self.drain()


class ErrorOnDemand(Relay):
    """Signal an error only when there is demand."""

    def last_step(self) -> Step | None:  # type: ignore[override]
        if self.error is not None and not all(link.demand > 0 for link in self.links):
            return None
        return super().last_step()


class ErrorSwallowed(Relay):
    def on_error(self, error: Any, /) -> None:
        if error is None:
            super().on_error(error)


class AskingOnce(Relay):
    """Ask upstream for one element, and never again."""

    has_asked = False

    def step_for_demand(self) -> Step | None:
        if self.waiting or not self.has_asked:
            self.has_asked = self.has_asked or not self.waiting
            return super().step_for_demand()
        return None


class ElementsForTheFirst(Relay):
    def send(self, element: Any, links: list[RelayLink]) -> None:
        super().send(element, links[:1])


class ErrorForTheFirst(Relay):
    def last_step(self) -> Step:
        if self.error is not None:
            for link in self.links[1:]:
                self.leave(link)
        return super().last_step()


class KeepingItsUpstream(Relay):
    """Go on to serve others when the last subscriber has left, which is allowed."""

    def step_without_subscribers(self) -> Step | None:
        return None


class KeepingASecondUpstream(Relay):
    def subscribed_again(self, subscription: Any) -> None:
        """Keep both."""


class AskingAtTheEnd(Relay):
    def on_complete(self) -> None:
        if self.upstream is not None:
            self.upstream.request(1)
        super().on_complete()


def killed(source: str, defect: str, create: Any, check: str, words: str) -> Mutant:
    return Mutant(defect, source, check, relay_case(create), words=words, kit=Kit.PROCESSOR)


PROCESSOR_MUTANTS = (
    Mutant(
        "serves one subscriber",
        "IM1",
        _ALL_FAIL,
        lambda: ProcessorCase(lambda: None, subscribers=1, helper=lambda elements: None),
        Outcome.SKIP,
        "only supports 1 subscribers, while this test requires at least 2 to run",
        kit=Kit.PROCESSOR,
        editions=BOTH,
    ),
    Mutant(
        "swallows errors",
        "IM2",
        _ALL_FAIL,
        lambda: ProcessorCase(ZeroForEachRequest, helper=ten_for_each_request),
        words="Did not receive expected error on downstream within",
        kit=Kit.PROCESSOR,
        editions=BOTH,
    ),
    killed(
        "Z0",
        "sends while on_subscribe runs",
        SendingDuringOnSubscribe,
        "required_spec103_no_signal_must_begin_before_on_subscribe",
        "Illegal concurrent access detected",
    ),
    *(
        killed(
            source,
            defect,
            create,
            check,
            "Did not receive expected error on downstream within",
        )
        for source, defect, create in (
            ("Z1", "signals an error on demand", ErrorOnDemand),
            ("Z2", "swallows errors", ErrorSwallowed),
        )
        for check in (_ALL_FAIL, _AT_ONCE)
        if (source, check) != ("Z1", _ALL_FAIL)  # there both have asked
    ),
    killed(
        "Z3",
        "asks upstream once",
        AskingOnce,
        _LONG_AGO,
        "Did not receive expected `request` call within",
    ),
    killed("Z4", "elements for the first", ElementsForTheFirst, _LONG_AGO, "timeout while awaiting 2"),
    killed(
        "Z5",
        "errors for the first",
        ErrorForTheFirst,
        _ALL_FAIL,
        "Did not receive expected error on downstream within",
    ),
    *(
        killed(
            "Z6",
            "keeps its upstream",
            KeepingItsUpstream,
            check,
            "Did not receive expected cancelling of upstream subscription within",
        )
        for check in ("required_exercise_whitebox_happy_path", "required_spec208_must_be_prepared_to_receive")
    ),
    Mutant(
        "keeps its upstream, and says so",
        "Z6",
        "required_exercise_whitebox_happy_path",
        relay_case(KeepingItsUpstream, keeps_upstream=True),
        Outcome.PASS,
        kit=Kit.PROCESSOR,
        reference_outcome=Outcome.FAIL,
        reason="the standard calls cancelling a good idea, which a hook can say no to",
    ),
    killed(
        "Z7",
        "keeps a second upstream",
        KeepingASecondUpstream,
        "required_spec205_must_call",
        "Expected 2nd Subscription given to subscriber to be cancelled",
    ),
    killed(
        "Z8",
        "asks at the end",
        AskingAtTheEnd,
        "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete",
        "Subscription::request MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
)
