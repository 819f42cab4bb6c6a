"""Charts as inline SVG.

Colors come from the page's style sheet by class, so one drawing serves the light and the dark scheme. Each chart is
drawn for a width in CSS pixels; the page shows the wide or the narrow drawing, so the text never shrinks with the
screen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from reactivestreams.drawing.svg_text import opening, text, title

__all__ = ["Plot", "svg", "ticks"]

Point = tuple[float, float]


def svg(width: float, height: float, body: Iterable[str], *, label: str, kind: str) -> str:
    """Return an SVG picture that a screen reader announces by its label."""
    return f"{opening(f'chart {kind}', width, height, label)}{''.join(body)}</svg>"


def ticks(low: float, high: float, *, count: int) -> list[float]:
    """Return about `count` round values from low to high, inclusive."""
    if high <= low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    first = -floor(-low / step + 1e-9)
    return [index * step for index in range(first, floor(high / step + 1e-9) + 1)]


@dataclass(frozen=True)
class Plot:
    """A plot area with two linear axes.

    `low` and `high` are the (x, y) values at the lower left and the upper right corner of the area.
    """

    width: float
    height: float
    low: Point
    high: Point
    left: float = 52
    right: float = 12
    top: float = 26
    bottom: float = 40

    def x(self, value: float) -> float:
        """Return the horizontal position of a value."""
        span = self.high[0] - self.low[0]
        return self.left + (value - self.low[0]) / span * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        span = self.high[1] - self.low[1]
        return self.height - self.bottom - (value - self.low[1]) / span * (self.height - self.top - self.bottom)

    def axes(
        self, x_marks: Sequence[tuple[float, str]], y_marks: Sequence[tuple[float, str]], *, x_title: str, y_title: str
    ) -> list[str]:
        """Draw both axes with marks at the given values, and grid lines for y."""
        floor_y, end_x = self.height - self.bottom, self.width - self.right
        parts = [text(0, 13, y_title, "axis-title", anchor="start")]
        for value, label in y_marks:
            y = self.y(value)
            parts.append(f'<line class="grid" x1="{self.left:g}" x2="{end_x:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(text(self.left - 8, y + 4, label, "tick", anchor="end"))
        for value, label in x_marks:
            x = self.x(value)
            parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{floor_y:g}" y2="{floor_y + 4:g}"/>')
            parts.append(text(x, floor_y + 17, label, "tick"))
        parts.append(f'<line class="axis" x1="{self.left:g}" x2="{end_x:g}" y1="{floor_y:g}" y2="{floor_y:g}"/>')
        parts.append(text(end_x, self.height - 4, x_title, "axis-title", anchor="end"))
        return parts

    def line(self, points: Iterable[Point], *, css: str) -> str:
        """Draw a line through points."""
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        return f'<polyline class="line {css}" points="{path}"/>'

    def band(self, lower: Sequence[Point], upper: Sequence[Point], *, css: str) -> str:
        """Fill the area between two lines."""
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in [*upper, *reversed(lower)])
        return f'<polygon class="band {css}" points="{path}"/>'

    def level(self, value: float, label: str, *, css: str) -> str:
        """Draw a horizontal limit with its label above its right end."""
        y, end_x = self.y(value), self.width - self.right
        return f'<line class="level {css}" x1="{self.left:g}" x2="{end_x:g}" y1="{y:.1f}" y2="{y:.1f}"/>' + text(
            end_x, y - 5, label, f"level-label {css}", anchor="end"
        )

    def mark(self, value: float, name: str, *, css: str) -> str:
        """Draw a vertical mark with a head at the top of the area, with a tool tip."""
        x, base = self.x(value), self.height - self.bottom
        return (
            f'<g class="mark {css}">{title(name)}'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{self.top:g}" y2="{base:g}"/>'
            f'<circle cx="{x:.1f}" cy="{self.top:g}" r="3.5"/></g>'
        )

    def bar(self, left: float, right: float, value: float, name: str, *, css: str) -> str:
        """Draw a bar from the lower end of y to a value, with a tool tip."""
        x0, x1, y = self.x(left), self.x(right), self.y(value)
        height = self.height - self.bottom - y
        return (
            f'<rect class="bar {css}" x="{x0:.1f}" y="{y:.1f}" width="{max(x1 - x0, 1):.1f}" height="{height:.1f}">'
            f"{title(name)}</rect>"
        )
