"""What streams send, in plain Python: models of operators over iterators, and which orders of several inputs are right.

An operator is modelled by a function on an iterator, which raises the stream's error behind its elements: what a loop
over it does is what the operator has to do. Where the order of several inputs is not determined, the outcome says
which results it allows.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import Any

from reactivestreams.errors import RecoveredError
from tests.models.stream_model import ModelError, Sent

Lane = tuple[str, ...]


class UndeterminedError(Exception):
    """The operator may do one thing or another here, and the models do not say which."""


def name_of(error: BaseException) -> str:
    """Return by what errors are compared: those of the functions by their text, others by their kind."""
    if isinstance(error, RecoveredError):
        kind = error.kind.rpartition(".")[2]
        return str(error.args[0]) if kind == ModelError.__name__ else kind
    return str(error) if isinstance(error, ModelError) else type(error).__name__


def read(sent: Sent) -> Iterator[Any]:
    """Return an iterator of what was sent, which raises the error."""
    yield from sent.elements
    if sent.error is not None:
        raise ModelError(sent.error)


def sent_by(given: Iterable[Any]) -> Sent:
    """Return what an iterator gives, and how it ends."""
    elements: list[Any] = []
    try:
        for element in given:
            elements.append(element)  # noqa: PERF402  # those before an error count
    except ModelError as error:
        return Sent(elements, str(error))
    return Sent(elements)


@dataclass(frozen=True)
class Merged:
    """Several inputs whose elements come in any order; those of one input keep theirs.

    Attributes:
        lanes: The inputs. The error of one ends all: of the others a part has come.
        end: An error behind all elements of all inputs.
    """

    lanes: list[Sent]
    end: str | None = None

    def allows(self, elements: list[Any], error: str | None) -> bool:
        lanes = [tuple(map(repr, lane.elements)) for lane in self.lanes]
        texts = list(map(repr, elements))
        if all(lane.error is None for lane in self.lanes):
            return error == self.end and ((), ()) in _left_over((), lanes, texts)
        return any(
            not rest
            for place, lane in enumerate(self.lanes)
            if lane.error is not None and lane.error == error
            for rest, _ in _left_over(lanes[place], lanes[:place] + lanes[place + 1 :], texts)
        )

    @property
    def orders(self) -> int:
        """How many places there are between the elements of the inputs: what it may take to compare them."""
        return prod(len(lane.elements) + 1 for lane in self.lanes if len(lane.elements) > 1)

    def each(self, of: Callable[[Sent], "Outcome"]) -> "Merged":
        """Return what comes of an operator that handles one element after the other, and knows of no others."""
        lanes: list[Sent] = []
        for lane in self.lanes:
            made = of(lane)
            assert isinstance(made, Sent)
            lanes.append(made)
        return replace(self, lanes=lanes)

    def gathered(self, of: Callable[[Sent], "Outcome"]) -> "Outcome":
        """Return what comes of an operator that waits for all elements, and for which their order is nothing."""
        whole = of(Sent(list(chain.from_iterable(lane.elements for lane in self.lanes)), self.end))
        errors = {lane.error for lane in self.lanes} - {None}
        if not errors:
            return whole
        if isinstance(whole, Sent):  # its own error, as of too many elements, may come before
            errors.add(whole.error)
        return Merged([Sent([], error) for error in sorted(map(str, errors - {None}))])


@dataclass(frozen=True)
class Latest:
    """Tuples of the latest elements of two inputs, for each element of one of them, or of the first one only."""

    main: Sent
    other: Sent
    is_led: bool

    def allows(self, elements: list[Any], error: str | None) -> bool:
        main, other = self.main.elements, self.other.elements
        errors = {self.main.error, self.other.error} - {None}
        if not main or not other:
            lacking = [sent.error for sent in (self.main, self.other) if not sent.elements]
            return elements == [] and error in {*lacking, *errors}
        if error is None:
            if errors - ({self.other.error} if self.is_led else set()):
                return False
        elif error not in errors:
            return False
        places = self._places(list(map(repr, elements)))
        if not elements:
            return error is not None or self.is_led
        if error is None:
            return any(at == len(main) - 1 and (self.is_led or beside == len(other) - 1) for at, beside in places)
        by_main = error == self.main.error and any(at == len(main) - 1 for at, _ in places)
        by_other = error == self.other.error and any(self.is_led or b == len(other) - 1 for _, b in places)
        return by_main or by_other

    def _places(self, tuples: list[str]) -> set[tuple[int, int]]:
        """Return how far both inputs may be when these tuples have come."""
        main, other = len(self.main.elements), len(self.other.elements)
        if self.is_led:
            places = {(at, beside) for at in range(main) for beside in range(other)}
        else:
            places = {(at, 0) for at in range(main)} | {(0, beside) for beside in range(other)}
        for number, text in enumerate(tuples):
            if number and self.is_led:
                places = {(at + 1, later) for at, beside in places for later in range(beside, other)}
            elif number:
                places = {place for at, beside in places for place in ((at + 1, beside), (at, beside + 1))}
            places = {
                (at, beside)
                for at, beside in places
                if at < main and beside < other and repr((self.main.elements[at], self.other.elements[beside])) == text
            }
        return places


def _left_over(lane: Lane, others: list[Lane], texts: list[str]) -> set[tuple[Lane, tuple[Lane, ...]]]:
    """Return what may be left of a lane, and of others, where their elements have come in some order."""
    left = {(lane, tuple(sorted(filter(None, others))))}
    for text in texts:
        following: set[tuple[Lane, tuple[Lane, ...]]] = set()
        for mine, theirs in left:
            if mine[:1] == (text,):
                following.add((mine[1:], theirs))
            for other in set(theirs):
                if other[0] == text:
                    place = theirs.index(other)
                    rest = (*theirs[:place], other[1:], *theirs[place + 1 :])
                    following.add((mine, tuple(sorted(filter(None, rest)))))
        left = following
    return left


@dataclass(frozen=True)
class Cut:
    """Lists of the elements of an input, cut where another one has an element."""

    main: Sent
    boundary: Sent

    def allows(self, elements: list[Any], error: str | None) -> bool:
        came = [repr(element) for part in elements for element in part]
        if came != list(map(repr, self.main.elements[: len(came)])) or len(elements) > len(self.boundary.elements) + 1:
            return False
        if error is None and self.boundary.error is not None:
            return self.main.error is None and len(came) == len(self.main.elements)
        return error in (self.main.error, self.boundary.error)


@dataclass(frozen=True)
class Opened:
    """One list of the elements of an input from somewhere on; none, if that has ended before the list was opened."""

    main: Sent

    def allows(self, elements: list[Any], error: str | None) -> bool:
        if error is not None or self.main.error is not None:
            return error == self.main.error and not elements
        came = [repr(element) for part in elements for element in part]
        given = list(map(repr, self.main.elements))
        return len(elements) <= 1 and came == given[len(given) - len(came) :]


Outcome = Sent | Merged | Latest | Cut | Opened


def keyed(given: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """Return the elements of each key, in the order of their first elements."""
    groups: dict[Any, list[Any]] = {}
    for element in given:
        groups.setdefault(key(element), []).append(element)
    return groups


def keyed_through(given: Iterable[Any], key: Callable[[Any], Any], of: Callable[[Sent], Sent]) -> Iterator[Any]:
    """Yield what comes of an operator for each key; what it holds back at the end, key by key."""
    groups: dict[Any, list[Any]] = {}
    for element in given:
        group = groups.setdefault(key(element), [])
        before = of(Sent(group, "it goes on")) if group else Sent([], "it goes on")  # there is none for no element
        group.append(element)
        after = of(Sent(group, "it goes on"))
        yield from after.elements[len(before.elements) :]
        if after.error not in (None, "it goes on"):
            raise ModelError(str(after.error))
    for group in groups.values():
        before, after = of(Sent(group, "it goes on")), of(Sent(group))
        yield from after.elements[len(before.elements) :]
        if after.error is not None:
            raise ModelError(after.error)


def windows(given: Iterable[Any], size: int, step: int, *, has_rest: bool) -> Iterator[list[Any]]:
    """Yield lists of neighbors, each a step behind the one before, then those that are not full."""
    opened: list[list[Any]] = []
    for number, element in enumerate(given):
        if number % step == 0:
            opened.append([])
        for window in opened:
            window.append(element)
        if opened and len(opened[0]) == size:
            yield opened.pop(0)
    if has_rest:
        yield from opened


def determined(sent: Sent, other: Sent) -> None:
    """Refuse two inputs that are as long as each other and end in different ways: either end may be seen first.

    Raises:
        UndeterminedError: They are.
    """
    if len(sent.elements) == len(other.elements) and sent.error != other.error:
        raise UndeterminedError
