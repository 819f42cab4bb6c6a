"""Encoding and decoding of single values in the format of saved state."""

from typing import TYPE_CHECKING, Any

from reactivestreams.state.registry import StateRegistry, default_registry
from rs_core.state.codec import ValueDecoder, ValueEncoder
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["decode_value", "encode_value"]


def encode_value(
    value: Any, *, registry: StateRegistry = default_registry, limits: StateLimits = DEFAULT_LIMITS
) -> bytes:
    r"""Return the bytes of a value. Equal values of equal types give equal bytes, in every process.

    Runs user code only if the value contains a time zone or an exception of the user: `utcoffset`, `__str__`.

    Args:
        value: None, a bool, int, float, Decimal, str, bytes, datetime, date, time, timedelta, UUID, list, tuple, dict,
            set, frozenset, an exception, or of a registered class; of exactly this type, not of a subclass.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.

    Raises:
        StateTypeError: It has a part of another type.
        StateLimitError: It exceeds a limit.
        StateError: It contains itself, or is a flag with bits that no member has.

    Example:
        >>> encode_value([1, "one", None])
        b'[\x03i\x02s\x03oneN'
        >>> encode_value(1) == encode_value(True), encode_value({1, 2}) == encode_value({2, 1})
        (False, True)
    """
    return ValueEncoder(kinds=registry.by_class, limits=limits).encode(value)


def decode_value(
    data: "Buffer", *, registry: StateRegistry = default_registry, limits: StateLimits = DEFAULT_LIMITS
) -> Any:
    r"""Return the value that `encode_value` has encoded. Bytes that it would not write are refused.

    Runs user code only if the bytes contain a value of a registered class: its `migrate`, `__hash__` and `__eq__`, a
    flag's `_missing_`, an exception's `__new__`.

    Args:
        data: Bytes, or anything with a buffer.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.

    Raises:
        StateFormatError: The bytes are damaged, or of another format.
        StateLimitError: They exceed a limit.
        StateError: A class that they name is not registered, or in a version that cannot be read.

    Example:
        >>> decode_value(b"[\x03i\x02s\x03oneN")
        [1, 'one', None]
        >>> decode_value(b"[\xff")
        Traceback (most recent call last):
            ...
        rs_core.errors.StateFormatError: value, byte 2: the bytes end within a value; they are damaged, or no saved
            state of this format: load an older checkpoint, or begin without state
    """
    return ValueDecoder(data, kinds=registry.by_name, limits=limits).decode()
