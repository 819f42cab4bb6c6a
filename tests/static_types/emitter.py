"""Types of the serialized emitter; read by the type checker only."""

from typing import assert_type

from rs_core import EmitResult, OverflowPolicy, SerializedEmitter


class Words:
    def on_next(self, element: str) -> int:
        return len(element)

    def on_error(self, error: Exception) -> None: ...
    def on_complete(self) -> None: ...


class Deaf:
    def on_next(self, element: str) -> None: ...


words = SerializedEmitter(Words(), capacity=8, on_overflow="block", block_timeout_seconds=1)
assert_type(words, SerializedEmitter[str])
assert_type(words.emit("a"), EmitResult)
assert_type(words.emit("a").is_accepted, bool)
assert_type(words.complete(), bool)
assert_type(words.fail(ValueError("why")), bool)
assert_type(words.policy, OverflowPolicy)
assert_type(words.pending, int)
assert_type(words.dropped_count, int)
SerializedEmitter(Words(), on_overflow=OverflowPolicy.LATEST)
words.emit(1)  # type: ignore[arg-type]
words.fail("why")  # type: ignore[arg-type]
words.pending = 3  # type: ignore[misc]
SerializedEmitter(Deaf())  # type: ignore[arg-type]
SerializedEmitter(Words(), 8)  # type: ignore[call-arg]
SerializedEmitter(Words(), capacity="8")  # type: ignore[arg-type]
SerializedEmitter(Words(), on_overflow=None)  # type: ignore[arg-type]
