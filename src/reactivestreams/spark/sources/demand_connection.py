"""One connection of an executor: assembles bytes into complete frames of bounded size."""

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reactivestreams.spark.sources.batch_push import BATCH, END, HEAD, HELLO, MAX_FRAME_BYTES, SCHEMA

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Connection", "FrameError"]

MAX_SCHEMA_BYTES = 2**24


class FrameError(Exception):
    """Report invalid bytes or an unwanted connection; the error never leaves the server."""


class Connection:
    """Reads the frames of one executor from a socket that does not block; only the socket thread uses it.

    Args:
        accepted: The socket.
    """

    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.partition: int | None = None
        self.schema: pa.Schema | None = None
        self.kind: bytes | None = b""  # the first frame, the hello, has no head
        self.buffer: bytearray = bytearray(HELLO.size)
        self.filled: int = 0

    def receive(self) -> Iterator[tuple[bytes, bytearray]]:
        """Read available bytes and yield the frame that they complete, if any, with its kind.

        Raises:
            ConnectionError: The other side has closed.
            FrameError: The bytes are not a frame.
        """
        count = self.socket.recv_into(memoryview(self.buffer)[self.filled :])
        if count == 0:
            raise ConnectionError("closed by the other side")
        self.filled += count
        if self.filled < len(self.buffer):
            return
        buffer, kind = self.buffer, self.kind
        if kind is not None:
            self.expect_frames()
            yield kind, buffer
            return
        kind, size = HEAD.unpack(buffer)
        limit = {SCHEMA: MAX_SCHEMA_BYTES, BATCH: MAX_FRAME_BYTES, END: 0}.get(kind)
        if limit is None or not 0 <= size <= limit:
            raise FrameError(f"a frame of kind {kind!r} with {size} bytes")
        if size == 0:
            self.expect_frames()
            yield kind, bytearray()
            return
        self.kind, self.buffer, self.filled = kind, bytearray(size), 0

    def expect_frames(self) -> None:
        """Read the head of a frame next."""
        self.kind, self.buffer, self.filled = None, bytearray(HEAD.size), 0

    def read_schema(self, payload: bytearray) -> None:
        """Store the schema of the following batches."""
        import pyarrow as pa

        try:
            self.schema = pa.ipc.read_schema(pa.py_buffer(payload))
        except pa.ArrowException as error:
            raise FrameError(f"a schema that cannot be read: {error}") from error

    def read_batch(self, payload: bytearray) -> "pa.RecordBatch":
        """Return a batch; its columns reference the payload."""
        import pyarrow as pa

        if self.schema is None:
            raise FrameError("a batch before its schema")
        try:
            return pa.ipc.read_record_batch(pa.py_buffer(payload), self.schema)
        except (pa.ArrowException, OSError) as error:
            raise FrameError(f"a batch that cannot be read: {error}") from error
