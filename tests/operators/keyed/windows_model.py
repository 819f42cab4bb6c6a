"""A model of windows of event time: plain Python that goes through all elements again for each question."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from reactivestreams import TimeWindow

Timed = tuple[float, Any]
"""A time and a key."""


@dataclass
class Model:
    """What comes of elements, which are pairs of a time and a key, whose windows are collected into lists.

    Attributes:
        size: The length of a window, or the gap of sessions.
        step: From one start to the next; 0: sessions.
        lateness: How late an element may come.
        allowed: How long a closed window is kept.
    """

    size: float
    step: float = 0
    lateness: float = 0
    allowed: float = 0
    sent: list[TimeWindow[list[Timed]]] = field(default_factory=list)
    late: list[Timed] = field(default_factory=list)
    held: list[tuple[float, float, Any, list[Timed]]] = field(default_factory=list)
    watermark: float = float("-inf")

    def feed(self, elements: list[Timed]) -> "Model":
        for element in elements:
            self.advance(element[0] - self.lateness)
            (self.put if self.step else self.put_in_session)(element)
        return self

    def finish(self) -> "Model":
        self.advance(float("inf"))
        return self

    def is_closed(self, end: float, watermark: float) -> bool:
        return end <= watermark if self.step else end < watermark

    def advance(self, watermark: float) -> None:
        before, self.watermark = self.watermark, max(self.watermark, watermark)
        closing = [
            (end, start, place)
            for place, (start, end, _, _) in enumerate(self.held)
            if self.is_closed(end, self.watermark) and not self.is_closed(end, before)
        ]
        for _, _, place in sorted(closing):
            self.send(self.held[place])
        self.held = [each for each in self.held if not self.is_closed(each[1] + self.allowed, self.watermark)]

    def send(self, window: tuple[float, float, Any, list[Timed]]) -> None:
        start, end, key, elements = window
        self.sent.append(TimeWindow(key, float(start), float(end), list(elements)))

    def put(self, element: Timed) -> None:
        time, key = element
        first = time // self.step * self.step
        starts = []
        while first > time - self.size:
            if not first + self.size + self.allowed <= self.watermark:
                starts.insert(0, first)
            first -= self.step
        if not starts:
            self.late.append(element)
        for start in starts:
            found = [each for each in self.held if (each[0], each[2]) == (start, key)]
            if not found:
                found = [(start, start + self.size, key, [])]
                self.held += found
            found[0][3].append(element)
            if start + self.size <= self.watermark:
                self.send(found[0])

    def put_in_session(self, element: Timed) -> None:
        time, key = element
        touched = sorted(
            each for each in self.held if each[2] == key and time <= each[1] and time + self.size >= each[0]
        )
        if not touched:
            if time + self.size < self.watermark:
                self.late.append(element)
            else:
                self.held.append((time, time + self.size, key, [element]))
            return
        start = min(time, touched[0][0])
        end = max(time + self.size, touched[-1][1])
        elements = [each for session in touched for each in session[3]]
        place = min(self.held.index(session) for session in touched)
        self.held[place] = (start, end, key, [*elements, element])
        for session in touched:
            if session in self.held:
                self.held.remove(session)


def windows_of(keyed: Any, model: Model, late: Callable[[Any], object] | None = None) -> Any:
    """Return the windows of a model on what `key_by` returned."""
    if not model.step:
        return keyed.session(model.size, late=late)
    if model.step == model.size:
        return keyed.tumbling(model.size, allowed_lateness=model.allowed, late=late)
    return keyed.sliding(model.size, model.step, allowed_lateness=model.allowed, late=late)
