"""reduce, collect."""

import operator
from collections import Counter
from functools import reduce
from typing import Any

import pytest

from reactivestreams import Collector, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, EmptyStreamError, StateError
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.folding.folds import FoldContract, FoldOfSomething, loaded


class TestReduceFromASeed(FoldContract):
    method = "reduce"
    arguments = (operator.sub, 100)

    def result(self, elements: list[Any]) -> Any:
        return reduce(operator.sub, elements, 100)


class TestReduceWithoutASeed(FoldOfSomething):
    method = "reduce"
    arguments = (operator.sub,)
    remedy = "use reduce(function, seed) if it may"

    def result(self, elements: list[Any]) -> Any:
        return reduce(operator.sub, elements)


class TestCollect(FoldContract):
    method = "collect"
    arguments = (Collector(list, list.append, tuple),)

    def result(self, elements: list[Any]) -> Any:
        return tuple(elements)


class TestCollectWithoutAFinisher(FoldContract):
    method = "collect"
    arguments = (Collector(dict, lambda counts, number: counts.update({number: number})),)

    def result(self, elements: list[Any]) -> Any:
        return {number: number for number in elements}


@pytest.mark.parametrize("seed", [(), (7,)])
@pytest.mark.parametrize("position", [1, 2, 4])
def test_function_that_fails_cancels_and_ends_with_the_error(seed: tuple[int, ...], position: int) -> None:
    def dividing(total: int, number: int) -> int:
        return total + 1 // (number - position)

    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(5).through(pipeline().reduce(dividing, *seed)).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ZeroDivisionError)
    with pytest.raises(ZeroDivisionError):
        Stream.range(5).reduce(dividing, *seed)


def test_seed_none_is_a_seed() -> None:
    assert Stream.range(0).reduce(lambda total, number: number, None) is None
    assert Stream.range(3).reduce(lambda total, number: number, None) == 2


def test_first_element_none_is_an_accumulator() -> None:
    assert Stream.just(None, None, 1).reduce(lambda total, element: (total, element)) == ((None, None), 1)


def test_nothing_without_a_seed_names_the_remedy() -> None:
    with pytest.raises(EmptyStreamError, match=r"reduce\(\): .*; use reduce\(function, seed\) if it may"):
        Stream.range(0).reduce(operator.add)


def test_supplier_is_called_once_for_each_subscription() -> None:
    made: list[list[int]] = []

    def supplier() -> list[int]:
        made.append([])
        return made[-1]

    stream = Stream.range(3)
    collector = Collector(supplier, list.append)
    assert [stream.collect(collector), stream.collect(collector)] == [[0, 1, 2], [0, 1, 2]]
    assert len(made) == 2


def test_accumulator_may_return_the_container() -> None:
    assert Stream.just([1], [2, 3]).collect(Collector(list, operator.iadd)) == [1, 2, 3]


def test_accumulator_that_returns_another_container_ends_the_stream() -> None:
    with pytest.raises(ArgumentTypeError, match=r"which would be lost; let it change the container and return nothing"):
        Stream.just([1], [2]).collect(Collector(list, operator.add))


@pytest.mark.parametrize(
    "collector",
    [
        Collector(lambda: 1 // 0, list.append),  # type: ignore[arg-type]
        Collector(list, lambda _, number: [].append(1 // (number - 1))),
        Collector(list, list.append, lambda _: 1 // 0),
    ],
    ids=["supplier", "accumulator", "finisher"],
)
def test_function_of_a_collector_that_fails_ends_the_stream(collector: Any) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(3).through(pipeline().collect(collector)).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_counter_collects() -> None:
    assert Stream.just("aab", "b").collect(Collector(Counter, Counter.update)) == Counter(a=2, b=2)


@pytest.mark.parametrize("arguments", [(3, list.append), (list, 3), (list, list.append, 3)])
def test_collector_of_no_functions_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentTypeError, match=r"Collector\(\w+\) needs a callable, got 3"):
        Collector(*arguments)


def test_collect_of_no_collector_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"collect\(collector\) needs a Collector, got <class 'list'>"):
        Stream.range(3).collect(list)  # type: ignore[arg-type]


def test_function_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"reduce\(function\) needs a callable, got 3"):
        Stream.range(3).reduce(3)  # type: ignore[call-overload]


@pytest.mark.parametrize("method", ["reduce", "collect"])
@pytest.mark.parametrize("fields", [(1, 2), ()])
def test_forged_state_is_refused(method: str, fields: tuple[Any, ...]) -> None:
    arguments = (operator.add,) if method == "reduce" else (Collector(list, list.append),)
    with pytest.raises(StateError):
        loaded(method, arguments, *fields)
