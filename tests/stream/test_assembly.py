"""Each operator remembers the line of the user's code that added it."""

import linecache
import sys
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.stream.description import Assembly

HERE = __file__


def line() -> int:
    return sys._getframe(1).f_lineno


def doubled(stream: Stream[int]) -> Stream[int]:
    return stream.map(lambda element: element * 2)


def test_every_operator_remembers_its_line() -> None:
    above = line()
    # fmt: off
    stream = (
        Stream.range(3)
        .take(2)
        .skip(1)
    )
    # fmt: on
    assert [node.assembly.line for node in stream.nodes()] == [above + 3, above + 4, above + 5]
    assert {node.assembly.file for node in stream.nodes()} == {HERE}
    assert {node.assembly.function for node in stream.nodes()} == {"test_every_operator_remembers_its_line"}


@pytest.mark.parametrize(
    "build",
    [
        lambda: Stream.from_iterable([1]),
        lambda: Stream.from_publisher(Stream.just(1)),
        lambda: Stream.range(1),
        lambda: Stream.range(2**70),
        lambda: Stream.just(1),
        lambda: Stream.empty().take(1),
        lambda: Stream.error(ValueError()),
        lambda: Stream.never().take(1),
        lambda: Stream.just(1).map(str),
        lambda: Stream.just(1).filter(bool),
        lambda: Stream.just(1).take(1),
        lambda: Stream.just(1).skip(1),
        lambda: Stream.just(1).scan(max, 0),
        lambda: Stream.just(1).key_by(hash).scan(max, 0),
        lambda: Stream.just(1).buffer(1),
        lambda: Stream.just("a").flat_map(list),
        lambda: Stream.just(1).do(print),
        lambda: Stream.just(1).observe_on(ImmediateScheduler()),
        lambda: Stream.just(1).through(pipeline().take(1)),
        lambda: pipeline().take(1),
        lambda: pipeline().map(str),
        lambda: pipeline().key_by(hash).scan(max, 0),
    ],
)
def test_every_method_names_the_callers_line(build: Any) -> None:
    code = build.__code__
    for node in build().nodes():
        assert (node.assembly.file, node.assembly.line) == (HERE, code.co_firstlineno)
        assert node.assembly.function == "<lambda>"


def test_function_that_adds_operators_is_named_with_its_own_line() -> None:
    stream = doubled(Stream.range(3))
    assert stream.assembly.function == "doubled"
    assert stream.assembly.line == doubled.__code__.co_firstlineno + 1
    assert stream.nodes()[0].assembly.function == "test_function_that_adds_operators_is_named_with_its_own_line"


def test_loops_and_comprehensions_name_their_line() -> None:
    looped, lines = Stream.range(3), []
    for _ in range(2):
        looped, here = looped.skip(0), line()
        lines.append(here)
    assert [node.assembly.line for node in looped.nodes()[1:]] == lines
    several, here = [Stream.range(3).take(count) for count in range(2)], line()
    assert [stream.assembly.line for stream in several] == [here, here]
    nested = [doubled(Stream.range(count)) for count in range(2)]
    assert {stream.assembly.function for stream in nested} == {"doubled"}


def test_method_and_nested_function_are_named_in_full() -> None:
    class Builder:
        def build(self) -> Stream[int]:
            return Stream.range(3)

    assert Builder().build().assembly.function == (
        "test_method_and_nested_function_are_named_in_full.<locals>.Builder.build"
    )


def test_operators_of_a_pipeline_keep_their_lines_in_a_stream() -> None:
    part, there = pipeline().map(str), line()
    stream = Stream.range(3).through(part)
    assert stream.assembly.line == there
    assert stream.through(part.slice(0)).assembly.line == there
    assert pipeline().through(part).operators[0].assembly.line == there


def test_line_in_an_interactive_session_is_named() -> None:
    source = "from reactivestreams import Stream\n\nstream = Stream.range(3).map(lambda element: element // 0)\n"
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<stdin>", "exec"), namespace)
    stream = namespace["stream"]
    assert str(stream.assembly) == "<stdin>:3 in <module>"
    with pytest.raises(ZeroDivisionError) as raised:
        stream.to_list()
    assert raised.value.__notes__ == ["in rx://operators/map, assembled at <stdin>:3 in <module>, for element 0"]


def test_line_in_a_notebook_cell_is_named() -> None:
    name = "<ipython-input-1-abc>"
    source = "stream = make(3)\nstream = stream.take(1)\n"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "__main__", "make": Stream.range}
    exec(compile(source, name, "exec"), namespace)
    assert [str(node.assembly) for node in namespace["stream"].nodes()] == [
        f"{name}:1 in <module>",
        f"{name}:2 in <module>",
    ]


def test_package_of_a_similar_name_is_the_users() -> None:
    namespace: dict[str, Any] = {"__name__": "reactivestreams_examples", "Stream": Stream}
    exec(compile("stream = Stream.range(3)", "similar.py", "exec"), namespace)
    assert namespace["stream"].assembly.file == "similar.py"


def test_note_is_added_once_however_often_the_error_passes() -> None:
    error = ValueError("why")

    def fail(_: int) -> int:
        raise error

    stream = Stream.just(1).map(fail)
    for _ in range(3):
        with pytest.raises(ValueError, match="why"):
            stream.to_list()
    assert error.__notes__ == [f"in rx://operators/map, assembled at {stream.assembly}, for element 1"]


def test_assembly_is_a_value() -> None:
    assembly = Assembly("flights.py", 12, "load")
    assert assembly == Assembly("flights.py", 12, "load") != Assembly("flights.py", 13, "load")
    assert len({assembly, Assembly("flights.py", 12, "load")}) == 1
    assert (str(assembly), repr(assembly)) == ("flights.py:12 in load", "Assembly('flights.py', 12, 'load')")
    assert assembly != "flights.py:12 in load"
