"""A Stream is a value: how it shows itself, that it never changes, that many threads may share it, that it travels."""

import copy
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from inspect import signature
from typing import Any

import cloudpickle
import pytest

from reactivestreams import Pipeline, Stream, operators, pipeline, sources
from reactivestreams.errors import ArgumentError
from reactivestreams.operators import Map
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.schedulers import WorkerScheduler
from rs_core.stream.description import MAX_DEPTH

MANY = 10_000
WORKER = WorkerScheduler(name="worker")  # starts its thread with the first task, of which there is none


def doubled(element: int) -> int:
    return element * 2


def long_chain(operators: int) -> Pipeline[int, int]:
    chain = pipeline()
    for _ in range(operators):
        chain = chain.map(doubled)
    return chain


# --- how it shows itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Stream.range(3), "Stream.range(0, 3)"),
        (Stream.range(2, 8, 2), "Stream.range(2, 8, 2)"),
        (Stream.just(1, "a"), "Stream.from_iterable((1, 'a'))"),
        (Stream.from_iterable({"a": 1}), "Stream.from_iterable({'a': 1})"),
        (Stream.empty(), "Stream.empty()"),
        (Stream.never(), "Stream.never()"),
        (Stream.error(ValueError("why")), "Stream.error(ValueError('why'))"),
        (Stream.from_publisher(Stream.empty()), "Stream.from_publisher(Stream.empty())"),
        (Stream.from_publisher(Stream.empty(), prefetch=4), "Stream.from_publisher(Stream.empty(), prefetch=4)"),
        (pipeline(), "pipeline()"),
        (pipeline().map(doubled), "pipeline().map(doubled)"),
        (pipeline().filter(lambda element: True), "pipeline().filter(<lambda>)"),
        (pipeline().take(1).skip(2).buffer(3), "pipeline().take(1).skip(2).buffer(3)"),
        (pipeline().scan(max, 0), "pipeline().scan(max, 0)"),
        (pipeline().key_by(hash).scan(max, 0), "pipeline().key_by(hash).scan(max, 0)"),
        (pipeline().key_by(hash, max_keys=2).scan(max, 0), "pipeline().key_by(hash, max_keys=2).scan(max, 0)"),
        (pipeline().flat_map(list), "pipeline().flat_map(list)"),
        (pipeline().flat_map(list, prefetch=4), "pipeline().flat_map(list, prefetch=4)"),
        (pipeline().do(print, on_complete=print), "pipeline().do(print, on_complete=print)"),
        (pipeline().observe_on(WORKER), "pipeline().observe_on(WorkerScheduler(name='worker'))"),
        (
            pipeline().observe_on(WORKER, prefetch=4),
            "pipeline().observe_on(WorkerScheduler(name='worker'), prefetch=4)",
        ),
        (Stream.range(3).key_by(hash), "Stream.range(0, 3).key_by(hash)"),
        (pipeline().key_by(doubled, max_keys=2), "pipeline().key_by(doubled, max_keys=2)"),
    ],
)
def test_repr_reads_like_the_calls(value: object, text: str) -> None:
    assert repr(value) == text


def test_repr_of_large_parameters_is_short() -> None:
    assert len(repr(Stream.from_iterable(list(range(10**5))))) < 100
    assert len(repr(Stream.just("x" * 10**5))) < 100


def test_repr_of_a_long_chain_leaves_out_the_middle() -> None:
    text = repr(Stream.range(3).through(long_chain(MANY)))
    assert text == f"Stream.range(0, 3){'.map(doubled)' * 15}.<{MANY - 31} more>{'.map(doubled)' * 16}"


def drawn(description: Any) -> ET.Element:
    """Return the picture that a notebook shows."""
    style, _, picture = description._repr_html_().partition("</style>")
    assert style.startswith("<style>")
    return ET.fromstring(picture)


def lines_of(picture: ET.Element, css: str) -> list[str | None]:
    return [text.text for text in picture.findall("text") if text.attrib["class"] == css]


def test_notebook_leaves_out_the_middle_of_a_long_chain() -> None:
    picture = drawn(Stream.range(3).through(long_chain(MANY)))
    titles = lines_of(picture, "box-title")
    assert titles == ["range", *["map"] * 15, f"{MANY - 31} more", *["map"] * 16]
    assert len(picture.findall("rect")) == 33


def test_repr_does_not_run_the_stream() -> None:
    class Unread:
        def __iter__(self) -> Iterator[int]:
            raise AssertionError("ran")

    stream = Stream.from_iterable(Unread()).map(doubled)
    repr(stream)
    stream._repr_html_()


def test_repr_survives_a_parameter_without_one() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise ValueError("no repr")

        def __iter__(self) -> Any:
            return iter(())

    assert re.fullmatch(r"Stream\.from_iterable\(<Odd instance at 0x[0-9a-f]+>\)", repr(Stream.from_iterable(Odd())))


def test_notebook_draws_the_operators_with_their_parameters_and_lines() -> None:
    stream = Stream.range(3).map(doubled).key_by(abs).scan(max, 0)
    picture = drawn(stream)
    assert lines_of(picture, "box-title") == ["range", "map", "key_by().scan"]
    assert lines_of(picture, "box-detail") == ["0, 3", "doubled", "key_by(abs).scan(max, 0)"]
    assert lines_of(picture, "box-place") == [f"test_description.py:{stream.assembly.line}"] * 3
    assert picture.attrib["aria-label"] == "Stream, not running: range, then map, then key_by().scan"


