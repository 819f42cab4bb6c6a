from typing import Final

__all__ = ["COMPILER", "CYTHON", "PROFILE"]

PROFILE: Final[str]
COMPILER: Final[str]
CYTHON: Final[str]
