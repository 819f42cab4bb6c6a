"""Streams whose subscribers share one run: publish, replay and multicast, and how they are connected."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    SourceUsedTwiceError,
    StateError,
    StreamCancelledError,
)
from reactivestreams.schedulers import ActionTask, delays
from reactivestreams.state import SnapshotWriter, save_nodes
from reactivestreams.stream import ConnectableStream
from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    SimpleSubject,
    UnicastSubject,
    buffer,
    drop_slow,
    lockstep,
)
from reactivestreams.testing import TestScheduler, on_complete, on_error, on_next
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class Upstream:
    """A source that is pushed by the test, and counts who subscribes and who cancels."""

    def __init__(self) -> None:
        self.runs = 0
        self.cancelled = 0
        self.requested: list[int] = []
        self.emitter: Any = None
        self.stream: Stream[Any] = Stream.create(self._begin, on_overflow="error").do(
            on_cancel=self._cancel, on_request=self.requested.append
        )

    def _begin(self, emitter: Any) -> None:
        self.runs += 1
        self.emitter = emitter

    def _cancel(self) -> None:
        self.cancelled += 1

    def push(self, *elements: Any) -> None:
        for element in elements:
            self.emitter.emit(element)


def subscribed(stream: Any, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    return subscriber


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


def test_subscribers_wait_until_it_is_connected_and_share_one_run() -> None:
    upstream = Upstream()
    published = upstream.stream.publish()
    first, second = subscribed(published), subscribed(published.map(lambda n: -n))
    assert upstream.runs == 0
    connection = published.connect()
    assert published.connect() is connection
    assert connection.is_active
    upstream.push(1, 2)
    late = subscribed(published)
    upstream.push(3)
    upstream.emitter.complete()
    assert upstream.runs == 1
    assert not connection.is_active
    assert first.outcome == ([1, 2, 3], "complete")
    assert second.outcome == ([-1, -2, -3], "complete")
    assert late.outcome == ([3], "complete")


def test_slowest_subscriber_governs_within_the_capacity() -> None:
    upstream = Upstream()
    published = upstream.stream.publish(capacity=4)
    fast, slow = subscribed(published), subscribed(published, 0)
    published.connect()
    assert upstream.requested == []
    slow.request(3)
    assert sum(upstream.requested) == 3
    slow.request(100)
    assert sum(upstream.requested) == 4
    upstream.push(1, 2, 3)
    assert fast.elements == slow.elements == [1, 2, 3]


def test_nothing_is_requested_while_nobody_is_there() -> None:
    upstream = Upstream()
    upstream.stream.publish().connect()
    assert (upstream.runs, upstream.requested) == (1, [])


def test_error_goes_to_all_and_to_who_comes_after_it_until_it_is_connected_again() -> None:
    upstream = Upstream()
    published = upstream.stream.publish()
    first = subscribed(published)
    published.connect()
    failure = ValueError("mine")
    upstream.emitter.fail(failure)
    assert first.error is failure
    assert subscribed(published).error is failure
    published.connect()
    again = subscribed(published)
    upstream.push(1)
    assert (upstream.runs, again.elements, again.has_ended) == (2, [1], False)


def test_cancelled_connection_fails_its_subscribers_and_the_next_wait_for_another() -> None:
    upstream = Upstream()
    published = upstream.stream.publish()
    first = subscribed(published)
    connection = published.connect()
    upstream.push(1)
    connection.cancel()
    connection.cancel()
    assert upstream.cancelled == 1
    assert first.elements == [1]
    assert isinstance(first.error, StreamCancelledError)
    assert "the connection of publish() was cancelled" in str(first.error)
    assert repr(connection) == "<connection of publish(): not active>"
    second = subscribed(published)
    assert not second.has_ended
    published.connect()
    upstream.push(2)
    assert (upstream.runs, second.elements) == (2, [2])


def test_cancelling_after_the_end_does_nothing() -> None:
    replayed = Stream.range(3).replay()
    with replayed.connect():
        assert subscribed(replayed).outcome == ([0, 1, 2], "complete")
    assert subscribed(replayed).outcome == ([0, 1, 2], "complete")


def test_auto_connect_waits_for_so_many_and_stays_when_they_leave() -> None:
    upstream = Upstream()
    shared = upstream.stream.publish().auto_connect(2)
    first = subscribed(shared)
    first.cancel()
    assert upstream.runs == 0
    second = subscribed(shared)
    assert upstream.runs == 1
    second.cancel()
    third = subscribed(shared)
    upstream.push(5)
    assert (upstream.runs, upstream.cancelled, third.elements) == (1, 0, [5])
    upstream.emitter.complete()
    assert subscribed(shared).outcome == ([], "complete")
    assert upstream.runs == 1


def test_auto_connect_of_nobody_connects_at_once() -> None:
    upstream = Upstream()
    upstream.stream.publish().auto_connect(0)
    assert upstream.runs == 1


def test_ref_count_connects_with_so_many_and_cancels_with_the_last() -> None:
    upstream = Upstream()
    shared = upstream.stream.publish().ref_count(2)
    first = subscribed(shared)
    assert upstream.runs == 0
    second = subscribed(shared)
    assert upstream.runs == 1
    first.cancel()
    assert upstream.cancelled == 0
    second.cancel()
    assert upstream.cancelled == 1
    subscribed(shared)
    assert upstream.runs == 1
    third = subscribed(shared)
    upstream.push(7)
    assert (upstream.runs, third.elements) == (2, [7])


def test_two_counts_of_one_stream_are_separate() -> None:
    upstream = Upstream()
    published = upstream.stream.publish()
    apart = subscribed(published)
    counted, other = subscribed(published.ref_count()), subscribed(published.ref_count())
    assert upstream.runs == 1
    other.cancel()  # its count connected too, or would have
    assert counted.error is None or isinstance(counted.error, StreamCancelledError)
    assert upstream.cancelled == 1
    assert isinstance(apart.error, StreamCancelledError)


def test_share_begins_again_after_the_end_and_after_all_have_left() -> None:
    upstream = Upstream()
    shared = upstream.stream.share()
    first = subscribed(shared)
    upstream.emitter.complete()
    second = subscribed(shared)
    assert (upstream.runs, first.has_ended, second.has_ended) == (2, True, False)
    second.cancel()
    subscribed(shared)
    assert (upstream.runs, upstream.cancelled) == (3, 1)


def test_subscriber_inside_of_the_last_signal_begins_another_run() -> None:
    runs: list[int] = []
    shared = Stream.defer(lambda: runs.append(1) or Stream.just("x")).share()
    assert shared.concat_with(shared).to_list() == ["x", "x"]
    assert len(runs) == 2


@pytest.mark.parametrize(
    "share", [lambda s: s.share(capacity=4), lambda s: s.replay(4, capacity=4).ref_count(), lambda s: s.cache()]
)
def test_element_that_an_operator_drops_makes_room_for_another(share: Callable[[Any], Any]) -> None:
    shared = share(Stream.range(500))
    subscribers = [RecordingSubscriber(first_request=1, then_request=1) for _ in range(2)]
    shared.filter(lambda n: n % 100 == 99).subscribe(subscribers[0])
    shared.skip(497).subscribe(subscribers[1])
    assert subscribers[0].outcome == ([99, 199, 299, 399, 499], "complete")
    assert subscribers[1].outcome == ([497, 498, 499], "complete")


@pytest.mark.parametrize("share", [lambda s: s.share(), lambda s: s.publish().ref_count(2)])
def test_shared_stream_is_an_input_of_operators_of_itself(share: Callable[[Any], Any]) -> None:
    runs: list[int] = []
    shared = share(Stream.range(4).do(on_subscribe=lambda: runs.append(1)))
    assert shared.zip_with(shared.map(lambda n: n * n)).to_list() == [(0, 0), (1, 1), (2, 4), (3, 9)]
    assert len(runs) == 1


def test_grace_keeps_the_connection_for_who_comes_in_time() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*(on_next(tick, tick) for tick in range(210, 900, 10)))
    shared = Stream.from_publisher(hot).publish().ref_count(grace=ticks(50))
    spans = {210: 230, 270: 300, 349: 360, 500: 520}
    handles: dict[int, Any] = {}
    observers = []
    for begin, end in spans.items():
        observer = scheduler.create_observer()
        observers.append(observer)

        def come(begin: int = begin, observer: Any = observer) -> None:
            handles[begin] = shared.bind(observer)
            handles[begin].initialize(scheduler.create_context())

        scheduler.do_at(begin, come)
        scheduler.do_at(end, lambda begin=begin: handles[begin].cancel())
    scheduler.clock.start()
    connections = [(span.subscribed, span.unsubscribed) for span in hot.subscriptions]
    assert connections == [(210, 411), (500, 571)]


class LateScheduler(WorkerScheduler):
    """Calls `times`, the next one, when it is asked for the time; that may answer in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[Callable[[], datetime | None]] = []

    @property
    def now(self) -> datetime:
        time = self.times.pop(0)() if self.times else None
        return time or super().now