def test_notebook_draws_a_pipeline_and_says_where_there_is_nothing_to_draw() -> None:
    assert lines_of(drawn(pipeline().map(doubled)), "box-title") == ["map"]
    assert pipeline()._repr_html_() == "Pipeline, not running: empty"


def test_notebook_escapes_what_users_wrote() -> None:
    stream = Stream.just("<script>alert(1)</script>").filter(lambda element: "&")
    assert "<script>" not in stream._repr_html_()
    assert "test_notebook_escapes_what_users_wrote.<locals>.<lambda>" not in lines_of(drawn(stream), "box-detail")
    assert "<lambda>" in lines_of(drawn(stream), "box-detail")


# --- that it never changes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attribute", ["definition", "parameters", "upstream", "depth", "assembly", "anything"])
@pytest.mark.parametrize("value", [Stream.range(3), pipeline().take(1)], ids=["stream", "pipeline"])
def test_description_has_no_attribute_to_assign(value: Any, attribute: str) -> None:
    with pytest.raises(AttributeError):
        setattr(value, attribute, None)
    with pytest.raises(AttributeError):
        delattr(value, attribute)


def test_operators_return_a_new_description_and_leave_the_old_one() -> None:
    source = Stream.range(4)
    small, large = source.take(2), source.skip(2)
    assert (source.to_list(), small.to_list(), large.to_list()) == ([0, 1, 2, 3], [0, 1], [2, 3])
    assert small.upstream is large.upstream is source


def test_list_that_changes_later_is_seen_by_later_subscriptions() -> None:
    elements = [1, 2]
    stream = Stream.from_iterable(elements)
    assert stream.to_list() == [1, 2]
    elements.append(3)
    assert stream.to_list() == [1, 2, 3]


def test_nodes_are_listed_from_the_source_on() -> None:
    stream = Stream.range(3).map(doubled).take(1)
    assert [node.definition.method for node in stream.nodes()] == ["range", "map", "take"]
    assert [node.depth for node in stream.nodes()] == [1, 2, 3]
    assert stream.nodes()[-1] is stream


def test_chain_longer_than_the_limit_is_refused_when_it_is_built() -> None:
    chain = long_chain(MAX_DEPTH - 1)
    assert chain.depth == MAX_DEPTH
    with pytest.raises(
        ArgumentError, match=rf"a stream of {MAX_DEPTH + 1} operators is longer than the {MAX_DEPTH} allowed; join"
    ):
        chain.map(doubled)


def test_description_is_shared_between_threads() -> None:
    stream = Stream.range(100).map(doubled)
    seen: list[tuple[list[int], str, int]] = []

    def use() -> None:
        seen.append((stream.map(doubled).to_list(), repr(stream), stream.assembly.line))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert all(each == seen[0] for each in seen)


# --- that it travels ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda value: cloudpickle.loads(cloudpickle.dumps(value))]
)
def test_copy_is_the_same_stream(copied: Any) -> None:
    factor = 3
    stream = Stream.range(4).map(lambda element: element * factor).key_by(lambda element: element % 2).scan(max, 0)
    twin = copied(stream)
    assert type(twin) is Stream
    assert twin.to_list() == stream.to_list()
    assert [node.assembly for node in twin.nodes()] == [node.assembly for node in stream.nodes()]
    assert [node.definition for node in twin.nodes()] == [node.definition for node in stream.nodes()]


def test_chain_of_many_operators_is_built_shown_run_copied_and_freed() -> None:
    chain = long_chain(MANY)
    twin = cloudpickle.loads(cloudpickle.dumps(chain))
    assert type(twin) is Pipeline
    assert len(twin.operators) == MANY
    assert {operator.definition for operator in twin.operators} == {Map}
    assert Stream.just(1).through(twin).to_list() == [2**MANY]


def test_iterator_does_not_travel() -> None:
    with pytest.raises(TypeError, match="cannot pickle"):
        cloudpickle.dumps(Stream.from_iterable(iter([1])))


def test_iterable_among_the_inputs_is_shown_as_the_stream_that_it_became() -> None:
    stream = Stream.range(2).merge_with([1, 2], ["a long text, of which the end is left out"])
    assert repr(stream) == (
        "Stream.range(0, 2).merge_with(Stream.from_iterable([1, 2]), Stream.from_iterable(['a long text, o...)"
    )


DEFINITIONS = [
    each
    for package in (operators, sources)
    for each in (getattr(package, name) for name in package.__all__)
    if isinstance(each, type) and issubclass(each, OperatorDefinition) and hasattr(each, "stage")
]


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.__name__)
def test_each_argument_is_found_among_the_parameters_of_the_node(definition: Any) -> None:
    """Else the text of a call would leave it out."""
    by_common_rule = definition.written.__func__ is OperatorDefinition.written.__func__
    arguments = set(signature(definition.parameters).parameters) if hasattr(definition, "parameters") else set()
    assert not by_common_rule or arguments <= set(definition.parameter_names())
