from typing import Any, final

from typing_extensions import Buffer

from rs_core.state.buffer import StateCursor
from rs_core.state.codec import StateKind
from rs_core.state.limits import StateLimits

__all__ = ["ValueDecoder"]

@final
class ValueDecoder(StateCursor):
    def __new__(cls, source: Buffer, *, kinds: dict[str, StateKind], limits: StateLimits) -> ValueDecoder: ...
    def decode(self) -> Any: ...
