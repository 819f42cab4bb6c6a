"""The text of an exception in one line, for use in another message."""

__all__ = ["LONGEST_CAUSE_CHARACTERS", "LONGEST_LINE_CHARACTERS", "first_line", "one_line"]

LONGEST_LINE_CHARACTERS = 300
"""Maximum length of a first line."""

LONGEST_CAUSE_CHARACTERS = 1_000
"""Maximum length of the text of a cause, which Spark copies into several messages."""


def first_line(error: BaseException, *, otherwise: str = "") -> str:
    """Return the first line of an exception's text that is not blank, cut to `LONGEST_LINE_CHARACTERS`.

    Args:
        error: The exception.
        otherwise: What to return if the exception has no text; by default the name of its type.
    """
    lines = (line.strip() for line in str(error).splitlines())
    return next(filter(None, lines), otherwise or type(error).__name__)[:LONGEST_LINE_CHARACTERS]


def one_line(error: BaseException) -> str:
    """Return the type and the text of an exception in one line, cut to `LONGEST_CAUSE_CHARACTERS`."""
    text = " ".join(f"{type(error).__name__}: {error}".splitlines())
    return text if len(text) <= LONGEST_CAUSE_CHARACTERS else text[:LONGEST_CAUSE_CHARACTERS] + "…"
