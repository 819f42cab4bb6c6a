"""The note of an error says for which element the function of an operator has raised, in every operator."""

import ast
import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams import Collector, Stream
from reactivestreams.subjects import SimpleSubject
from rs_core.dropped import VALUE_LENGTH_CHARACTERS
from rs_core.operators.python_operator import PythonStage
from tests.architecture.test_names_elsewhere import FOUND
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import RecordingSubscriber

Words = Stream[str]


class PerElement(PythonStage):
    name = "tests/per_element"

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def on_next(self, element: Any) -> None:
        self.emit(self.function(element))


class Own(PerElement):
    name = "tests/own"
    demand = "own"

    def on_start(self) -> None:
        self.request_upstream(1)


def in_executor(stream: Words, function: Any) -> Any:
    with ThreadPoolExecutor(1) as executor:
        stream.map_in_executor(function, executor).to_list(timeout_seconds=60)


def in_loop(stream: Words, function: Any) -> Any:
    async def called(word: str) -> Any:
        return function(word)

    asyncio.run(stream.map_async(called).to_list_async())


def unrequested(add: Callable[[Words], Stream[Any]]) -> Stream[Any]:
    """Push two words through an operator below which nobody has requested any."""
    words: SimpleSubject[str] = SimpleSubject()
    subscriber = RecordingSubscriber()
    add(Stream.from_publisher(words)).subscribe(subscriber)
    for word in ("pear", "plum"):
        words.on_next(word)
    return Stream.error(subscriber.error)


def batches() -> Stream[Any]:
    return Stream.just(pa.RecordBatch.from_pydict({"word": ["pear"]}))


TO_PEAR = "'pear'"

