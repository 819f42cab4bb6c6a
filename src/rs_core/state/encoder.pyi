from typing import Any, final

from rs_core.state.buffer import StateBuffer
from rs_core.state.codec import StateKind
from rs_core.state.limits import StateLimits

__all__ = ["ValueEncoder"]

@final
class ValueEncoder(StateBuffer):
    def __new__(cls, *, kinds: dict[type, StateKind], limits: StateLimits) -> ValueEncoder: ...
    def encode(self, value: Any, /) -> bytes: ...
