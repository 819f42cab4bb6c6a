"""Operators in Python that run their methods after a time: schedule() and unschedule() of PythonStage."""

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.stream import Operator
from reactivestreams.testing import TestScheduler, on_complete, on_error, on_next
from rs_core.operators.python_operator import PythonStage
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract

ERROR = ValueError("mine")


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


class Own(PythonStage[Any, Any]):
    """Takes all elements, and passes them on."""

    name = "test/own"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: Any) -> None:
        self.emit(element)


class Settled(Own):
    """Emits an element when no other one came for a time, and the last one."""

    name = "test/settled"
    scheduled_hooks = ("flush",)

    def __init__(self, quiet: Any = 3600) -> None:
        self.quiet = quiet
        self.latest: list[Any] = []

    def on_next(self, element: Any) -> None:
        self.latest = [element]
        self.schedule(self.quiet, self.flush)
        self.request_upstream(1)

    def flush(self) -> None:
        for element in self.latest:
            self.emit(element)
        self.latest = []

    def on_complete(self) -> None:
        self.flush()
        self.complete()

    def save_fields(self, writer: Any) -> None:
        writer.write(self.latest)

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        self.latest = reader.read(list)


class Heartbeat(Own):
    """Passes elements on, and emits its number of beats once in a period."""

    name = "test/heartbeat"
    scheduled_hooks = ("beat",)

    def __init__(self, period: Any, last: int = 2**62) -> None:
        self.period, self.beats, self.last = period, 0, last

    def on_start(self) -> None:
        self.schedule(self.period, self.beat)

    def beat(self) -> None:
        self.beats += 1
        self.emit(-self.beats)
        if self.beats == self.last:
            self.complete()
        self.schedule(self.period, self.beat)

    def on_complete(self) -> None:
        """Go on beating."""

    def save_fields(self, writer: Any) -> None:
        writer.write(self.beats)

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        self.beats = reader.read_count()


