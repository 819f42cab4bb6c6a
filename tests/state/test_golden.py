"""Snapshots that an earlier release wrote are read, and written again as the same bytes."""

import pytest

from reactivestreams.state import SnapshotReader, SnapshotWriter
from tests.state.golden_streams import EXAMPLES_AT_RELEASE, FOLDER, STREAMS, VALUES, files
from tests.state.shop import shop
from tests.state.test_codec_values import EXAMPLES
from tests.state.values import form


def golden(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def test_folder_holds_what_the_table_says() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(files())


@pytest.mark.parametrize("name", STREAMS)
def test_stream_goes_on_from_the_state_of_an_earlier_release(name: str) -> None:
    subject = STREAMS[name]
    whole, _ = subject.run()
    before, _ = subject.run(parks=True)
    after, _ = subject.run(from_state=golden(f"{name}.state"))
    assert before + after == whole
    assert before != whole or name in (
        "take_ended.1",
        "from_callable.1",
        "ignore_elements.1",
    )  # nothing but the end is left


NEWEST = {name.partition(".")[0]: name for name in STREAMS}  # the entries of a stream stand in their order


@pytest.mark.parametrize("name", NEWEST.values())
def test_present_layout_is_the_one_of_the_newest_file(name: str) -> None:
    """Where this fails since a layout changed: raise the operator's version, keep the file, add one beside it.

    Where another part of what was received waits as input, the version stays, and one file is added.
    """
    assert STREAMS[name].run(parks=True)[1] == golden(f"{name}.state")


def test_values_of_an_earlier_release_are_read() -> None:
    snapshot = SnapshotReader(golden(VALUES), registry=shop)
    again = SnapshotWriter(registry=shop)
    with snapshot.create("golden/values") as reader, again.create("golden/values", (1, 0, 0, 0)) as writer:
        for value, _ in EXAMPLES[:EXAMPLES_AT_RELEASE]:
            read = reader.read()
            assert form(read) == form(value)
            writer.write(read)
        with reader.create_child() as inner, writer.create_child() as child:
            child.write(inner.read(str))
        assert reader.try_read() == (False, None)
    snapshot.finish()
    assert again.finish() == golden(VALUES)
