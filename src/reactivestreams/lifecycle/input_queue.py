"""Where the signals of several inputs meet, until one thread at a time handles them."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, cast

from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentTypeError, DemandExceededError, NullElementError, StateError
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.spec import MAX_DEMAND

__all__ = ["InputQueue", "SignalKind"]


class SignalKind(IntEnum):
    """What came."""

    ELEMENT = 0
    COMPLETE = 1
    ERROR = 2


_KINDS = frozenset(map(int, SignalKind))
_REMEDY = "load an older checkpoint, or drop the state of this operator"


class InputQueue:
    """Keep the signals of several inputs in the order in which they came, as far as they were requested.

    Bound: of each input `prefetch` elements that were requested and not yet taken, and an end. What is wanted beyond
    that is owed, and requested when three quarters of the room are free again.

    Args:
        owner: Whose inputs they are.
        tell: Called when there is news, outside of the lock.
        prefetch: How many elements of each input may be on their way or wait, from 1.
    """

    # I1: all fields that change are used under the lock. I2: news is told, and inputs are asked, outside of it, behind
    # what is new. I3: of an input, credit + waiting <= prefetch, but for what was loaded.
    def __init__(self, owner: Any, tell: Callable[[], None], *, prefetch: int) -> None:
        self.owner = owner
        self._tell = tell
        self._prefetch = prefetch
        self._replenish_at = prefetch - prefetch // 4
        self._lock = threading.RLock()
        self._inputs: list[_Input] = []
        self._signals: deque[tuple[SignalKind, int, Any]] = deque()

    def bind(self, sources: Any) -> list[Any]:
        """Bind the inputs, once; return their handles.

        Args:
            sources: What the user's `sources()` returned: several that are Subscribable.

        Raises:
            ArgumentTypeError: What is given are no streams.
        """
        if isinstance(sources, Subscribable) or not isinstance(sources, Iterable):
            raise ArgumentTypeError(
                f"sources() of {self.owner!r} has to return the streams, got {sources!r} ({type(sources).__name__}); "
                f"return a list of them"
            )
        for source in cast("Iterable[object]", sources):
            if not isinstance(source, Subscribable):
                raise ArgumentTypeError(
                    f"sources() of {self.owner!r} has to return streams, got {source!r} ({type(source).__name__}) "
                    f"among them; wrap it: Stream.from_publisher(...) or Stream.from_iterable(...)"
                )
            each = _Input(self, len(self._inputs))
            self._inputs.append(each)
            each.handle = source.bind(each)
        return [each.handle for each in self._inputs]

    def __len__(self) -> int:
        return len(self._inputs)

    def is_open(self, index: int) -> bool:
        """Return whether an input was not cancelled and its end was not taken; what it sends may be refused already."""
        port = self._inputs[index]
        with self._lock:
            return port.is_open or port.end_waits

    def request(self, index: int, n: int) -> None:
        """Want n more elements of an input; 2**63 - 1 means any number (§3.17). Asks it as `replenish` does."""
        port = self._inputs[index]
        with self._lock:
            port.owed = min(port.owed + n, MAX_DEMAND)
        self.replenish(index)

    def replenish(self, index: int) -> None:
        """Ask an input for what is owed, as far as there is room for it, if it is open; by the drainer."""
        port = self._inputs[index]
        with self._lock:
            room = self._prefetch - port.credit - port.waiting
            more = min(port.owed, room)
            # Less room means that elements wait or are on their way, so this is called again.
            if not port.is_open or more <= 0 or (more < port.owed and more < self._replenish_at):
                return
            if port.owed != MAX_DEMAND:
                port.owed -= more
            port.credit += more
        try:
            port.handle.request(more)
        except Exception as error:  # §3.16 forbids it
            self._break_off(port, error)

    def close(self, index: int) -> None:
        """Cancel an input, and forget what came of it."""
        port = self._inputs[index]
        with self._lock:
            port.is_open = port.end_waits = False
            forgotten = [signal for signal in self._signals if signal[1] == index]
            self._signals = deque(signal for signal in self._signals if signal[1] != index)
        self._let_go(forgotten)
        port.handle.dispose()

    def take(self) -> tuple[SignalKind, int, Any] | None:
        """Return the next signal: kind, index of the input, element or error; None: there is none."""
        with self._lock:
            if not self._signals:
                return None
            signal = self._signals.popleft()
            port = self._inputs[signal[1]]
            if signal[0] is SignalKind.ELEMENT:
                port.waiting -= 1
            else:
                port.end_waits = False
            return signal

    def clear(self) -> None:
        """Forget all signals, and take none any more."""
        with self._lock:
            forgotten, self._signals = self._signals, deque()
            for each in self._inputs:
                each.is_open = each.end_waits = False
        self._let_go(forgotten)

    def state(self) -> tuple[list[Any], list[int]]:
        """Return what is to be saved: the signals, and which inputs are over."""
        with self._lock:
            signals = [(int(kind), index, value) for kind, index, value in self._signals]
            return signals, [each.index for each in self._inputs if not each.is_open]

    def load(self, signals: list[Any], closed: list[Any]) -> None:
        """Take what `state` returned, behind `bind`.

        Raises:
            StateError: It is something else, or there are fewer inputs than there were.
        """
        wrong = [signal for signal in signals if not _is_saved_signal(signal)]
        if wrong or not _are_saved_ends(signals, closed):
            raise StateError(
                f"{self.owner!r} cannot load {wrong[0]!r} as a signal of an input; {_REMEDY}"
                if wrong
                else f"{self.owner!r} cannot load {closed!r} as the inputs that are over; {_REMEDY}"
            )
        waiting = deque((SignalKind(kind), index, value) for kind, index, value in signals)
        over = frozenset(closed)
        last = max(over.union(index for _, index, _ in waiting), default=-1)
        if last >= len(self._inputs):
            raise StateError(
                f"{self.owner!r} was saved with {last + 1} inputs or more, sources() returns {len(self._inputs)}; "
                f"return as many as then, or drop the state of this operator"
            )
        with self._lock:
            self._signals = waiting
            for each in self._inputs:
                each.is_open = each.index not in over
                kinds = [kind for kind, index, _ in self._signals if index == each.index]
                each.waiting = kinds.count(SignalKind.ELEMENT)
                each.end_waits = len(kinds) > each.waiting

    def element_came(self, port: "_Input", element: Any) -> None:
        """Keep an element that was requested; one that was not is the end of its input (§1.1)."""
        with self._lock:
            if not port.is_open:  # §2.8
                return
            if port.credit:
                self._signals.append((SignalKind.ELEMENT, port.index, element))
                port.credit -= 1
                port.waiting += 1
                excess = None
            else:
                excess = DemandExceededError(
                    f"§1.1: input {port.index} of {self.owner!r} sent {element!r}, which was not requested; "
                    f"a publisher may send only what was requested"
                )
        if excess is None:
            self._tell()
        else:
            self._break_off(port, excess)

    def end_came(self, port: "_Input", error: Exception | None) -> None:
        """Keep the first end of an input."""
        with self._lock:
            was_open, port.is_open = port.is_open, False
            if was_open:
                kind = SignalKind.COMPLETE if error is None else SignalKind.ERROR
                self._signals.append((kind, port.index, error))
                port.end_waits = True
        if was_open:
            self._tell()
        elif error is not None:
            self._drop(error)

    def _let_go(self, signals: Iterable[tuple[SignalKind, int, Any]]) -> None:
        """Report the errors among signals that nobody will take."""
        for kind, _, value in signals:
            if kind is SignalKind.ERROR:
                self._drop(value)

    def _drop(self, error: Exception) -> None:
        dropped("on_error", error, origin=self.owner.name)

    def _break_off(self, port: "_Input", error: Exception) -> None:
        """End an input that broke a rule, and cancel it."""
        self.end_came(port, error)
        port.handle.dispose()


def _is_saved_signal(saved: tuple[Any, ...]) -> bool:
    if type(saved) is not tuple or [type(part) for part in saved[:-1]] != [int, int]:
        return False
    kind, index, value = saved
    return kind in _KINDS and index >= 0 and (value is None) == (kind == SignalKind.COMPLETE)


def _are_saved_ends(signals: list[Any], closed: list[Any]) -> bool:
    """Return whether these are inputs, in order, and all those are among them whose end waits, which it does once."""
    if any(type(index) is not int or index < 0 for index in closed) or closed != sorted(set(closed)):
        return False
    ends = [index for kind, index, _ in signals if kind != SignalKind.ELEMENT]
    return len(ends) == len(set(ends).intersection(closed))


class _Input:
    """The subscriber of one input."""

    __slots__ = ("__weakref__", "_queue", "credit", "end_waits", "handle", "index", "is_open", "owed", "waiting")

    def __init__(self, queue: InputQueue, index: int) -> None:
        self._queue = queue
        self.index: int = index
        self.handle: Any = None
        self.owed: int = 0  # wanted and not yet requested
        self.credit: int = 0  # requested and not yet come
        self.waiting: int = 0  # come and not yet taken
        self.is_open: bool = True  # takes signals
        self.end_waits: bool = False  # its end has come and was not taken

    def on_subscribe(self, subscription: object, /) -> None:
        """Do nothing: the queue has the handle."""
        if subscription is None:
            raise NullElementError("§2.13: on_subscribe(None): a subscription is needed; pass one")

    def on_next(self, element: Any, /) -> None:
        if element is None:
            raise NullElementError("§2.13: on_next(None): None cannot be an element; pass a value")
        self._queue.element_came(self, element)

    def on_error(self, error: Exception, /) -> None:
        if error is None:
            raise NullElementError("§2.13: on_error(None): an exception is needed; pass one")
        self._queue.end_came(self, error)

    def on_complete(self) -> None:
        self._queue.end_came(self, None)