def test_grace_is_as_long_for_who_leaves_while_the_alarm_of_the_one_before_rings(monkeypatch: Any) -> None:
    upstream, scheduler = Upstream(), LateScheduler()
    monkeypatch.setattr(delays, "_shared", [scheduler])
    shared = upstream.stream.publish().ref_count(grace=60)
    may_ring, has_rung = threading.Event(), threading.Event()

    def ring() -> None:
        may_ring.set()
        scheduler.schedule(ActionTask(has_rung.set))
        assert has_rung.wait(30)

    scheduler.schedule(ActionTask(lambda: may_ring.wait(30)))
    scheduler.times = [lambda: datetime.now(UTC) - timedelta(seconds=60)]
    subscribed(shared).cancel()
    scheduler.times = [ring]
    subscribed(shared).cancel()
    assert scheduler.times == []
    subscribed(shared)
    scheduler.dispose()
    assert upstream.runs == 1


def test_connection_ends_at_once_when_the_scheduler_of_its_grace_is_disposed() -> None:
    upstream = Upstream()
    scheduler = TestScheduler()
    subscriber = RecordingSubscriber(first_request=1)
    shared = upstream.stream.publish().ref_count(grace=3600)
    handle = shared.bind(subscriber)
    handle.initialize(scheduler.create_context())
    handle.cancel()
    scheduler.dispose()
    subscribed(shared)
    assert upstream.runs == 2


