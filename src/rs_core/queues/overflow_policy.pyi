import enum
from typing import Final

__all__ = ["DEFAULT_BLOCK_TIMEOUT_SECONDS", "DEFAULT_CAPACITY", "EmitResult", "OverflowPolicy"]

DEFAULT_CAPACITY: Final = 1024
DEFAULT_BLOCK_TIMEOUT_SECONDS: Final = 30.0

class OverflowPolicy(enum.StrEnum):
    ERROR = "error"
    DROP_NEWEST = "drop_newest"
    DROP_OLDEST = "drop_oldest"
    LATEST = "latest"
    BLOCK = "block"

class EmitResult(enum.Enum):
    ACCEPTED = "accepted"
    DROPPED = "dropped"
    OVERFLOWED = "overflowed"
    TIMED_OUT = "timed out"
    TERMINATED = "terminated"
    CANCELLED = "cancelled"
    @property
    def is_accepted(self) -> bool: ...

def checked_policy(policy: object, *, parameter: str) -> OverflowPolicy: ...
def checked_block_timeout(block_timeout_seconds: object) -> float: ...
