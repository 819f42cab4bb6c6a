"""Operators over plain lists: what a stream has to send, whatever the demand, the threads and the queues.

A stream is modelled by its elements and its end: None for a completion, else the message of the error. Elements may be
of any kind, lists of lists too, so functions decide by a checksum of their repr.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32


@dataclass(frozen=True)
class Sent:
    """What a whole stream sends."""

    elements: list[Any]
    error: str | None = None


def checksum(element: Any) -> int:
    return crc32(repr(element).encode())


class ModelError(Exception):
    """What the functions below raise."""


def failing_at(one_of: int) -> Callable[[Any], Any]:
    """Return a function that fails for about one element of so many."""

    def function(element: Any) -> Any:
        if checksum(element) % one_of == 0:
            raise ModelError(f"no {element!r}")
        return (element,)

    return function


def keeps(one_of: int) -> Callable[[Any], bool]:
    return lambda element: checksum(element) % one_of != 0


def repeated(most: int) -> Callable[[Any], list[Any]]:
    return lambda element: [element] * (checksum(element) % (most + 1))


def counted(total: tuple[int, Any], element: Any) -> tuple[int, Any]:
    return total[0] + 1, element


def key_of(element: Any) -> int:
    return checksum(element) % 3


def mapped(sent: Sent, function: Callable[[Any], Any]) -> Sent:
    elements = []
    for element in sent.elements:
        try:
            elements.append(function(element))
        except ModelError as error:
            return Sent(elements, str(error))
    return Sent(elements, sent.error)


def filtered(sent: Sent, predicate: Callable[[Any], bool]) -> Sent:
    return Sent(list(filter(predicate, sent.elements)), sent.error)


def taken(sent: Sent, count: int) -> Sent:
    return Sent(sent.elements[:count], None if len(sent.elements) >= count else sent.error)


def skipped(sent: Sent, count: int) -> Sent:
    return Sent(sent.elements[count:], sent.error)


def scanned(sent: Sent) -> Sent:
    total: tuple[int, Any] = (0, None)
    elements = [total := counted(total, element) for element in sent.elements]
    return Sent(elements, sent.error)


def scanned_by_key(sent: Sent) -> Sent:
    totals: dict[int, tuple[int, Any]] = {}
    elements = []
    for element in sent.elements:
        key = key_of(element)
        totals[key] = counted(totals.get(key, (0, None)), element)
        elements.append(totals[key])
    return Sent(elements, sent.error)


def buffered(sent: Sent, count: int) -> Sent:
    lists = [sent.elements[start : start + count] for start in range(0, len(sent.elements), count)]
    if sent.error is not None and lists and len(lists[-1]) < count:
        lists.pop()  # an error gives up the list that is being filled
    return Sent(lists, sent.error)


def flattened(sent: Sent, function: Callable[[Any], list[Any]]) -> Sent:
    return Sent([part for element in sent.elements for part in function(element)], sent.error)
