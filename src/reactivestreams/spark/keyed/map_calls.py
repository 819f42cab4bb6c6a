"""Many calls of a state map of Spark at a time.

A call of the public API waits for its answer: 0.1 ms, of which the state store takes a tenth. Here many requests are
sent before their answers are read, which the server of the task answers in order. For this, private parts of PySpark
are used; where they are not there, the public API is.
"""

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

__all__ = ["MapCalls"]

CALLS_AT_A_TIME = 128
"""How many requests may wait for an answer. Their bytes, or those of the answers, must fit into the socket's buffers,
because neither side reads while it writes: of two directions one has keys or states of success alone."""

ROUND_BYTES = 2**20
"""After so many bytes of requests their answers are read."""

MESSAGE_HEAD = struct.Struct("!ii")
MESSAGE_VERSION = 0
TEXT, TEXT_LENGTH = b"X", struct.Struct("<I")
"""In front of a text in a pickle."""

SUCCESS = 0


class MapCalls:
    """The values of a map from an int to bytes, for the grouping key that Spark is processing.

    Args:
        state: Spark's `MapState` with one int as the key and one binary as the value.
    """

    def __init__(self, state: Any) -> None:
        self.state = state
        self.client: Any = pipelined_client(state)

    def values(self, numbers: Sequence[int]) -> list[bytes | None]:
        """Return the value of each number, None where there is none."""
        if self.client is None or len(numbers) < 2:
            found = (self.state.getValue((number,)) for number in numbers)
            return [None if row is None else bytes(row[0]) for row in found]
        request, call = self.request()

        def asked(number: int) -> bytes:
            call.getValue.userKey = self.key(number)
            return bytes(request.SerializeToString())

        bytes_in = RowBytes(self.client._deserialize_from_bytes)
        return [bytes_in(value) if value else None for value in self.answers(map(asked, numbers))]

    def update(self, values: Iterable[tuple[int, bytes]]) -> None:
        """Store values."""
        if self.client is None:
            for number, value in values:
                self.state.updateValue((number,), (value,))
            return
        dumps, schema = self.client._serialize_to_bytes, self.state._mapStateClient.value_schema
        request, call = self.request()

        def asked(pair: tuple[int, bytes]) -> bytes:
            call.updateValue.userKey, call.updateValue.value = self.key(pair[0]), dumps(schema, (pair[1],))
            return bytes(request.SerializeToString())

        for _ in self.answers(map(asked, values)):
            pass

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove the values of numbers."""
        if self.client is None:
            for number in numbers:
                self.state.removeKey((number,))
            return
        request, call = self.request()

        def asked(number: int) -> bytes:
            call.removeKey.userKey = self.key(number)
            return bytes(request.SerializeToString())

        for _ in self.answers(map(asked, numbers)):
            pass

    def key(self, number: int) -> bytes:
        """Return the bytes of a key."""
        encoded: bytes = self.client.pickleSer.dumps((number,))  # without what PySpark does for other types
        return encoded

    def request(self) -> tuple[Any, Any]:
        """Return a message to the server of the task, and its part that is to be filled in."""
        import pyspark.sql.streaming.proto.StateMessage_pb2 as messages

        request: Any = messages.StateRequest()
        call = request.stateVariableRequest.mapStateCall
        call.stateName = self.state._stateName
        return request, call

    def answers(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        """Send requests, and yield the value of each answer.

        Raises:
            RuntimeError: The state store refuses a call.
        """
        client = self.client
        while True:
            count = size = 0
            for data in islice(requests, CALLS_AT_A_TIME):
                client.sockfile.write(MESSAGE_HEAD.pack(MESSAGE_VERSION, len(data)) + data)
                count += 1
                size += len(data)
                if size >= ROUND_BYTES:
                    break
            if not count:
                return
            client.sockfile.flush()
            for _ in range(count):
                status, problem, value = client._receive_proto_message()
                if status != SUCCESS:
                    name = self.state._stateName
                    raise RuntimeError(f"the state store of the task refuses a call of the state {name}: {problem}")
                yield value


class RowBytes:
    r"""Returns the only cell of pickled rows, which is binary.

    Spark writes the JSON of the schema into each row, and PySpark parses it. So this is done for the first one only: of
    the others what stands before and behind the cell is compared. Between them is the cell as text, whose characters
    are its bytes.

    Args:
        loads: Returns the cells of any row.

    Example:
        >>> rows = RowBytes(lambda row: [row[5:-1].decode().encode("latin-1")])
        >>> [rows(row) for row in (b"X\3\0\0\0ant.", b"X\2\0\0\0\xc3\xbf.")]
        [b'ant', b'\xff']
    """

    def __init__(self, loads: Callable[[bytes], Any]) -> None:
        self.loads = loads
        self.head: bytes | None = None
        """What stands before the length of the text."""
        self.tail: bytes = b""

    def __call__(self, row: bytes) -> bytes:
        """Return the cell of a row."""
        head, tail = self.head, self.tail
        if head is not None and row.startswith(head):
            start = len(head) + TEXT_LENGTH.size
            end = start + TEXT_LENGTH.unpack_from(row, len(head))[0]
            if row[end:] == tail:
                return row[start:end].decode().encode("latin-1")
        cell = bytes(self.loads(row)[0])
        text = cell.decode("latin-1").encode()
        head, found, tail = row.partition(TEXT_LENGTH.pack(len(text)) + text)
        if found and head.endswith(TEXT):
            self.head, self.tail = head, tail
        return cell


def pipelined_client(state: Any) -> Any:
    """Return PySpark's client of the server of the task, or None if this release has another one."""
    client = getattr(getattr(state, "_mapStateClient", None), "_stateful_processor_api_client", None)
    needed: tuple[str, ...] = (
        "sockfile",
        "pickleSer",
        "_serialize_to_bytes",
        "_deserialize_from_bytes",
        "_receive_proto_message",
    )
    is_known = client is not None and all(hasattr(client, name) for name in needed) and hasattr(state, "_stateName")
    return client if is_known else None
