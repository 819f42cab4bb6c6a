"""Snapshots: header, checksums and footer, and what is said about bytes that are none."""

import struct
import zlib
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError, StateFormatError
from reactivestreams.state import SnapshotReader, SnapshotWriter, encode_value

HEADER = (
    b"\x8dRSS"
    + struct.pack("<4i", 1, 0, 0, 0)
    + struct.pack("<i", 0)
    + struct.pack("<I", 22)
    + b"reactivestreams.tagged"
    + struct.pack("<4i", 1, 0, 0, 0)
)
FOOTER = b"\xde\xad\xde\xad"
REMEDIES = ("load an older checkpoint", "no snapshot of this project", "older checkpoint", "one that knows both")


def by_hand(*payloads: bytes) -> bytes:
    """Return a snapshot that is put together as the documentation of the format says."""
    data, checksum = HEADER, zlib.crc32(HEADER)
    for payload in payloads:
        record = struct.pack("<q", len(payload)) + payload
        checksum = zlib.crc32(record, checksum)
        data += record + struct.pack("<I", checksum)
    return data + FOOTER + struct.pack("<I", zlib.crc32(FOOTER, checksum))


def heading(name: Any, version: Any = (1, 0, 0, 0)) -> bytes:
    return encode_value(name) + encode_value(version)


def three_records() -> bytes:
    snapshot = SnapshotWriter()
    for name in ("first", "second", "second"):
        with snapshot.create(name, (1, 0, 0, 0)) as writer:
            writer.write(name)
    return snapshot.finish()


def refusal(data: bytes) -> str:
    with pytest.raises(StateFormatError) as refused:
        SnapshotReader(data)
    message = str(refused.value)
    assert message.startswith("saved state, byte ")
    assert any(remedy in message for remedy in REMEDIES), message
    return message


def test_snapshot_is_what_the_documentation_says_byte_for_byte() -> None:
    payloads = [heading(name) + encode_value(name) for name in ("first", "second", "second")]
    assert three_records() == by_hand(*payloads)
    assert SnapshotWriter().finish() == by_hand()


def test_child_record_is_tag_length_and_payload() -> None:
    snapshot = SnapshotWriter()
    with snapshot.create("a", (1, 0, 0, 0)) as writer, writer.create_child() as child:
        child.write(None)
    assert snapshot.finish() == by_hand(heading("a") + b"r" + struct.pack("<q", 1) + b"N")


def test_same_state_is_the_same_snapshot() -> None:
    assert three_records() == three_records()


def test_every_cut_is_refused() -> None:
    data = three_records()
    for length in range(len(data)):
        refusal(data[:length])


def test_every_flip_of_a_bit_is_refused() -> None:
    data = three_records()
    for position in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[position] ^= 1 << bit
            refusal(bytes(damaged))


def test_more_bytes_at_the_end_are_refused() -> None:
    assert "the footer is missing" in refusal(three_records() + b"\x00")
    assert "the footer is missing" in refusal(three_records() + three_records()[:7])


def records_of(data: bytes) -> list[bytes]:
    """Return the records of a snapshot with their checksums."""
    found, position = [], len(HEADER)
    while position < len(data) - 8:
        (length,) = struct.unpack_from("<q", data, position)
        found.append(data[position : position + 8 + length + 4])
        position += len(found[-1])
    return found


def test_records_in_another_order_are_refused() -> None:
    data = three_records()
    first, second, third = records_of(data)
    assert HEADER + first + second + third + data[-8:] == data
    for records in ([second, first, third], [first, third, second], [first, second], [first, second, second, third]):
        said = refusal(HEADER + b"".join(records) + data[-8:])
        assert "does not have its checksum, or bytes before it were changed" in said