def test_replay_sends_the_last_elements_to_late_subscribers_on_their_demand() -> None:
    upstream = Upstream()
    replayed = upstream.stream.replay(3)
    first = subscribed(replayed)
    replayed.connect()
    upstream.push(1, 2, 3, 4)
    late = subscribed(replayed, 1)
    assert late.elements == [2]
    upstream.push(5)
    late.request(9)
    assert late.elements == [2, 3, 4, 5]
    upstream.emitter.complete()
    assert first.outcome == ([1, 2, 3, 4, 5], "complete")
    assert subscribed(replayed).outcome == ([3, 4, 5], "complete")
    replayed.connect()
    assert subscribed(replayed).elements == []


@pytest.mark.parametrize(("late", "expected"), [(280, [2, 3]), (281, [3])])
def test_replay_forgets_by_the_clock_of_the_host_that_connects(late: int, expected: list[int]) -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(on_next(210, 1), on_next(240, 2), on_next(270, 3), on_complete(500))
    replayed = Stream.from_publisher(hot).replay(10, max_age=ticks(40)).auto_connect()
    scheduler.do_at(205, lambda: replayed.bind(scheduler.create_observer()).initialize(scheduler.create_context()))
    observer = scheduler.create_observer()
    scheduler.do_at(late, lambda: replayed.bind(observer).initialize(scheduler.create_context()))
    scheduler.clock.start()
    assert [message.value for message in observer.messages] == [
        *(on_next(0, number).value for number in expected),
        on_complete(0).value,
    ]


def test_cache_runs_once_and_sends_all_to_all() -> None:
    upstream = Upstream()
    cached = upstream.stream.cache()
    first = subscribed(cached)
    upstream.push(1)
    first.cancel()
    assert upstream.cancelled == 0
    upstream.push(2)
    upstream.emitter.complete()
    assert subscribed(cached).outcome == ([1, 2], "complete")
    assert upstream.runs == 1


def test_connected_operators_wait_on_the_scheduler_of_the_first_subscriber() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(on_next(210, 1), on_error(400, ValueError("mine")))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).delay(ticks(30)).share())
    assert next(message.tick for message in observer.messages) == 243


def test_multicast_to_the_subjects_that_a_function_makes() -> None:
    upstream = Upstream()
    shared = upstream.stream.multicast(lambda: BroadcastSubject(policy=drop_slow())).ref_count()
    fast, slow = subscribed(shared), subscribed(shared, 1)
    upstream.push(1, 2)
    assert (fast.elements, slow.elements) == ([1, 2], [1])
    fast.cancel()
    slow.cancel()
    subscribed(shared)
    assert upstream.runs == 2


