"""Arguments that must be one of a few texts."""

import difflib
from collections.abc import Sequence

from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["checked_choice"]

LEAST_LIKENESS = 0.5
"""Least similarity at which the message suggests a choice; 1 means equal."""


def checked_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Check an argument and return it.

    Args:
        name: Name of the argument.
        value: The value of the argument.
        choices: The allowed values.

    Raises:
        ArgumentTypeError: The value is not a text.
        ArgumentError: The value is not one of the choices; the message suggests the most similar one.
    """
    shown = ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} must be a str, got {value!r:.200}; pass one of {shown}")
    if value not in choices:
        near = difflib.get_close_matches(value, choices, n=1, cutoff=LEAST_LIKENESS)
        meant = f"did you mean {near[0]!r}?" if near else "pass one of these"
        raise ArgumentError(f"{name} must be one of {shown}, got {value!r:.200}; {meant}")
    return value
