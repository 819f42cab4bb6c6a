"""Text in pictures: written so that no text of a subject breaks the picture, and cut to the room that there is."""

from html import escape

from reactivestreams.drawing.printable_text import printable

__all__ = ["CHARACTER_PIXELS", "cut", "opening", "text", "title"]

CHARACTER_PIXELS = 6.7
"""Width of a character of the 11 px fixed-width font of the labels."""


def opening(css: str, width: float, height: float, label: str, *, is_document: bool = False) -> str:
    """Return the tag that a picture begins with.

    Args:
        css: Its class.
        width: In CSS pixels.
        height: In CSS pixels.
        label: What it shows, for a reader who does not see it.
        is_document: Whether it stands alone, as a file, and not within a page.
    """
    names = 'xmlns="http://www.w3.org/2000/svg" ' if is_document else ""
    size = f'viewBox="0 0 {width:g} {height:.0f}" width="{width:g}" height="{height:.0f}"'
    named = f'role="img" aria-label="{escape(printable(label))}"'
    return f'<svg class="{css}" {names}{size} {named}>'


def text(x: float, y: float, content: str, css: str, *, anchor: str = "middle") -> str:
    """Return a text at a place.

    Args:
        x: Where, in CSS pixels.
        y: The base line.
        content: The text.
        css: Its class, or nothing.
        anchor: Which part of it is at the place: `start`, `middle` or `end`.
    """
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{escape(printable(content))}</text>'


def title(content: str) -> str:
    """Return what is shown where the pointer rests."""
    return f"<title>{escape(printable(content))}</title>"


def cut(content: str, room: float) -> str:
    """Return as much of a text as there is room for, in CSS pixels; four characters at least."""
    most = max(4, int(room / CHARACTER_PIXELS))
    return content if len(content) <= most else f"{content[: most - 1]}…"
