"""An argument that is one of a few texts."""

import difflib
from collections.abc import Sequence

from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["checked_choice"]

LEAST_LIKENESS = 0.5
"""How like a choice a wrong text must be for the message to ask whether that was meant; 1 is the same."""


def checked_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Check an argument and return it.

    Args:
        name: Name of the argument.
        value: What was given.
        choices: What it may be.

    Raises:
        ArgumentTypeError: It is no text.
        ArgumentError: It is none of the choices; the message asks whether the one most like it was meant.
    """
    shown = ", ".join(map(repr, choices))
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{name} must be a str, got {value!r:.200}; pass one of {shown}")
    if value not in choices:
        near = difflib.get_close_matches(value, choices, n=1, cutoff=LEAST_LIKENESS)
        meant = f"did you mean {near[0]!r}?" if near else "pass one of these"
        raise ArgumentError(f"{name} must be one of {shown}, got {value!r:.200}; {meant}")
    return value
