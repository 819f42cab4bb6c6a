"""The comparison finds every kind of difference, names the first by row, and finds none where there is none."""

import pytest

from reactivestreams.demo.comparison import Comparison, Reference
from reactivestreams.errors import ArgumentError


def result(row: int, carrier: str = "UA", total: int = 0, *, minute: int = 15) -> tuple[int | str, ...]:
    return (row, "EWR", carrier, f"2013-01-01T05:{minute:02}", 5, 2, 1, total, 2, 2, 1, 0, "")


EXPECTED = [result(1), result(2, "9E"), result(4), result(5, "9E"), result(6)]


def compare(results, *, ordered: bool = True):
    reference = Reference(6)
    for expected in EXPECTED:
        reference.add(expected)
    comparison = Comparison("Other run", reference, ordered=ordered)
    for actual in results:
        comparison.check(actual)
    return comparison.difference()


def test_same_results_are_equal() -> None:
    assert compare(EXPECTED) is None


def test_keys_may_be_interleaved_in_another_way() -> None:
    assert compare([EXPECTED[1], EXPECTED[3], EXPECTED[0], EXPECTED[2], EXPECTED[4]]) is None


@pytest.mark.parametrize("removed", range(5))
def test_any_one_removed_result_is_missed(removed: int) -> None:
    difference = compare(EXPECTED[:removed] + EXPECTED[removed + 1 :])

    assert difference is not None
    assert (difference.kind, difference.row, difference.count) == ("missing", EXPECTED[removed][0], 1)
    assert (difference.expected, difference.actual) == (EXPECTED[removed], None)


@pytest.mark.parametrize("column", range(1, 13))
def test_any_one_changed_value_is_found(column: int) -> None:
    changed = list(EXPECTED[2])
    changed[column] = "XXX" if isinstance(changed[column], str) else 99

    difference = compare([*EXPECTED[:2], tuple(changed), *EXPECTED[3:]])

    assert difference is not None
    assert (difference.kind, difference.row, difference.count) == ("differs", 4, 1)


def test_first_difference_is_that_of_the_lowest_row_at_equal_times() -> None:
    difference = compare([result(1), result(2, "9E"), result(4, total=1), result(6, total=1)])

    assert difference is not None
    assert (difference.row, difference.count) == (4, 3)


def test_result_that_comes_twice_is_found() -> None:
    difference = compare([*EXPECTED, EXPECTED[4]])

    assert difference is not None
    assert (difference.kind, difference.row) == ("twice", 6)


@pytest.mark.parametrize("row", [3, 0, 7, -1])
def test_result_of_a_row_without_one_is_found(row: int) -> None:
    difference = compare([*EXPECTED, result(row)])

    assert difference is not None
    assert (difference.kind, difference.row) == ("unexpected", row)


def test_disorder_within_a_key_is_found_where_order_is_asked_for() -> None:
    swapped = [EXPECTED[2], EXPECTED[0], *EXPECTED[3:], EXPECTED[1]]

    difference = compare(swapped)

    assert difference is not None
    assert (difference.kind, difference.row, difference.count) == ("out of order", 1, 2)
    assert compare(swapped, ordered=False) is None


def test_order_within_a_key_is_that_of_the_scheduled_departure() -> None:
    by_schedule = [result(3, minute=1), result(1, minute=5), result(2, minute=5)]
    reference = Reference(3)
    for expected in by_schedule:
        reference.add(expected)
    ordered, disordered = Comparison("Ordered", reference, ordered=True), Comparison("By row", reference, ordered=True)
    for actual in by_schedule:
        ordered.check(actual)
    for actual in sorted(by_schedule):
        disordered.check(actual)

    difference = disordered.difference()
    assert ordered.difference() is None
    assert difference is not None
    assert (difference.kind, difference.row, difference.count) == ("out of order", 3, 1)


def test_first_difference_is_that_of_the_earliest_departure() -> None:
    reference = Reference(2)
    for expected in (result(1, minute=30), result(2, minute=10)):
        reference.add(expected)

    difference = Comparison("Empty", reference, ordered=True).difference()

    assert difference is not None
    assert (difference.kind, difference.row, difference.count) == ("missing", 2, 2)


def test_message_names_run_row_key_and_both_values() -> None:
    assert str(compare(EXPECTED[1:])) == (
        f"Other run: the result of row 1 (origin EWR, carrier UA) is missing: expected {EXPECTED[0]}, got None; "
        "1 difference in total"
    )


def test_reference_refuses_a_second_result_of_a_row() -> None:
    reference = Reference(2)
    reference.add(result(2))

    with pytest.raises(ArgumentError, match="row 2 came twice"):
        reference.add(result(2))


@pytest.mark.parametrize("row", [0, 3])
def test_reference_refuses_a_row_outside_its_size(row: int) -> None:
    with pytest.raises(ArgumentError, match=f"row {row} is outside 1 to 2"):
        Reference(2).add(result(row))


def test_reference_gives_its_results_in_the_order_of_rows() -> None:
    reference = Reference(3)
    for row in (3, 1):
        reference.add(result(row))

    assert [kept.row for kept in reference.results()] == [1, 3]
