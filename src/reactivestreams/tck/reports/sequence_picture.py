"""The timeline of a check as a picture: the parties as columns, time downwards, a color and a number for each thread.

Colors come from the page's style sheet by class, so one drawing serves the light and the dark scheme. It is drawn for a
width in CSS pixels; the page shows the wide or the narrow drawing, so the text never shrinks.
"""

import textwrap
from dataclasses import dataclass, field

from reactivestreams.drawing.svg_text import CHARACTER_PIXELS, cut, opening, text, title
from reactivestreams.drawing.xml_text import xml_safe
from reactivestreams.tck.kit.timeline import Arrow, Gap, Note, Row, Timeline

__all__ = ["THREAD_COLORS", "sequence_picture"]

THREAD_COLORS = 6
"""How many colors the style sheet has for threads; further threads share a color, but their numbers differ."""

_NOTE_CHARACTER_PIXELS = 7.6
"""The width of a character of notes, which may be a capital letter in bold type; a safe estimate."""

_LINE = 15.0
_ARROW_ROW = 31.0
_GAP_ROW = 24.0
_NOTE_MARGIN = 4.0
_WIDEST_COLUMN = 420.0
_PARTY_CHARACTERS = 14


def sequence_picture(shown: Timeline, *, width: float, label: str) -> str:
    """Return a timeline as inline SVG; text of the subject is escaped.

    Args:
        shown: The timeline.
        width: The width in CSS pixels, 300 or more.
        label: A description for readers who do not see it.
    """
    return _Picture(shown, width).drawn(label)


@dataclass
class _Picture:
    """A picture that is drawn from top to bottom.

    Attributes:
        timeline: The timeline.
        width: The width in CSS pixels.
        y: The current vertical position.
        parts: The elements so far.
    """

    timeline: Timeline
    width: float
    y: float = 0.0
    parts: list[str] = field(default_factory=list[str])

    def drawn(self, label: str) -> str:
        """Return the finished picture."""
        top = self._heads()
        for row in self.timeline.rows:
            self._row(row)
        self.y += 6
        lifelines = [
            f'<line class="lifeline" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{self.y:.1f}"/>'
            for x in map(self._x, self.timeline.parties)
        ]
        return f"{opening('sequence', self.width, self.y, label)}{''.join(lifelines + self.parts)}</svg>"

    @property
    def _left(self) -> float:
        """The start of the columns, to the right of the times."""
        return 78.0 if self.width > 500 else 52.0

    def _x(self, party: str) -> float:
        """Return the middle of a party's column."""
        count = len(self.timeline.parties)
        column = min(_WIDEST_COLUMN, (self.width - self._left) / max(1, count))
        return self._left + column * (self.timeline.parties.index(party) + 0.5)

    def _heads(self) -> float:
        """Draw the names of the parties; return the start of their columns."""
        named = {party: textwrap.wrap(party, _PARTY_CHARACTERS)[:3] for party in self.timeline.parties}
        if not named:
            return 0.0
        lines = max(map(len, named.values()))
        height = 10 + _LINE * lines
        column = min(_WIDEST_COLUMN, (self.width - self._left) / len(named))
        box = min(column - 4, 12 + CHARACTER_PIXELS * _PARTY_CHARACTERS)
        for party, words in named.items():
            x = self._x(party)
            rectangle = f'<rect class="party" x="{x - box / 2:.1f}" y="1" width="{box:.1f}" height="{height}" rx="6"/>'
            texts = (text(x, 4 + _LINE * (n + 0.8), word, "party-name") for n, word in enumerate(words))
            self.parts.append(f"<g>{title(party)}{rectangle}{''.join(texts)}</g>")
        self.y = height + 8
        return height + 1

    def _row(self, row: Row) -> None:
        match row:
            case Arrow():
                self._arrow(row)
            case Note():
                self._note(row)
            case Gap():
                self._gap(row)

    def _arrow(self, arrow: Arrow) -> None:
        number = self.timeline.threads.index(arrow.thread)
        start, end = self._x(arrow.sender), self._x(arrow.receiver)
        if start == end:  # a party that signals to itself
            start -= 40
        forward = 1 if end > start else -1
        y = self.y + _ARROW_ROW - 8
        left, room = min(start, end) + 12, abs(end - start) - 20
        if self.width <= 500:  # with narrow columns a label may cover the next ones
            room = self.width - left
        self.parts.append(
            f'<g class="signal thread-{number % THREAD_COLORS}">{title(str(arrow).strip())}'
            f"{self._time(arrow.at_seconds, y)}"
            f'<line x1="{start:.1f}" x2="{end - 7 * forward:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<path d="M{end:.1f} {y:.1f}l{-9 * forward} -4.5v9z"/>'
            f'<circle cx="{start:.1f}" cy="{y:.1f}" r="7"/>{text(start, y + 3.5, str(number + 1), "thread-number")}'
            f"{text(left, y - 8, cut(arrow.label, room), 'signal-name', anchor='start')}</g>"
        )
        self.y += _ARROW_ROW

    def _note(self, note: Note) -> None:
        mark = "✕ " if note.is_breach else ""
        room = int((self.width - self._left - 16) / _NOTE_CHARACTER_PIXELS)
        lines = textwrap.wrap(mark + xml_safe(note.text), room)[:6] or [""]
        height = _LINE * len(lines) + 6
        self.y += _NOTE_MARGIN
        css = "breach" if note.is_breach else "step"
        texts = "".join(
            text(self._left + 8, self.y + 1 + _LINE * (n + 0.85), line, "", anchor="start")
            for n, line in enumerate(lines)
        )
        self.parts.append(
            f'<g class="{css}">{title(note.text)}{self._time(note.at_seconds, self.y + _LINE)}'
            f'<rect x="{self._left:.1f}" y="{self.y + 1:.1f}" width="{self.width - self._left:.1f}" '
            f'height="{height - 2:.1f}" rx="4"/>{texts}</g>'
        )
        self.y += height + 2

    def _gap(self, gap: Gap) -> None:
        middle = self._left + (self.width - self._left) / 2
        if self.timeline.parties:
            middle = (self._x(self.timeline.parties[0]) + self._x(self.timeline.parties[-1])) / 2
        self.parts.append(text(middle, self.y + 16, f"… {gap.text} …", "gap"))
        self.y += _GAP_ROW

    def _time(self, seconds: float, y: float) -> str:
        unit = " ms" if self.width > 500 else ""
        return text(self._left - 8, y + 3.5, f"{seconds * 1000:.1f}{unit}", "time", anchor="end")
