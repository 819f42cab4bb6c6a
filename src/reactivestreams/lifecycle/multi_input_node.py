"""The base of operators with several inputs that are written in Python.

Roles
    input       any thread, one signal of each input at a time (§1.3): puts it into the queue
    downstream  any thread: `request`, `cancel`
    drainer     the thread that works for the node (node_drain.py): calls the hooks, sends downstream

Invariants
    I1  Hooks never overlap: the drainer calls them, but for `on_start`, which runs before the drain is opened.
    I2  A node is torn down by the drainer, between two hooks; `__output` is None from then on (§3.13).
    I3  The drain is opened when all inputs were started: no hook gets an element before that.
    I4  No hook for a signal of an input runs while an emitted element waits for demand; the signals wait meanwhile.

Names have two underscores in front, so that a subclass may give any name to what is its own.
"""

import threading
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from reactivestreams.arguments import checked_count
from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle.initialize_visitor import start_tree
from reactivestreams.lifecycle.input_queue import InputQueue, SignalKind
from reactivestreams.lifecycle.node_drain import NodeDrain
from reactivestreams.lifecycle.once import Once
from reactivestreams.lifecycle.outbox import Outbox
from reactivestreams.lifecycle.stateful_node import StatefulNode
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec import Subscriber
from reactivestreams.state import StateReader, StateWriter

__all__ = ["DEFAULT_CAPACITY", "DEFAULT_PREFETCH", "MultiInputNode"]

T = TypeVar("T")

DEFAULT_CAPACITY = 1024
"""How many emitted elements may wait for demand, unless a class says otherwise."""

DEFAULT_PREFETCH = 128
"""How many elements of each input may be on their way or wait for `on_next`, unless a class says otherwise."""