@pytest.mark.parametrize("subject", [BroadcastSubject, lambda: ReplaySubject(5, policy=buffer(10)), UnicastSubject])
def test_multicast_to_a_given_subject_has_one_connection(subject: Callable[[], Any]) -> None:
    upstream = Upstream()
    given = subject()
    published = upstream.stream.multicast(given)
    first = subscribed(published)
    published.connect()
    upstream.push(1)
    upstream.emitter.complete()
    assert first.outcome == ([1], "complete")
    with pytest.raises(SourceUsedTwiceError, match="pass a function that makes a subject for each connection"):
        published.connect()


def test_cancelled_connection_to_a_given_subject_is_the_only_one() -> None:
    shared = Stream.never().multicast(BroadcastSubject(policy=lockstep())).ref_count()
    subscribed(shared).cancel()
    assert isinstance(subscribed(shared).error, StreamCancelledError)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda s: s.multicast(SimpleSubject()), ArgumentTypeError, "no subject that stores its end"),
        (lambda s: s.multicast(list), ArgumentTypeError, "no subject that stores its end"),
        (lambda s: s.multicast(7), ArgumentTypeError, "pass e.g. lambda: ReplaySubject"),
        (lambda s: s.publish(capacity=0), ArgumentError, "publish"),
        (lambda s: s.share(capacity=2**25), ArgumentError, "publish"),
        (lambda s: s.replay(0), ArgumentError, "replay"),
        (lambda s: s.cache(True), ArgumentTypeError, "replay"),
        (lambda s: s.replay(max_age=0), ArgumentError, "max_age"),
        (lambda s: s.publish().auto_connect(-1), ArgumentError, "auto_connect"),
        (lambda s: s.publish().ref_count(0), ArgumentError, "ref_count"),
        (lambda s: s.publish().ref_count(grace="1 s"), ArgumentTypeError, "seconds or a timedelta"),
    ],
)
def test_wrong_arguments_are_refused_when_the_stream_is_built(
    build: Callable[[Any], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        build(Stream.range(3))


def test_function_that_fails_later_or_changes_the_policy_fails_the_subscriber() -> None:
    made: list[Any] = [BroadcastSubject(), BroadcastSubject(policy=lockstep(capacity=7)), ValueError("mine")]

    def make() -> Any:
        subject = made.pop(0)
        if isinstance(subject, Exception):
            raise subject
        return subject

    shared = Stream.empty().multicast(make).ref_count()
    assert subscribed(shared).outcome == ([], "complete")
    assert "another policy" in str(subscribed(shared).error)
    assert str(subscribed(shared).error) == "mine"


def test_upstream_that_cannot_be_subscribed_fails_the_subscriber_and_the_next_tries_again() -> None:
    class Broken:
        tries = 0

        def subscribe(self, subscriber: Any) -> None:
            self.tries += 1
            raise ValueError("mine")

    broken = Broken()
    shared = Stream.from_publisher(broken).share()  # type: ignore[arg-type]
    assert str(subscribed(shared).error) == "mine"
    assert str(subscribed(shared).error) == "mine"
    assert broken.tries == 2


def test_operators_of_a_connectable_stream_return_a_stream() -> None:
    published = Stream.range(3).publish(capacity=8)
    assert type(published) is ConnectableStream
    for stream in (published.map(str), published.take(1), published.filter(bool), published.ref_count()):
        assert type(stream) is Stream
    assert repr(published.map(str)) == "Stream.range(0, 3).publish(capacity=8).map(str)"
    assert repr(Stream.range(3).replay(2, max_age=1.5).ref_count(2, grace=1)) == (
        "Stream.range(0, 3).replay(2, max_age=1.5).ref_count(2, grace=1)"
    )


def test_subscription_to_a_shared_stream_is_not_saved_unless_elements_may_be_lost() -> None:
    handle: Any = Stream.never().share().skip(1).bind(RecordingSubscriber())
    handle.initialize()
    with pytest.raises(StateError, match="its recovery is 'none'"):
        save_nodes(handle, SnapshotWriter())
    save_nodes(handle, SnapshotWriter(), allow_restart=True)
    handle.cancel()


def test_pipeline_has_no_source_to_share() -> None:
    from reactivestreams import pipeline

    with pytest.raises(AttributeError, match="only a Stream has it"):
        pipeline().share()
