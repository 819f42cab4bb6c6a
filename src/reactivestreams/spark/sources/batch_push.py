"""The function with which executors push the batches of a partition to this process, one per unit of demand.

It is sent by value and does not import this package, so that executors need not have it installed.

A connection starts with `HELLO`: the mark of the protocol, the token, the partition, the attempt. The answer is the
number of batches of this partition that earlier attempts have delivered, or `REFUSED`. Then the executor sends frames,
each with a head (kind and length) and a payload: the schema before the first batch, then one batch for each byte of
demand, then the end, which is answered by one byte.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "ANSWER",
    "BATCH",
    "DEMAND",
    "END",
    "HEAD",
    "HELLO",
    "MAX_FRAME_BYTES",
    "PROTOCOL",
    "PUSHED_SCHEMA",
    "REFUSED",
    "SCHEMA",
    "TOKEN_BYTES",
    "pusher",
    "pusher_factory",
]

PROTOCOL = b"rs-demand-1\0"
TOKEN_BYTES = 32
HELLO = struct.Struct(f"!{len(PROTOCOL)}s{TOKEN_BYTES}siq")
ANSWER = struct.Struct("!q")
HEAD = struct.Struct("!cq")
REFUSED = -1
SCHEMA, BATCH, END = b"S", b"B", b"E"
DEMAND = b"\x01"

MAX_FRAME_BYTES = 256 * 2**20
"""Largest frame; an executor splits a larger batch by rows."""

CONNECT_SECONDS = 30.0
"""Longest time for an executor to connect and to be answered."""

PUSHED_SCHEMA = "partition int, batches long"
"""Columns of the results of the tasks."""


def pusher(address: tuple[str, int], token: bytes, *, max_frame_bytes: int = MAX_FRAME_BYTES) -> Callable[[Any], Any]:
    """Return the function for `mapInArrow`.

    Args:
        address: Host and port of the server.
        token: The token that the server requires.
        max_frame_bytes: Largest frame to send.
    """
    return pusher_factory(max_frame_bytes)(address, token)


def pusher_factory(max_frame_bytes: int = MAX_FRAME_BYTES) -> Callable[[tuple[str, int], bytes], Callable[[Any], Any]]:
    """Return `pusher` as a function that can be sent by value, for a process that gets the address later."""
    # Local variables instead of globals, because the function is sent by value with everything that it uses.
    protocol, hello, answer, head, connect_seconds = PROTOCOL, HELLO.format, ANSWER.format, HEAD.format, CONNECT_SECONDS
    refused, schema_kind, batch_kind, end_kind = REFUSED, SCHEMA, BATCH, END

    def push_to(address: tuple[str, int], token: bytes) -> Callable[[Any], Any]:
        def push(batches: Any) -> Iterator[Any]:
            import socket
            import struct

            import pyarrow as pa
            from pyspark import TaskContext

            def receive(size: int) -> bytes:
                received = b""
                while len(received) < size:
                    part = connection.recv(size - len(received))
                    if not part:
                        raise ConnectionError("the reader of this DataFrame has closed")
                    received += part
                return received

            def frames(batch: Any) -> Iterator[Any]:
                payload = batch.serialize()
                if payload.size <= max_frame_bytes:
                    yield payload
                    return
                if batch.num_rows == 1:
                    raise ValueError(
                        f"a row has {payload.size} bytes, more than the {max_frame_bytes} that can be sent"
                    )
                half = batch.num_rows // 2
                yield from frames(batch.slice(0, half))
                yield from frames(batch.slice(half))

            def send(kind: bytes, payload: Any, size: int) -> None:
                connection.sendall(struct.pack(head, kind, size))
                connection.sendall(payload)

            context = TaskContext.get()
            partition = context.partitionId()
            sent = 0
            with socket.create_connection(address, timeout=connect_seconds) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(struct.pack(hello, protocol, token, partition, context.attemptNumber()))
                (delivered,) = struct.unpack(answer, receive(struct.calcsize(answer)))
                if delivered == refused:
                    raise ConnectionError("the reader of this DataFrame does not know this task")
                # Demand may arrive late; the reader decides.
                connection.settimeout(None)
                for batch in batches:
                    for payload in frames(batch):
                        sent += 1
                        if sent <= delivered:
                            continue
                        if sent == delivered + 1:
                            schema = batch.schema.serialize()
                            send(schema_kind, schema, schema.size)
                        receive(1)
                        send(batch_kind, payload, payload.size)
                send(end_kind, b"", 0)
                receive(1)
            yield pa.RecordBatch.from_pydict(
                {"partition": pa.array([partition], pa.int32()), "batches": pa.array([sent], pa.int64())}
            )

        return push

    return push_to
