"""What each source does behind a recovery is what it states: the whole catalogue, saved behind each element."""

import asyncio
import operator
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

import reactivestreams.sources
from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, StateError
from reactivestreams.lifecycle import OperatorPublisher, StatefulNode, StateVisitor
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.state import SnapshotReader, SnapshotWriter, load_nodes, load_tree, save_tree, stateful_nodes
from reactivestreams.subjects import BroadcastSubject, buffer
from reactivestreams.subjects.subscription_definition import SubjectSubscription
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.stepped_loop import SteppedLoop

COUNT = 6
SUMS = [0, 1, 3, 6, 10, 15]


class Cold:
    """A foreign publisher that sends the same numbers to each subscriber, inside of `request`."""

    def __init__(self, first: int = 0, count: int = COUNT) -> None:
        self.numbers = range(first, count)

    def subscribe(self, subscriber: Any, /) -> None:
        subscriber.on_subscribe(_Sending(subscriber, iter(self.numbers)))


class _Sending:
    def __init__(self, subscriber: Any, numbers: Iterator[int]) -> None:
        self.subscriber, self.numbers = subscriber, numbers

    def request(self, n: int) -> None:
        for _ in range(n):
            number = next(self.numbers, None)
            if number is None:
                self.subscriber.on_complete()
                return
            self.subscriber.on_next(number)

    def cancel(self) -> None:
        self.numbers = iter(())


class Async:
    """An asynchronous iterable that can be read again."""

    def __aiter__(self) -> AsyncIterator[int]:
        return numbers()


async def numbers() -> AsyncIterator[int]:
    for number in range(COUNT):
        yield number


