"""Operators with several inputs: demand, ends, disposal, state, threads, and their place in the tree."""

import contextvars
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    CapacityError,
    DemandExceededError,
    InvalidRequestError,
    NullElementError,
    SchedulerFullError,
    StateError,
)
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    MultiInputNode,
    Subscribable,
    initialize_tree,
    save_tree_state,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing, Zipping, zipped
from tests.lifecycle.listed_records import ListedRecords, ReadRecords
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together

Action = Callable[[], object]
LEFT, RIGHT = Stream.just("a", "b", "c"), Stream.just(1, 2)


class Merging(MultiInputNode[Any]):
    """Sends the elements of all inputs as they come, and acts in its hooks as told."""

    name = "test/merging"
    capacity = 4

    def __init__(
        self, subscriber: Any, *streams: Subscribable, actions: dict[str, Action] | None = None, window: int = 1
    ) -> None:
        super().__init__(subscriber)
        self.streams = streams
        self.actions = actions or {}
        self.window = window
        self.disposals = 0

    def sources(self) -> Iterable[Subscribable]:
        return self.streams

    def _act(self, hook: str) -> None:
        self.actions.get(hook, int)()

    def on_start(self) -> None:
        for index in range(len(self.streams)):
            self.request_input(index, self.window)
        self._act("on_start")

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)
        self._act("on_next")
        self.request_input(index, 1)

    def on_request(self, n: int) -> None:
        self._act("on_request")

    def on_complete(self, index: int) -> None:
        self._act("on_complete")
        super().on_complete(index)

    def on_dispose(self) -> None:
        self.disposals += 1


def bound(node: MultiInputNode[Any]) -> MultiInputNode[Any]:
    initialize_tree(node, None)
    return node


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_operator_with_two_inputs_is_the_source_of_a_stream() -> None:
    assert zipped(LEFT, RIGHT).map(lambda pair: f"{pair[0]}{pair[1]}").to_list() == ["a1", "b2"]


def test_operators_with_several_inputs_stand_behind_each_other() -> None:
    inner = zipped(LEFT, Stream.range(9))
    assert zipped(inner, RIGHT, inner).to_list() == [(("a", 0), 1, ("a", 0)), (("b", 1), 2, ("b", 1))]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_each_request_brings_as_many_elements(size: int) -> None:
    subscriber = RecordingSubscriber()
    zipped(Stream.range(10), Stream.range(10)).subscribe(subscriber)
    for requested in range(size, 10, size):
        subscriber.request(size)
        assert (len(subscriber.elements), subscriber.faults) == (requested, [])
    subscriber.request(UNBOUNDED)
    assert subscriber.outcome == ([(number, number) for number in range(10)], "complete")


def test_inputs_are_asked_for_no_more_than_the_operator_wants() -> None:
    publishers = [ManualPublisher(), ManualPublisher()]
    streams = [Stream.from_publisher(publisher) for publisher in publishers]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    zipped(*streams).subscribe(subscriber)
    assert [publisher.requested for publisher in publishers] == [2, 2]
    publishers[0].send("a", "b")
    assert ([publisher.requested for publisher in publishers], subscriber.elements) == ([2, 2], [])
    publishers[1].send(1)
    assert ([publisher.requested for publisher in publishers], subscriber.elements) == ([3, 3], [("a", 1)])


def test_requests_made_before_the_start_are_served() -> None:
    subscriber = RecordingSubscriber()
    node = Zipping(subscriber, LEFT, RIGHT)
    node.request(1)
    node.subscribe()
    node.request(1)
    subscriber.requested = 2
    bound(node)
    assert subscriber.outcome == ([("a", 1), ("b", 2)], "complete")


def test_requests_inside_on_next_do_not_nest() -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    zipped(Stream.range(3000), Stream.range(3000)).subscribe(subscriber)
    assert (len(subscriber.elements), subscriber.is_complete, subscriber.faults) == (3000, True, [])


def test_operator_learns_of_demand_that_is_new() -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber()
    bound(Zipping(subscriber, Stream.never(), log=log))
    subscriber.request(2)
    subscriber.request(3)
    subscriber.request(UNBOUNDED)
    subscriber.request(1)
    assert log == ["start", ("request", 2), ("request", 3), ("request", UNBOUNDED)]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_operator_completes_with_its_last_input_unless_it_says_otherwise(count: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, *[Stream.just(number) for number in range(count)], actions={"on_start": lambda: None}))
    expected = (list(range(count)), "complete") if count else ([], "open")
    assert subscriber.outcome == expected


def test_error_of_an_input_is_passed_on_and_cancels_the_others() -> None:
    error = LookupError("no")
    other = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    node = bound(Merging(subscriber, Stream.from_publisher(other), Stream.just(1).map(lambda _: _raise(error))))
    assert (subscriber.outcome, other.cancels, node.is_disposed) == (([], repr(error)), 1, True)