class TestOperatorWithAScheduledHook(OperatorContract, StateContract):
    """The hook of a contract's stream never runs: its time is an hour."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().lift(Settled)

    def name_of(self, operator: Operator) -> str:
        return Settled.name

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return elements[-1:]


def shown(messages: Any) -> list[str]:
    kinds = {"on_next": "", "on_complete": "#", "on_error": "X"}
    texts = []
    for message in messages:
        text = repr(message.value)
        kind = text.partition("(")[0]
        texts.append(f"{message.tick}:{kinds.get(kind, kind) or text.partition('(')[2][:-1]}")
    return texts


def run(stage: Any, *parameters: Any, source: str = "", **options: Any) -> list[str]:
    """Return what an operator makes of a hot stream in virtual time."""
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).lift(stage, *parameters), **options)
    return shown(observer.messages)


def signals(text: str) -> list[Any]:
    read = []
    for tick, what in (signal.split(":") for signal in text.split()):
        kinds: dict[str, Any] = {"#": on_complete, "X": lambda at: on_error(at, ERROR)}
        read.append(kinds[what](int(tick)) if what in kinds else on_next(int(tick), int(what)))
    return read


# --- virtual time -----------------------------------------------------------------------------------------------------

SOURCE = "210:1 220:2 270:3 300:4"

# An operator with a queue has its turn a tick after its input, and a tick after its alarm.
PASSED: list[tuple[Any, str, str]] = [
    (ticks(30), "400:#", "252:2 332:4 401:#"),
    (ticks(150), "400:#", "401:4 401:#"),
    (ticks(150), "400:X", "401:X"),
    (0.00003, "400:#", "252:2 332:4 401:#"),
    (0, "400:#", "211:1 221:2 271:3 301:4 401:#"),
]


@pytest.mark.parametrize(("quiet", "end", "expected"), PASSED)
def test_hook_runs_at_its_time(quiet: Any, end: str, expected: str) -> None:
    assert run(Settled, quiet, source=f"{SOURCE} {end}") == expected.split()


def test_hook_that_schedules_itself_goes_on_after_the_end_of_the_input() -> None:
    got = run(Heartbeat, ticks(100), 4, source="250:7 320:#")
    assert got == ["251:7", "301:-1", "401:-2", "501:-3", "601:-4", "601:#"]


def test_two_hooks_at_the_same_time_run_in_the_order_in_which_they_were_scheduled() -> None:
    class Two(Own):
        scheduled_hooks = ("first", "second")

        def on_start(self) -> None:
            self.schedule(ticks(50), self.first)
            self.schedule(ticks(50), self.second)
            self.schedule(ticks(50), self.first)

        def first(self) -> None:
            self.emit(1)

        def second(self) -> None:
            self.emit(2)

    assert run(Two) == ["251:2", "251:1"]


def test_hook_that_was_taken_back_is_not_run() -> None:
    class Impatient(Own):
        """Fails when an element takes longer than 40 ticks after the one before, until there is a zero."""

        scheduled_hooks = ("fail_late", "never")

        def on_next(self, element: int) -> None:
            self.emit(element)
            self.schedule(ticks(1000), self.never)
            if element:
                self.schedule(ticks(40), self.fail_late)
            else:
                self.unschedule(self.fail_late)
                self.unschedule(self.fail_late)
                self.unschedule(self.never)

        def fail_late(self) -> None:
            self.fail(ERROR)

        def never(self) -> None:
            raise AssertionError

    assert run(Impatient, source="210:1 240:2 300:3") == ["211:1", "241:2", "282:X"]
    assert run(Impatient, source="210:1 240:0 300:0 400:#") == ["211:1", "241:0", "301:0", "401:#"]


def test_hook_waits_while_emitted_elements_wait_for_demand() -> None:
    got = run(Heartbeat, ticks(10), requests={200: 1, 305: 3, 500: 1})
    # The second beat was emitted and waited; the third, for which it was time at 230, waited for that and runs late.
    assert got == ["211:-1", "306:-2", "306:-3", "317:-4", "501:-5"]


def test_elements_that_came_in_time_are_taken_before_the_hook() -> None:
    class Late(PythonStage[Any, Any]):
        """Takes an element only when it was asked for the one before."""

        name = "test/late"
        demand = "own"
        scheduled_hooks = ("give_up",)

        def on_start(self) -> None:
            self.schedule(ticks(100), self.give_up)
            self.request_upstream(9)

        def on_next(self, element: int) -> None:
            self.emit(element)

        def give_up(self) -> None:
            self.emit("late")

    # Without demand 2 waits in the operator's queue while 1 waits for demand; the time of the hook comes meanwhile.
    assert run(Late, source="210:1 220:2 400:3", requests={350: 9}) == ["351:1", "351:2", "351:'late'", "401:3"]


def test_endless_source_does_not_keep_a_hook_from_running() -> None:
    class Enough(Own):
        scheduled_hooks = ("stop",)

        def on_start(self) -> None:
            self.schedule(0.01, self.stop)

        def on_next(self, element: int) -> None:
            self.emit(element)

        def stop(self) -> None:
            self.complete()

    assert Stream.generate(0, lambda n: (n, n + 1)).lift(Enough).count(timeout_seconds=60) > 0


# --- threads and event loops ------------------------------------------------------------------------------------------


def test_without_a_host_the_hook_runs_in_a_thread_of_the_process() -> None:
    threads: set[str] = set()

    class Watched(Heartbeat):
        def beat(self) -> None:
            threads.add(threading.current_thread().name)
            Heartbeat.beat(self)

    assert Stream.empty().lift(Watched, 0.05, 3).to_list(timeout_seconds=60) == [-1, -2, -3]
    # Who drains runs the hook: the thread that subscribes does if the time comes before it has let the drain go.
    threads.discard(threading.current_thread().name)
    assert threads == {"reactivestreams-shared"}


def test_in_an_event_loop_the_hook_runs_in_that_loop() -> None:
    threads: set[threading.Thread] = set()

    class Watched(Heartbeat):
        def beat(self) -> None:
            threads.add(threading.current_thread())
            Heartbeat.beat(self)

    async def main() -> list[int]:
        async with asyncio.timeout(60):
            return await Stream.empty().lift(Watched, 0.001, 3).to_list_async()

    assert asyncio.run(main()) == [-1, -2, -3]
    assert threads == {threading.current_thread()}


def test_pipeline_holds_it() -> None:
    piece = pipeline().lift(Settled).map(str)
    assert Stream.range(4).through(piece).to_list() == ["3"]
    assert Stream.range(5).through(piece).to_list() == ["4"]


# --- the end ----------------------------------------------------------------------------------------------------------


def test_cancelled_stream_runs_no_hook() -> None:
    runs: list[str] = []

    class Watched(Heartbeat):
        def beat(self) -> None:
            runs.append("beat")
            Heartbeat.beat(self)

        def on_dispose(self) -> None:
            runs.append("dispose")

    run(Watched, ticks(100), disposed=450)
    assert runs == ["beat", "beat", "dispose"]


def test_operator_that_cancels_in_its_hook_ends() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    scheduler = VirtualTimeScheduler()

    class Leaving(Heartbeat):
        def beat(self) -> None:
            subscriber.subscription.cancel()
            Heartbeat.beat(self)

    handle = Stream.never().lift(Leaving, 1).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", scheduler))
    scheduler.clock.start()
    assert (subscriber.elements, subscriber.has_ended) == ([], False)


@pytest.mark.parametrize("end", ["complete", "fail"])
def test_nothing_that_was_scheduled_before_or_after_the_end_is_run(end: str) -> None:
    class Ending(Own):
        scheduled_hooks = ("end", "after")

        def on_start(self) -> None:
            self.schedule(ticks(10), self.end)
            self.schedule(ticks(20), self.after)

        def end(self) -> None:
            self.emit(1)
            self.complete() if end == "complete" else self.fail(ERROR)
            self.schedule(0, self.after)

        def after(self) -> None:
            raise AssertionError

    expected = ["211:1", "211:#" if end == "complete" else "211:X"]
    assert run(Ending) == expected
    # The end waits for the element before it, and the clock goes on.
    assert [each.partition(":")[2] for each in run(Ending, requests={500: 1})] == ["1", expected[1][-1]]


def test_error_of_a_hook_ends_the_stream_with_the_place_of_the_operator() -> None:
    class Failing(Own):
        scheduled_hooks = ("boom",)

        def on_start(self) -> None:
            self.schedule(0, self.boom)

        def boom(self) -> None:
            raise ERROR

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    scheduler = VirtualTimeScheduler()
    handle = Stream.never().lift(Failing).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", scheduler))
    scheduler.clock.start()
    assert subscriber.error is ERROR
    assert any("test_scheduled_hooks.py" in note for note in ERROR.__notes__)


def test_scheduler_that_is_disposed_while_a_hook_waits_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    scheduler = VirtualTimeScheduler()
    handle = Stream.never().lift(Heartbeat, 10).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", scheduler))
    scheduler.dispose()
    assert subscriber.has_ended
    handle.cancel()


# --- saved state ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("saved", [205, 215, 225, 245, 275, 305, 350])
@pytest.mark.parametrize(
    ("stage", "parameters"), [(Settled, (ticks(30),)), (Heartbeat, (ticks(40), 5))], ids=["settled", "heartbeat"]
)
def test_recovered_hook_runs_at_the_same_time(stage: Any, parameters: Any, saved: int) -> None:
    source = f"{SOURCE} 400:#"
    whole = run(stage, *parameters, source=source)
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    result = scheduler.crash_and_recover(
        lambda: Stream.from_publisher(hot, recovery="exact").lift(stage, *parameters),
        saved=saved,
        crashed=saved + 1,
        recovered=saved + 2,
    )
    assert shown(result.before.messages) + shown(result.after.messages) == whole


def test_time_that_has_passed_when_the_state_is_loaded_has_come() -> None:
    scheduler = TestScheduler()
    result = scheduler.crash_and_recover(
        lambda: Stream.never().lift(Heartbeat, ticks(100)), saved=250, crashed=260, recovered=700
    )
    assert shown(result.after.messages)[:2] == ["701:-1", "802:-2"]


def state_of(stage: Any, *parameters: Any) -> tuple[Any, bytes]:
    scheduler = VirtualTimeScheduler()
    handle = Stream.never().lift(stage, *parameters).bind(RecordingSubscriber(first_request=UNBOUNDED))
    handle.initialize(DefaultOperatorContext("rx://test", scheduler))
    return handle, save_tree(handle)


def test_hook_that_the_class_does_not_schedule_is_not_loaded() -> None:
    class Other(Heartbeat):
        scheduled_hooks = ("tick",)

        def on_start(self) -> None:
            """Schedule nothing."""

        def tick(self) -> None:
            raise AssertionError

    _, state = state_of(Heartbeat, 10)
    again = Stream.never().lift(Other, 10).bind(RecordingSubscriber())
    with pytest.raises(StateError, match=r"cannot load the hook 'beat' that is due at .*, and schedules tick; "):
        load_tree(again, state)


# --- bad arguments ----------------------------------------------------------------------------------------------------


def error_of(stage: Any) -> Exception:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).lift(stage).subscribe(subscriber)
    assert subscriber.error is not None
    return subscriber.error


@pytest.mark.parametrize(
    ("delay", "error", "message"),
    [
        (-1, ArgumentError, "needs 0 or more, got -1"),
        (float("nan"), ArgumentError, "needs at most 1,000,000,000 seconds, got nan"),
        ("1", ArgumentTypeError, "needs seconds or a timedelta, got '1'"),
        (None, ArgumentTypeError, "needs seconds or a timedelta, got None"),
    ],
)
def test_bad_delay_is_refused(delay: Any, error: type[Exception], message: str) -> None:
    class Bad(Own):
        scheduled_hooks = ("beat",)

        def on_start(self) -> None:
            self.schedule(delay, self.beat)

        def beat(self) -> None:
            raise AssertionError

    failed = error_of(Bad)
    assert type(failed) is error
    assert f".schedule(delay) {message}" in str(failed)


def no_hooks(stage: Any) -> Any:
    return stage.on_complete


@pytest.mark.parametrize(
    "hook",
    [lambda _: None, lambda _: "beat", no_hooks, lambda stage: stage.other, lambda _: print, lambda _: Heartbeat.beat],
)
@pytest.mark.parametrize("call", ["schedule", "unschedule"])
def test_function_that_is_no_scheduled_hook_of_the_operator_is_refused(call: str, hook: Callable[[Any], Any]) -> None:
    class Bad(Own):
        scheduled_hooks = ("beat",)

        def on_start(self) -> None:
            if call == "schedule":
                self.schedule(1, hook(self))
            else:
                self.unschedule(hook(self))

        def beat(self) -> None:
            raise AssertionError

        def other(self) -> None:
            raise AssertionError

    failed = error_of(Bad)
    assert isinstance(failed, ArgumentError)
    assert "needs one of its own methods that scheduled_hooks names, which are beat, got" in str(failed)


def test_hook_of_another_operator_is_refused() -> None:
    first: list[Any] = []

    class Bad(Own):
        scheduled_hooks = ("beat",)

        def on_start(self) -> None:
            first.append(self)
            self.schedule(1, first[0].beat)

        def beat(self) -> None:
            raise AssertionError

    Stream.just(1).lift(Bad).to_list()
    assert isinstance(error_of(Bad), ArgumentError)


def test_operator_without_scheduled_hooks_says_what_it_needs() -> None:
    class Bare(PythonStage[Any, Any]):
        name = "test/bare"

        def on_next(self, element: Any) -> None:
            self.schedule(1, self.later)

        def later(self) -> None:
            raise AssertionError

    assert "whose class has no scheduled_hooks; set demand = 'own'" in str(error_of(Bare))


def test_calls_outside_of_hooks_are_refused() -> None:
    stage = Heartbeat(1)
    with pytest.raises(StateError, match=r"schedule\(\) of .* outside its hooks; call it in a hook"):
        stage.schedule(1, stage.beat)
    with pytest.raises(StateError, match=r"unschedule\(\) of .* outside its hooks; call it in a hook"):
        stage.unschedule(stage.beat)


async def wait(self: Any) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("names", "others", "error", "message"),
    [
        ("beat", {}, ArgumentTypeError, r"scheduled_hooks needs a tuple of names of methods, got 'beat' \(str\)"),
        (("beat", 7), {}, ArgumentError, "needs names of methods that the class defines .*, got 7; define a method"),
        (("gone",), {}, ArgumentError, "got 'gone'; define a method"),
        (("count",), {"count": 3}, ArgumentError, "got 'count'; define a method"),
        (("on_complete",), {}, ArgumentError, "got 'on_complete'; define a method"),
        (("cancel",), {}, ArgumentError, "got 'cancel'; define a method"),
        (("wait",), {"wait": wait}, ArgumentTypeError, "needs a function that runs when it is called, got the corout"),
        (("beat",), {"demand": "per_element"}, ArgumentError, "no demand for what they emit; set demand = 'own'"),
    ],
)
def test_class_with_hooks_that_cannot_be_run_is_refused(
    names: Any, others: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        type("Bad", (Own,), {"beat": lambda self: None, "scheduled_hooks": names, **others})


def test_key_by_refuses_it() -> None:
    with pytest.raises(ArgumentError, match=r"operator lift, built at .* it signals in other threads"):
        Stream.range(3).key_by(lambda n: n).through(Settled)