class Counting(StatefulNode):
    """A source written in Python, with the next number as its state."""

    name = "test/counting"

    def __init__(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        self.next_number = 0

    def on_start(self) -> None:
        self.subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        for _ in range(min(n, COUNT - self.next_number)):
            self.next_number += 1
            self.mark_changed()
            self.subscriber.on_next(self.next_number - 1)
        if self.next_number == COUNT and not self.is_disposed:
            self.dispose()
            self.subscriber.on_complete()

    def cancel(self) -> None:
        self.dispose()

    def save_fields(self, writer: Any) -> None:
        writer.write(self.next_number)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.next_number = reader.read(int)


class Counted(OperatorPublisher[int]):
    def create_operator(self, subscriber: Any) -> Counting:
        return Counting(subscriber)


def pushed(emitter: Any) -> None:
    for number in range(COUNT):
        emitter.emit(number)
    emitter.complete()


def finished() -> Future[list[int]]:
    future: Future[list[int]] = Future()
    future.set_result(list(range(COUNT)))
    return future


Build = Callable[["Runs"], Stream[Any]]

# What is built, and what it states. A user may state otherwise where the default is safe but too strict.
SOURCES: dict[str, tuple[Build, str]] = {
    "range": (lambda runs: Stream.range(COUNT), "exact"),
    "huge range": (lambda runs: Stream.range(0, COUNT * 2**70, 2**70).map(lambda n: n >> 70), "skips"),
    "just": (lambda runs: Stream.just(*range(COUNT)), "skips"),
    "list": (lambda runs: Stream.from_iterable(list(range(COUNT))), "skips"),
    "dict": (lambda runs: Stream.from_iterable(dict.fromkeys(range(COUNT))), "skips"),
    "set": (lambda runs: Stream.from_iterable(set(range(COUNT))), "restarts"),
    "set, stated": (lambda runs: Stream.from_iterable(frozenset(range(COUNT)), recovery="skips"), "skips"),
    "iterator": (lambda runs: Stream.from_iterable(iter(range(COUNT))), "none"),
    "iterator, stated": (lambda runs: Stream.from_iterable(iter(range(COUNT)), recovery="skips"), "skips"),
    "iterator that goes on": (lambda runs: Stream.from_iterable(runs.shared_iterator(), recovery="exact"), "exact"),
    "publisher": (lambda runs: Stream.from_publisher(Cold()), "restarts"),
    "publisher, window of one": (lambda runs: Stream.from_publisher(Cold(), prefetch=1), "restarts"),
    "publisher, stated": (lambda runs: Stream.from_publisher(Cold(), recovery="skips"), "skips"),
    "publisher, stated, window of one": (
        lambda runs: Stream.from_publisher(Cold(), prefetch=1, recovery="skips"),
        "skips",
    ),
    "publisher, stated, window of two": (
        lambda runs: Stream.from_publisher(Cold(), prefetch=2, recovery="skips"),
        "skips",
    ),
    "stream as publisher": (lambda runs: Stream.from_publisher(Stream.range(COUNT)), "exact"),
    "node in Python": (lambda runs: Stream.from_publisher(Counted()), "exact"),
    "async iterable": (lambda runs: Stream.from_async_iterable(Async(), loop=runs.loop), "restarts"),
    "async iterable, stated": (
        lambda runs: Stream.from_async_iterable(Async(), loop=runs.loop, prefetch=2, recovery="skips"),
        "skips",
    ),
    "async iterator": (lambda runs: Stream.from_async_iterable(numbers(), loop=runs.loop), "none"),
    "create": (lambda runs: Stream.create(pushed, on_overflow="error"), "none"),
    "generate": (lambda runs: Stream.generate(0, lambda n: (n, n + 1) if n < COUNT else None), "exact"),
    "repeated value": (lambda runs: Stream.repeat_value(1, COUNT).scan(operator.add, -1), "exact"),
    "ticks": (lambda runs: Stream.timer(0, 0, unrequested="keep").take(COUNT), "exact"),
    "callable": (lambda runs: Stream.from_callable(lambda: list(range(COUNT))).flat_map(list), "exact"),
    "future": (lambda runs: Stream.from_future(finished()).flat_map(list), "skips"),
    "queue": (lambda runs: Stream.from_queue(runs.queue, loop=runs.loop), "none"),
    "queue that goes on": (lambda runs: Stream.from_queue(runs.queue, loop=runs.loop, recovery="exact"), "exact"),
    "deferred": (lambda runs: Stream.defer(lambda: Stream.range(COUNT)), "exact"),
    "deferred publisher": (lambda runs: Stream.defer(Cold), "restarts"),
    "resource": (lambda runs: Stream.using(lambda: COUNT, Stream.range, int), "exact"),
    "first to signal": (lambda runs: Stream.amb(Stream.range(COUNT), Stream.never()), "exact"),
    "last of all": (
        lambda runs: Stream.when_all([list(range(COUNT))], Stream.range(9)).flat_map(lambda last: last[0]),
        "exact",
    ),
    "subject": (lambda runs: Stream.from_publisher(runs.subject), "exact"),
}
DEFINITIONS = [getattr(reactivestreams.sources, name) for name in reactivestreams.sources.__all__] + [
    SubjectSubscription
]


class Runs:
    """What two runs of one program share, and what each begins with."""

    def __init__(self, name: str) -> None:
        self.build, self.stated = SOURCES[name]
        self.stepped = SteppedLoop().__enter__()
        self.loop = self.stepped.loop
        self.iterator = iter(range(COUNT))
        self.pushes = iter(range(COUNT))
        self.queue: asyncio.Queue[int | None] = asyncio.Queue()
        for number in (*range(COUNT), None):
            self.queue.put_nowait(number)
        self.subject: BroadcastSubject[int]

    def shared_iterator(self) -> Iterator[int]:
        return (number for number in self.iterator)

    def start(self, state: bytes | None = None) -> tuple[Any, RecordingSubscriber]:
        self.subject = BroadcastSubject(policy=buffer(64))
        subscriber = RecordingSubscriber()
        handle = self.build(self).scan(operator.add, 0).bind(subscriber)
        if state is not None:
            load_tree(handle, state)
        handle.initialize()
        self.stepped.settle()
        return handle, subscriber

    def request(self, subscriber: RecordingSubscriber, n: int) -> None:
        """Request, and push as many into the subject; behind the last one its end."""
        if n and subscriber.subscription is not None:  # a stream that is recovered behind its end signals nothing
            subscriber.request(n)
        for _ in range(min(n, COUNT + 1)):
            number = next(self.pushes, None)
            if number is None:
                self.subject.on_complete()
                break
            self.subject.on_next(number)
        self.stepped.settle()

    def close(self, *handles: Any) -> None:
        for handle in handles:
            handle.cancel()
        self.stepped.__exit__(None, None, None)


@pytest.fixture
def runs(name: str) -> Iterable[Runs]:
    made = Runs(name)
    yield made
    made.close()


walked = pytest.mark.parametrize("name", SOURCES)
recovering = pytest.mark.parametrize("name", [name for name in SOURCES if SOURCES[name][1] in ("exact", "skips")])
REFUSED = {"restarts": "begins anew after a recovery", "none": "does not give again what it gave"}


def source_of(handle: Any) -> Any:
    return [node for node, _ in stateful_nodes(handle)][-1]


def test_every_source_states_what_it_does_and_is_walked() -> None:
    for definition in DEFINITIONS:
        assert definition.recovery in ("exact", "skips", "restarts", "none"), definition
        assert "Recovery:" in (definition.__doc__ or ""), definition
    runs = [Runs(name) for name in SOURCES]
    walked_ids = {node.name for each in runs for node, _ in stateful_nodes(each.start()[0])}
    unwalked = {definition.id for definition in DEFINITIONS} - walked_ids
    for each in runs:
        each.close()
    # The first two send nothing; the last waits, and is recovered in virtual time, in tests/operators/timing.
    assert unwalked == {"rx://sources/empty", "rx://sources/error", "rx://sources/interval"}
    assert all(d.recovery == "exact" for d in DEFINITIONS if d.id in unwalked)


def test_operators_are_no_sources() -> None:
    handle = Stream.range(3).map(str).bind(RecordingSubscriber())
    handle.initialize()
    assert [node.recovery for node, _ in stateful_nodes(handle)] == [None, None, "exact"]
    assert OperatorDefinition.recovery is None


@walked
def test_source_states_what_it_does(name: str, runs: Runs) -> None:
    handle, _ = runs.start()
    assert source_of(handle).recovery == runs.stated
    handle.cancel()


@walked
@pytest.mark.parametrize("position", range(COUNT + 1))
def test_recovered_stream_goes_on_as_its_source_states(name: str, position: int, runs: Runs) -> None:
    before_handle, before = runs.start()
    runs.request(before, position)
    assert before.elements == SUMS[:position]
    if runs.stated in REFUSED and not before.has_ended:
        with pytest.raises(StateError) as refused:
            save_tree(before_handle)
        assert REFUSED[runs.stated] in str(refused.value)
        assert "recovery='skips'" in str(refused.value)
        assert "allow_restart=True" in str(refused.value)
        assert str(refused.value).startswith(source_of(before_handle).name)
        state = save_tree(before_handle, allow_restart=True)
    else:
        state = save_tree(before_handle)
    had_ended = before.has_ended
    before_handle.cancel()
    runs.stepped.settle()
    handle, after = runs.start(state)
    runs.request(after, UNBOUNDED)
    assert after.faults == []
    if runs.stated not in REFUSED or had_ended:
        assert before.elements + after.elements == SUMS
        assert before.is_complete or after.is_complete
    elif not SOURCES_THAT_KEEP_WHAT_WAITS.intersection(name.split(", ")):
        total = SUMS[position - 1] if position else 0
        assert after.elements == [total + each for each in SUMS]  # all again, into the sum that was kept
    handle.cancel()


# What such a source has received and not passed on is state as well: then it comes before the start of the others. The
# queue is the same one in both runs.
SOURCES_THAT_KEEP_WHAT_WAITS = frozenset({"publisher", "window of one", "async iterable", "async iterator", "queue"})


@recovering
def test_recovered_stream_can_be_saved_and_recovered_again(name: str, runs: Runs) -> None:
    elements: list[int] = []
    state = None
    for taken in (2, 1, 2, UNBOUNDED):
        handle, subscriber = runs.start(state)
        runs.request(subscriber, taken)
        state = save_tree(handle)
        handle.cancel()
        runs.stepped.settle()
        elements += subscriber.elements
    assert elements == SUMS


@recovering
def test_state_that_was_loaded_and_not_yet_used_is_saved_as_it_was(name: str, runs: Runs) -> None:
    handle, subscriber = runs.start()
    runs.request(subscriber, 3)
    state = save_tree(handle)
    handle.cancel()
    again, _ = runs.start(state)
    assert save_tree(again) == state
    again.cancel()


def test_visitor_refuses_and_allows_as_the_tree_does() -> None:
    handle = Stream.from_publisher(Cold()).bind(RecordingSubscriber())
    handle.initialize()
    with pytest.raises(StateError, match="begins anew after a recovery"):
        StateVisitor(handle).save_state(SnapshotWriter())
    snapshot = SnapshotWriter()
    StateVisitor(handle).save_state(snapshot, allow_restart=True)
    again = Stream.from_publisher(Cold()).bind(RecordingSubscriber())
    load_nodes(again, SnapshotReader(snapshot.finish()))


def test_source_that_has_ended_needs_no_leave() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.from_publisher(Cold()).bind(subscriber)
    handle.initialize()
    assert subscriber.is_complete
    save_tree(handle)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_publisher_that_sends_fewer_than_were_passed_on_is_reported(count: int) -> None:
    subscriber = RecordingSubscriber(first_request=3)
    handle = Stream.from_publisher(Cold(), recovery="skips").bind(subscriber)
    handle.initialize()
    state = save_tree(handle)
    after = RecordingSubscriber(first_request=UNBOUNDED)
    again = Stream.from_publisher(Cold(count=count), recovery="skips").bind(after)
    load_tree(again, state)
    again.initialize()
    assert after.elements == []
    assert "stands after element 3, but" in str(after.error)
    assert f"has sent only {count}" in str(after.error)


def test_state_of_another_recovery_is_refused() -> None:
    counted = Stream.from_publisher(Cold(), recovery="skips").bind(RecordingSubscriber(first_request=2))
    counted.initialize()
    kept = Stream.from_publisher(Cold()).bind(RecordingSubscriber(first_request=2))
    kept.initialize()
    with pytest.raises(StateError, match="expected list, found int"):
        load_tree(Stream.from_publisher(Cold()).bind(RecordingSubscriber()), save_tree(counted))
    with pytest.raises(StateError, match="expected int, found list"):
        load_tree(
            Stream.from_publisher(Cold(), recovery="skips").bind(RecordingSubscriber()),
            save_tree(kept, allow_restart=True),
        )
    listed = Stream.from_iterable([0, 1, 2]).bind(RecordingSubscriber(first_request=2))
    listed.initialize()
    with pytest.raises(StateError, match="stands after element 2, which is skipped only with recovery='skips'"):
        load_tree(Stream.from_iterable(iter([0, 1, 2])).bind(RecordingSubscriber()), save_tree(listed))


@pytest.mark.parametrize("make", [Stream.from_iterable, Stream.from_publisher, Stream.from_async_iterable])
def test_recovery_that_is_none_is_refused(make: Callable[..., Any]) -> None:
    given: Any = {"from_iterable": [1], "from_publisher": Cold(), "from_async_iterable": Async()}[make.__name__]
    with pytest.raises(ArgumentError, match=r"recovery\) must be one of exact, skips, restarts, none, got 'again'"):
        make(given, recovery="again")


def test_nodes_of_a_tree_state_their_own_recovery() -> None:
    with pytest.raises(ArgumentError, match="its nodes are part of the tree"):
        Stream.from_publisher(Stream.range(3), recovery="skips")


@pytest.mark.parametrize(
    ("stream", "text"),
    [
        (Stream.from_iterable([1], recovery="skips"), "from_iterable([1], recovery='skips')"),
        (Stream.from_publisher(Cold(), recovery="skips"), ", recovery='skips')"),
        (Stream.from_async_iterable(Async(), recovery="skips"), ", recovery='skips')"),
        (Stream.from_publisher(Cold(), recovery="restarts"), "from_publisher("),
    ],
)
def test_what_is_stated_is_shown(stream: Stream[Any], text: str) -> None:
    assert text in repr(stream)
    assert ("recovery" in repr(stream)) == ("recovery" in text)