# How a stream of "pear" and "plum" has a function called with the element of the note.
OPERATORS: dict[str, tuple[Callable[[Words, Any], Any], str]] = {
    "map(function)": (lambda s, f: s.map(f), TO_PEAR),
    "starmap(function)": (lambda s, f: s.map(lambda word: (word, 1)).starmap(f), "('pear', 1)"),
    "map_not_none(function)": (lambda s, f: s.map_not_none(f), TO_PEAR),
    "map_indexed(function)": (lambda s, f: s.map_indexed(f), TO_PEAR),
    "handle(function)": (lambda s, f: s.handle(f), TO_PEAR),
    "scan(function)": (lambda s, f: s.scan(f), "'plum'"),
    "map_in_executor(function)": (in_executor, TO_PEAR),
    "map_async(function)": (in_loop, TO_PEAR),
    "flat_map(function)": (lambda s, f: s.flat_map(f), TO_PEAR),
    "flat_map_ordered(function)": (lambda s, f: s.flat_map_ordered(f), TO_PEAR),
    "concat_map(function)": (lambda s, f: s.concat_map(f), TO_PEAR),
    "switch_map(function)": (lambda s, f: s.switch_map(f), TO_PEAR),
    "exhaust_map(function)": (lambda s, f: s.exhaust_map(f), TO_PEAR),
    "exhaust_map(on_drop)": (lambda s, f: s.exhaust_map(lambda _: Stream.never(), on_drop=f), "'plum'"),
    "expand(function)": (lambda s, f: s.expand(f), TO_PEAR),
    "group_by(key)": (lambda s, f: s.group_by(f), TO_PEAR),
    "group_by_until(key)": (lambda s, f: s.group_by_until(f, lambda _: Stream.never()), TO_PEAR),
    "group_by_until(until)": (lambda s, f: s.group_by_until(len, f), TO_PEAR),
    "buffer_until(predicate)": (lambda s, f: s.buffer_until(f), TO_PEAR),
    "buffer_while(predicate)": (lambda s, f: s.buffer_while(f), TO_PEAR),
    "window_until(predicate)": (lambda s, f: s.window_until(f), TO_PEAR),
    "split_when(predicate)": (lambda s, f: s.split_when(f), "'plum'"),
    "buffer_toggle(closing)": (lambda s, f: Stream.never().buffer_toggle(s, f), TO_PEAR),
    "window_toggle(closing)": (lambda s, f: Stream.never().window_toggle(s, f), TO_PEAR),
    "filter(predicate)": (lambda s, f: s.filter(f), TO_PEAR),
    "filter_indexed(predicate)": (lambda s, f: s.filter_indexed(f), TO_PEAR),
    "distinct(key)": (lambda s, f: s.distinct(f), TO_PEAR),
    "distinct_until_changed(key)": (lambda s, f: s.distinct_until_changed(key=f), TO_PEAR),
    "distinct_until_changed(comparer)": (lambda s, f: s.distinct_until_changed(comparer=f), "'plum'"),
    "skip_until(until)": (lambda s, f: s.skip_until(f), TO_PEAR),
    "skip_while(predicate)": (lambda s, f: s.skip_while(f), TO_PEAR),
    "take_until(until)": (lambda s, f: s.take_until(f), TO_PEAR),
    "take_while(predicate)": (lambda s, f: s.take_while(f), TO_PEAR),
    "merge_sorted(key)": (lambda s, f: s.merge_sorted(["plum"], key=f), "'plum'"),
    "debounce(duration)": (lambda s, f: s.debounce(f), TO_PEAR),
    "delay_until(function)": (lambda s, f: s.delay_until(f), TO_PEAR),
    "limit_weight(weigh)": (lambda s, f: s.limit_weight(9, f), TO_PEAR),
    "do(on_next)": (lambda s, f: s.do(f), TO_PEAR),
    "on_backpressure_buffer(on_dropped)": (
        lambda s, f: unrequested(lambda t: t.on_backpressure_buffer(1, "drop_oldest", on_dropped=f)),
        TO_PEAR,
    ),
    "on_backpressure_drop(on_dropped)": (
        lambda s, f: unrequested(lambda t: t.on_backpressure_drop(on_dropped=f)),
        TO_PEAR,
    ),
    "on_backpressure_latest(on_dropped)": (
        lambda s, f: unrequested(lambda t: t.on_backpressure_latest(on_dropped=f)),
        TO_PEAR,
    ),
    "on_backpressure_reduce(function)": (lambda s, f: unrequested(lambda t: t.on_backpressure_reduce(f)), "'plum'"),
    "filter_batches(predicate)": (lambda s, f: batches().filter_batches(f), "pyarrow.RecordBatch"),
    "map_batches(function)": (lambda s, f: batches().map_batches(f), "pyarrow.RecordBatch"),
    "key_by().scan": (lambda s, f: s.key_by(len).scan(f, 0), TO_PEAR),
    "key_by().reduce": (lambda s, f: s.key_by(len).reduce(f, 0), TO_PEAR),
    "key_by().distinct": (lambda s, f: s.key_by(len).distinct(f), TO_PEAR),
    "key_by(key)": (lambda s, f: s.key_by(f).count(), TO_PEAR),
    "lift per element": (lambda s, f: s.lift(PerElement, f), TO_PEAR),
    "lift with own demand": (lambda s, f: s.lift(Own, f), TO_PEAR),
    "all(predicate)": (lambda s, f: s.all(f), TO_PEAR),
    "any(predicate)": (lambda s, f: s.any(f), TO_PEAR),
    "max(key)": (lambda s, f: s.max(key=f), TO_PEAR),
    "min(key)": (lambda s, f: s.min(key=f), TO_PEAR),
    "reduce(function)": (lambda s, f: s.reduce(f), "'plum'"),
    "to_dict(key)": (lambda s, f: s.to_dict(f), TO_PEAR),
    "to_dict(value)": (lambda s, f: s.to_dict(len, f), TO_PEAR),
    "to_lookup(key)": (lambda s, f: s.to_lookup(f), TO_PEAR),
    "to_lookup(value)": (lambda s, f: s.to_lookup(len, f), TO_PEAR),
    "collect(accumulator)": (lambda s, f: s.collect(Collector(list, f)), TO_PEAR),
}

NO_ELEMENT = {
    "sorted(key)": "it is called for all elements together, at the end",
    "do(on_request)": "it gets a number of elements",
    "map_in_executor(executor)": "it is called once, for the stream",
    "on_error_continue(report)": "it gets the exception, which has the note, and the element",
}
"""Functions that are called for no single element, and why."""


