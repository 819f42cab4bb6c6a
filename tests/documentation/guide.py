"""Reads the blocks of a guide whose examples need more than this environment has."""

import re

_BLOCK = re.compile(r"^```(?P<language>\w+)(?P<note>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, *languages: str) -> list[str]:
    """Return the blocks of a page in some languages, but for those with prompts."""
    found = [match["text"] for match in _BLOCK.finditer(page) if match["language"] in languages]
    return [text for text in found if ">>> " not in text]


def prompts(page: str) -> str:
    """Return the blocks of a page that have prompts, as one text that doctest can run."""
    found = [match["text"] for match in _BLOCK.finditer(page) if match["language"] == "python"]
    return "\n".join(text for text in found if ">>> " in text)
