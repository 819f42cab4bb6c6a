"""Many calls of a state map of Spark at a time.

A call of the public API waits for its answer: 0.1 ms, of which the state store takes a tenth. Here many requests are
sent before their answers are read, which the server of the task answers in order. For this, private parts of PySpark
are used; where they are not there, the public API is.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence
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
        messages = import_messages()
        loads = self.client._deserialize_from_bytes

        def request(number: int) -> Any:
            return {"getValue": messages.GetValue(userKey=self.key(number))}

        return [bytes(loads(value)[0]) if value else None for value in self.answers(map(request, numbers))]

    def update(self, values: Iterable[tuple[int, bytes]]) -> None:
        """Store values."""
        if self.client is None:
            for number, value in values:
                self.state.updateValue((number,), (value,))
            return
        messages, schema = import_messages(), self.state._mapStateClient.value_schema
        dumps = self.client._serialize_to_bytes

        def request(pair: tuple[int, bytes]) -> Any:
            number, value = pair
            return {"updateValue": messages.UpdateValue(userKey=self.key(number), value=dumps(schema, (value,)))}

        for _ in self.answers(map(request, values)):
            pass

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove the values of numbers."""
        if self.client is None:
            for number in numbers:
                self.state.removeKey((number,))
            return
        messages = import_messages()

        def request(number: int) -> Any:
            return {"removeKey": messages.RemoveKey(userKey=self.key(number))}

        for _ in self.answers(map(request, numbers)):
            pass

    def key(self, number: int) -> bytes:
        """Return the bytes of a key."""
        encoded: bytes = self.client._serialize_to_bytes(self.state._mapStateClient.user_key_schema, (number,))
        return encoded

    def answers(self, calls: Iterator[dict[str, Any]]) -> Iterator[bytes]:
        """Send calls, and yield the value of each answer.

        Raises:
            RuntimeError: The state store refuses a call.
        """
        messages, client = import_messages(), self.client
        name = self.state._stateName
        while True:
            count = size = 0
            for call in islice(calls, CALLS_AT_A_TIME):
                map_call = messages.MapStateCall(stateName=name, **call)
                request = messages.StateRequest(
                    stateVariableRequest=messages.StateVariableRequest(mapStateCall=map_call)
                )
                data = request.SerializeToString()
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
                    raise RuntimeError(f"the state store of the task refuses a call of the state {name}: {problem}")
                yield value


def pipelined_client(state: Any) -> Any:
    """Return PySpark's client of the server of the task, or None if this release has another one."""
    client = getattr(getattr(state, "_mapStateClient", None), "_stateful_processor_api_client", None)
    needed: tuple[str, ...] = ("sockfile", "_serialize_to_bytes", "_deserialize_from_bytes", "_receive_proto_message")
    is_known = client is not None and all(hasattr(client, name) for name in needed) and hasattr(state, "_stateName")
    return client if is_known else None


def import_messages() -> Any:
    """Return the module of the messages between a Python worker and the server of its task."""
    import pyspark.sql.streaming.proto.StateMessage_pb2 as messages

    return messages
