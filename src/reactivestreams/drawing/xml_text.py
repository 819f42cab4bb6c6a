"""Texts for documents that cannot contain every character."""

import re

__all__ = ["xml_safe"]

# XML 1.0 cannot contain these, not even escaped; the same applies to HTML pages here.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_safe(text: str) -> str:
    r"""Return a text in which characters that XML and UTF-8 cannot represent are replaced by their number.

    Example:
        >>> xml_safe("a \x1b[31m letter")
        'a \\x1b[31m letter'
    """
    return _UNWRITABLE.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
