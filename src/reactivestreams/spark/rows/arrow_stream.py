"""Arrow batches as one block of bytes, in the format of Arrow's streams."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batch_bytes", "stream_buffer"]


def stream_buffer(batches: "Iterable[pa.RecordBatch]", schema: "pa.Schema") -> "pa.Buffer":
    """Return batches of a schema as the bytes of an Arrow stream.

    They are written by Arrow alone, so that other threads of Python run meanwhile; written to a file of Python, each
    piece of each batch would wait for the interpreter's lock.
    """
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


def batch_bytes(batch: "pa.RecordBatch") -> bytes:
    """Return an Arrow batch with its schema as bytes."""
    content: bytes = stream_buffer([batch], batch.schema).to_pybytes()
    return content
