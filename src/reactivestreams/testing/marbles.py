"""Marble diagrams: pictures of the signals and requests at each tick of virtual time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from reactivestreams.arguments import checked_count
from reactivestreams.drawing.svg_text import CHARACTER_PIXELS, cut, opening, text, title
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.hot_stream import HotStream
from reactivestreams.testing.observer import UNBOUNDED, TestObserver
from reactivestreams.testing.recorded import Notification, OnError, OnNext, Recorded
from reactivestreams.testing.subscription_span import INFINITE, SubscriptionSpan

__all__ = ["DEFAULT_WIDTH_PIXELS", "MarbleDiagram", "MarbleLine", "marble_diagram"]

DEFAULT_WIDTH_PIXELS = 720

_RADIUS = 13.0
_GAP = 3.0
_LINE_ROOM = 34.0
_REQUEST_ROOM = 26.0
_TITLE_ROOM = 20.0
_AXIS_ROOM = 26.0
_MARGIN = 24.0

_STYLE = """
<style>
.marbles{font:11px ui-monospace,monospace;--ink:#1f2933;--paper:#fff;--marble:#d7e8fb;--bad:#b3261e;--ask:#8a4b00}
@media (prefers-color-scheme:dark){.marbles{--ink:#e6e9ec;--paper:#1b1f23;--marble:#234567;--bad:#ff8a80;--ask:#ffb870}}
.marbles text{fill:var(--ink)}
.marbles line,.marbles path,.marbles rect{stroke:var(--ink);stroke-width:1.5;fill:none}
.marbles rect{fill:var(--marble)}
.marbles .rest{stroke-dasharray:2 4}
.marbles .end{stroke-width:2.5}
.marbles .error{stroke:var(--bad);stroke-width:2.5}
.marbles .request,.marbles .request path{stroke:var(--ask)}
.marbles .request text{fill:var(--ask);stroke:none}
.marbles .tick{opacity:.75}
</style>"""


@dataclass(frozen=True, slots=True)
class MarbleLine:
    """One line of a diagram.

    Args:
        title: The title of the line.
        messages: The notifications, with their ticks.
        requests: How many elements were requested at which ticks.
        span: The span of the subscription; outside it the line is dotted.
    """

    title: str
    messages: Sequence[Recorded[Notification]]
    requests: Sequence[Recorded[int]] = ()
    span: SubscriptionSpan | None = None

    @classmethod
    def of_observer(cls, title: str, observer: TestObserver) -> Self:
        """Return the line of an observer's notifications and requests."""
        return cls(title, tuple(observer.messages), tuple(observer.requests))

    @classmethod
    def of_stream(cls, title: str, stream: HotStream) -> Self:
        """Return the line of a hot stream's notifications, with the span of its first subscription.

        Args:
            title: The title of the line.
            stream: A hot stream. The ticks of a cold stream count from each of its
                subscriptions.

        Raises:
            ArgumentTypeError: It is not a hot stream.
        """
        if not isinstance(stream, HotStream):
            raise ArgumentTypeError(
                f"of_stream(stream) needs a hot stream, got {stream!r} ({type(stream).__name__}), whose messages have "
                f"no ticks of this clock; draw the line of an observer of it: MarbleLine.of_observer"
            )
        return cls(title, stream.messages, span=stream.subscriptions[0] if stream.subscriptions else None)

    def ticks(self) -> Iterator[int]:
        """Return every tick at which something is drawn."""
        yield from (message.tick for message in self.messages)
        yield from (request.tick for request in self.requests)
        if self.span is not None:
            yield self.span.subscribed
            if self.span.unsubscribed != INFINITE:
                yield self.span.unsubscribed


class MarbleDiagram(str):
    """The text of a diagram, an SVG document, which a notebook draws."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def marble_diagram(
    lines: Sequence[MarbleLine], *, label: str, width_pixels: int = DEFAULT_WIDTH_PIXELS
) -> MarbleDiagram:
    """Return a diagram as an SVG document, for light and dark pages; texts are escaped. A notebook draws it.

    An element is a marble at its tick, longer to the right for a long text; completion is a bar, an error a cross. A
    request points upwards from below its line.

    Args:
        lines: The lines from top to bottom; at least one, with something to draw.
        label: A description of the diagram for readers who do not see it.
        width_pixels: The width, from 240.

    Raises:
        ArgumentError: There is nothing to draw, or the width is below 240.

    Example:
        >>> from reactivestreams.testing import MarbleLine, on_complete, on_next
        >>> marble_diagram([MarbleLine("letters", [on_next(10, "a"), on_complete(20)])], label="one letter")[:20]
        '<svg class="marbles"'
    """
    width = checked_count(width_pixels, operator="marble_diagram", name="width_pixels", at_least=240, at_most=10_000)
    ticks = sorted({tick for line in lines for tick in line.ticks()})
    if not ticks:
        raise ArgumentError("marble_diagram(lines) found nothing to draw; pass lines with messages, requests or spans")
    return MarbleDiagram(_Diagram(width, ticks).drawn(lines, label))


def _wanted_width(notification: Notification) -> float:
    """Return the room of a notification from its tick on, with a gap behind it."""
    if not isinstance(notification, OnNext):
        return _GAP
    return max(2 * _RADIUS, (len(str(notification.element)) + 1) * CHARACTER_PIXELS) + _GAP


class _Diagram:
    """A diagram that is drawn from top to bottom."""

    def __init__(self, width: int, ticks: list[int]) -> None:
        self._width = width
        self._ticks = ticks
        self._last_room = _RADIUS
        self._y = 4.0
        self._parts: list[str] = [_STYLE]

    def drawn(self, lines: Sequence[MarbleLine], label: str) -> str:
        last = [sum(_wanted_width(m.value) for m in line.messages if m.tick == self._ticks[-1]) for line in lines]
        self._last_room = min(max(_RADIUS, *last), self._width / 2)
        for line in lines:
            self._line(line)
        self._axis()
        head = opening("marbles", self._width, self._y, label, is_document=True)
        return f"{head}{''.join(self._parts)}</svg>\n"

    def _x(self, tick: int) -> float:
        first, last = self._ticks[0], self._ticks[-1]
        share = (tick - first) / (last - first) if last > first else 0.5
        return _MARGIN + _RADIUS + share * (self._width - 2 * _MARGIN - _RADIUS - self._last_room)

    def _line(self, line: MarbleLine) -> None:
        room = self._width - 2 * _MARGIN
        self._y += _TITLE_ROOM
        self._parts.append(text(_MARGIN, self._y - 5, cut(line.title, room), "", anchor="start"))
        self._y += _LINE_ROOM
        y = self._y - _LINE_ROOM / 2
        self._time_line(line.span, y)
        by_tick: dict[int, list[Recorded[Notification]]] = {}
        for message in line.messages:
            by_tick.setdefault(message.tick, []).append(message)
        ends = [*(self._x(tick) for tick in by_tick), self._width - _MARGIN]
        for messages, x, end in zip(by_tick.values(), ends, ends[1:], strict=False):
            self._messages(messages, x, y, end - x)
        if line.requests:
            self._y += _REQUEST_ROOM
            for request in line.requests:
                self._request(request, self._y - _REQUEST_ROOM)

    def _time_line(self, span: SubscriptionSpan | None, y: float) -> None:
        left, right = _MARGIN, self._width - _MARGIN
        begin = left if span is None else self._x(span.subscribed)
        end = right if span is None or span.unsubscribed == INFINITE else self._x(span.unsubscribed)
        for start, stop, css in ((left, begin, "rest"), (begin, end, "time"), (end, right, "rest")):
            if stop > start:
                self._parts.append(f'<line class="{css}" x1="{start:.1f}" x2="{stop:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        self._parts.append(f'<path d="M{right - 7:.1f} {y - 4:.1f}l7 4l-7 4"/>')

    def _messages(self, messages: Sequence[Recorded[Notification]], x: float, y: float, room: float) -> None:
        """Draw the messages of one tick beside one another, narrower where they have no room before the next tick."""
        wanted = [_wanted_width(message.value) for message in messages]
        shrunk = min(1.0, room / sum(wanted))
        for message, width in zip(messages, wanted, strict=True):
            self._message(message, x, y, width * shrunk)
            x += width * shrunk

    def _message(self, message: Recorded[Notification], x: float, y: float, room: float) -> None:
        if isinstance(message.value, OnNext):
            width = max(2 * _RADIUS, room - _GAP)
            label = cut(str(message.value.element), width)
            box = f'x="{x - _RADIUS:.1f}" y="{y - _RADIUS:.1f}" width="{width:.1f}" height="{2 * _RADIUS:g}"'
            shape = f'<rect {box} rx="{_RADIUS:g}"/>{text(x - _RADIUS + width / 2, y + 4, label, "")}'
        elif isinstance(message.value, OnError):
            shape = f'<path class="error" d="M{x - 8:.1f} {y - 8:.1f}l16 16m0-16l-16 16"/>'
        else:
            shape = f'<path class="end" d="M{x:.1f} {y - 12:.1f}v24"/>'
        self._parts.append(f"<g>{title(str(message))}{shape}</g>")

    def _request(self, request: Recorded[int], y: float) -> None:
        x = self._x(request.tick)
        count = "all" if request.value == UNBOUNDED else str(request.value)
        arrow = f'<path d="M{x:.1f} {y + 12:.1f}v-12m-4 5l4-5l4 5"/>'
        name = title(f"{request.tick}: request({request.value})")
        self._parts.append(f'<g class="request">{name}{arrow}{text(x, y + 23, count, "")}</g>')

    def _axis(self) -> None:
        self._y += _AXIS_ROOM
        free = 0.0
        for tick in self._ticks:
            x, half = self._x(tick), (len(str(tick)) + 1) * CHARACTER_PIXELS / 2
            if x - half >= free:
                self._parts.append(text(x, self._y - 10, str(tick), "tick"))
                free = x + half
