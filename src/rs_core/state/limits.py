"""The bounds of saved state, for writing, and for reading bytes that are not trusted."""

from dataclasses import dataclass, fields

from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["DEFAULT_LIMITS", "StateLimits"]

# The deepest nesting that fits a small stack in every build, also with sanitizers.
HIGHEST_DEPTH = 256
HIGHEST_COUNT = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLimits:
    """The bounds of saved state, for writing and reading; exceeding one raises a StateLimitError that names it.

    Attributes:
        max_bytes: Bytes of a snapshot, or of a single value that is encoded alone; by default 256 MiB. Larger ones are
            refused before they are copied.
        max_records: Records of a snapshot, one per operator; by default 1,048,576.
        max_values: Values in a record, including each value in containers; by default 4,194,304. It also bounds the
            memory that hostile bytes can allocate: two bytes may become an empty container of 216 bytes, or a
            combination of a registered flag's members, some 400 bytes that enum stores for the life of the process: for
            n members at most 2**n combinations. Numbers with other bits are refused and leave nothing behind.
        max_depth: How deeply containers may be nested, from 1 to 256; by default 64.
        max_number_bytes: Bytes of an int beyond 64 bits, or characters of a Decimal; by default 4,096.
        max_equal_hashes: Keys of a dict, or elements of a set, that may have the same hash; by default 64. Numbers can
            be chosen so that all have the same hash, and then each is compared with all others. Text and bytes are not
            counted: their hashes are unpredictable.

    Example:
        >>> StateLimits(max_bytes=1024).max_bytes
        1024
        >>> StateLimits(max_depth=1000)
        Traceback (most recent call last):
            ...
        rs_core.errors.ArgumentError: max_depth needs 1 to 256, got 1000; pass a number within these bounds
    """

    max_bytes: int = 2**28
    max_records: int = 2**20
    max_values: int = 2**22
    max_depth: int = 64
    max_number_bytes: int = 4096
    max_equal_hashes: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            bound = getattr(self, field.name)
            highest = HIGHEST_DEPTH if field.name == "max_depth" else HIGHEST_COUNT
            if type(bound) is not int:
                raise ArgumentTypeError(
                    f"{field.name} needs an integer, got {bound!r} ({type(bound).__name__}); "
                    f"pass a number from 1 to {highest}"
                )
            if not 1 <= bound <= highest:
                raise ArgumentError(
                    f"{field.name} needs 1 to {highest}, got {bound}; pass a number within these bounds"
                )


DEFAULT_LIMITS = StateLimits()
