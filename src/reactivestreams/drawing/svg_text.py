"""Text in pictures: escaped, and cut to the available space."""

from html import escape

from reactivestreams.drawing.xml_text import xml_safe

__all__ = ["CHARACTER_PIXELS", "cut", "opening", "text", "title"]

CHARACTER_PIXELS = 6.7
"""The width of a character of the 11 px fixed-width font of the labels."""


def opening(css: str, width: float, height: float, label: str, *, is_document: bool = False) -> str:
    """Return the opening tag of a picture.

    Args:
        css: Its CSS class.
        width: The width in CSS pixels.
        height: The height in CSS pixels.
        label: A description for readers who do not see it.
        is_document: Whether it is a separate file and not part of a page.
    """
    names = 'xmlns="http://www.w3.org/2000/svg" ' if is_document else ""
    size = f'viewBox="0 0 {width:g} {height:.0f}" width="{width:g}" height="{height:.0f}"'
    named = f'role="img" aria-label="{escape(xml_safe(label))}"'
    return f'<svg class="{css}" {names}{size} {named}>'


def text(x: float, y: float, content: str, css: str, *, anchor: str = "middle") -> str:
    """Return a text at a position.

    Args:
        x: The position, in CSS pixels.
        y: The position of the base line.
        content: The text.
        css: Its CSS class, or an empty text.
        anchor: Which part of it is at the position: `start`, `middle` or `end`.
    """
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">{escape(xml_safe(content))}</text>'


def title(content: str) -> str:
    """Return a tool tip."""
    return f"<title>{escape(xml_safe(content))}</title>"


def cut(content: str, room: float) -> str:
    """Cut a text to a width in CSS pixels, but to no less than four characters."""
    most = max(4, int(room / CHARACTER_PIXELS))
    return content if len(content) <= most else f"{content[: most - 1]}…"