def _raise(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize("hook", ["on_start", "on_next", "on_request", "on_complete"])
def test_exception_of_a_hook_becomes_the_error_and_cancels_the_inputs(hook: str) -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    actions = {hook: lambda: _raise(ValueError(hook))}
    node = Merging(subscriber, Stream.just(7), Stream.from_publisher(publisher), actions=actions)
    bound(node)
    assert subscriber.error is not None
    assert (repr(subscriber.error), publisher.cancels, node.disposals) == (f"ValueError('{hook}')", 1, 1)


@pytest.mark.parametrize("hook", ["on_start", "on_next", "on_request", "on_complete"])
def test_operator_may_be_disposed_inside_every_hook(hook: str) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.just(7), Stream.never(), actions=actions)
    actions[hook] = node.dispose
    bound(node)
    assert (subscriber.has_ended, node.disposals, node.is_disposed) == (False, 1, True)
    assert [each.is_disposed for each in nodes_of(node)] == [True] * 5


@pytest.mark.parametrize("position", [0, 1, 2])
def test_subscriber_may_cancel_in_every_signal(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
    node = bound(Merging(subscriber, Stream.range(9), Stream.never()))
    assert (subscriber.outcome, node.disposals) == ((list(range(position)), "open"), 1)


def test_subscriber_that_raises_is_cancelled_and_told_nothing_more() -> None:
    class Raising(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            raise ValueError(element)

    raising = Raising(first_request=UNBOUNDED)
    with recorded_drops() as drops:
        node = bound(Merging(raising, Stream.range(9)))
    assert (raising.outcome, node.disposals) == (([0], "open"), 1)
    assert [(signal, repr(error), origin) for signal, error, origin in drops] == [
        ("on_next", "ValueError(0)", "test/merging")
    ]


def test_interrupt_of_a_hook_comes_out_where_the_program_called() -> None:
    class Interrupt(KeyboardInterrupt):
        pass

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    node = Merging(subscriber, Stream.range(9), actions={"on_next": lambda: _raise(Interrupt())})
    with pytest.raises(Interrupt):
        bound(node)
    assert (subscriber.has_ended, node.disposals) == (False, 1)


# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "after"])
def test_illegal_request_ends_the_stream_with_its_error(when: str) -> None:
    subscriber = RecordingSubscriber()
    node = Merging(subscriber, Stream.never())
    if when == "before":
        node.request(0)
    bound(node)
    if when == "after":
        node.request(-1)
    assert isinstance(subscriber.error, InvalidRequestError)
    assert (node.disposals, subscriber.faults) == (1, [])


def test_requests_after_cancel_are_ignored() -> None:
    subscriber = RecordingSubscriber()
    bound(Merging(subscriber, Stream.range(9)))
    subscriber.cancel()
    subscriber.subscription.request(3)
    subscriber.subscription.request(-1)
    assert subscriber.outcome == ([], "open")


def test_input_that_sends_without_demand_is_cancelled_with_an_error() -> None:
    class Pushing(Subscribable):
        def bind(self, subscriber: Any, /) -> Any:
            self.handle = Stream.never().bind(subscriber)
            self.subscriber = subscriber
            return self.handle

    pushing = Pushing()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, pushing))
    pushing.subscriber.on_next(1)
    pushing.subscriber.on_next(2)
    pushing.subscriber.on_next(3)
    assert subscriber.elements == [1, 2, 3]  # each was asked for by the one before
    late = Merging(RecordingSubscriber(first_request=1), pushing, actions={"on_next": lambda: late.cancel_input(0)})
    bound(late)
    pushing.subscriber.on_next(4)
    pushing.subscriber.on_next(5)  # §2.8: it was cancelled

    class Sparing(Merging):
        def on_next(self, index: int, element: Any) -> None:
            self.emit(element)

    sparing = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Sparing(sparing, pushing))
    pushing.subscriber.on_next(6)
    pushing.subscriber.on_next(7)
    assert isinstance(sparing.error, DemandExceededError)
    assert (sparing.elements, pushing.handle.is_disposed) == ([6], True)
    assert str(sparing.error).startswith("§1.1: input 0 of ")


def test_signals_of_an_input_behind_its_end_are_not_passed_on() -> None:
    class Kept(Subscribable):
        def bind(self, subscriber: Any, /) -> Any:
            self.subscriber = subscriber
            return Stream.never().bind(subscriber)

    kept = Kept()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound(Merging(subscriber, kept, Stream.never()))
    kept.subscriber.on_complete()
    late = ValueError("late")
    with recorded_drops() as drops:
        kept.subscriber.on_next(1)
        kept.subscriber.on_error(late)
        kept.subscriber.on_complete()
    assert (subscriber.outcome, drops) == (([], "open"), [("on_error", late, "test/merging")])
    for signal in (kept.subscriber.on_next, kept.subscriber.on_error, kept.subscriber.on_subscribe):
        with pytest.raises(NullElementError, match=r"§2\.13"):
            signal(None)


