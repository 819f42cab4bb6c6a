"""map_not_none where elements travel with the number of their row, or as the failure that took their place."""

import pytest

from reactivestreams import Stream, pipeline

pytestmark = pytest.mark.spark

INVERSE = pipeline().map_not_none(lambda element: None if element == 2 else 4 // element)


def test_results_take_over_the_number_of_their_row() -> None:
    from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered, needs_numbers, numbered

    assert first_unnumbered(INVERSE) is None
    assert not needs_numbers(INVERSE)
    assert Stream.just((7, 1), (8, 2), (9, 4)).through(numbered(INVERSE)).to_list() == [(7, 4), (9, 1)]


def test_failure_takes_the_place_of_its_row_and_passes_the_operators_behind_it() -> None:
    from reactivestreams.spark.on_error.row_results import FailedRow
    from reactivestreams.spark.on_error.tolerant_pipeline import first_intolerant, tolerant

    twice = tolerant(INVERSE.through(INVERSE))
    assert first_intolerant(INVERSE) is None
    first, failure, last = Stream.just((6, 1), (7, 2), (8, 0), (9, 4)).through(twice).to_list()
    assert (first, last) == ((6, 1), (9, 4))
    assert isinstance(failure, FailedRow)
    assert (failure.number, failure.element, failure.error) == (8, "0", "ZeroDivisionError")
