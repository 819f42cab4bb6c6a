"""Shows and compares values of the subject, which may raise from `__repr__` and `__eq__`."""

from reprlib import Repr

__all__ = ["error_text", "safe_repr", "same_element"]

_MOST_CHARACTERS = 80


class _Short(Repr):
    """Shorten texts; describe an object without a working repr in words, without an address."""

    def repr_instance(self, x: object, level: int) -> str:
        """Return the text of an object that is not a built-in."""
        try:
            text = repr(x)
        except Exception as error:
            return f"<{type(x).__name__}, whose repr raises {type(error).__name__}>"
        return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."


_short = _Short()
_short.maxstring = _short.maxother = _short.maxlong = _MOST_CHARACTERS


def safe_repr(value: object) -> str:
    """Return a short text for a value, even if its `__repr__` raises.

    Example:
        >>> class Odd:
        ...     def __repr__(self):
        ...         raise RuntimeError("no text")
        >>> safe_repr([1, 2]), safe_repr(Odd())
        ('[1, 2]', '<Odd, whose repr raises RuntimeError>')
    """
    if type(value) is int and -(10**18) < value < 10**18:  # the most frequent case
        return str(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}({error_text(value)!r})"
    return _short.repr(value)


def error_text(error: BaseException) -> str:
    """Return the message of an exception, even if its `__str__` raises."""
    try:
        return str(error)
    except Exception as second:
        return f"<{type(error).__name__}, whose message raises {type(second).__name__}>"


def same_element(first: object, second: object) -> bool:
    """Return whether two elements are the same: the same object, equal, or both not equal to themselves.

    Raises:
        TypeError: Their comparison gives no truth value, or raises.

    Example:
        >>> same_element(1, 1.0), same_element(float("nan"), float("nan")), same_element("a", "b")
        (True, True, False)
    """
    if first is second:
        return True
    try:
        return bool(first == second) or bool(first != first and second != second)
    except Exception as error:
        raise TypeError(
            f"{safe_repr(first)} == {safe_repr(second)} gives no truth value: "
            f"{type(error).__name__}: {error_text(error)}"
        ) from error
