"""Marbles as text: the signals of a stream in a line of characters, one for each frame of virtual time."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.recorded import Notification, OnComplete, OnError, OnNext, Recorded

__all__ = ["DEFAULT_FRAME_TICKS", "MarbleError", "from_marbles", "to_marbles"]

DEFAULT_FRAME_TICKS = 10
"""How many ticks a character stands for by default."""

MAX_FRAMES = 1_000_000
"""The most characters of a line that is written."""

COMPLETE, ERROR, EMPTY, SUBSCRIBED, OPEN, CLOSE = "|#-^()"
SPECIAL = frozenset((COMPLETE, ERROR, EMPTY, SUBSCRIBED, OPEN, CLOSE, " "))


class MarbleError(Exception):
    """The error of `#` where no other one is given; all of them are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MarbleError)

    def __hash__(self) -> int:
        return hash(MarbleError)


def from_marbles(
    text: str,
    values: Mapping[str, Any] | None = None,
    *,
    error: Exception | None = None,
    frame_ticks: int = DEFAULT_FRAME_TICKS,
) -> list[Recorded[Notification]]:
    """Return the notifications that a line of marbles describes, for `create_hot` and `create_cold`.

    A character is a frame: `-` nothing happens, `|` completion, `#` an error, any other character an element. What
    stands between parentheses happens in the frame of the `(`, and takes as many frames as there are characters. `^`
    is where ticks are counted from, the moment of a subscription; without one the line begins at tick 0. Spaces are no
    frames.

    Args:
        text: The line.
        values: The elements by their characters; a character that is not there is its own element.
        error: The error of `#`; by default a `MarbleError`.
        frame_ticks: How many ticks a frame takes, from 1.

    Raises:
        ArgumentTypeError: The line is no text, or the number is not an integer.
        ArgumentError: The line goes on after its end, has parentheses that do not match or a second `^`, or the number
            is below 1.

    Example:
        >>> from_marbles("--a-(b|)", {"b": 7})
        [20: on_next('a'), 40: on_next(7), 40: on_complete()]
        >>> from_marbles("a-^-b-#")
        [-20: on_next('a'), 20: on_next('b'), 40: on_error(MarbleError())]
    """
    checked: object = text
    if not isinstance(checked, str):
        raise ArgumentTypeError(
            f"from_marbles(text) needs a text such as '--a-b|', got {text!r} ({type(text).__name__})"
        )
    checked_count(frame_ticks, operator="from_marbles", name="frame_ticks", at_least=1, at_most=2**40)
    given: Mapping[str, Any] = {} if values is None else values
    messages: list[tuple[int, Notification]] = []
    zero: int | None = None
    group: int | None = None
    is_over = False
    for frame, character in enumerate(text.replace(" ", "")):
        if character == EMPTY and group is None:
            continue
        if character in (SUBSCRIBED, EMPTY) and group is not None:
            raise _wrong(text, f"{character!r} stands between parentheses, where no time passes", "take it out")
        if character == SUBSCRIBED:
            if zero is not None:
                raise _wrong(text, "there are two '^', and ticks are counted from one", "leave one of them out")
            zero = frame
        elif character == OPEN:
            if group is not None:
                raise _wrong(text, "a '(' stands between parentheses", "close the first ones before")
            group = frame
        elif character == CLOSE:
            if group is None:
                raise _wrong(text, "a ')' has no '(' before it", "add one, or take it out")
            group = None
        elif is_over:
            raise _wrong(text, f"{character!r} comes after the end of the stream", "end the line with the '|' or '#'")
        else:
            is_over = character in (COMPLETE, ERROR)
            messages.append((frame if group is None else group, _notification(character, given, error)))
    if group is not None:
        raise _wrong(text, "a '(' is not closed", "add the ')'")
    return [Recorded((frame - (zero or 0)) * frame_ticks, message) for frame, message in messages]


def _notification(character: str, values: Mapping[str, Any], error: Exception | None) -> Notification:
    if character == COMPLETE:
        return OnComplete()
    if character == ERROR:
        return OnError(MarbleError() if error is None else error)
    return OnNext(values.get(character, character))


def _wrong(text: str, rule: str, remedy: str) -> ArgumentError:
    return ArgumentError(f"from_marbles({text!r:.200}): {rule}; {remedy}")


def to_marbles(
    messages: Iterable[Recorded[Notification]],
    values: Mapping[str, Any] | None = None,
    *,
    frame_ticks: int = DEFAULT_FRAME_TICKS,
) -> str:
    """Return notifications as a line of marbles, such as those of an observer; `from_marbles` reads it.

    Each is written in the frame in which it happened, so that the ticks between tasks of virtual time do not show.

    Args:
        messages: The notifications, in order, from tick 0.
        values: The elements by their characters; an element that is not there is written as its text, of one character.
        frame_ticks: How many ticks a frame takes, from 1.

    Raises:
        ArgumentError: A notification is before tick 0, or where an earlier group goes on; an element is no single
            character; or the line would be longer than 1,000,000 frames.

    Example:
        >>> to_marbles(from_marbles("--a-(b|)"))
        '--a-(b|)'
        >>> from reactivestreams import Stream
        >>> from reactivestreams.testing import TestScheduler
        >>> scheduler = TestScheduler()
        >>> letters = scheduler.create_cold(*from_marbles("-a-b--|"))
        >>> observer = scheduler.start(lambda: Stream.from_publisher(letters).map(str.upper), created=0, subscribed=0)
        >>> to_marbles(observer.messages)
        '-A-B--|'
    """
    checked_count(frame_ticks, operator="to_marbles", name="frame_ticks", at_least=1, at_most=2**40)
    line: list[str] = []
    for frame, together in groupby(messages, key=lambda message: message.tick // frame_ticks):
        characters = [_character(message.value, values or {}) for message in together]
        if frame < len(line) or frame >= MAX_FRAMES:
            raise ArgumentError(
                f"to_marbles(messages) cannot write what happens in frame {frame} after {''.join(line)[-40:]!r}: there "
                f"are frames from 0 to {MAX_FRAMES:,}, and a group takes as many as it has characters; pass other "
                f"frame_ticks than {frame_ticks}"
            )
        line += EMPTY * (frame - len(line))
        line += characters if len(characters) == 1 else [OPEN, *characters, CLOSE]
    return "".join(line)


def _character(message: Notification, values: Mapping[str, Any]) -> str:
    if isinstance(message, OnComplete):
        return COMPLETE
    if isinstance(message, OnError):
        return ERROR
    element = message.element
    found = next((character for character, value in values.items() if value == element), str(element))
    if len(found) != 1 or found in SPECIAL:
        raise ArgumentError(
            f"to_marbles(messages) writes each element as one character, and {element!r:.200} is none; pass values "
            f"with a character for it"
        )
    return found
