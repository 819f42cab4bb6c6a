"""Publishers of other origin that break the rules: the stream ends in order, or goes on; nothing crashes or nests."""

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import DemandExceededError, SignalOverlapError
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together

Dropped = list[tuple[str, Any, str]]
LONG_SECONDS = 60.0


class Scripted:
    """A publisher whose `subscribe` and `request` do what the test says.

    Args:
        subscribe: Called with the publisher; `subscriber` is set.
        request: Called with the publisher and n.
        cancel: Called with the publisher.
    """

    def __init__(
        self,
        *,
        subscribe: Callable[["Scripted"], object] = lambda publisher: publisher.begin(),
        request: Callable[["Scripted", int], object] = lambda publisher, n: None,
        cancel: Callable[["Scripted"], object] = lambda publisher: None,
    ) -> None:
        self.on_subscribe = subscribe
        self.on_request = request
        self.on_cancel = cancel
        self.subscriber: Any = None
        self.requests: list[int] = []
        self.cancels = 0

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        self.on_subscribe(self)

    def begin(self) -> None:
        self.subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        self.requests.append(n)
        self.on_request(self, n)

    def cancel(self) -> None:
        self.cancels += 1
        self.on_cancel(self)

    def send(self, *elements: Any) -> None:
        for element in elements:
            self.subscriber.on_next(element)


def received(publisher: Scripted, *, demand: int | None = UNBOUNDED, prefetch: int = 8) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(demand=demand)
    Stream.from_publisher(publisher, prefetch=prefetch).map(lambda element: element).subscribe(subscriber)
    return subscriber


def test_more_elements_than_requested_end_the_stream_and_name_the_rule(dropped_signals: Dropped) -> None:
    subscriber = received(Scripted(request=lambda publisher, n: publisher.send(*range(n + 3))), demand=2)
    error = subscriber.errors[0]
    assert isinstance(error, DemandExceededError)
    assert str(error).startswith("§1.1: ")
    assert "sent 2 without demand" in str(error)
    assert set(subscriber.elements) <= {0, 1}
    assert subscriber.names[-1] == "on_error"
    assert dropped_signals == []


def test_publisher_that_sent_too_much_is_cancelled_and_its_further_elements_are_let_go(
    dropped_signals: Dropped,
) -> None:
    publisher = Scripted()
    subscriber = received(publisher, demand=None)
    publisher.send(1)
    signals = list(subscriber.signals)
    publisher.send(2, 3)
    assert (subscriber.names, publisher.cancels) == (["on_subscribe", "on_error"], 1)
    assert (subscriber.signals, dropped_signals) == (signals, [])


def test_element_before_on_subscribe_is_an_element_without_demand() -> None:
    subscriber = received(Scripted(subscribe=lambda publisher: (publisher.send(1), publisher.begin())))
    assert subscriber.names == ["on_subscribe", "on_error"]


@pytest.mark.parametrize("signal", ["on_next", "on_subscribe", "on_error"])
def test_none_is_refused_to_the_publishers_face_and_the_stream_goes_on(signal: str) -> None:
    publisher = Scripted()
    subscriber = received(publisher)
    with pytest.raises(TypeError, match=r"§2.13: .*None"):
        getattr(publisher.subscriber, signal)(None)
    publisher.send(1)
    publisher.subscriber.on_complete()
    assert subscriber.signals == [("on_subscribe",), ("on_next", 1), ("on_complete",)]


def test_second_subscription_is_cancelled_and_the_first_one_serves_on() -> None:
    first, second = Scripted(), Scripted()
    subscriber = received(first, demand=2)
    first.subscriber.on_subscribe(second)
    first.subscriber.on_subscribe(first)  # its own again counts as a second one too
    assert (second.cancels, second.requests, first.cancels, first.requests) == (1, [], 1, [2])
    first.send(1, 2)
    assert subscriber.elements == [1, 2]


