"""The peers of a subject do what a check relies on."""

import logging
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import CheckEnvironment, Failed
from reactivestreams.tck.kit.failure import BufferOverflowError
from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.manual_subscriber import (
    MOST_UNEXPECTED_ELEMENTS,
    BlackholeSubscriber,
    EqualSubscriber,
    ErrorCollectingSubscriber,
    ManualSubscriber,
    UnexpectingSubscriber,
)
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription, ThrowingSubscription
from reactivestreams.tck.probes.refusing_executor import RefusingExecutor
from reactivestreams.tck.probes.report_channels import ReportChannels
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher, SynchronousPublisher
from reactivestreams.tck.probes.whitebox_probe import WhiteboxProbe


def texts(environment: CheckEnvironment) -> list[str]:
    return [environment.flop_text(flop) for flop in environment.flops]


def test_unexpected_signals_flop(environment: CheckEnvironment) -> None:
    subscriber = UnexpectingSubscriber(environment)
    subscriber.on_subscribe(RecordingSubscription(environment))
    subscriber.request(1)
    subscriber.on_next(1)
    subscriber.on_error(ValueError("broken"))
    subscriber.on_complete()
    assert texts(environment) == [
        "Unexpected Subscriber::on_next(1)",
        "Async error during test execution: broken",
        "Unexpected Subscriber::on_complete()",
    ]


def test_flood_of_unexpected_elements_is_stopped(environment: CheckEnvironment) -> None:
    subscriber = UnexpectingSubscriber(environment)
    subscriber.on_subscribe(RecordingSubscription(environment))
    for number in range(MOST_UNEXPECTED_ELEMENTS):
        subscriber.on_next(number)
    with pytest.raises(BufferOverflowError, match="101 elements came, and none was expected; stop"):
        subscriber.on_next(MOST_UNEXPECTED_ELEMENTS)
    assert len(texts(environment)) == MOST_UNEXPECTED_ELEMENTS


def test_cancelling_without_a_subscription_flops(environment: CheckEnvironment) -> None:
    with pytest.raises(Failed, match="Cannot cancel a subscription before having received it"):
        ManualSubscriber(environment).cancel()
    assert texts(environment) == ["Cannot cancel a subscription before having received it"]


def test_manual_subscriber_requests_and_takes(environment: CheckEnvironment) -> None:
    subscriber = environment.new_manual_subscriber(SynchronousPublisher(4))
    assert subscriber.request_next_element() == 0
    subscriber.request(1)
    subscriber.expect_next(7)
    assert subscriber.request_next_elements(2) == [2, 3]
    subscriber.expect_completion()
    assert texts(environment) == ["Expected element 7 on downstream but received 1"]


def test_blackhole_refuses_to_give_elements(environment: CheckEnvironment) -> None:
    subscriber = BlackholeSubscriber(environment)
    environment.subscribe(SynchronousPublisher(100), subscriber)
    subscriber.request(100)
    with pytest.raises(Failed, match="Can not expect elements from BlackholeSubscriber, use ManualSubscriber instead!"):
        subscriber.next_element()


def test_expected_error_may_say_one_of_several_things(environment: CheckEnvironment) -> None:
    subscriber = environment.new_manual_subscriber(SynchronousPublisher(4))
    subscriber.request(0)
    subscriber.expect_error_with_message(ValueError, ("3.9", "other"))
    subscriber = environment.new_manual_subscriber(SynchronousPublisher(4))
    subscriber.request(0)
    with pytest.raises(Failed, match=r"missing message part \[anyOf: 'nothing'\], was: §3.9"):
        subscriber.expect_error_with_message(ValueError, ["nothing"])