class MultiInputNode(StatefulNode, Generic[T]):
    """An operator with several inputs, written in Python: subclass it and define `sources` and `on_next`.

    Hooks, besides those of `StatefulNode`: `sources()`, `on_next(index, element)`, `on_complete(index)`,
    `on_error(index, error)`, `on_request(n)`. In hooks it calls `request_input(index, n)`, `cancel_input(index)`,
    `emit(element)`, `complete()` and `fail(error)`. What hooks return means nothing. An `OperatorPublisher` makes a
    stream of it.

    Args:
        subscriber: Who gets the elements. A subclass with a constructor calls `super().__init__(subscriber)`.

    Class attributes that a subclass may set:
        capacity: How many emitted elements may wait for demand, from 0, 1024 by default; one more is a CapacityError.
            While one waits, signals of the inputs wait too: so it bounds what one hook for them emits.
        prefetch: How many elements of each input may be on their way or wait for `on_next`, from 1, 128 by default; the
            rest of what `request_input` asked for is requested as they are taken.

    Raises:
        ArgumentTypeError: The subscriber is none, or `prefetch` no integer.
        ArgumentError: `prefetch` is not positive.

    Demand: what `request_input` asks for, by `prefetch` at most; `on_request` tells what is asked for below.
    Errors: an exception of a hook cancels the inputs and becomes `on_error`; an input's goes to `on_error`.
    State: signals that came and were not handled, elements that wait for demand, which inputs are over; what
        `save_fields` writes.
    Threads: hooks run one at a time, in the thread that signals or requests, under a host in tasks of its scheduler and
        not while that is paused. `dispose` by any thread; it runs `on_dispose`, or the thread that is in a hook does.
    Rules: §1.1, §1.3, §1.7, §2.7, §2.13, §3.3, §3.5, §3.6, §3.7, §3.8, §3.9, §3.13, §3.17.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.lifecycle import OperatorPublisher
        >>> class Alternate(MultiInputNode):
        ...     name = "example/alternate"
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
    prefetch: ClassVar[int] = DEFAULT_PREFETCH

    def __init__(self, subscriber: Subscriber[T]) -> None:
        if not isinstance(subscriber, Subscriber):
            raise ArgumentTypeError(
                f"{type(self).__name__}(subscriber) needs a Subscriber, got {subscriber!r} "
                f"({type(subscriber).__name__}); pass what bind() was given"
            )
        self.__output: Subscriber[T] | None = subscriber
        self.__drain = NodeDrain(self.__work_through, self.__give_up)
        prefetch = checked_count(self.prefetch, operator=type(self).__name__, name="prefetch", at_least=1)
        self.__queue = InputQueue(self, self.__signal_came, prefetch=prefetch)
        self.__opening = Once()
        self.__has_begun = False
        self.__hook_thread: int | None = None  # of the hook that runs
        self.__is_released = False
        self.__bad_request: Exception | None = None
        self.__outbox: Outbox[T] = Outbox(self)

    # --- hooks ----------------------------------------------------------------------------------------------------

    def sources(self) -> Iterable[Subscribable]:
        """Return the inputs, such as streams, in an order that is the same each time."""
        return ()

    def on_next(self, index: int, element: Any) -> None:
        """Take an element of an input."""
        raise NotImplementedError(f"{type(self).__name__} has to define on_next(self, index, element)")

    def on_complete(self, index: int) -> None:
        """Take notice that an input is complete; by default the operator completes with the last one."""
        if not any(self.is_input_open(other) for other in range(len(self.__queue))):
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
            NullElementError: The element is None (§2.13).
            CapacityError: As many elements wait for demand as `capacity` allows.
        """
        self.__require_hook("emit()")
        self.__outbox.put(element)
        self.mark_changed()

    def complete(self) -> None:
        """Complete, after what was emitted was sent; then the inputs are cancelled. The first end counts."""
        self.__require_hook("complete()")
        self.__outbox.complete()
        self.mark_changed()

    def fail(self, error: Exception) -> None:
        """Fail, after what was emitted was sent; then the inputs are cancelled. The first end counts.

        Raises:
            StateError: No hook is running.
            ArgumentTypeError: The error is no exception.
        """
        self.__require_hook("fail()")
        self.__outbox.fail(error)
        self.mark_changed()

    def request_input(self, index: int, n: int) -> None:
        """Ask an input for n more elements, 2**63 - 1 for any number; nothing, where it is over.

        Of these, `prefetch` are requested at most before `on_next` has had some.

        Raises:
            StateError: No hook is running.
            ArgumentError: n is not positive.
        """
        self.__require_hook("request_input()")
        if n <= 0:
            raise ArgumentError(f"request_input(index, n) needs n > 0, got {n}; request a positive count")
        self.__queue.request(index, n)

    def cancel_input(self, index: int) -> None:
        """Cancel an input: nothing of it comes any more, neither elements that wait nor its end. It stays visitable."""
        self.__require_hook("cancel_input()")
        self.mark_changed()
        self.__queue.close(index)

    @property
    def wanted(self) -> int:
        """How many more elements may be emitted that go down at once; 2**63 - 1 means any number."""
        return self.__outbox.wanted

    def is_input_open(self, index: int) -> bool:
        """Return whether an input was not cancelled, and no hook was told of its end."""
        return self.__queue.is_open(index)

    def __require_hook(self, call: str) -> None:
        if self.__hook_thread != threading.get_ident():
            raise StateError(
                f"{call} of {self!r} outside its hooks; call it in a hook, in the thread that runs the hook"
            )

    # --- what downstream calls --------------------------------------------------------------------------------------

    def request(self, n: int, /) -> None:
        """Ask for n more elements (§3.8); an n that is not positive is answered by `on_error` (§3.9)."""
        try:
            self.__outbox.request(n)
        except (ValueError, TypeError) as error:
            self.__bad_request = self.__bad_request or error
        if not self._node_life.is_disposed:  # §3.6
            self.__go_on_by_scheduler()

    def cancel(self) -> None:
        """Stop; the same as `dispose` (§3.5)."""
        self.dispose()

    def __go_on_by_scheduler(self) -> None:
        self.__drain.run_by(getattr(self._node_context, "scheduler", None))

    def __signal_came(self) -> None:
        self.mark_changed()  # behind the signal: a save that does not see it has cleared the mark before
        self.__go_on_by_scheduler()

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        """Bind the sources; override `sources` instead."""
        return self.__queue.bind(self.sources())

    def _node_take_context(self, context: Any) -> None:
        self.__drain.take_variables()
        super()._node_take_context(context)

    def start(self) -> None:
        """Begin, once, unless it was disposed. Runs `on_start`, starts all inputs, then begins to handle signals."""
        super().start()
        # Only now, since a node that is disposed while it starts is torn down when it has: an input may take long.
        if self.__has_begun and self.__opening.begin():
            for each in self._node_inputs:
                if not self.__is_over:
                    start_tree(each)  # what comes meanwhile waits in the queue
            self.__drain.open()
            self.__go_on_by_scheduler()

    def _node_begin(self) -> None:
        try:
            if self.__output is not None:
                self.__output.on_subscribe(self)
        except Exception as error:  # §2.13
            self.__subscriber_failed("on_subscribe", error)
        if not self.is_disposed:
            self.__run_hook(self.on_start)
        self.__has_begun = True

    def _node_tear_down(self) -> None:
        self.__drain.run_in_any_case()

    # --- the drainer ------------------------------------------------------------------------------------------------

    def __give_up(self, error: Exception) -> None:
        self.__bad_request = self.__bad_request or error

    def __work_through(self) -> None:
        try:
            self.__go_on()
        except BaseException:  # an interrupt, which comes out where the program called
            self._node_life.begin_dispose()
            self.__release()
            raise

    def __go_on(self) -> None:
        while True:
            if self._node_life.is_disposed:
                self.__release()
                return
            if self.__bad_request is not None:
                self.__finish(self.__bad_request)
            elif (element := self.__outbox.take()) is not None:
                self.__send(element)
            elif self.__outbox.is_ending:
                if self.__outbox:
                    return
                self.__finish(self.__outbox.error)
            elif not self.__announce() and (self.__outbox or not self.__handle_signal()):  # I4
                return

    @property
    def __is_over(self) -> bool:
        """Whether no hook for signals will run any more."""
        return self.__outbox.is_ending or self.__bad_request is not None or self._node_life.is_disposed

    def __announce(self) -> bool:
        """Tell on_request of demand that is new; False: there is none."""
        n = self.__outbox.new_demand()
        if n:
            self.__run_hook(self.on_request, n)
        return n > 0

    def __handle_signal(self) -> bool:
        """Hand the next signal of an input to its hook; False: there is none."""
        signal = self.__queue.take()
        if signal is None:
            return False
        kind, index, value = signal
        self.mark_changed()
        if kind is SignalKind.ELEMENT:
            self.__run_hook(self.on_next, index, value)
            if not self.__is_over:
                self.__queue.replenish(index)
        elif kind is SignalKind.COMPLETE:
            self.__run_hook(self.on_complete, index)
        else:
            self.__run_hook(self.on_error, index, value)
        return True

    def __run_hook(self, hook: Any, *arguments: object) -> None:
        self.__hook_thread = threading.get_ident()
        try:
            hook(*arguments)
        except Exception as error:
            self.__outbox.fail_at_once(error)
        finally:
            self.__hook_thread = None

    def __send(self, element: T) -> None:
        self.mark_changed()
        try:
            if self.__output is not None:
                self.__output.on_next(element)
        except Exception as error:  # §2.13
            self.__subscriber_failed("on_next", error)

    def __finish(self, error: Exception | None) -> None:
        """Signal the end, then tear down: downstream first."""
        output, self.__output = self.__output, None
        signal = "on_complete" if error is None else "on_error"
        try:
            if output is not None:
                if error is None:
                    output.on_complete()
                else:
                    output.on_error(error)
        except Exception as trouble:  # §2.13
            self.__subscriber_failed(signal, trouble)
        self.dispose()

    def __subscriber_failed(self, signal: str, error: Exception) -> None:
        dropped(signal, error, origin=self.name)
        self.dispose()

    def __release(self) -> None:
        """Let everything go, once; the inputs stay visitable (I2)."""
        if not self.__is_released:
            self.__is_released = True
            self.__output = None
            self.__outbox.clear()
            self.__queue.clear()
            super()._node_tear_down()

    # --- state ------------------------------------------------------------------------------------------------------

    def _node_is_flowing(self) -> bool:
        return self.__drain.is_running

    def _node_save_fields(self, writer: StateWriter) -> None:
        for field in (*self.__queue.state(), *self.__outbox.state()):
            writer.write(field)

    def _node_load_fields(self, reader: StateReader) -> None:
        self.__queue.load(reader.read(list), closed=reader.read(list))
        self.__outbox.load(reader.read(list), end=reader.read((tuple, type(None))))
