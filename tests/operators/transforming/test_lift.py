"""lift: operators written in Python, in both ways to treat demand."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, CapacityError, StateError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.stream import Operator
from rs_core.operators.limit import SkipStage
from rs_core.operators.python_operator import PythonStage
from rs_core.stream.subscription import Stage
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, save, start
from tests.contracts.state_contract import SerializableContract, StateContract


class EveryThird(PythonStage[int, int]):
    """Answers every third element."""

    name = "test/every_third"

    def __init__(self) -> None:
        self.seen = 0

    def on_next(self, element: int) -> None:
        self.seen += 1
        if self.seen % 3 == 0:
            self.emit(element)

    def save_fields(self, writer: Any) -> None:
        writer.write(self.seen)

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        self.seen = reader.read()


class Repeated(PythonStage[int, int]):
    """Emits each element as often as its remainder by three, and asks for one element at a time."""

    name = "test/repeated"
    demand = "own"
    prefetch = 2

    def on_request(self, n: int) -> None:
        self.request_upstream(1)

    def on_next(self, element: int) -> None:
        for _ in range(element % 3):
            self.emit(element)
        self.request_upstream(1)


class TestLiftThatAnswersElements(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().lift(EveryThird)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[2::3]

    def name_of(self, operator: Operator) -> str:
        return EveryThird.name


class TestLiftWithDemandOfItsOwn(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().lift(Repeated)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements for _ in range(element % 3)]

    def name_of(self, operator: Operator) -> str:
        return Repeated.name


def run(stage_class: type[PythonStage[Any, Any]], *elements: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(*elements).lift(stage_class).subscribe(subscriber)
    return subscriber


def test_instances_are_made_with_the_given_parameters() -> None:
    class Scaled(PythonStage[int, int]):
        def __init__(self, factor: int) -> None:
            self.factor = factor

        def on_next(self, element: int) -> None:
            self.emit(element * self.factor)

    stream = Stream.just(1, 2).lift(Scaled, 3)
    assert stream.to_list() == stream.to_list() == [3, 6]


def test_completion_in_a_hook_comes_behind_the_answer() -> None:
    class UntilThree(PythonStage[int, int]):
        def on_next(self, element: int) -> None:
            self.emit(element)
            if element == 3:
                self.complete()

    assert run(UntilThree, 1, 3, 5).outcome == ([1, 3], "complete")


def test_failure_in_a_hook_comes_behind_the_answer() -> None:
    class UntilThree(PythonStage[int, int]):
        def on_next(self, element: int) -> None:
            self.emit(element)
            self.fail(ValueError(element))

    assert run(UntilThree, 1, 3).outcome == ([1], "ValueError(1)")


def test_two_answers_to_one_element_name_rule_and_remedy() -> None:
    class Twice(PythonStage[int, int]):
        name = "test/twice"

        def on_next(self, element: int) -> None:
            self.emit(element)
            self.emit(element)

    subscriber = run(Twice, 1)
    assert isinstance(subscriber.error, StateError)
    assert "test/twice" in str(subscriber.error)
    assert "emitted twice for one element; set demand = 'own' to emit any number" in str(subscriber.error)


def test_answer_outside_the_hooks_is_refused() -> None:
    stages: list[PythonStage[int, int]] = []

    class Kept(PythonStage[int, int]):
        def on_start(self) -> None:
            stages.append(self)

        def on_next(self, element: int) -> None:
            self.emit(element)

    run(Kept, 1)
    with pytest.raises(StateError, match=r"emit\(\) of .* outside its hooks; call it in on_next, or write a publisher"):
        stages[0].emit(2)


class Tripled(PythonStage[Any, Any]):
    """Emits each element three times, and "end" behind the last; asks for four at a time, whatever is requested."""

    name = "test/tripled"
    demand = "own"
    prefetch = 4
    capacity = 3
    taken: list[Any]

    def on_start(self) -> None:
        self.taken = []

    def on_request(self, n: int) -> None:
        self.request_upstream(4)

    def on_next(self, element: Any) -> None:
        self.taken.append(element)
        for _ in range(3):
            self.emit(element)
        self.request_upstream(1)

    def on_complete(self) -> None:
        self.taken.append("end")
        self.emit("end")
        self.complete()


def running_tripled(publisher: ManualPublisher, subscriber: RecordingSubscriber) -> tuple[Any, Any]:
    handle = Stream.from_publisher(publisher).lift(Tripled).bind(subscriber)
    handle.initialize()
    return handle, handle.input


def test_no_hook_of_the_input_runs_while_an_emitted_element_waits_for_demand() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    _, stage = running_tripled(publisher, subscriber)
    subscriber.request(1)
    publisher.send(1, 2)
    publisher.complete()
    seen = []
    for _ in range(6):
        seen.append((len(subscriber.elements), list(stage.taken)))
        subscriber.request(1)
    assert seen == [
        (1, [1]),
        (2, [1]),
        (3, [1, 2]),
        (4, [1, 2]),
        (5, [1, 2]),
        (6, [1, 2, "end"]),
    ]
    assert subscriber.outcome == ([1, 1, 1, 2, 2, 2, "end"], "complete")


def test_element_that_is_dropped_below_makes_room_for_the_next() -> None:
    stream = Stream.range(3000).lift(Tripled).filter(lambda element: element in {2999, "end"})
    assert list(stream) == [2999, 2999, 2999, "end"]


def test_input_that_is_held_back_is_saved_and_handled_after_recovery() -> None:
    stream: Stream[Any] = Stream.range(1, 4).lift(Tripled)
    before, after = RecordingSubscriber(first_request=1), RecordingSubscriber(first_request=UNBOUNDED)
    handle = stream.bind(before)
    handle.initialize()
    stage: Any = handle.input
    assert (before.elements, stage.taken) == ([1], [1])
    assert fields_of(stage)[:3] == [False, [2, 3], True]  # disposed, what waits as input, whether that has ended
    start(stream.bind(after), save(handle))
    assert after.outcome == ([1, 1, 2, 2, 2, 3, 3, 3, "end"], "complete")


class Kept:
    """An element that can be seen to be gone."""


def test_input_that_is_held_back_comes_before_the_error_of_the_upstream() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    running_tripled(publisher, subscriber)
    subscriber.request(1)
    publisher.send(1, 2)
    publisher.fail(ValueError("why"))
    assert subscriber.outcome == ([1], "open")
    subscriber.request(UNBOUNDED)
    assert subscriber.outcome == ([1, 1, 1, 2, 2, 2], "ValueError('why')")


def test_input_that_is_held_back_is_let_go_by_cancel() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    _, stage = running_tripled(publisher, subscriber)
    subscriber.request(1)
    publisher.send(1, held := Kept())
    subscriber.cancel()
    gone = weakref.ref(held)
    del held
    assert (stage.taken, gone(), publisher.cancels) == ([1], None, 1)


def test_more_than_the_capacity_waiting_for_demand_ends_the_stream() -> None:
    class Flood(PythonStage[int, int]):
        name = "test/flood"
        demand = "own"
        capacity = 3

        def on_request(self, n: int) -> None:
            self.request_upstream(1)

        def on_next(self, element: int) -> None:
            for number in range(5):
                self.emit(number)

    subscriber = RecordingSubscriber(first_request=1)
    Stream.just(1).lift(Flood).subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    assert isinstance(subscriber.error, CapacityError)
    assert "emitted 3 while 3 elements wait for demand" in str(subscriber.error)


def test_hook_that_raises_ends_the_stream_and_names_the_operator() -> None:
    class Failing(PythonStage[int, int]):
        name = "test/failing"

        def on_next(self, element: int) -> None:
            raise KeyError(element)

    subscriber = run(Failing, 1)
    assert subscriber.outcome == ([], "KeyError(1)")
    assert subscriber.error is not None
    assert "in test/failing, assembled at" in subscriber.error.__notes__[0]


class FailingAfterwards(PythonStage[int, int]):
    """Emits twice in one of its hooks, and fails there."""

    name = "test/failing_afterwards"
    demand = "own"
    scheduled_hooks = ("ring",)

    def __init__(self, hook: str, error: BaseException) -> None:
        self.hook, self.error = hook, error

    def emit_two(self, hook: str) -> None:
        if hook == self.hook:
            self.emit(f"{hook} 1")
            self.emit(f"{hook} 2")
            raise self.error

    def on_start(self) -> None:
        self.emit_two("start")

    def on_request(self, n: int) -> None:
        self.request_upstream(n)
        self.emit_two("request")

    def on_next(self, element: int) -> None:
        self.emit_two("next")
        if self.hook == "ring":
            self.schedule(0, self.ring)

    def ring(self) -> None:
        self.emit_two("ring")

    def on_complete(self) -> None:
        self.emit_two("complete")
        self.complete()

    def on_error(self, error: Exception) -> None:
        self.emit_two("error")
        self.fail(error)


HOOKS = ["start", "request", "next", "ring", "complete", "error"]


def failing_afterwards(hook: str, error: BaseException) -> tuple[Any, RecordingSubscriber, Callable[[], None]]:
    """Run an operator that fails in a hook, with a demand of one; return it, its subscriber, and how to go on."""
    publisher, subscriber, scheduler = ManualPublisher(), RecordingSubscriber(first_request=1), VirtualTimeScheduler()
    handle = Stream.from_publisher(publisher, recovery="skips").lift(FailingAfterwards, hook, error).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", scheduler))
    scheduler.clock.start()
    if hook in {"next", "ring", "complete", "error"}:
        publisher.send(7)
        if hook == "error":
            publisher.fail(ValueError("why"))
        elif hook == "complete":
            publisher.complete()
        scheduler.clock.start()
    return handle, subscriber, scheduler.clock.start


@pytest.mark.parametrize("hook", HOOKS)
def test_error_of_a_hook_comes_after_what_was_emitted_before_it(hook: str) -> None:
    _, subscriber, go_on = failing_afterwards(hook, KeyError("half done"))
    assert subscriber.outcome == ([f"{hook} 1"], "open")
    subscriber.request(1)
    go_on()
    assert subscriber.outcome == ([f"{hook} 1", f"{hook} 2"], "KeyError('half done')")
    assert subscriber.error is not None
    assert "in test/failing_afterwards, assembled at" in subscriber.error.__notes__[0]


@pytest.mark.parametrize("hook", HOOKS)
def test_error_that_waits_is_saved_with_what_was_emitted_before_it(hook: str) -> None:
    handle, _, _ = failing_afterwards(hook, ValueError("half done"))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    other = Stream.from_publisher(ManualPublisher(), recovery="skips").lift(
        FailingAfterwards, "none", ValueError("another")
    )
    start(other.bind(subscriber), save(handle))
    assert subscriber.outcome == ([f"{hook} 2"], "ValueError('half done')")


@pytest.mark.parametrize("hook", ["next", "ring", "complete", "error"])
def test_interrupt_in_a_hook_waits_for_no_demand(hook: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        failing_afterwards(hook, KeyboardInterrupt())


def test_error_of_a_hook_after_its_end_takes_the_place_of_completion_alone() -> None:
    class Ending(PythonStage[int, int]):
        name = "test/ending"
        demand = "own"

        def __init__(self, error: Exception | None) -> None:
            self.error = error

        def on_request(self, n: int) -> None:
            self.emit(1)
            self.emit(2)
            if self.error is None:
                self.complete()
            else:
                self.fail(self.error)
            raise KeyError("late")

    for error, outcome in [(None, "KeyError('late')"), (ValueError("why"), "ValueError('why')")]:
        subscriber = RecordingSubscriber(first_request=1)
        with recorded_drops() as drops:
            Stream.just(1).lift(Ending, error).subscribe(subscriber)
            subscriber.request(1)
        assert subscriber.outcome == ([1, 2], outcome)
        assert [repr(value) for _, value, _ in drops] == ([] if error is None else ["KeyError('late')"])


def test_answer_comes_before_the_error_that_is_raised_after_it() -> None:
    class Failing(PythonStage[int, int]):
        name = "test/failing"

        def on_next(self, element: int) -> None:
            self.emit(element)
            raise KeyError(element)

    assert run(Failing, 1, 2).outcome == ([1], "KeyError(1)")


@pytest.mark.parametrize("end", ["complete", "error", "cancel"])
@pytest.mark.parametrize("demand", ["per_element", "own"])
def test_stage_is_disposed_of_once_however_the_stream_ends(end: str, demand: Any) -> None:
    disposed: list[str] = []

    class Passing(PythonStage[int, int]):
        def on_request(self, n: int) -> None:
            self.request_upstream(n)

        def on_next(self, element: int) -> None:
            self.emit(element)

        def on_dispose(self) -> None:
            disposed.append("disposed")

    kind = type("Kind", (Passing,), {"demand": demand})
    source = CountedIterable([1, 2], fails_with=ValueError("why") if end == "error" else None)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=1 if end == "cancel" else None)
    Stream.from_iterable(source).lift(kind).subscribe(subscriber)
    outcome = {"complete": ([1, 2], "complete"), "error": ([1, 2], "ValueError('why')"), "cancel": ([1], "open")}
    assert (subscriber.outcome, disposed, source.is_closed) == (outcome[end], ["disposed"], True)


@pytest.mark.parametrize("value", [EveryThird(), int, Stage, None])
def test_what_is_no_class_of_stages_is_refused_when_the_stream_is_built(value: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"lift\(stage_class\) needs a subclass of PythonStage, .*, got .*; pass the"
    ):
        Stream.just(1).lift(value)


def test_a_compiled_stage_is_lifted_like_one_in_python() -> None:
    compiled: Any = SkipStage
    assert Stream.range(5).lift(compiled, 2).to_list() == [2, 3, 4]
