"""The peers of a subscriber do what its checks rely on, and see to it that the kit itself breaks no rule."""

import threading
from typing import Any

import pytest

from reactivestreams.tck import CheckEnvironment, check
from reactivestreams.tck.kit.check_environment import current_check
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.probes import manual_publisher
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.nesting_publisher import NestingPublisher
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription
from tests.tck.settings import short_environment
from tests.tck.subscriber_subjects import SteppingSubscriber, TriggeredSubscriber


def texts(environment: CheckEnvironment) -> list[str]:
    return [environment.flop_text(flop) for flop in environment.flops]


def violations(environment: CheckEnvironment) -> list[str]:
    return [str(violation) for violation in environment.violations]


class Writing:
    """Write down what comes, and request as told."""

    def __init__(self, first: int = 1, more: int = 1) -> None:
        self.signals: list[Any] = []
        self.first = first
        self.more = more

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription
        subscription.request(self.first)
        self.signals.append("subscribed")

    def on_next(self, element: Any, /) -> None:
        self.signals.append(element)
        self.subscription.request(self.more)
        self.signals.append(f"after {element}")

    def on_error(self, error: Any, /) -> None:
        self.signals.append(error)

    def on_complete(self) -> None:
        self.signals.append("end")


# --- a publisher that sends inside request ---


def test_request_in_on_subscribe_sends_at_once_and_later_ones_only_add() -> None:
    subscriber = Writing()
    NestingPublisher(["a", "b"]).subscribe(subscriber)
    assert subscriber.signals == ["a", "after a", "b", "after b", "end", "subscribed"]


def test_request_in_on_next_sends_at_once_to_the_depth_allowed() -> None:
    subscriber = Writing()
    NestingPublisher(["a", "b", "c"], depth=2).subscribe(subscriber)
    assert subscriber.signals == ["a", "b", "after b", "c", "after c", "end", "after a", "subscribed"]


def test_end_without_elements_waits_for_the_first_request() -> None:
    error = ExpectedFailure()
    subscriber = TriggeredSubscriber(Heard())
    NestingPublisher(error=error).subscribe(subscriber)
    assert subscriber.probe.errors == []
    subscriber.trigger_request(1)
    assert subscriber.probe.errors == [error]


class Heard:
    """A probe that writes errors down."""

    def __init__(self) -> None:
        self.errors: list[Any] = []

    def register_on_subscribe(self, puppet: Any) -> None:
        """Do nothing."""

    def register_on_error(self, error: Any) -> None:
        self.errors.append(error)


def test_request_from_another_thread_leaves_the_sending_to_the_first() -> None:
    sender = threading.get_ident()
    seen: list[int] = []

    class Elsewhere(Writing):
        def on_next(self, element: Any, /) -> None:
            seen.append(threading.get_ident())
            other = threading.Thread(target=self.subscription.request, args=(1,))
            other.start()
            other.join()

    NestingPublisher(["a", "b", "c"]).subscribe(Elsewhere())
    assert seen == [sender] * 3


def test_cancel_stops_a_publisher_that_sends_inside_request() -> None:
    class Cancelling(Writing):
        def on_next(self, element: Any, /) -> None:
            self.signals.append(element)
            self.subscription.cancel()

    subscriber = Cancelling(first=5)
    NestingPublisher(["a", "b"]).subscribe(subscriber)
    assert subscriber.signals == ["a", "subscribed"]


# --- the driving side is watched, too ---


def test_element_without_demand_is_a_fault_of_the_kit(environment: CheckEnvironment) -> None:
    publisher = ManualPublisher(environment)
    publisher.subscribe(TriggeredSubscriber())
    publisher.send_next("a")
    assert texts(environment) == [
        (
            "the kit itself broke §1.1: Subscriber::on_next('a') is element number 1, but only 0 were requested; "
            "report this as a fault of the kit"
        )
    ]


def test_signal_after_the_end_is_a_fault_of_the_kit(environment: CheckEnvironment) -> None:
    publisher = ManualPublisher(environment)
    publisher.subscribe(TriggeredSubscriber())
    publisher.send_completion()
    publisher.send_error(ExpectedFailure())
    assert ["§1.7" in text and text.startswith("the kit itself") for text in texts(environment)] == [True]


def test_stray_element_is_none_and_what_it_raises_is_not_judged(environment: CheckEnvironment) -> None:
    class Raising(TriggeredSubscriber):
        def on_next(self, element: Any, /) -> None:
            raise RuntimeError("no")

    publisher = ManualPublisher(environment)
    publisher.subscribe(Raising())
    error = publisher.send_stray_next("a")
    assert isinstance(error, RuntimeError)
    assert texts(environment) == violations(environment) == []


