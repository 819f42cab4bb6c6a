"""Arrow batches as bytes, in Arrow's stream format."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["batch_bytes", "stream_buffer"]


def stream_buffer(batches: "Iterable[pa.RecordBatch]", schema: "pa.Schema") -> "pa.Buffer":
    """Return batches of a schema as the bytes of an Arrow stream.

    Arrow writes them to its own buffer, so other Python threads can run meanwhile; with a Python file each piece of
    each batch would wait for the GIL.
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
