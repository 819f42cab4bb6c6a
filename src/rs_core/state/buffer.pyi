from typing import Self

from typing_extensions import Buffer, disjoint_base

from rs_core.state.limits import StateLimits

@disjoint_base
class StateBuffer:
    def __new__(cls, *, limits: StateLimits, **others: object) -> Self: ...

@disjoint_base
class StateCursor:
    def __new__(cls, source: Buffer, *, limits: StateLimits, **others: object) -> Self: ...
