"""The operator in the note of the core: its name and line, without the element, of which messages say the row."""

import pytest

from reactivestreams import Stream
from reactivestreams.spark.operator_names import failed_operator


def test_operator_and_line_are_found_without_the_element() -> None:
    stream = Stream.just((1, ", assembled at a.py:3 in f, for element 2")).map(lambda row: row[2])
    with pytest.raises(IndexError) as raised:
        stream.run()
    found = failed_operator(raised.value)
    assert found is not None
    assert (found.name, found.assembly) == ("map", str(stream.assembly))


def test_error_without_a_note_names_no_operator() -> None:
    assert failed_operator(ValueError("mine")) is None