def test_more_elements_than_may_wait_are_an_error() -> None:
    subscriber = RecordingSubscriber()
    bound(Merging(subscriber, Stream.range(9), window=9))
    assert isinstance(subscriber.error, CapacityError)
    assert "emitted 4 while 4 elements wait for demand" in str(subscriber.error)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [("emit", (1,)), ("complete", ()), ("fail", (ValueError(),)), ("request_input", (0, 1)), ("cancel_input", (0,))],
)
def test_what_hooks_call_is_refused_outside_of_hooks(call: str, arguments: tuple[Any, ...]) -> None:
    node = bound(Merging(RecordingSubscriber(), Stream.never()))
    with pytest.raises(StateError, match=rf"{call}\(\) of .* outside its hooks; call it in a hook"):
        getattr(node, call)(*arguments)


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda node: node.request_input(0, 0), ArgumentError),
        (lambda node: (node.complete(), node.emit(1)), StateError),
    ],
)
def test_calls_that_hooks_may_not_make_are_errors_of_the_stream(act: Callable[[Any], object], error: type) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    actions: dict[str, Action] = {}
    node = Merging(subscriber, Stream.never(), actions=actions)
    actions["on_start"] = lambda: act(node)
    bound(node)
    assert isinstance(subscriber.error, error)


@pytest.mark.parametrize("refused", [None, print])
def test_what_is_no_subscriber_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"Merging\(subscriber\) needs a Subscriber, got"):
        Merging(refused)
    for method in (Publishing(Merging).bind, Publishing(Merging).subscribe):
        with pytest.raises(TypeError, match=r"needs a Subscriber, got|§1\.9"):
            method(refused)


def test_publisher_whose_operator_cannot_be_made_tells_its_subscriber() -> None:
    error = LookupError("no")
    subscriber = RecordingSubscriber()
    Publishing(lambda _: _raise(error)).subscribe(subscriber)
    assert subscriber.outcome == ([], repr(error))
    through = RecordingSubscriber()
    Stream.from_publisher(Publishing(lambda _: _raise(error))).subscribe(through)
    assert through.outcome == ([], repr(error))


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_visitors_reach_all_inputs_through_the_stream() -> None:
    handle = zipped(LEFT.map(str), RIGHT).map(str).bind(RecordingSubscriber())
    handle.initialize()
    names = [node.name for node in nodes_of(handle) if getattr(node, "name", "")]
    assert names == [
        *("rx://operators/map", "rx://sources/from_publisher", "test/zipping"),
        *("rx://operators/map", "rx://sources/from_iterable", "rx://sources/from_iterable"),
    ]
    handle.dispose()
    disposed = [node for node in nodes_of(handle) if node.is_disposed]
    assert [node.name for node in disposed if getattr(node, "name", "")] == names


def test_host_that_runs_the_phases_gets_the_same() -> None:
    expected, hosted = RecordingSubscriber(first_request=5), RecordingSubscriber(first_request=5)
    zipped(LEFT, RIGHT).subscribe(expected)
    initialize_tree(zipped(LEFT, RIGHT).bind(hosted), None)
    assert hosted.outcome == expected.outcome == ([("a", 1), ("b", 2)], "complete")


def test_disposed_before_the_start_means_that_nothing_starts() -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber(first_request=1)
    handle = zipped(LEFT, RIGHT, log=log).bind(subscriber)
    handle.dispose()
    initialize_tree(handle, None)
    assert (subscriber.subscription, log) == (None, ["dispose"])


def test_context_reaches_the_inputs_of_an_operator_in_a_stream() -> None:
    scheduler = ManualScheduler()
    context = DefaultOperatorContext("rx://query", scheduler)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = zipped(LEFT, RIGHT).bind(subscriber)
    handle.initialize(context)
    assert {id(node.context) for node in nodes_of(handle)} == {id(context)}
    assert subscriber.elements == []
    scheduler.run_waiting()
    assert subscriber.outcome == ([("a", 1), ("b", 2)], "complete")


# --- state ------------------------------------------------------------------------------------------------------------


def restored(records: list[Any], streams: list[Stream[Any]], subscriber: RecordingSubscriber) -> Any:
    handle = zipped(*streams).bind(subscriber)
    initialize_tree(handle, None, reader_factory=ReadRecords(records))
    return handle