def test_collected_error_is_compared(environment: CheckEnvironment) -> None:
    error = ValueError("broken")
    publisher = ManualPublisher(environment)
    subscriber = ErrorCollectingSubscriber(environment)
    environment.subscribe(publisher, subscriber)
    publisher.send_error(error)
    subscriber.expect_same_error(error)
    subscriber.expect_same_error(KeyError("other"))
    assert texts(environment) == ["Expected error KeyError(\"'other'\") but got ValueError('broken')"]


def test_open_subscriptions_are_cancelled_when_the_check_ends(environment: CheckEnvironment) -> None:
    publisher = ManualPublisher(environment)
    subscriber = environment.new_manual_subscriber(publisher)
    environment.close()
    assert publisher.is_cancelled()
    subscriber.on_next(1)  # comes late: no matter
    assert texts(environment) == []
    assert environment.violations == ()


def test_subscription_that_comes_after_the_end_is_cancelled(environment: CheckEnvironment) -> None:
    subscriber = ManualSubscriber(environment)
    environment.close()
    subscription = RecordingSubscription(environment)
    subscriber.on_subscribe(subscription)
    assert subscription.is_cancelled


def test_manual_publisher_says_what_was_asked_for(environment: CheckEnvironment) -> None:
    publisher = ManualPublisher(environment)
    publisher.send_next(1)
    subscriber = ScriptedSubscriber(environment)
    publisher.subscribe(subscriber)
    publisher.subscribe(subscriber)
    subscriber.request(3)
    assert publisher.expect_request() == 3
    subscriber.request(2)
    publisher.expect_exact_request(4)
    assert publisher.pending == 5
    publisher.send_next("a")
    assert publisher.pending == 4
    publisher.expect_no_request()
    subscriber.cancel()
    publisher.expect_cancelling()
    assert texts(environment) == [
        "Cannot send on_next before having a Subscriber",
        "TestPublisher doesn't support more than one Subscriber",
        "Received `request(2)` on upstream but expected `request(4)`",
    ]


def test_manual_publisher_misses_requests_and_refuses_bad_ones(environment: CheckEnvironment) -> None:
    publisher = ManualPublisher(environment)
    subscriber = ScriptedSubscriber(environment)
    publisher.subscribe(subscriber)
    with pytest.raises(Failed, match=r"^Did not receive expected `request` call\. Ask within 5 ms$"):
        publisher.expect_request(5, addendum="Ask")
    subscriber.request(-1)
    with pytest.raises(Failed, match=r"^Requests cannot be zero or negative but received request\(-1\)$"):
        publisher.expect_request()
    publisher.expect_cancelling(5)
    assert texts(environment) == ["Did not receive expected cancelling of upstream subscription within 5 ms"]


def test_recording_subscription_sees_calls_that_overlap(environment: CheckEnvironment) -> None:
    inside, leave = threading.Event(), threading.Event()

    def hold(n: int) -> None:
        inside.set()
        leave.wait(10)

    subscription = RecordingSubscription(environment, on_request=hold)
    other = threading.Thread(target=subscription.request, args=(1,))
    other.start()
    inside.wait(10)
    subscription.cancel()
    leave.set()
    other.join()
    assert subscription.overlaps == ["cancel() was called while request was running on another thread"]
    assert [call.method for call in subscription.calls] == ["request", "cancel"]
    assert subscription.requested == 1


def test_throwing_subscription_raises_where_it_should(environment: CheckEnvironment) -> None:
    subscription = ThrowingSubscription(environment, methods=("cancel",), error=RuntimeError("no"))
    subscription.request(1)
    with pytest.raises(RuntimeError, match="no"):
        subscription.cancel()
    assert subscription.is_cancelled