def test_subscription_whose_cancel_raises_goes_to_the_hook(dropped_signals: Dropped) -> None:
    error = ValueError("cannot stop")

    def fail(_: Scripted) -> None:
        raise error

    publisher = Scripted(cancel=fail)
    subscriber = received(publisher)
    publisher.subscriber.on_subscribe(Scripted(cancel=fail))
    subscriber.cancel()
    assert [(signal, value) for signal, value, _ in dropped_signals] == [("cancel", error)] * 2
    assert subscriber.names == ["on_subscribe"]


def test_request_that_raises_ends_the_stream_with_its_error() -> None:
    error = ValueError("no elements today")

    def fail(publisher: Scripted, n: int) -> None:
        publisher.send(1)
        raise error

    publisher = Scripted(request=fail)
    subscriber = received(publisher)
    assert subscriber.names[-1] == "on_error"
    assert (subscriber.errors, publisher.cancels) == ([error], 1)
    assert subscriber.elements in ([], [1])


def test_subscribe_that_raises_ends_the_stream_after_on_subscribe() -> None:
    def fail(publisher: Scripted) -> None:
        raise ValueError("gone")

    subscriber = received(Scripted(subscribe=fail))
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert subscriber.errors[0].__notes__[0].startswith("in rx://sources/from_publisher, assembled at ")


def test_subscribe_that_raises_after_it_was_cancelled_goes_to_the_hook(dropped_signals: Dropped) -> None:
    error = ValueError("gone")
    subscriber = RecordingSubscriber()

    def cancel_and_fail(publisher: Scripted) -> None:
        publisher.begin()
        subscriber.cancel()
        raise error

    publisher = Scripted(subscribe=cancel_and_fail)
    Stream.from_publisher(publisher).subscribe(subscriber)
    assert (subscriber.names, publisher.cancels) == (["on_subscribe"], 1)
    assert [(signal, value) for signal, value, _ in dropped_signals] == [("subscribe", error)]


@pytest.mark.parametrize("demand", [1, 3, UNBOUNDED])
def test_publisher_that_sends_inside_request_never_nests(demand: int) -> None:
    depth, deepest = 0, 0

    def send(publisher: Scripted, n: int) -> None:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        for _ in range(n):
            if publisher.sent < 1_000:
                publisher.sent += 1
                publisher.send(publisher.sent)
        depth -= 1
        if publisher.sent == 1_000:
            publisher.subscriber.on_complete()

    publisher: Any = Scripted(request=send)
    publisher.sent = 0
    subscriber = received(publisher, demand=demand, prefetch=4)
    assert (deepest, subscriber.elements, subscriber.is_complete) == (1, list(range(1, 1_001)), True)
    assert max(publisher.requests) <= 4


@pytest.mark.parametrize("late", ["on_next", "on_error", "on_complete"])
@pytest.mark.parametrize("end", ["on_complete", "on_error"])
def test_signal_after_the_end_is_not_passed_on(end: str, late: str, dropped_signals: Dropped) -> None:
    error = ValueError("late")
    publisher = Scripted()
    subscriber = received(publisher, demand=1)
    publisher.send(1)

    def signal(name: str) -> None:
        arguments = {"on_next": (2,), "on_error": (error,), "on_complete": ()}[name]
        getattr(publisher.subscriber, name)(*arguments)

    signal(end)
    signals = list(subscriber.signals)
    signal(late)
    assert (subscriber.signals, publisher.cancels) == (signals, 0)
    told = [] if late == "on_complete" else [(late, 2 if late == "on_next" else error)]
    assert [(name, value) for name, value, _ in dropped_signals] == told


def test_error_after_a_cancel_goes_to_the_hook_and_elements_do_not(dropped_signals: Dropped) -> None:
    error = ValueError("late")
    publisher = Scripted()
    subscriber = received(publisher)
    subscriber.cancel()
    publisher.send(1, 2)
    publisher.subscriber.on_error(error)
    assert subscriber.names == ["on_subscribe"]
    assert [(signal, value) for signal, value, _ in dropped_signals] == [("on_error", error)]


