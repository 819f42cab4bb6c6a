"""What an exception says, in one line that a message of ours can hold."""

__all__ = ["LONGEST_CAUSE_CHARACTERS", "LONGEST_LINE_CHARACTERS", "first_line", "one_line"]

LONGEST_LINE_CHARACTERS = 300
"""Where a first line is cut."""

LONGEST_CAUSE_CHARACTERS = 1_000
"""Where the text of a cause is cut: Spark copies it into several messages."""


def first_line(error: BaseException, *, otherwise: str = "") -> str:
    """Return the first line of an exception's text that is not blank.

    Args:
        error: The exception.
        otherwise: What to return for one without a text; by default its type.
    """
    lines = (line.strip() for line in str(error).splitlines())
    return next(filter(None, lines), otherwise or type(error).__name__)[:LONGEST_LINE_CHARACTERS]


def one_line(error: BaseException) -> str:
    """Return type and text of an exception, its lines joined; the whole of it is in the exception itself."""
    text = " ".join(f"{type(error).__name__}: {error}".splitlines())
    return text if len(text) <= LONGEST_CAUSE_CHARACTERS else text[:LONGEST_CAUSE_CHARACTERS] + "…"
