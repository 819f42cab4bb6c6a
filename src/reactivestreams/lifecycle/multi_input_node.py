"""The base of operators with several inputs that are written in Python.

Roles
    input       any thread, one signal of each input at a time (§1.3): puts it into the queue
    downstream  any thread: `request`, `cancel`
    drainer     the thread that works for the node (node_drain.py): calls the hooks, sends downstream

Invariants
    I1  Hooks never overlap: the drainer calls them, but for `on_start`, which runs before the drain is opened.
    I2  A node is torn down by the drainer, between two hooks; `_output` is None from then on (§3.13).
"""

import threading
from collections import deque
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.lifecycle.input_queue import InputQueue, SignalKind
from reactivestreams.lifecycle.node_drain import NodeDrain
from reactivestreams.lifecycle.stateful import StateReader, StateWriter
from reactivestreams.lifecycle.stateful_node import StatefulNode
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec import MAX_DEMAND, Subscriber
from rs_core.demand import Demand

__all__ = ["DEFAULT_CAPACITY", "MultiInputNode"]

T = TypeVar("T")

DEFAULT_CAPACITY = 1024
"""How many emitted elements may wait for demand, unless a class says otherwise."""


class MultiInputNode(StatefulNode, Generic[T]):
    """An operator with several inputs, written in Python: subclass it and define `sources` and `on_next`.

    Hooks, besides those of `StatefulNode`: `sources()`, `on_next(index, element)`, `on_complete(index)`,
    `on_error(index, error)`, `on_request(n)`. In hooks it calls `request_input(index, n)`, `cancel_input(index)`,
    `emit(element)`, `complete()` and `fail(error)`. What hooks return means nothing. An `OperatorPublisher` makes a
    stream of it.

    Args:
        subscriber: Who gets the elements. A subclass with a constructor calls `super().__init__(subscriber)`.

    Class attribute `capacity`: how many emitted elements may wait for demand, 1024 by default; one more is a
    CapacityError.

    Demand: what `request_input` asks for; `on_request` tells what is asked for below.
    Errors: an exception of a hook cancels the inputs and becomes `on_error`; an input's goes to `on_error`.
    State: signals that came and were not handled, elements that wait for demand, which inputs are over; what
        `save_fields` writes.
    Threads: hooks run one at a time, in the thread that signals or requests, under a host in those of its scheduler.
    Rules: §1.1, §1.3, §1.7, §2.7, §2.13, §3.3, §3.5, §3.6, §3.7, §3.8, §3.9, §3.13, §3.17.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.lifecycle import OperatorPublisher
        >>> class Alternate(MultiInputNode):
        ...     name = "example/alternate"
        ...     turn = 0
        ...
        ...     def sources(self):
        ...         return [Stream.just("a", "b"), Stream.just(1, 2)]
        ...
        ...     def on_start(self):
        ...         self.request_input(0, 1)
        ...
        ...     def on_next(self, index, element):
        ...         self.emit(element)
        ...         self.request_input(1 - index, 1)
        >>> class Alternating(OperatorPublisher):
        ...     def create_operator(self, subscriber):
        ...         return Alternate(subscriber)
        >>> Stream.from_publisher(Alternating()).to_list()
        ['a', 1, 'b', 2]
    """

    capacity: ClassVar[int] = DEFAULT_CAPACITY

    def __init__(self, subscriber: Subscriber[T]) -> None:
        if not isinstance(subscriber, Subscriber):
            raise ArgumentTypeError(
                f"{type(self).__name__}(subscriber) needs a Subscriber, got {subscriber!r} "
                f"({type(subscriber).__name__}); pass what bind() was given"
            )
        self._output: Subscriber[T] | None = subscriber
        self._drain = NodeDrain(self._work_through, self._give_up)
        self._queue = InputQueue(self, self._drain.run)
        self._hook_thread: int | None = None  # of the hook that runs
        self._is_released = False
        self._bad_request: Exception | None = None
        self._demand = Demand()
        self._announced = 0  # demand that on_request was told of and that was not yet served
        self._outbox: deque[T] = deque()
        self._end: tuple[Exception | None] | None = None  # of this operator: what it ends with

    # --- hooks ----------------------------------------------------------------------------------------------------

    def sources(self) -> Iterable[Subscribable]:
        """Return the inputs, such as streams, in an order that is the same each time."""
        return ()

    def on_next(self, index: int, element: Any) -> None:
        """Take an element of an input."""
        raise NotImplementedError(f"{type(self).__name__} has to define on_next(self, index, element)")

    def on_complete(self, index: int) -> None:
        """Take notice that an input is complete; by default the operator completes with the last one."""
        if not any(self.is_input_open(other) for other in range(len(self._queue))):
            self.complete()

    def on_error(self, index: int, error: Exception) -> None:
        """Take notice that an input has failed; by default the operator fails with the same error."""
        self.fail(error)

    def on_request(self, n: int) -> None:
        """Take notice that n more elements may be sent; 2**63 - 1 means any number."""

    # --- what hooks call --------------------------------------------------------------------------------------------

    def emit(self, element: T) -> None:
        """Send an element down, once the hook has returned and it is requested.

        Raises:
            StateError: No hook is running, or the operator has ended (§1.7).
            CapacityError: As many elements wait for demand as `capacity` allows.
        """
        self._require_hook("emit()")
        if self._end is not None:
            raise StateError(f"§1.7: emit() of {self!r} after complete() or fail(); emit first", rule="1.7")
        if len(self._outbox) >= self.capacity:
            raise CapacityError(
                f"{self!r} emitted {element!r} while {self.capacity} elements wait for demand; "
                f"emit no more than on_request(n) announced, or raise the class attribute capacity"
            )
        self._outbox.append(element)
        self.mark_changed()

    def complete(self) -> None:
        """Complete, after what was emitted was sent; then the inputs are cancelled. The first end counts."""
        self._require_hook("complete()")
        self._end_with(None)

    def fail(self, error: Exception) -> None:
        """Fail, after what was emitted was sent; then the inputs are cancelled. The first end counts."""
        self._require_hook("fail()")
        self._end_with(error)

    def _end_with(self, error: Exception | None) -> None:
        self._end = self._end or (error,)
        self.mark_changed()

    def request_input(self, index: int, n: int) -> None:
        """Ask an input for n more elements; nothing, where it is over.

        Raises:
            StateError: No hook is running.
            ArgumentError: n is not positive.
        """
        self._require_hook("request_input()")
        if n <= 0:
            raise ArgumentError(f"request_input(index, n) needs n > 0, got {n}; request a positive count")
        self._queue.request(index, n)

    def cancel_input(self, index: int) -> None:
        """Cancel an input: nothing of it comes any more. It stays visitable."""
        self._require_hook("cancel_input()")
        self.mark_changed()
        self._queue.close(index)

    @property
    def wanted(self) -> int:
        """How many more elements may be emitted that go down at once; 2**63 - 1 means any number."""
        demand = self._demand.value
        return demand if demand == MAX_DEMAND else max(0, demand - len(self._outbox))

    def is_input_open(self, index: int) -> bool:
        """Return whether an input has neither ended nor been cancelled."""
        return self._queue.is_open(index)

    def _require_hook(self, call: str) -> None:
        if self._hook_thread != threading.get_ident():
            raise StateError(
                f"{call} of {self!r} outside its hooks; call it in a hook, in the thread that runs the hook"
            )

    # --- what downstream calls --------------------------------------------------------------------------------------

    def request(self, n: int, /) -> None:
        """Ask for n more elements (§3.8); an n that is not positive is answered by `on_error` (§3.9)."""
        try:
            self._demand.add(n)
        except (ValueError, TypeError) as error:
            self._bad_request = self._bad_request or error
        if not self._life.is_disposed:  # §3.6
            self._drain.run_by(getattr(self._context, "scheduler", None))

    def cancel(self) -> None:
        """Stop; the same as `dispose` (§3.5)."""
        self.dispose()

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        """Bind the sources; override `sources` instead."""
        return self._queue.bind(self.sources())

    def set_context(self, context: Any, /) -> None:
        """Take what the host provides. Runs `on_context`."""
        self._drain.take_variables()
        super().set_context(context)

    def _begin(self) -> None:
        try:
            if self._output is not None:
                self._output.on_subscribe(self)
        except Exception as error:  # §2.13
            self._subscriber_failed("on_subscribe", error)
        if not self.is_disposed:
            self._run_hook(self.on_start)
        self._drain.open()
        self._drain.run()

    def _tear_down(self) -> None:
        self._drain.run_in_any_case()

    # --- the drainer ------------------------------------------------------------------------------------------------

    def _give_up(self, error: Exception) -> None:
        self._bad_request = self._bad_request or error

    def _work_through(self) -> None:
        try:
            self._go_on()
        except BaseException:  # an interrupt, which comes out where the program called
            self._life.begin_dispose()
            self._release()
            raise

    def _go_on(self) -> None:
        while True:
            if self._life.is_disposed:
                self._release()
                return
            if self._bad_request is not None:
                self._finish(self._bad_request)
            elif self._outbox and self._demand.value:
                self._send(self._outbox.popleft())
            elif self._end is not None:
                if self._outbox:
                    return
                self._finish(self._end[0])
            elif not self._announce() and not self._handle_signal():
                return

    def _announce(self) -> bool:
        """Tell on_request of demand that is new; False: there is none."""
        demand = self._demand.value
        fresh = demand - self._announced
        if fresh <= 0:
            return False
        self._announced = demand
        self._run_hook(self.on_request, demand if demand == MAX_DEMAND else fresh)
        return True

    def _handle_signal(self) -> bool:
        """Hand the next signal of an input to its hook; False: there is none."""
        signal = self._queue.take()
        if signal is None:
            return False
        kind, index, value = signal
        self.mark_changed()
        if kind is SignalKind.ELEMENT:
            self._run_hook(self.on_next, index, value)
        elif kind is SignalKind.COMPLETE:
            self._run_hook(self.on_complete, index)
        else:
            self._run_hook(self.on_error, index, value)
        return True

    def _run_hook(self, hook: Any, *arguments: object) -> None:
        self._hook_thread = threading.get_ident()
        try:
            hook(*arguments)
        except Exception as error:
            self._outbox.clear()
            self._end = (error,)
        finally:
            self._hook_thread = None

    def _send(self, element: T) -> None:
        self.mark_changed()
        if not self._demand.is_unbounded:
            self._demand.consume(1)
            self._announced -= 1
        try:
            if self._output is not None:
                self._output.on_next(element)
        except Exception as error:  # §2.13
            self._subscriber_failed("on_next", error)

    def _finish(self, error: Exception | None) -> None:
        """Signal the end, then tear down: downstream first."""
        output, self._output = self._output, None
        signal = "on_complete" if error is None else "on_error"
        try:
            if output is not None:
                if error is None:
                    output.on_complete()
                else:
                    output.on_error(error)
        except Exception as trouble:  # §2.13
            self._subscriber_failed(signal, trouble)
        self.dispose()

    def _subscriber_failed(self, signal: str, error: Exception) -> None:
        dropped(signal, error, origin=self.name)
        self.dispose()

    def _release(self) -> None:
        """Let everything go, once; the inputs stay visitable (I2)."""
        if not self._is_released:
            self._is_released = True
            self._output = None
            self._outbox.clear()
            self._queue.clear()
            super()._tear_down()

    # --- state ------------------------------------------------------------------------------------------------------

    def _save_base_fields(self, writer: StateWriter) -> None:
        if self._drain.is_running:
            raise StateError(f"cannot save {self!r} while elements flow; pause its host or wait until it is idle")
        signals, closed = self._queue.state()
        writer.write(signals)
        writer.write(closed)
        writer.write(list(self._outbox))
        writer.write(self._end)

    def _load_base_fields(self, reader: StateReader) -> None:
        self._queue.load(reader.read(), closed=reader.read())
        self._outbox = deque(reader.read())
        self._end = reader.read()
