"""Records: what a writer promises, and the bounds of what it writes and a reader reads."""

import sys
import threading
from collections.abc import Callable
from datetime import datetime, tzinfo

import pytest

from reactivestreams.errors import StateError, StateLimitError
from reactivestreams.state import SnapshotReader, SnapshotWriter, StateLimits, StateWriter
from tests.state.written_records import V1, fields, nothing, snapshot_of


def test_record_through_which_an_exception_passes_is_taken_out() -> None:
    snapshot = SnapshotWriter()

    def fail() -> None:
        with snapshot.create("broken", V1) as writer:
            writer.write(1)
            writer.create_child().write(2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with snapshot.create("0", V1) as writer:
        writer.write(3)
    assert snapshot.finish() == snapshot_of(fields(3))


def test_child_through_which_an_exception_passes_is_taken_out() -> None:
    def fail(writer: StateWriter) -> None:
        with writer.create_child() as child:
            child.write(2)
            raise ZeroDivisionError

    def write(writer: StateWriter) -> None:
        writer.write(1)
        with pytest.raises(ZeroDivisionError):
            fail(writer)
        writer.write(3)

    assert snapshot_of(write) == snapshot_of(fields(1, 3))


def test_writer_that_was_disposed_writes_nothing() -> None:
    snapshot = SnapshotWriter()
    writer = snapshot.create("0", V1)
    writer.dispose()
    writer.dispose()
    writer.discard()
    for write in (lambda: writer.write(1), writer.create_child):
        with pytest.raises(StateError, match=r"after the end of the record; write before it is disposed"):
            write()
    assert snapshot.finish() == snapshot_of(nothing)


def test_one_record_is_written_at_a_time() -> None:
    snapshot = SnapshotWriter()
    writer = snapshot.create("0", V1)
    with pytest.raises(
        StateError, match=r"record 0 \(1\): record 0 \(0\) is still being written; dispose its writer f"
    ):
        snapshot.create("1", V1)
    with pytest.raises(StateError, match=r"record 0 \(0\) is still being written; dispose its writer first"):
        snapshot.finish()
    writer.dispose()
    assert snapshot.finish() == snapshot_of(nothing)


def test_finished_snapshot_takes_no_more_records() -> None:
    snapshot = SnapshotWriter()
    snapshot.finish()
    with pytest.raises(StateError, match="the snapshot is finished; start another one"):
        snapshot.create("0", V1)
    with pytest.raises(StateError, match="the snapshot is already finished; start another one"):
        snapshot.finish()


class Meddling(tzinfo):
    """A zone that does something when it is asked for its offset."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        self.meddle = meddle

    def utcoffset(self, moment: datetime | None) -> None:
        self.meddle()


@pytest.mark.parametrize("method", ["write", "create_child", "dispose", "discard"])
def test_code_that_is_called_from_inside_of_a_write_cannot_write(method: str) -> None:
    def write(writer: StateWriter) -> None:
        arguments = [1] if method == "write" else []
        moment = datetime(2024, 1, 1, tzinfo=Meddling(lambda: getattr(writer, method)(*arguments)))
        with pytest.raises(StateError, match="saved state is written by two at once: another thread, or code that is"):
            writer.write([moment])
        writer.write(1)

    assert snapshot_of(write) == snapshot_of(fields(1))


def test_other_thread_cannot_write_meanwhile() -> None:
    refusals: list[BaseException] = []

    def write(writer: StateWriter) -> None:
        def from_another_thread() -> None:
            def attempt() -> None:
                try:
                    writer.write(2)
                except StateError as error:
                    refusals.append(error)

            thread = threading.Thread(target=attempt)
            thread.start()
            thread.join()

        writer.write(datetime(2024, 1, 1, tzinfo=Meddling(from_another_thread)))

    assert SnapshotReader(snapshot_of(write)).create("0").read(datetime).tzinfo is None
    assert [type(error) for error in refusals] == [StateError]


def test_other_thread_cannot_write_while_the_checksum_is_made() -> None:
    refusals: list[str] = []
    begins = threading.Event()

    def attempt() -> None:
        begins.wait(20)
        try:
            writer.write(b"late")
        except StateError as error:
            refusals.append(str(error))

    content = bytes(64 << 20)  # its checksum takes a while, without the GIL
    snapshot = SnapshotWriter()
    writer = snapshot.create("0", V1)
    writer.write(content)
    thread = threading.Thread(target=attempt)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(20)  # so this thread gives the GIL away in dispose() only, where the other one gets it
    try:
        begins.set()
        writer.dispose()
    finally:
        sys.setswitchinterval(interval)
    thread.join(20)
    assert len(refusals) == 1
    with SnapshotReader(snapshot.finish()).create("0") as reader:
        assert (reader.read(bytes) == content, reader.try_read()) == (True, (False, None))


# --- limits -------------------------------------------------------------------------------------------------------


def test_values_are_counted_in_each_record() -> None:
    limits = StateLimits(max_values=10)
    within = fields([1, 2])  # beside it count name and version, which are six
    data = snapshot_of(within, within, limits=limits)
    snapshot = SnapshotReader(data, limits=limits)
    for name in ("0", "1"):
        with snapshot.create(name) as reader:
            assert reader.read() == [1, 2]
    with pytest.raises(StateLimitError, match="more than max_values=10 values in one record"):
        snapshot_of(fields([1, 2, 3, 4]), limits=limits)
    with pytest.raises(StateLimitError, match=r"record 0 \(0\), field 0, byte \d+: more than max_values=10 values"):
        SnapshotReader(snapshot_of(fields([1, 2, 3, 4])), limits=limits).create("0").read()


def test_records_are_counted() -> None:
    limits = StateLimits(max_records=2)
    assert snapshot_of(nothing, nothing, limits=limits)
    with pytest.raises(StateLimitError, match=r"record 2 \(2\): more than max_records=2 records; raise max_records of"):
        snapshot_of(nothing, nothing, nothing, limits=limits)
    with pytest.raises(StateLimitError, match="more than max_records=2 records; raise max_records of StateLimits"):
        SnapshotReader(snapshot_of(nothing, nothing, nothing), limits=limits)


def test_size_of_a_snapshot_is_bounded_exactly() -> None:
    size = len(snapshot_of(fields("text")))
    assert len(snapshot_of(fields("text"), limits=StateLimits(max_bytes=size))) == size
    for most in range(1, size):
        with pytest.raises(StateLimitError, match=f"more than max_bytes={most} bytes"):
            snapshot_of(fields("text"), limits=StateLimits(max_bytes=most))
    with pytest.raises(StateLimitError, match=f"saved state, byte 0: {size} bytes, more than max_bytes={size - 1}"):
        SnapshotReader(snapshot_of(fields("text")), limits=StateLimits(max_bytes=size - 1))
