"""How the fuzzer damages bytes: cut, flipped, put in another order, blown up, nested, mixed with others."""

import struct
import zlib
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[Random, bytearray, Sequence[bytes]], None]

TAGS = b"NTFiIfDsbdacpu[({<>eoxr"
INTERESTING = b"\x00\x01\x02\x7f\x80\xff" + TAGS
LARGEST = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
# Header and footer of a snapshot, as documented.
HEADER_BYTES = 66
FOOTER_BYTES = 8


def _place(random: Random, data: bytearray) -> int:
    return int(random.random() * len(data))


def flip(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    if data:
        data[_place(random, data)] ^= 1 << random.getrandbits(3)


def overwrite(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    if data:
        data[_place(random, data)] = random.choice(INTERESTING)


def cut_end(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    del data[_place(random, data) :]


def cut_out(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    start = _place(random, data)
    del data[start : start + 1 + random.getrandbits(3)]


def insert(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    start = _place(random, data)
    data[start:start] = random.randbytes(1 + random.getrandbits(2))


def insert_tag(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    data.insert(_place(random, data), random.choice(TAGS))


def repeat(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    start = _place(random, data)
    data[start:start] = data[start : start + 1 + random.getrandbits(4)]


def reorder(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    first, second, third = sorted(_place(random, data) for _ in range(3))
    data[first:third] = data[second:third] + data[first:second]


def oversize(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    start = _place(random, data)
    data[start : start + 1] = LARGEST[-1 - random.randrange(len(LARGEST)) :]


def nest(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    start = _place(random, data)
    data[start:start] = random.choice((b"[\x01", b"(\x01", b"{\x01N", b"<\x01")) * random.choice((1, 10, 70, 300))


def splice(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    other = random.choice(others)
    start, there = _place(random, data), int(random.random() * (len(other) + 1))
    data[start : start + random.getrandbits(3)] = other[there : there + 1 + random.getrandbits(5)]


def replace_front(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Put a whole value in front, where a record has its heading."""
    data[: _place(random, data)] = random.choice(others)


def replace_all(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    data[:] = random.choice(others) if random.getrandbits(2) else random.randbytes(random.getrandbits(6))


COMMON: list[Mutation] = [flip, flip, flip, overwrite, overwrite, cut_out, insert, insert_tag, repeat, reorder, splice]
RARE: list[Mutation] = [cut_end, oversize, nest, replace_front, replace_all]


def mutated(random: Random, original: bytes, others: Sequence[bytes]) -> bytes:
    """Return damaged bytes; once in a while they are whole by chance."""
    data = bytearray(original)
    while True:
        mutations = RARE if random.random() < 0.15 else COMMON
        mutations[int(random.random() * len(mutations))](random, data, others)
        if random.random() < 0.6:
            return bytes(data)


def records_of(snapshot: bytes) -> list[bytes]:
    """Return the payloads of the records of a whole snapshot."""
    found, position = [], HEADER_BYTES
    while position < len(snapshot) - FOOTER_BYTES:
        (length,) = struct.unpack_from("<q", snapshot, position)
        found.append(snapshot[position + 8 : position + 8 + length])
        position += 8 + length + 4
    return found


def with_records(header: bytes, payloads: Sequence[bytes]) -> bytes:
    """Return a snapshot of these records with the right lengths and checksums, as a writer of its own would make it."""
    parts, checksum = [header], zlib.crc32(header)
    for payload in payloads:
        record = struct.pack("<q", len(payload)) + payload
        checksum = zlib.crc32(record, checksum)
        parts += [record, struct.pack("<I", checksum)]
    footer = b"\xde\xad\xde\xad"
    return b"".join(parts) + footer + struct.pack("<I", zlib.crc32(footer, checksum))
