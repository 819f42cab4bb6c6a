"""Mistakes of a first day: each is refused with the value, the rule and the remedy, where it is made if that can be."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from reactivestreams import BaseSubscriber, Stream, pipeline
from reactivestreams.errors import AlreadySubscribedError, ArgumentError, ArgumentTypeError, StreamCancelledError
from reactivestreams.state import load_tree, save_tree, tree_was_saved
from reactivestreams.subjects import BroadcastSubject, UnicastSubject
from rs_core.emitter import SerializedEmitter
from rs_core.operators.python_operator import PythonStage
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import RecordingSubscriber


async def letters() -> AsyncIterator[str]:
    yield "a"


class Ignoring(BaseSubscriber[Any]):
    def hook_on_next(self, element: Any) -> None: ...


class TakesTwo(PythonStage[Any, Any]):
    name = "tests/takes_two"

    def __init__(self, first: int, *, second: int = 0) -> None:
        self.sum = first + second

    def on_next(self, element: Any) -> None:
        self.emit(element + self.sum)


class TakesNothing(PythonStage[Any, Any]):
    name = "tests/takes_nothing"

    def on_next(self, element: Any) -> None:
        self.emit(element)


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises((ArgumentTypeError, ArgumentError)) as raised:
        call()
    return str(raised.value)


# --- sources ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parts", "got"), [(([1, 2],), "[1, 2]"), ((), ""), ((int, 3), "<class 'int'>, 3")])
def test_class_of_streams_is_not_called(parts: tuple[Any, ...], got: str) -> None:
    assert refused(lambda: Stream(*parts)) == (
        f"Stream({got}): a stream is made by a method of its class; call Stream.from_iterable(elements), "
        f"Stream.just(1, 2), Stream.range(3) or another source"
    )


def test_asynchronous_iterable_has_a_source_of_its_own() -> None:
    given: Any = letters()
    assert refused(lambda: Stream.from_iterable(given)) == (
        f"from_iterable(iterable) needs an iterable, got the asynchronous one {given!r} (async_generator); use "
        f"from_async_iterable()"
    )


@pytest.mark.parametrize("given", [("a",), (1.5,), (0, "b"), (0, 5, 1.0), (None,)])
def test_range_of_what_is_no_integer_is_refused(given: tuple[Any, ...]) -> None:
    start, stop, step = (*given, None, 1)[:3] if len(given) == 1 else (*given, 1)[:3]
    assert refused(lambda: Stream.range(*given)) == (
        f"range(start, stop, step) needs integers, got {(start, stop, step)!r}; convert them with int(), or pass other "
        f"elements to from_iterable()"
    )


def test_range_without_progress_is_refused() -> None:
    assert refused(lambda: Stream.range(0, 5, 0)) == (
        "range(step) needs an integer that is not 0, got 0; pass 1 to count up or -1 to count down"
    )


# --- subscribing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subscribe", "where"),
    [
        (Stream.range(3).subscribe, "subscribe"),
        (Stream.range(3).bind, "bind"),
        (BroadcastSubject[int]().subscribe, "subscribe"),
        (BroadcastSubject[int]().bind, "bind"),
        (SerializedEmitter, "SerializedEmitter"),
    ],
    ids=["Stream.subscribe", "Stream.bind", "Subject.subscribe", "Subject.bind", "SerializedEmitter"],
)
def test_class_in_place_of_a_subscriber_is_refused(subscribe: Callable[[Any], object], where: str) -> None:
    assert refused(lambda: subscribe(Ignoring)).endswith(
        "(subscriber) needs a Subscriber, got the class Ignoring; pass an instance of it, as Ignoring()"
    )


@pytest.mark.parametrize(
    "call",
    [save_tree, lambda stream: load_tree(stream, save_tree(bound())), tree_was_saved],
    ids=["save", "load", "saved"],
)
def test_stream_that_is_not_bound_has_no_state(call: Callable[[Any], object]) -> None:
    assert refused(lambda: call(Stream.range(3))) == (
        "a tree is reached from the handle of its subscription, and Stream.range(0, 3) (Stream) is none: it does not "
        "run and has no state; pass what bind(subscriber) returned"
    )


def bound() -> Any:
    handle = Stream.range(3).bind(RecordingSubscriber())
    handle.initialize()
    return handle


@pytest.mark.parametrize("make", [BroadcastSubject, UnicastSubject])
def test_second_publisher_of_a_subject_is_told(make: Callable[[], Any]) -> None:
    subject, subscriber = make(), RecordingSubscriber(first_request=9)
    subject.subscribe(subscriber)
    with recorded_drops() as drops:
        Stream.never().subscribe(subject)
        assert drops == []
        Stream.range(3).subscribe(subject)
    ((signal, error, origin),) = drops
    assert (signal, origin) == ("on_subscribe", make.__name__)
    assert isinstance(error, AlreadySubscribedError)
    assert str(error).startswith(f"§2.12: {make.__name__} has ended or has a publisher already, so <subscription of")
    assert str(error).endswith("subscribe one stream that merges the publishers, or a new subject")
    assert subscriber.elements == []


# --- operators -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", [(), (1, 2), ("a", "b", "c")])
@pytest.mark.parametrize("start", [Stream.range(3), pipeline()], ids=["stream", "pipeline"])
def test_parameters_that_do_not_fit_a_class_are_refused_where_it_is_lifted(
    start: Any, parameters: tuple[Any, ...]
) -> None:
    message = refused(lambda: start.lift(TakesTwo, *parameters))
    assert message.startswith("lift(TakesTwo, *parameters) cannot make a TakesTwo(first: int, *, second: int = 0)")
    assert f"with {parameters!r}: " in message
    assert message.endswith("; pass its parameters after the class")


def test_parameters_that_fit_are_lifted() -> None:
    assert Stream.range(3).lift(TakesTwo, 5).to_list() == [5, 6, 7]
    assert Stream.range(3).lift(TakesNothing).to_list() == [0, 1, 2]


KEYED = {
    "distinct": lambda: Stream.just([1]).distinct(),
    "group_by": lambda: Stream.just([1]).group_by(lambda element: element),
    "group_by_until": lambda: Stream.just([1]).group_by_until(lambda element: element, lambda group: Stream.never()),
    "to_dict": lambda: pipeline().to_dict(lambda element: element),
    "to_lookup": lambda: pipeline().to_lookup(lambda element: element),
    "to_set": lambda: pipeline().to_set(),
    "key_by, count": lambda: Stream.just([1]).key_by(lambda element: element).count(),
    "key_by, distinct": lambda: Stream.just([1]).key_by(lambda element: 1).distinct(),
    "key_by, through": lambda: Stream.just([1]).key_by(lambda element: element).through(pipeline().take(1)),
}


@pytest.mark.parametrize("build", KEYED.values(), ids=KEYED)
def test_key_that_is_not_hashable_has_a_remedy(build: Callable[[], Any]) -> None:
    built = build()
    with pytest.raises(TypeError, match="unhashable type: 'list'") as raised:
        (built if isinstance(built, Stream) else Stream.just([1]).through(built)).for_each(print)
    assert any(note.startswith("in rx://operators/") for note in raised.value.__notes__)
    assert (
        "keys are found by their hash, and so must be hashable: return a tuple in place of a list, a frozenset in "
        "place of a set"
    ) in raised.value.__notes__


def test_function_that_needs_a_hash_for_itself_gets_no_advice_about_keys() -> None:
    with pytest.raises(TypeError) as raised:
        Stream.just([1]).map(lambda element: {element}).to_list()
    assert len(raised.value.__notes__) == 1


# --- asynchronous iteration ------------------------------------------------------------------------------------------


def test_step_after_a_wait_that_was_cancelled_tells_what_has_cancelled_the_stream() -> None:
    async def wait_twice() -> None:
        iterator = aiter(Stream.never())
        task = asyncio.ensure_future(anext(iterator))
        await asyncio.sleep(0)
        task.cancel()  # as wait_for() does when its time is over
        await asyncio.wait({task})
        assert task.cancelled()
        await anext(iterator)

    with pytest.raises(StreamCancelledError) as raised:
        asyncio.run(wait_twice())
    assert str(raised.value) == (
        "a task that waited for the next element was cancelled, e.g. by wait_for(anext(iterator), seconds), and that "
        "cancels the stream; iterate again, and wait with asyncio.wait({task}, timeout=seconds), which leaves the task "
        "of anext(iterator) to go on"
    )


def test_advice_about_waits_is_right() -> None:
    async def wait_twice() -> list[int]:
        subject = UnicastSubject[int]()
        iterator = aiter(Stream.from_publisher(subject))
        task = asyncio.ensure_future(anext(iterator))
        done, _ = await asyncio.wait({task}, timeout=0)
        assert done == set()
        subject.on_next(7)
        first = await task
        subject.on_complete()
        return [first, *[element async for element in iterator]]

    assert asyncio.run(wait_twice()) == [7]
