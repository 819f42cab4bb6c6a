"""Texts of a subject in documents that cannot hold every character."""

import re

__all__ = ["printable"]

# XML 1.0 has no way to write these, not even escaped; pages are held to the same.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    r"""Return a text with what XML and UTF-8 cannot hold shown by its number.

    Example:
        >>> printable("a \x1b[31m letter")
        'a \\x1b[31m letter'
    """
    return _UNWRITABLE.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
