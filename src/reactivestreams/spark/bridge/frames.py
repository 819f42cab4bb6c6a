"""Messages between the driver's bridge and Spark's Python workers: a length and JSON, of bounded size."""

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
        OSError: The other side is gone.
    """
    content = json.dumps(message).encode()
    file.write(LENGTH.pack(len(content)) + content)
    file.flush()


def receive(file: IO[bytes], *, at_most: int = MAX_FRAME_BYTES) -> Any:
    """Return the next message.

    Raises:
        EOFError: The other side has closed the connection.
        BridgeError: What came is no message, or too long.
        OSError: The connection broke, or the time is up.
    """
    prefix = file.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(prefix)
    if length > at_most:
        raise BridgeError(
            f"a message of {length} bytes was announced, and {at_most} is the most; use this bridge's client"
        )
    content = file.read(length)
    if len(content) < length:
        raise EOFError
    try:
        return json.loads(content)
    except ValueError as error:
        raise BridgeError("what came over the bridge is no message; use this bridge's client") from error