def test_publisher_that_never_calls_on_subscribe_can_be_cancelled() -> None:
    publisher = Scripted(subscribe=lambda publisher: None)
    subscriber = received(publisher)
    subscriber.subscription.request(3)
    subscriber.cancel()
    late = Scripted()
    publisher.subscriber.on_subscribe(late)
    assert (subscriber.names, late.cancels, late.requests) == (["on_subscribe"], 1, [])
    assert all(node.is_disposed for node in nodes_of(subscriber.subscription))


@pytest.mark.parametrize("error", ["no exception", 7, object()])
def test_error_that_is_no_exception_reaches_the_subscriber_as_the_payload_of_one(error: object) -> None:
    publisher = Scripted()
    subscriber = received(publisher)
    publisher.subscriber.on_error(error)
    first, (name, received_error) = subscriber.signals
    assert (first, name, received_error.payload) == (("on_subscribe",), "on_error", error)


def test_end_waits_for_the_elements_before_it() -> None:
    error = ValueError("behind")
    publisher = Scripted()
    subscriber = received(publisher, demand=None)
    subscriber.subscription.request(3)
    publisher.send(1, 2)
    publisher.send(3)
    publisher.subscriber.on_error(error)
    assert subscriber.signals == [("on_subscribe",), *(("on_next", n) for n in (1, 2, 3)), ("on_error", error)]


def test_signals_of_two_threads_at_once_are_refused_or_lined_up() -> None:
    count = 300
    publisher = Scripted()
    subscriber = RecordingSubscriber()
    inside: list[int] = []
    overlaps: list[int] = []

    def enter() -> None:
        inside.append(1)
        overlaps.append(len(inside))
        inside.pop()

    subscriber.actions["on_next"] = enter
    Stream.from_publisher(publisher, prefetch=2 * count).subscribe(subscriber)
    with many_switches():
        run_together(*[lambda first=first: publisher.send(*range(first, first + count)) for first in (0, 1_000)])
    assert set(overlaps) == {1}
    if subscriber.errors:  # without a GIL the overlap is seen
        assert [type(error) for error in subscriber.errors] == [SignalOverlapError]
    else:
        assert sorted(subscriber.elements) == [*range(count), *range(1_000, 1_000 + count)]
        assert [element for element in subscriber.elements if element < 1_000] == list(range(count))


def test_calls_of_a_foreign_subscription_never_overlap() -> None:
    inside: list[str] = []
    overlaps: list[list[str]] = []

    def call(name: str) -> None:
        inside.append(name)
        for _ in range(50):
            pass
        overlaps.append(list(inside))
        inside.remove(name)

    for _ in range(20):
        publisher = Scripted(request=lambda publisher, n: call("request"), cancel=lambda publisher: call("cancel"))
        subscriber = received(publisher, demand=None, prefetch=1_000)

        def use(last: str, subscriber: Any = subscriber) -> None:
            for _ in range(20):
                subscriber.subscription.request(1)
            if last == "cancel":
                subscriber.cancel()

        with many_switches():
            run_together(*[lambda last=last, use=use: use(last) for last in ("", "", "cancel", "cancel")])
        assert publisher.cancels == 1
    assert [names for names in overlaps if len(names) != 1] == []


def test_publisher_that_keeps_the_subscriber_keeps_nothing_below_it_alive() -> None:
    publisher = Scripted()
    subscriber = received(publisher)
    publisher.send(1)
    watched = weakref.ref(subscriber)
    gc.disable()
    subscriber.cancel()
    del subscriber
    assert watched() is None
    gc.enable()
    assert publisher.subscriber is not None


def test_publishers_thread_may_be_blocked_while_the_subscriber_cancels() -> None:
    is_inside, may_go_on = threading.Event(), threading.Event()
    subscriber = RecordingSubscriber()

    def block() -> None:
        is_inside.set()
        assert may_go_on.wait(LONG_SECONDS)

    subscriber.actions["on_next"] = block
    publisher = Scripted()
    Stream.from_publisher(publisher).subscribe(subscriber)
    thread = threading.Thread(target=publisher.send, args=(1, 2, 3))
    thread.start()
    assert is_inside.wait(LONG_SECONDS)
    subscriber.cancel()
    may_go_on.set()
    thread.join()
    assert (subscriber.elements, publisher.cancels) == ([1], 1)
