"""Streams that end in every way there is, one after the other; run by growth.py in a process of its own."""

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from reactivestreams import Stream, StreamEmitter
from reactivestreams.errors import StreamCancelledError
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from rs_core.authors.base_classes import (
    AsyncBaseSubscriber,
    BaseProcessor,
    BasePublisher,
    BaseSubscriber,
    BaseSubscription,
)
from rs_core.emitter import SerializedEmitter
from tests.contracts.executors import settle_shared
from tests.leaks import async_scenarios
from tests.leaks.async_scenarios import ASYNC_SCENARIOS
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.merging_node import Merging
from tests.rs_core.deep_chains import Ask, PassOn
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.rs_core.tree_walks import loaded_tree, saved_tree, start_by_visits

HERE = ImmediateScheduler()
EXECUTOR, MEETING = ThreadPoolExecutor(2), threading.Barrier(2)
WORKER = WorkerScheduler(name="reactivestreams-leaks")
FAILING_STREAM: Stream[Any] = Stream.error(ValueError("shared by all subscriptions"))


class Box:
    """An element that the collector knows."""

    def __init__(self, number: int) -> None:
        self.number = number


class Interrupt(KeyboardInterrupt):
    pass


def boxes() -> Iterator[Box]:
    for number in range(9):
        yield Box(number)


class Boxes:
    def __iter__(self) -> Iterator[Box]:
        return boxes()


def long_chain() -> Stream[Any]:
    return (
        Stream.from_iterable(Boxes())
        .map(lambda box: Box(box.number))
        .filter(lambda box: box.number % 4)
        .do(on_next=lambda _: None, on_complete=lambda: None)
        .scan(lambda _, box: box, None)
        .key_by(lambda box: box.number % 2)
        .scan(lambda _, box: box, None)
        .buffer(2)
        .flat_map(list, prefetch=2)
        .observe_on(HERE, prefetch=2)
        .lift(PassOn)
        .lift(Ask)
        .skip(1)
        .take(4)
    )


def fail(_: object) -> Any:
    raise ValueError("on purpose")


def interrupt(_: object) -> Any:
    raise Interrupt


def raises(kind: type[BaseException], function: Callable[[], object]) -> None:
    try:
        function()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was to be raised")


