"""Messages between the driver and Spark's Python workers: a length and JSON, of bounded size."""

import json
import struct
from typing import IO, Any

from reactivestreams.spark.errors import BridgeError

__all__ = ["MAX_FRAME_BYTES", "receive", "send"]

MAX_FRAME_BYTES = 1_048_576
"""The longest message; elements are sent as Arrow streams, not as messages."""

LENGTH = struct.Struct(">I")


def send(file: IO[bytes], message: object) -> None:
    """Send a message and flush it.

    Raises:
        OSError: The other side has ended.
    """
    content = json.dumps(message).encode()
    file.write(LENGTH.pack(len(content)) + content)
    file.flush()


def receive(file: IO[bytes], *, at_most: int = MAX_FRAME_BYTES) -> Any:
    """Return the next message.

    Raises:
        EOFError: The other side has closed the connection.
        BridgeError: The data is not a message, or too long.
        OSError: The connection broke, or the timeout has passed.
    """
    prefix = file.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(prefix)
    if length > at_most:
        raise BridgeError(f"a message has {length} bytes, but {at_most} is the limit; use the client of this release")
    content = file.read(length)
    if len(content) < length:
        raise EOFError
    try:
        return json.loads(content)
    except ValueError as error:
        raise BridgeError("the bridge received data that is not a message; use the client of this release") from error
