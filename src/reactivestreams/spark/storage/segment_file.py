"""One file of the write-ahead log: a header with a checksum, and the elements as an Arrow stream.

Layout: `MAGIC`, then format version, length of the header, length of the payload and the checksum of both as
big-endian numbers (`PREFIX`), the header as JSON, the payload.
"""

import json
import os
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import WriteAheadLogError
from reactivestreams.spark.rows.arrow_stream import stream_buffer
from reactivestreams.spark.storage.atomic_write import sync_folder
from reactivestreams.spark.storage.element_run import ElementRun

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SEGMENT_SUFFIX", "UNFINISHED_SUFFIX", "read_segment", "segment_name", "write_segment"]

SEGMENT_SUFFIX = ".elements"
UNFINISHED_SUFFIX = ".unfinished"
MAGIC = b"RSPYWAL\n"
FORMAT_VERSION = 1
PREFIX = struct.Struct(">8sHIQI")


def segment_name(start: int, end: int) -> str:
    """Return the name of the file of a range; names sort like their ranges."""
    return f"{start:020d}-{end:020d}{SEGMENT_SUFFIX}"


def write_segment(folder: Path, run: ElementRun, schema: "pa.Schema") -> Path:
    """Write a run of elements; afterwards its file is either complete and durable, or does not exist.

    Raises:
        OSError: The write failed; no file is left.
    """
    payload = stream_buffer(run.batches, schema)
    header = json.dumps({"start": run.start, "end": run.end, "form": run.form}).encode()
    checksum = zlib.crc32(payload, zlib.crc32(header))
    path = folder / segment_name(run.start, run.end)
    unfinished = path.with_suffix(UNFINISHED_SUFFIX)
    try:
        with open(unfinished, "wb") as file:
            file.write(PREFIX.pack(MAGIC, FORMAT_VERSION, len(header), payload.size, checksum))
            file.write(header)
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        os.rename(unfinished, path)
        sync_folder(folder)
    except BaseException:
        # Also if only the sync of the folder failed: the caller still has the elements and writes them again.
        unfinished.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise
    return path


def read_segment(path: Path) -> tuple[ElementRun, "pa.Schema"]:
    """Return the elements of a file, and their schema.

    Raises:
        WriteAheadLogError: The file is damaged or of another version.
    """
    import pyarrow as pa

    content = path.read_bytes()
    if len(content) < PREFIX.size:
        raise damaged(path, f"it ends after {len(content)} bytes, inside its header")
    magic, version, header_length, payload_length, checksum = PREFIX.unpack_from(content)
    if magic != MAGIC:
        raise damaged(path, "it does not begin like a file of a write-ahead log")
    if version != FORMAT_VERSION:
        raise WriteAheadLogError(
            f"{path} has format version {version}, but this program reads version {FORMAT_VERSION}; "
            "finish the query with the program that wrote the log"
        )
    expected = PREFIX.size + header_length + payload_length
    if len(content) != expected:
        raise damaged(path, f"it has {len(content)} bytes instead of {expected}")
    body = memoryview(content)[PREFIX.size :]
    if zlib.crc32(body) != checksum:
        raise damaged(path, "its checksum does not match")
    header: dict[str, Any] = json.loads(bytes(body[:header_length]))
    with pa.ipc.open_stream(pa.py_buffer(body[header_length:])) as reader:
        run = ElementRun(header["start"], header["end"], list(reader), header["form"])
        return run, reader.schema


def damaged(path: Path, reason: str) -> WriteAheadLogError:
    """Return the error for a file that cannot be read."""
    return WriteAheadLogError(
        f"{path} is damaged: {reason}; restore it from a copy, or restart the query with an empty log and checkpoint"
    )
