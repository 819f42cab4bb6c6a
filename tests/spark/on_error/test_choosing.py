"""Operators that choose elements, where these travel with the number of their row, or as the failure in their place."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline

pytestmark = pytest.mark.spark

INVERSE = pipeline().map_not_none(lambda element: None if element == 2 else 4 // element)

CHOOSING: dict[str, Pipeline[Any, Any]] = {
    "map_not_none": pipeline().map_not_none(lambda n: n if n % 2 else None),
    "take_while": pipeline().take_while(lambda n: n < 3),
    "take_while, inclusive": pipeline().take_while(lambda n: n < 3, inclusive=True),
    "skip_while": pipeline().skip_while(lambda n: n < 3),
    "take_until": pipeline().take_until(lambda n: n == 3),
    "skip_until": pipeline().skip_until(lambda n: n == 3),
    "distinct": pipeline().distinct(),
    "distinct by key": pipeline().distinct(lambda n: n // 2),
    "distinct_until_changed": pipeline().distinct_until_changed(),
    "distinct_until_changed by key": pipeline().distinct_until_changed(lambda n: n // 2),
    "of_type": pipeline().of_type(int),
    "cast": pipeline().cast(int),
    "handle": pipeline().handle(lambda n, sink: sink.complete() if n == 4 else sink.emit(n) if n % 2 else None),
    "ignore_elements": pipeline().ignore_elements(),
    "map_indexed": pipeline().map_indexed(lambda n, index: n),
    "filter_indexed": pipeline().filter_indexed(lambda n, index: index % 2),
}

ELEMENTS = [0, 1, 1, 2, 3, 1, 4, 5]


@pytest.mark.parametrize("described", CHOOSING.values(), ids=CHOOSING)
def test_elements_keep_the_numbers_of_their_rows(described: Pipeline[Any, Any]) -> None:
    from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered, needs_numbers, numbered

    assert first_unnumbered(described) is None
    assert not needs_numbers(described)
    pairs = Stream.from_iterable([(100 + row, element) for row, element in enumerate(ELEMENTS)])
    chosen = pairs.through(numbered(described)).to_list()
    assert [element for _, element in chosen] == Stream.from_iterable(ELEMENTS).through(described).to_list()
    assert all(ELEMENTS[number - 100] == element for number, element in chosen)


@pytest.mark.parametrize("method", ["take_last", "skip_last"])
def test_what_reads_ahead_by_a_count_is_refused_before_a_key(method: str) -> None:
    from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered

    assert first_unnumbered(getattr(pipeline(), method)(2)) is not None


@pytest.mark.parametrize("method", ["take_until", "skip_until"])
def test_another_stream_cannot_be_sent_to_an_executor(method: str) -> None:
    from reactivestreams.spark.errors import NotSerializableError
    from reactivestreams.spark.plan.serialization import require_serializable

    require_serializable(getattr(pipeline(), method)(bool).operators)
    with pytest.raises(NotSerializableError, match=rf"operator {method}, built at"):
        require_serializable(getattr(pipeline(), method)(Stream.just(1)).operators)


def tolerant_results(described: Pipeline[Any, Any]) -> list[Any]:
    from reactivestreams.spark.on_error.tolerant_pipeline import first_intolerant, tolerant

    assert first_intolerant(described) is None
    return Stream.just((6, 1), (7, 2), (8, 0), (9, 4)).through(tolerant(described)).to_list()


TOLERANT: dict[str, tuple[Callable[[Pipeline[Any, Any]], Pipeline[Any, Any]], list[tuple[int, Any]]]] = {
    "map_not_none": (lambda chain: chain.map_not_none(lambda n: n if n == 4 else None), [(6, 4)]),
    "of_type": (lambda chain: chain.of_type(int), [(6, 4), (9, 1)]),
    "cast": (lambda chain: chain.cast(int), [(6, 4), (9, 1)]),
    "ignore_elements": (lambda chain: chain.ignore_elements(), []),
}


@pytest.mark.parametrize("name", TOLERANT)
def test_failure_takes_the_place_of_its_row_and_passes_the_operators_behind_it(name: str) -> None:
    from reactivestreams.spark.on_error.row_results import FailedRow

    add, expected = TOLERANT[name]
    results = tolerant_results(add(INVERSE))
    failures = [result for result in results if isinstance(result, FailedRow)]
    assert [result for result in results if not isinstance(result, FailedRow)] == expected
    assert [(each.number, each.element, each.error) for each in failures] == [(8, "0", "ZeroDivisionError")]


def test_element_of_another_type_is_a_failure_of_its_row() -> None:
    from reactivestreams.spark.on_error.row_results import FailedRow

    *passed, failure = tolerant_results(pipeline().map(lambda n: n if n < 4 else str(n)).cast(int))
    assert passed == [(6, 1), (7, 2), (8, 0)]
    assert isinstance(failure, FailedRow)
    assert (failure.number, failure.error) == (9, "ArgumentTypeError")
    assert failure.message.startswith("cast(int) got '4' (str), which is none")


@pytest.mark.parametrize("name", ["take_while", "distinct", "handle", "map_indexed"])
def test_what_depends_on_earlier_elements_cannot_leave_one_out(name: str) -> None:
    from reactivestreams.spark.on_error.tolerant_pipeline import first_intolerant

    assert first_intolerant(CHOOSING[name]) is not None
