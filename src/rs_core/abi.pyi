from typing import Final

__all__ = ["ABI_NUMBER", "require"]

ABI_NUMBER: Final[int]

def require(extension: str, built_for: int) -> None: ...
