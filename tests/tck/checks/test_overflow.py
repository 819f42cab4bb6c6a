"""A subject that says what it drops is judged by all that can be judged of it, and what else it breaks is found."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.subjects import BroadcastSubject, buffer
from reactivestreams.tck import (
    Environment,
    OnOverflow,
    Outcome,
    Overflow,
    ProcessorTraits,
    ProcessorVerification,
    PublisherVerification,
    SubjectError,
    run,
)
from reactivestreams.tck.probes.source_publishers import SynchronousPublisher
from reactivestreams.tck.processor_traits import DROPS_BY_POLICY
from tests.tck.overflow_needs import LEAST, not_judged_with
from tests.tck.processor_subjects import FanOutProcessor, Link
from tests.tck.settings import short_environment
from tests.tck.streams.settings import ALL_AT_ONCE, settings

LONGEST_AT_ONCE = 5_000
DROPPING = ["drop_oldest", "drop_newest"]
OVERLAPPING = "stochastic_spec207_requests_from_below_must_not_overlap_those_of_the_processor"


class PromptVerification(ProcessorVerification):
    """Judge a processor whose upstream sends all it has when it is asked for more, before a subscriber requests."""

    def __init__(self, create: Callable[[], Any], overflow: Overflow | None) -> None:
        self._create = create
        self._overflow = overflow

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self._create()

    def create_element(self, element: int) -> Any:
        return element

    def create_helper_publisher(self, elements: int) -> Any:
        if elements > LONGEST_AT_ONCE:
            return super().create_helper_publisher(elements)
        return SynchronousPublisher(elements, self.element_of)

    def overflow(self) -> Overflow | None:
        return self._overflow

    def create_environment(self) -> Environment:
        return settings()


# --- what is skipped ---


@pytest.mark.slow
@pytest.mark.parametrize("policy", DROPPING)
@pytest.mark.parametrize("room", sorted({least - 1 for least in LEAST.values()}))
def test_what_is_skipped_is_what_a_subject_can_lose_by_policy(room: int, policy: str) -> None:
    overflow = Overflow(policy, room)
    names = not_judged_with(overflow)

    def judged(stated: Overflow | None) -> dict[str, Outcome]:
        subject = PromptVerification(lambda: BroadcastSubject(policy=buffer(room, on_overflow=policy)), stated)
        report = run(subject, settings(), names=sorted(LEAST), parallel=ALL_AT_ONCE)
        return {verdict.check: verdict.outcome for verdict in report.verdicts}

    silent, stated = judged(None), judged(overflow)
    # Nothing is skipped that would pass unless it was lost by chance, and all else passes.
    assert names <= {name for name, outcome in silent.items() if outcome is not Outcome.PASS}
    assert stated == {name: Outcome.SKIP if name in names else Outcome.PASS for name in LEAST}


@pytest.mark.slow
@pytest.mark.parametrize("policy", [*DROPPING, "latest"])
def test_subject_that_loses_all_that_it_may_passes_what_is_not_skipped(policy: str) -> None:
    subject = PromptVerification(lambda: BroadcastSubject(policy=buffer(1, on_overflow=policy)), Overflow(policy))
    report = run(subject, settings(), parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
    reasons = {verdict.check for verdict in report.skipped if verdict.message.startswith(DROPS_BY_POLICY)}
    assert reasons == set(LEAST)


def test_reason_names_the_policy_the_rule_and_how_many_wait() -> None:
    class Numbers(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return SynchronousPublisher(elements)

        def overflow(self) -> Overflow | None:
            return Overflow("latest")

    name = "required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements"
    (verdict,) = run(Numbers, short_environment(), names=[name]).verdicts
    assert verdict.outcome is Outcome.SKIP
    assert verdict.message == (
        "drops by policy: not judged by 1.1: of 4 elements that come before they are requested 1 may wait, by latest"
    )


def test_subscriber_that_may_have_been_too_slow_before_is_not_judged_by_the_other_ones_cancel() -> None:
    subject = PromptVerification(lambda: BroadcastSubject(policy=buffer(1)), Overflow("error"))
    (verdict,) = run(subject, settings(), names=["required_spec312_cancel_must_not_end_another_subscription"]).verdicts
    assert verdict.outcome is Outcome.SKIP
    assert verdict.message == "Not judged by 3.12: one of two subscribers may have been too slow before, by error."
    assert BroadcastSubject(policy=buffer(1)).processor_traits.overflow == Overflow("error")


# --- what is found all the same ---

ROOM = 2


class LossyProcessor(FanOutProcessor):
    """Keep the last elements for each subscriber; no demand slows the upstream down."""

    processor_traits = ProcessorTraits(overflow=Overflow("drop_oldest", ROOM))
    room = ROOM

    def on_next(self, element: Any, /) -> None:
        self.make_room()
        super().on_next(element)

    def make_room(self) -> None:
        with self.lock:
            for link in self.links:
                while len(link.waiting) >= self.room:
                    link.waiting.popleft()

    def wanted(self) -> int:
        return max(0, 16 - self.in_flight) if self.links else 0


class SendsUnasked(LossyProcessor):
    def may_emit(self, link: Link) -> bool:
        return True


class KeepsLessThanItSays(LossyProcessor):
    room = ROOM - 1


class LosesWhatWasRequested(LossyProcessor):
    """The third element of each subscriber is dropped though it was requested."""

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        self.count = getattr(self, "count", 0) + 1
        if self.count == 3:
            with self.lock:
                self.in_flight -= 1
            self.ask()
        else:
            super().on_next(element)


class NeverCompletes(LossyProcessor):
    def complete(self) -> None:
        """Forget the end."""


class TurnsRound(LossyProcessor):
    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        with self.lock:
            for link in self.links:
                link.waiting.reverse()


class Selective(FanOutProcessor):
    """Give an element to the subscribers that have requested it, and more than wait; the others miss it."""

    processor_traits = ProcessorTraits(overflow=Overflow("drop_slow"))

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise TypeError("§2.13: on_next(None)")
        with self.lock:
            if self.ending is not None:
                return
            self.in_flight -= 1
            links = [link for link in self.links if self.may_emit(link) and link.demand > len(link.waiting)]
            for link in links:
                link.waiting.append(element)
        self.drain(links)
        self.ask()

    def wanted(self) -> int:
        unserved = max((link.demand - len(link.waiting) for link in self.links), default=0)
        return max(0, unserved - self.in_flight)


class ServesTheFirstOnly(Selective):
    def may_emit(self, link: Link) -> bool:
        return link.demand > 0 and link is self.links[0]


class SelectiveSendsUnasked(Selective):
    def on_next(self, element: Any, /) -> None:
        FanOutProcessor.on_next(self, element)

    def may_emit(self, link: Link) -> bool:
        return True


def failed_checks(kind: type[Any], *names: str) -> list[str]:
    class Stating(ProcessorVerification):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return kind()

        def create_element(self, element: int) -> Any:
            return element

    report = run(Stating, settings(), names=names or None, parallel=ALL_AT_ONCE)
    return [verdict.check for verdict in report.failed]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LossyProcessor, Selective])
def test_correct_processor_that_says_what_it_drops_passes(kind: type[Any]) -> None:
    assert failed_checks(kind) == []


def test_what_is_dropped_is_not_counted_by_checks_of_something_else() -> None:
    assert failed_checks(LosesWhatWasRequested, OVERLAPPING) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "check"),
    [
        (SendsUnasked, "required_spec401_elements_must_wait_for_demand"),
        (KeepsLessThanItSays, "required_spec401_elements_must_wait_for_demand"),
        (LosesWhatWasRequested, "required_spec401_every_element_must_be_passed_on_in_order"),
        (NeverCompletes, "required_spec105_must_signal_on_complete_when_finite_stream_terminates"),
        (TurnsRound, "required_spec401_elements_must_wait_for_demand"),
        (
            ServesTheFirstOnly,
            "required_must_request_from_upstream_for_elements_that_have_been_requested_long_ago",
        ),
        (SelectiveSendsUnasked, "optional_spec212_equal_subscribers_must_be_served_independently"),
    ],
)
def test_what_else_a_subject_breaks_that_says_what_it_drops_is_found(kind: type[Any], check: str) -> None:
    assert failed_checks(kind, check) == [check]


# --- what is said wrongly ---


@pytest.mark.parametrize(
    ("policy", "capacity", "message"),
    [
        ("block", 1, "Overflow('block'): there is no such policy; use one of ['drop_oldest', 'drop_newest', 'latest'"),
        ("drop_oldest", 0, "Overflow(capacity=0) needs 1 or more; pass how many elements wait"),
        ("latest", 2, "Overflow('latest', 2): with 'latest' one element waits; leave the capacity out, or take"),
    ],
)
def test_overflow_that_cannot_be_is_refused(policy: str, capacity: int, message: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        Overflow(policy, capacity)
    assert str(raised.value).startswith(message)


def test_policy_may_be_given_by_its_value() -> None:
    assert Overflow("drop_oldest", 3) == Overflow(OnOverflow.DROP_OLDEST, 3)


def test_traits_that_are_none_are_refused_by_name() -> None:
    class Wrong(FanOutProcessor):
        processor_traits = ("one subscriber",)

    class Verification(ProcessorVerification):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return Wrong()

    with pytest.raises(SubjectError) as raised:
        Verification().delays_errors()
    assert str(raised.value) == (
        "processor_traits of what Verification.create_identity_processor(16) returned is "
        "('one subscriber',); it has to be a ProcessorTraits"
    )


def test_hook_says_more_than_the_processor_does() -> None:
    class Verification(ProcessorVerification):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return BroadcastSubject()

        def delays_errors(self) -> bool:
            return False

    assert (Verification().delays_errors(), Verification().cancels_upstream()) == (False, False)
    assert Verification().max_supported_subscribers() == MAX_DEMAND