def test_subscriber_that_has_raised_gets_no_further_signal(environment: CheckEnvironment) -> None:
    heard: list[Any] = []

    class Raising(SteppingSubscriber):
        def on_next(self, element: Any, /) -> None:
            heard.append(element)
            raise ValueError("no") from KeyError("why")

    NestingPublisher(["a", "b"]).subscribe(DrivenSubscriber(environment, Raising()))
    assert heard == ["a"]
    assert violations(environment) == ["§2.13: on_next('a') raised ValueError: no"]
    assert environment.notes == ("it was caused by KeyError: 'why'",)


def test_subscriber_is_completed_when_the_check_ends(environment: CheckEnvironment) -> None:
    subscriber = TriggeredSubscriber()
    ManualPublisher(environment).subscribe(subscriber)
    environment.close()
    assert subscriber.is_over


def test_subscriber_that_fails_at_the_end_of_the_check_is_left_alone(environment: CheckEnvironment) -> None:
    class Raising(TriggeredSubscriber):
        def complete(self) -> None:
            raise RuntimeError("no end, please")

    ManualPublisher(environment).subscribe(Raising())
    environment.close()
    assert texts(environment) == violations(environment) == []


def test_requests_in_excess_are_added_up(environment: CheckEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual_publisher, "MOST_WAITING_REQUESTS", 3)
    publisher = ManualPublisher(environment)
    subscriber = TriggeredSubscriber()
    publisher.subscribe(subscriber)
    for _ in range(8):
        subscriber.trigger_request(1)
    assert [publisher.expect_request() for _ in range(3)] == [1, 1, 6]
    publisher.expect_no_request()


# --- a subscription that records ---


@pytest.mark.parametrize(
    ("n", "message"),
    [
        (0, "§3.9: Requests cannot be zero or negative but received request(0)"),
        (-(10**30), f"§3.9: Requests cannot be zero or negative but received request({-(10**30)})"),
        ("1", "§3.9: Requests have to be integers but received request('1')"),
        (1.5, "§3.9: Requests have to be integers but received request(1.5)"),
        (None, "§3.9: Requests have to be integers but received request(None)"),
    ],
)
def test_bad_request_is_a_violation_in_any_check(n: Any, message: str, environment: CheckEnvironment) -> None:
    passed_on: list[int] = []
    subscription = RecordingSubscription(environment, on_request=passed_on.append)
    subscription.request(n)
    subscription.request(2)
    assert violations(environment) == [message]
    assert subscription.requested == 2
    assert passed_on == ([n, 2] if isinstance(n, int) else [2])


def test_call_inside_a_terminal_signal_is_a_violation_in_any_check(environment: CheckEnvironment) -> None:
    subscription = RecordingSubscription(environment)
    with subscription.sending("on_complete"):
        with subscription.sending("on_next"):
            subscription.request(1)
        subscription.cancel()
    subscription.cancel()
    assert violations(environment) == [
        "§2.3: Subscription::cancel MUST NOT be called from Subscriber::on_complete (Rule 2.3)!"
    ]
    assert [call.within for call in subscription.calls] == ["on_next", "on_complete", ""]


@pytest.mark.parametrize(("is_driven", "found"), [(True, 0), (False, 1)])
def test_overlap_counts_unless_the_check_itself_made_the_call(
    is_driven: bool, found: int, environment: CheckEnvironment
) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold(n: int) -> None:
        inside.set()
        leave.wait(10)

    subscription = RecordingSubscription(environment, on_request=hold)
    other = threading.Thread(target=subscription.request, args=(1,))
    other.start()
    inside.wait(10)
    if is_driven:
        with subscription.driving("signal_cancel"):
            subscription.cancel()
    else:
        subscription.cancel()
    leave.set()
    other.join()
    assert len(subscription.overlaps) == 1
    assert len(violations(environment)) == found


def test_context_of_a_signal_goes_along_with_a_copy(environment: CheckEnvironment) -> None:
    from contextvars import copy_context

    subscription = RecordingSubscription(environment)
    with subscription.sending("on_next"):
        context = copy_context()
    threads = [
        threading.Thread(target=context.run, args=(subscription.request, 1)),
        threading.Thread(target=subscription.request, args=(1,)),
    ]
    for thread in threads:
        thread.start()
        thread.join()
    assert [(call.within, call.context) for call in subscription.calls] == [("", "on_next"), ("", "")]


def test_calls_after_the_check_are_ignored_but_cancel_goes_on(environment: CheckEnvironment) -> None:
    cancelled: list[bool] = []
    subscription = RecordingSubscription(environment, on_cancel=lambda: cancelled.append(True))
    environment.close()
    subscription.request(0)
    subscription.cancel()
    assert (cancelled, subscription.call_count, violations(environment)) == ([True], 0, [])


def test_current_check_is_known_while_it_runs() -> None:
    seen: list[Any] = []

    @check()
    def required_something(subject: object, environment: CheckEnvironment) -> None:
        """Claim nothing."""
        seen.append(current_check() is environment)

    required_something(None, short_environment())
    assert (seen, current_check()) == ([True], None)