def subscribed(stream: Stream[Any], **options: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(**options)
    stream.subscribe(subscriber)
    return subscriber


def completed() -> None:
    assert len(long_chain().to_list()) == 4
    assert subscribed(long_chain(), demand=1).is_complete


def failed() -> None:
    raises(ValueError, long_chain().map(fail).to_list)
    assert subscribed(long_chain().map(fail), demand=1).errors


def failed_with_the_same_exception() -> None:
    raises(ValueError, FAILING_STREAM.to_list)
    raises(ValueError, FAILING_STREAM.run)
    raises(ValueError, lambda: list(FAILING_STREAM))
    assert len(subscribed(FAILING_STREAM).errors) == 1


def refused() -> None:
    subscriber = subscribed(long_chain(), demand=None)
    subscriber.subscription.request(-1)
    assert subscriber.errors


def cancelled() -> None:
    subscriber = RecordingSubscriber(demand=1)
    subscriber.actions["on_next"] = subscriber.cancel
    long_chain().subscribe(subscriber)
    subscriber.actions.clear()
    subscriber = subscribed(long_chain(), demand=None)
    subscriber.subscription.request(2)
    subscriber.cancel()
    subscriber.subscription.request(2)


def cancelled_before_the_start() -> None:
    handle = long_chain().bind(RecordingSubscriber())
    handle.request(3)
    handle.cancel()
    handle.initialize()


def interrupted() -> None:
    raises(Interrupt, long_chain().map(interrupt).to_list)
    raises(Interrupt, lambda: subscribed(long_chain().map(interrupt)))


def described() -> None:
    repr(long_chain())


def bound() -> None:
    long_chain().bind(RecordingSubscriber())


def abandoned() -> None:
    subscribed(long_chain(), demand=None)
    subscribed(long_chain(), demand=None).subscription.request(2)


def iterated() -> None:
    assert len(list(long_chain())) == 4


def dropped_iterator() -> None:
    for _ in long_chain():
        break
    next(long_chain().iterate(prefetch=3))
    iter(long_chain())


def saved_and_loaded() -> None:
    stream = Stream.from_iterable(Boxes()).map(lambda box: box.number).buffer(2).observe_on(HERE, prefetch=2)
    subscriber = subscribed(stream, demand=None)
    subscriber.subscription.request(1)
    records = saved_tree(subscriber.subscription)
    subscriber.cancel()
    after = RecordingSubscriber()
    start_by_visits(loaded_tree(stream.bind(after), records))
    assert after.is_complete


def across_threads() -> None:
    assert len(long_chain().observe_on(WORKER).map(id).to_list()) == 4
    raises(ValueError, long_chain().observe_on(WORKER).map(fail).to_list)
    assert len(list(long_chain().observe_on(WORKER, prefetch=2))) == 4


def cancelled_across_threads() -> None:
    assert Stream.range(10**9).map(Box).observe_on(WORKER, prefetch=4).first().number == 0
    for _ in Stream.range(10**9).map(Box).observe_on(WORKER, prefetch=4):
        break
    raises(StreamCancelledError, Stream.range(9).observe_on(WORKER).map(interrupt).to_list)


def joined() -> None:
    def streams() -> list[Stream[Any]]:
        return [Stream.from_iterable(Boxes()), Stream.from_iterable(Boxes()).observe_on(HERE, prefetch=2)]

    def merged_in_python() -> Stream[Any]:
        return Stream.from_publisher(Publishing(lambda output: Merging(output, *streams(), window=3)))

    joins: list[Callable[[], Stream[Any]]] = [
        lambda: streams()[0].merge_with(streams()[1], prefetch=2),
        lambda: streams()[0].zip_with(streams()[1], prefetch=2),
        lambda: streams()[0].combine_latest(streams()[1], prefetch=2),
        lambda: streams()[0].concat_with(streams()[1]),
        lambda: Stream.range(3).flat_map(lambda _: streams()[1], prefetch=2),
        merged_in_python,
    ]
    for join in joins:
        assert len(join().to_list()) >= 9
        assert subscribed(join(), demand=1).is_complete
        subscriber = subscribed(join(), demand=None)
        subscriber.subscription.request(2)
        subscriber.cancel()
        subscriber.subscription.request(2)


class Numbers(BasePublisher):
    def generate(self, demand: object) -> Iterator[Box]:
        yield from boxes()


class Countdown(BaseSubscription):
    left = 3

    def on_request(self, n: int) -> None:
        while self.left and self.demand:
            self.left -= 1
            self.emit(Box(self.left))
        if not self.left:
            self.complete()


class Countdowns(BasePublisher):
    def create_subscription(self, subscriber: Any) -> Countdown:
        return Countdown(subscriber)


class Taker(BaseSubscriber):
    def hook_on_next(self, element: object) -> None:
        self.cancel()


def publishers() -> None:
    assert len(Stream.from_publisher(long_chain(), prefetch=3).to_list()) == 4
    assert len(Stream.from_publisher(Numbers()).to_list()) == 9
    assert len(Stream.from_publisher(Countdowns()).to_list()) == 3
    assert Stream.from_publisher(Countdowns(), prefetch=3).first().number == 2
    Numbers().subscribe(Taker())
    Countdowns().subscribe(Taker())
    long_chain().subscribe(Taker())


class Doubling(BaseProcessor):
    prefetch = 2

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails

    def hook_on_next(self, element: Any) -> None:
        if self.fails:
            raise ValueError("on purpose")
        self.emit(element)
        self.emit(Box(0))


def through(processor: Doubling, stream: Stream[Any]) -> Stream[Any]:
    stream.subscribe(processor)
    return Stream.from_publisher(processor)


def processors() -> None:
    assert len(through(Doubling(), long_chain()).to_list()) == 8
    assert len(through(Doubling(), through(Doubling(), long_chain())).to_list()) == 16
    assert through(Doubling(), long_chain()).first() is not None
    assert subscribed(through(Doubling(), long_chain()), demand=1).is_complete
    processor = Doubling()
    Numbers().subscribe(processor)
    processor.subscribe(Taker())
    Doubling()


def failed_processors() -> None:
    assert subscribed(through(Doubling(fails=True), long_chain())).errors
    assert subscribed(through(Doubling(), long_chain().map(fail))).errors


class Ending(AsyncBaseSubscriber):
    prefetch = 2

    def __init__(self, *, takes: int) -> None:
        super().__init__(scheduler=WORKER)
        self.takes = takes
        self.ended = threading.Event()

    def hook_on_next(self, element: Any) -> None:
        self.takes -= 1
        if not self.takes:
            self.cancel()

    def hook_on_complete(self) -> None:
        self.ended.set()

    def hook_on_cancel(self) -> None:
        self.ended.set()


def asynchronous_subscribers() -> None:
    for takes in (1, 9):
        subscriber = Ending(takes=takes)
        long_chain().subscribe(subscriber)
        subscriber.ended.wait()
    subscriber = Ending(takes=9)
    subscriber.cancel()
    subscriber.ended.wait()


def abandoned_subscribers() -> None:
    Ending(takes=1)


class Silent:
    """A publisher that keeps nothing and never signals anything more."""

    def subscribe(self, subscriber: Any) -> None:
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        pass

    def cancel(self) -> None:
        pass


def abandoned_publishers() -> None:
    subscribed(Stream.from_publisher(Silent()).map(id))
    Numbers().subscribe(Doubling())


POLICIES = ("error", "drop_newest", "drop_oldest", "latest", "block")


def push_boxes(emitter: StreamEmitter[Any]) -> None:
    for box in boxes():
        emitter.emit(box)


def push_all_boxes(emitter: StreamEmitter[Any]) -> None:
    push_boxes(emitter)
    emitter.complete()


def pushed_streams() -> None:
    for policy in POLICIES:
        assert len(Stream.create(push_all_boxes, on_overflow=policy).to_list()) == 9
        assert Stream.create(push_boxes, on_overflow=policy).first().number == 0
        emitters: list[StreamEmitter[Any]] = []
        subscriber = subscribed(Stream.create(emitters.append, on_overflow=policy), demand=None)
        emitters[0].on_dispose(emitters.clear)
        emitters[0].emit(Box(0))
        subscriber.cancel()


def abandoned_pushed_streams() -> None:
    for policy in POLICIES:
        emitters: list[StreamEmitter[Any]] = []
        subscribed(Stream.create(emitters.append, on_overflow=policy), demand=None)
        emitters[0].emit(emitters[0])


def emitters() -> None:
    for policy in POLICIES:
        emitter = SerializedEmitter(RecordingSubscriber(), on_overflow=policy)
        emitter.emit(Box(0))
        emitter.complete()
        emitter.emit(Box(1))
        SerializedEmitter(RecordingSubscriber(), on_overflow=policy)


def copied(box: Box) -> Box:
    return Box(box.number)


def calls_in_an_executor() -> None:
    stream = Stream.from_iterable(Boxes())
    assert len(stream.map_in_executor(copied, EXECUTOR, concurrency=3).to_list()) == 9
    assert len(stream.map_in_executor(copied, EXECUTOR, chunk=2, ordered=False).to_list()) == 9
    assert stream.map_in_executor(copied, EXECUTOR, chunk=2).first().number == 0
    meet()


def rails() -> None:
    for ordered in (False, True):
        boxes = Stream.from_iterable(Boxes())
        assert len(boxes.parallel(3).map(copied).sequential(ordered=ordered).to_list()) == 9
        on_worker = boxes.parallel(2, prefetch=2).run_on(WORKER, prefetch=2).filter(lambda box: box.number % 2)
        assert len(on_worker.sequential(ordered=ordered).to_list()) == 4
        assert on_worker.sequential(ordered=ordered).first().number == 1
        raises(ValueError, boxes.parallel(2).run_on(WORKER).map(fail).sequential(ordered=ordered).to_list)
    meet()


def failed_calls_in_an_executor() -> None:
    for options in ({"chunk": 1}, {"chunk": 4}, {"ordered": False}):
        stream = Stream.from_iterable(Boxes()).map_in_executor(lost, EXECUTOR, **options)
        subscriber = subscribed(stream)
        while not subscriber.errors:
            meet()
    del stream, subscriber
    meet()


def lost(box: Box) -> Box:
    if box.number:
        raise OSError("lost")
    return box


def meet() -> None:
    """Let the executor finish; each of its threads lets go of its last call when it takes another one."""
    settle_shared()
    for _ in range(2):
        wait([EXECUTOR.submit(MEETING.wait) for _ in range(2)])
    settle_shared()


SCENARIOS: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (
        completed, failed, failed_with_the_same_exception, refused, cancelled,
        cancelled_before_the_start, interrupted, described, bound, abandoned, iterated, dropped_iterator,
        saved_and_loaded, across_threads, cancelled_across_threads, joined, publishers, abandoned_publishers,
        processors, failed_processors, asynchronous_subscribers, abandoned_subscribers,
        pushed_streams, abandoned_pushed_streams, emitters, calls_in_an_executor, failed_calls_in_an_executor, rails,
    )
} | ASYNC_SCENARIOS  # fmt: skip

KEPT: list[object] = []

# What the measurements are tried with: a short stream for many repetitions, and things that are never freed.
TRIALS: dict[str, Callable[[], object]] = {
    "short": lambda: Stream.range(2).map(int).run(),
    "leaks_objects": lambda: KEPT.append(RecordingSubscriber()),
    "leaks_blocks": lambda: KEPT.append(bytes(100)),
    "leaks_memory": lambda: KEPT.append(bytes(100)),
}

# An exception refers to the frames that it passed, and these to whoever holds it; and a stream that was left in the
# middle is a cycle of neighbors. All others are freed at once, since what ends a stream takes its links apart.
FREED_BY_THE_COLLECTOR = {
    "failed", "abandoned", "abandoned_publishers", "failed_processors", "abandoned_subscribers",
    "abandoned_pushed_streams",
}  # fmt: skip


def settle() -> None:
    """Let the workers finish, then collect."""
    done = threading.Event()
    WORKER.schedule(done.set)
    done.wait()
    meet()
    async_scenarios.settle()
    gc.collect()
