"""Records: what a reader promises to an operator, and to its neighbors."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.errors import (
    ArgumentTypeError,
    NullElementError,
    StateError,
    StateFormatError,
    StateLimitError,
    StateTypeError,
)
from reactivestreams.state import SnapshotReader, SnapshotWriter, StateLimits, StateWriter, decode_value, encode_value
from tests.state.shop import Color, Place, shop
from tests.state.values import form, values
from tests.state.written_records import V1, Write, fields, nothing, reader_of, snapshot_of

# --- fields -------------------------------------------------------------------------------------------------------


@given(st.lists(values, max_size=4))
def test_fields_come_back_in_their_order(written: list[Any]) -> None:
    reader = SnapshotReader(snapshot_of(fields(*written)), registry=shop).create("0")
    alone = [decode_value(encode_value(field, registry=shop), registry=shop) for field in written]
    assert [form(reader.read()) for _ in written] == [form(field) for field in alone]
    assert reader.try_read() == (False, None)


def test_reader_knows_whose_record_it_is() -> None:
    snapshot = SnapshotWriter()
    with snapshot.create("a", (1, 2, 3, 4)):
        pass
    reader = SnapshotReader(snapshot.finish()).create("b")
    assert (reader.name, reader.version, reader.is_present) == ("a", (1, 2, 3, 4), True)


def test_reading_beyond_the_last_field_is_refused_and_trying_is_not() -> None:
    reader = reader_of(fields(1), fields(2))
    assert reader.try_read() == (True, 1)
    assert reader.try_read() == (False, None)
    with pytest.raises(StateFormatError) as refused:
        reader.read()
    assert str(refused.value).startswith("record 0 (0 at /0), field 1, byte ")
    assert str(refused.value).endswith(
        ": the record ends after 1 fields; read as many fields as were written; where the layout has changed, raise "
        "the operator's version"
    )


def test_field_that_cannot_be_saved_leaves_nothing_behind() -> None:
    def write(writer: StateWriter) -> None:
        writer.write(1)
        with pytest.raises(StateTypeError) as refused:
            writer.write([2, object()])
        assert str(refused.value).startswith("record 0 (0), field 1: a value of class builtins.object cannot be saved")
        assert refused.value.location == "record 0 (0), field 1"
        writer.write(3)

    assert snapshot_of(write) == snapshot_of(fields(1, 3))


def test_failed_read_does_not_pass_the_field_over() -> None:
    reader = reader_of(fields("text", 5))
    for _ in range(2):
        with pytest.raises(
            StateFormatError, match=r"field 0, byte .*: expected int, found str; read the fields in the or"
        ):
            reader.read(int)
    assert (reader.read(str), reader.read(int)) == ("text", 5)


@pytest.mark.parametrize(
    ("value", "fitting", "refused"),
    [
        (1, int, bool),
        (True, bool, int),
        (1.0, float, int),
        (None, type(None), int),
        ("a", str, bytes),
        (Place("a", 1), Place, Color),
        (Color.RED, Color, str),
        (ValueError("a"), Exception, KeyError),
        (NullElementError("a"), TypeError, ValueError),
        (1, (str, int), (str, bytes)),
        (None, int | None, int | str),
        (1, int | None, float | None),
        ([1], object, tuple),
    ],
    ids=repr,
)
def test_field_has_the_class_that_is_asked_for(value: Any, fitting: Any, refused: Any) -> None:
    assert form(reader_of(fields(value)).read(fitting)) == form(value)
    assert form(reader_of(fields(value)).try_read(fitting)[1]) == form(value)
    with pytest.raises(StateFormatError, match=r"expected [\w ]+, found"):
        reader_of(fields(value)).read(refused)


def test_classes_of_a_union_are_named_when_none_fits() -> None:
    with pytest.raises(StateFormatError, match="expected int or None, found str"):
        reader_of(fields("a")).read(int | None)


def test_datetime_is_no_date() -> None:
    with pytest.raises(StateFormatError, match="expected date, found datetime"):
        reader_of(fields(datetime(2024, 1, 1, tzinfo=UTC))).read(date)


@pytest.mark.parametrize("expected", ["int", 3, list[int]], ids=repr)
def test_what_is_no_class_cannot_be_asked_for(expected: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"read\(expected\) needs a class, got"):
        reader_of(fields(1)).read(expected)


# --- isolation ----------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(), max_size=4), min_size=1, max_size=4), st.data())
def test_what_is_left_unread_is_skipped(written: list[list[int]], data: st.DataObject) -> None:
    snapshot = SnapshotReader(snapshot_of(*(fields(*each) for each in written)))
    for index, each in enumerate(written):
        count = data.draw(st.integers(0, len(each)))
        with snapshot.create(str(index)) as reader:
            assert reader.name == str(index)
            assert [reader.read() for _ in range(count)] == each[:count]
    snapshot.finish()


def test_error_while_reading_leaves_the_next_record_whole() -> None:
    snapshot = SnapshotReader(snapshot_of(fields(1, 2), fields(3)))

    def fail() -> None:
        with snapshot.create("0") as reader:
            reader.read()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert snapshot.create("1").read() == 3


def test_record_that_is_given_back_is_seen_by_the_next_reader() -> None:
    snapshot = SnapshotReader(snapshot_of(fields(1, 2), fields(3)))
    with snapshot.create("other") as reader:
        assert reader.read() == 1
        reader.reset()
    with snapshot.create("0") as reader:
        assert (reader.name, reader.read(), reader.read()) == ("0", 1, 2)
    assert snapshot.create("1").read() == 3


def test_record_that_is_read_after_a_reset_is_not_given_back() -> None:
    snapshot = SnapshotReader(snapshot_of(fields(1, 2), fields(3)))
    with snapshot.create("0") as reader:
        reader.reset()
        assert reader.read() == 1
    assert snapshot.create("1").read() == 3


def test_one_record_is_read_at_a_time() -> None:
    snapshot = SnapshotReader(snapshot_of(nothing, nothing))
    first = snapshot.create("0")
    with pytest.raises(
        StateError, match=r"record 0 \(1\): record 0 \(0\) is still being read; dispose its reader first"
    ):
        snapshot.create("1")
    first.dispose()
    first.dispose()
    assert snapshot.create("1").name == "1"


def test_reader_where_no_record_is_left_has_no_fields() -> None:
    snapshot = SnapshotReader(snapshot_of())
    reader = snapshot.create("0")
    assert (reader.is_present, reader.name, reader.version, reader.try_read()) == (False, None, None, (False, None))
    with pytest.raises(StateFormatError, match="there is no record; read as many fields as were written"):
        reader.read()
    with pytest.raises(StateFormatError, match="the record ends here; read what was written in the order"):
        reader.create_child()


def test_reader_that_was_disposed_reads_nothing() -> None:
    reader = reader_of(fields(1))
    reader.dispose()
    for method in (reader.read, reader.try_read, reader.create_child, reader.reset):
        with pytest.raises(StateError, match=rf"{method.__name__}\(\) on a reader that was disposed; read before"):
            method()


# --- child records ------------------------------------------------------------------------------------------------


def family(writer: StateWriter) -> None:
    writer.write("before")
    with writer.create_child() as child:
        child.write(1)
        with child.create_child() as grandchild:
            grandchild.write("deep")
        child.write(2)
    writer.write("after")


def test_child_records_are_read_where_they_stand() -> None:
    reader = reader_of(family)
    assert reader.read() == "before"
    with reader.create_child() as child:
        assert child.read() == 1
        with child.create_child() as grandchild:
            assert grandchild.read() == "deep"
            assert grandchild.try_read() == (False, None)
        assert child.read() == 2
        assert child.try_read() == (False, None)
    assert reader.read() == "after"
    assert reader.try_read() == (False, None)


def test_rest_of_a_child_is_skipped() -> None:
    reader = reader_of(family)
    reader.read()
    reader.create_child().dispose()
    assert reader.read() == "after"


def test_child_that_is_given_back_is_seen_again() -> None:
    reader = reader_of(family)
    reader.read()
    with reader.create_child() as child:
        child.read()
        child.reset()
    with reader.create_child() as child:
        assert child.read() == 1
    assert reader.read() == "after"


def test_disposing_a_reader_disposes_its_children() -> None:
    snapshot = SnapshotReader(snapshot_of(family, fields(3)))
    reader = snapshot.create("0")
    reader.read()
    child = reader.create_child()
    child.read()
    child.create_child()
    reader.dispose()
    assert snapshot.create("1").read() == 3


def test_parent_waits_for_its_child() -> None:
    reader = reader_of(family)
    reader.read()
    child = reader.create_child()
    for method in (reader.read, reader.try_read, reader.create_child, reader.reset):
        with pytest.raises(
            StateError, match=rf"{method.__name__}\(\) while a child record is being read; dispose the c"
        ):
            method()
    child.dispose()
    snapshot = SnapshotWriter()
    writer = snapshot.create("0", V1)
    inner = writer.create_child()
    for write in (lambda: writer.write(1), writer.create_child, writer.dispose):
        with pytest.raises(StateError, match=r"\(\) while a child record is open; dispose the child first"):
            write()
    inner.dispose()
    writer.dispose()
    assert len(snapshot.finish()) > 0


def test_child_is_no_value_and_a_value_no_child() -> None:
    reader = reader_of(lambda writer: writer.create_child().dispose())
    with pytest.raises(StateFormatError, match=r"a child record stands here, no value; read it with create_child\(\)"):
        reader.read()
    assert reader.create_child().try_read() == (False, None)
    reader = reader_of(fields(1))
    with pytest.raises(StateFormatError, match="no child record stands here; read what was written in the order"):
        reader.create_child()
    assert reader.read() == 1


def test_place_of_an_error_goes_down_to_the_child() -> None:
    reader = reader_of(family)
    reader.read()
    child = reader.create_child()
    child.read()
    with pytest.raises(
        StateFormatError, match=r"^record 0 \(0 at /0\), field 1, field 1, field 0, byte \d+: expected int"
    ):
        child.create_child().read(int)


@pytest.mark.parametrize("limit", [1, 3])
def test_children_are_nested_as_deep_as_containers(limit: int) -> None:
    def nest(levels: int) -> Write:
        def write(writer: StateWriter) -> None:
            if levels:
                with writer.create_child() as child:
                    nest(levels - 1)(child)

        return write

    limits = StateLimits(max_depth=limit)
    assert snapshot_of(nest(limit), limits=limits)
    with pytest.raises(
        StateLimitError, match=f"child records nested deeper than max_depth={limit}; keep flatter state"
    ):
        snapshot_of(nest(limit + 1), limits=limits)
    reader = SnapshotReader(snapshot_of(nest(limit + 1)), limits=limits).create("0")
    for _ in range(limit):
        reader = reader.create_child()
    with pytest.raises(StateLimitError, match=f"child records nested deeper than max_depth={limit}; raise"):
        reader.create_child()