def functions_of_elements() -> set[str]:
    """Return the arguments of operators that are functions of elements."""
    found: set[str] = set()
    for definition in FOUND:
        if not definition.is_operator:
            continue
        for signature in definition.signatures:
            given = signature.arguments
            for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
                written = ast.unparse(argument.annotation) if argument.annotation else ""
                takes = written.partition("Callable[[")[2].partition("]")[0]
                if takes not in ("", "Exception", "Any") and not written.startswith("Executor"):
                    found.add(f"{definition.method}({argument.arg})")
    return found


def test_every_function_of_elements_is_here() -> None:
    missing = sorted(functions_of_elements() - set(OPERATORS) - set(NO_ELEMENT))
    assert missing == [], f"add to OPERATORS of this file how {', '.join(missing)} raises, or to NO_ELEMENT why not"


def error_of(run: Callable[[Any], Any], message: str = "mine") -> Exception:
    """Return the exception of a stream whose function raises it."""

    def fail(*_: object) -> Any:
        raise ValueError(message)

    def run_to_its_end() -> None:
        stream = run(fail)
        if isinstance(stream, Stream):
            stream.to_list(timeout_seconds=60)

    with pytest.raises(ValueError, match=message) as raised:
        run_to_its_end()
    return raised.value


@pytest.mark.parametrize("operator", OPERATORS)
def test_note_names_operator_line_and_element(operator: str) -> None:
    add, element = OPERATORS[operator]
    notes = error_of(lambda fail: add(Stream.just("pear", "plum"), fail)).__notes__
    assert len([note for note in notes if note.startswith("in ")]) == 1, notes
    assert f", for element {element}" in notes[0]
    assert notes[0].startswith(f"in {'tests/' if 'lift' in operator else 'rx://operators/'}")
    assert f"assembled at {__file__}" in notes[0]


def notes_for(element: Any) -> list[str]:
    return error_of(lambda fail: Stream.just(element).map(fail)).__notes__


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


LONG = ["pear" * 10**6, b"pear" * 10**6, bytearray(10**6), 10**3_000, [["pear"] * 99] * 99]


@pytest.mark.parametrize("element", LONG, ids=lambda element: type(element).__name__)
def test_long_element_is_cut(element: Any) -> None:
    (note,) = notes_for(element)
    shown = note.partition(", for element ")[2]
    assert "..." in shown
    assert len(shown) <= VALUE_LENGTH_CHARACTERS


def test_element_without_a_working_repr_does_not_hide_the_error() -> None:
    (note,) = notes_for(Unprintable())
    assert ", for element <Unprintable instance at 0x" in note


def test_repr_that_is_interrupted_interrupts_the_stream() -> None:
    class Interrupting:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stream.just(Interrupting()).map(lambda _: 1 // 0).to_list()


def test_exception_that_refuses_notes_goes_on_and_the_refusal_to_the_hook() -> None:
    class SilentError(Exception):
        def add_note(self, note: str, /) -> None:
            raise RuntimeError("no notes")

    def fail(_: str) -> None:
        raise SilentError

    with recorded_drops() as drops, pytest.raises(SilentError):
        Stream.just("pear").map(fail).to_list()
    assert {(signal, repr(error)) for signal, error, _ in drops} == {("note", "RuntimeError('no notes')")}


def test_exception_that_is_raised_again_has_a_note_for_the_last_element() -> None:
    error = ValueError("mine")

    def fail(word: str) -> None:
        raise error

    def run(word: str) -> None:
        Stream.just(word).map(fail).on_error_return(None).run()

    run("pear")
    run("plum")
    (note,) = error.__notes__
    assert note.endswith(", for element 'plum'")


def test_error_of_the_input_gets_no_note() -> None:
    stream = Stream.just("pear").concat_with(Stream.error(ValueError("of the source"))).map(str).scan(max)
    with pytest.raises(ValueError, match="of the source") as raised:
        stream.to_list()
    assert not hasattr(raised.value, "__notes__")


def test_element_of_a_chunk_is_the_one_that_failed() -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(ZeroDivisionError) as raised:
        Stream.just(2, 1, 0, 3).map_in_executor(lambda n: 6 // n, executor, chunk=4).to_list(timeout_seconds=60)
    assert raised.value.__notes__[0].endswith(", for element 0")