@pytest.mark.parametrize("position", range(5))
def test_operator_is_saved_with_its_inputs_and_goes_on(position: int) -> None:
    streams: list[Stream[Any]] = [Stream.range(4), Stream.range(10, 15), Stream.range(20, 29).observe_on(_here())]
    before = RecordingSubscriber()
    handle = zipped(*streams).bind(before)
    handle.initialize()
    if position:
        before.request(position)
    records = ListedRecords()
    save_tree_state(handle, records)
    after = RecordingSubscriber(first_request=UNBOUNDED)
    again = restored(records.records, streams, after)
    assert before.elements + after.elements == [(number, number + 10, number + 20) for number in range(4)]
    assert (after.is_complete or before.is_complete, after.faults) == (True, [])
    handle.dispose()
    again.dispose()


def _here() -> Any:
    from reactivestreams import ImmediateScheduler

    return ImmediateScheduler()


def test_elements_that_wait_for_demand_and_signals_that_wait_for_their_hooks_are_saved() -> None:
    subscriber = RecordingSubscriber()
    node = bound(Merging(subscriber, Stream.just(1, 2), window=2))
    node.request(1)
    subscriber.requested = 1
    values: list[Any] = []

    class Sink:
        def write(self, value: Any, /) -> None:
            values.append(value)

    node.save_state(Sink())
    assert (subscriber.elements, values) == ([1], [False, [], [0], [2], (None,)])


def test_operator_is_not_saved_while_elements_flow() -> None:
    refusals: list[str] = []

    class Saving(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            with pytest.raises(StateError) as refused:
                save_tree_state(node, ListedRecords())
            refusals.append(str(refused.value))
            super().on_next(element)

    node = Merging(Saving(first_request=1), Stream.just(1))
    bound(node)
    assert len(refusals) == 1
    assert "while elements flow; pause its host or wait until it is idle" in refusals[0]


# --- threads ----------------------------------------------------------------------------------------------------------


def test_under_a_host_a_request_from_elsewhere_is_served_by_the_scheduler_in_one_task() -> None:
    scheduler = ManualScheduler()
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    seen: list[str] = []
    subscriber = RecordingSubscriber()
    node = Merging(subscriber, Stream.never(), actions={"on_request": lambda: seen.append(variable.get())})
    context = contextvars.copy_context()
    context.run(variable.set, "of the subscriber")
    context.run(initialize_tree, node, DefaultOperatorContext("rx://query", scheduler))
    before = scheduler.waiting
    node.request(1)
    node.request(1)
    assert (seen, scheduler.waiting - before) == ([], 1)
    scheduler.run_waiting()
    assert seen == ["of the subscriber"]
    node.dispose()


def test_scheduler_that_takes_no_task_ends_the_stream_with_its_error() -> None:
    class Full(ManualScheduler):
        def schedule(self, task: Any, **due: Any) -> None:
            raise SchedulerFullError("full")

    subscriber = RecordingSubscriber()
    node = Merging(subscriber)
    initialize_tree(node, DefaultOperatorContext("rx://query", Full()))
    node.request(1)
    assert repr(subscriber.error) == "SchedulerFullError('full')"


@pytest.mark.slow
def test_inputs_and_requests_of_several_threads_lose_nothing() -> None:
    count = 400
    with (
        many_switches(),
        WorkerScheduler(name="reactivestreams-left") as left,
        WorkerScheduler(name="reactivestreams-right") as right,
    ):
        subscriber = RecordingSubscriber()
        streams = [Stream.range(count).observe_on(each, prefetch=8) for each in (left, right)]
        zipped(*streams).subscribe(subscriber)

        def request() -> None:
            for _ in range(count):
                subscriber.subscription.request(1)

        subscriber.requested = UNBOUNDED
        run_together(request, request)
        assert subscriber.ended.wait(30)
    assert subscriber.outcome == ([(number, number) for number in range(count)], "complete")


@pytest.mark.slow
def test_dispose_beside_signals_of_several_threads_leaves_everything_disposed() -> None:
    with WorkerScheduler(name="reactivestreams-left") as left, WorkerScheduler(name="reactivestreams-right") as right:
        for _ in range(20):
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            nodes: list[Merging] = []

            def create(output: Any, into: list[Merging] = nodes) -> Merging:
                endless = [Stream.range(10**9).observe_on(each, prefetch=4) for each in (left, right)]
                into.append(Merging(output, *endless))
                return into[0]

            handle = Stream.from_publisher(Publishing(create)).bind(subscriber)
            run_together(handle.initialize, handle.dispose)
            handle.dispose()
            for worker in (left, right):
                _settle(worker)
            assert [node.disposals for node in nodes] in ([], [1])


def _settle(worker: WorkerScheduler) -> None:
    """Wait until what the worker was given before has run."""
    import threading

    done = threading.Event()
    worker.schedule(done.set)
    assert done.wait(10)