def test_record_of_another_snapshot_is_refused() -> None:
    snapshot = SnapshotWriter()
    with snapshot.create("first", (1, 0, 0, 0)) as writer:
        writer.write("other")
    foreign = records_of(snapshot.finish())[0]
    data = three_records()
    _, *others = records_of(data)
    assert "record 1 does not have its checksum" in refusal(HEADER + foreign + b"".join(others) + data[-8:])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "byte 0: it is empty; begin without state, or load an older checkpoint"),
        (
            b"BD" + bytes(100),
            "byte 0: it begins with b'BD\\x00\\x00', not with b'\\x8dRSS'; it is no snapshot of this pr",
        ),
        (b"\x80\x04\x95", "it is no snapshot of this project"),
        (b"\x8dRSS", "byte 4: it ends within the header"),
        (HEADER[:-1], f"byte {len(HEADER) - 1}: it ends within the header"),
        (HEADER, f"byte {len(HEADER) - 8}: the footer is missing: the end was cut off"),
        (HEADER + FOOTER, "the footer is missing: the end was cut off"),
        (HEADER + bytes(4) + FOOTER + bytes(4), "8 bytes should follow, and there are 4"),
        (
            HEADER + struct.pack("<q", 2**62) + bytes(9) + FOOTER + bytes(4),
            "record 0 should have 4611686018427387904 bytes, and there are 9",
        ),
        (
            HEADER + struct.pack("<q", -1) + bytes(9) + FOOTER + bytes(4),
            "record 0 should have 18446744073709551615 byt",
        ),
        (
            HEADER.replace(b"RSS\x01", b"RSS\x02"),
            "byte 4: format version 2.0.0.0, which a later release wrote; this one reads 1.0.0.0: load it with",
        ),
        (HEADER.replace(b"RSS\x01", b"RSS\x00"), "byte 4: format version 0.0.0.0, which no release wrote"),
        (
            HEADER[:20] + b"\x05" + HEADER[21:],
            "byte 20: flags 0x5, of which none is known here; load it with a later rel",
        ),
        (
            HEADER.replace(b"tagged", b"packed"),
            "byte 28: values written by b'reactivestreams.packed' version 1.0.0.0; this release reads those of",
        ),
        (HEADER[:-16] + struct.pack("<4i", 1, 1, 0, 0), "values written by b'reactivestreams.tagged' version 1.1.0.0"),
    ],
)
def test_what_is_no_snapshot_is_refused_with_the_reason(data: bytes, said: str) -> None:
    assert said in refusal(data)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (heading(1), "the record does not begin with the name of an operator"),
        (heading(None), "the record does not begin with the name of an operator"),
        (heading("a", [1, 0, 0, 0]), "no version of an operator stands after the name 'a'"),
        (heading("a", (1, 0, 0)), "no version of an operator stands after the name 'a'"),
        (heading("a", (1, 0, 0, 0, 0)), "no version of an operator stands after the name 'a'"),
        (heading("a", (1, 0, 0, -1)), "no version of an operator stands after the name 'a'"),
        (heading("a", (1, 0, 0, 2**63)), "no version of an operator stands after the name 'a'"),
        (heading("a", (True, 0, 0, 0)), "no version of an operator stands after the name 'a'"),
        (heading("a", ("1", 0, 0, 0)), "no version of an operator stands after the name 'a'"),
    ],
)
def test_record_without_name_and_version_is_refused(payload: bytes, said: str) -> None:
    snapshot = SnapshotReader(by_hand(payload))
    with pytest.raises(StateFormatError, match=rf"record 0 \(take\), field 0, byte \d+: {said}; they are damaged"):
        snapshot.create("take")


@pytest.mark.parametrize("payload", [b"", b"s", encode_value("a"), b"[\x01" * 100])
def test_record_that_ends_within_its_heading_is_refused(payload: bytes) -> None:
    with pytest.raises(StateFormatError, match=r"record 0 \(take\), field 0, byte \d+: "):
        SnapshotReader(by_hand(payload)).create("take")


def test_child_that_is_longer_than_its_record_is_refused() -> None:
    for length in (2, 2**62, -1):
        reader = SnapshotReader(by_hand(heading("a") + b"r" + struct.pack("<q", length) + b"N")).create("a")
        with pytest.raises(
            StateFormatError, match=r"a child record should have .* bytes, and the record around it has few"
        ):
            reader.create_child()


def test_field_cannot_be_read_out_of_the_bounds_of_its_record() -> None:
    reader = SnapshotReader(by_hand(heading("a") + b"s\x05abc", heading("b"))).create("a")
    with pytest.raises(StateFormatError, match="5 bytes or values should follow, and 3 bytes are left"):
        reader.read()


def test_records_that_were_not_read_are_reported() -> None:
    snapshot = SnapshotReader(three_records())
    snapshot.create("first").dispose()
    with pytest.raises(
        StateFormatError, match="the record of 'second' was not read, since the tree that loads has fewer"
    ):
        snapshot.finish()
    snapshot = SnapshotReader(three_records())
    snapshot.create("first").dispose()
    snapshot.finish(removed={"second"})


@pytest.mark.parametrize("data", ["text", None, 3])
def test_what_has_no_buffer_is_refused(data: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"saved state is bytes, got .* \(\w+\); pass what save_tree\(\), SnapshotWriter.finish"
    ):
        SnapshotReader(data)


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_anything_with_a_buffer_is_read(make: Any) -> None:
    assert SnapshotReader(make(three_records())).create("first").read() == "first"


def test_writers_of_a_checkpoint_know_its_number() -> None:
    snapshot = SnapshotWriter(checkpoint_id=7)
    with snapshot.create("example/sink", (1, 0, 0, 0)) as writer:
        assert writer.checkpoint_id == 7
        with writer.create_child() as child:
            assert child.checkpoint_id == 7
    with SnapshotWriter().create("example/sink", (1, 0, 0, 0)) as writer:
        assert writer.checkpoint_id is None