def test_whitebox_probe_compares_what_was_reported(environment: CheckEnvironment) -> None:
    probe = WhiteboxProbe(environment)
    error = ValueError("broken")
    probe.register_on_next(1)
    probe.register_on_next(2)
    probe.register_on_complete()
    probe.register_on_error(error)
    probe.expect_next(1)
    probe.expect_next(1)
    probe.expect_completion()
    probe.expect_error(error)
    probe.expect_error(ValueError)
    probe.expect_error(ValueError("broken"))
    probe.expect_error_with_message(ValueError, "3.9")
    assert texts(environment) == [
        "Subscriber under test called `register_on_next(2)` rather than `register_on_next(1)`",
        (
            "Subscriber under test called `register_on_error(ValueError('broken'))` rather than "
            "`register_on_error(ValueError('broken'))`"
        ),
        "Subscriber under test reported an error without '3.9' in it: broken",
    ]


def test_whitebox_probe_misses_what_was_not_reported(environment: CheckEnvironment) -> None:
    probe = WhiteboxProbe(environment)
    with pytest.raises(Failed, match=r"Subscriber under test did not call `register_on_next\(5\)` within 100 ms"):
        probe.expect_next(5)
    probe.expect_completion()
    probe.expect_error(ValueError)
    assert texts(environment) == [
        "Subscriber under test did not call `register_on_complete()` within 100 ms",
        "Subscriber under test did not call `register_on_error(ValueError)` within 100 ms",
    ]


def test_probe_takes_none_and_any_number_of_reports(environment: CheckEnvironment) -> None:
    probe = WhiteboxProbe(environment)
    probe.register_on_error(None)
    for number in range(100):
        probe.register_on_next(number)
    assert [probe.expect_next() for _ in range(100)] == list(range(100))


@pytest.mark.parametrize("kind", [SynchronousPublisher, AsynchronousPublisher])
def test_source_fails_with_the_number_and_the_cause(
    kind: type[SynchronousPublisher], environment: CheckEnvironment
) -> None:
    def fail(number: int) -> int:
        raise KeyError(number)

    subscriber = environment.new_manual_subscriber(kind(1, fail, environment=environment))
    subscriber.request(1)
    error = subscriber.expect_error(RuntimeError)
    assert str(error) == "Failed to create element for id 0! 0"
    assert isinstance(error.__cause__, KeyError)


def test_source_reports_a_subscriber_that_raises(environment: CheckEnvironment) -> None:
    class Raising(ScriptedSubscriber):
        def when_next(self, element: Any) -> None:
            raise RuntimeError("broken")

    subscriber = Raising(environment)
    environment.subscribe(SynchronousPublisher(MAX_DEMAND, environment=environment), subscriber)
    subscriber.request(5)
    assert subscriber.ledger.delivered == 1
    assert [str(each) for each in environment.violations] == ["§2.13: a signal raised RuntimeError: broken"]


def test_equal_subscribers_are_equal_and_not_hashable(environment: CheckEnvironment) -> None:
    first, second = EqualSubscriber(environment), EqualSubscriber(environment)
    assert first == second
    with pytest.raises(TypeError):
        hash(first)


def test_refusing_executor_takes_nothing() -> None:
    executor = RefusingExecutor()
    with pytest.raises(RuntimeError, match="takes no work"):
        executor.submit(print, 1)
    assert executor.refused == 1


@pytest.mark.parametrize(
    ("report", "channel"),
    [
        (lambda: logging.getLogger("somebody").warning("it is the token"), "a log record of somebody"),
        (lambda: sys.stderr.write("the token\n"), "standard error"),
    ],
)
def test_report_channels_find_a_text(report: Callable[[], object], channel: str) -> None:
    before = sys.stderr
    with ReportChannels() as channels:
        report()
        assert channels.containing("token") == [channel]
        assert channels.containing("other") == []
    assert sys.stderr is before


def test_report_channels_find_a_warning() -> None:
    heard: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        # What pytest does with warnings is not what a program has.
        patch.setattr(warnings, "showwarning", lambda message, *arguments, **options: heard.append(str(message)))
        with ReportChannels() as channels:
            warnings.showwarning(UserWarning("the token"), UserWarning, "a file", 1)
            assert channels.containing("token") == ["a warning"]
    assert heard == ["the token"]
