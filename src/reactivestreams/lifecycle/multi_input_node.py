"""The base of operators with several inputs that are written in Python."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar, cast

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.lifecycle.trace import OperatorTrace
from reactivestreams.spec import Subscriber
from reactivestreams.state import Version
from rs_core.authors.multi_input import MultiInputStage
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DEFAULT_CAPACITY", "DEFAULT_PREFETCH", "MultiInputNode"]

T = TypeVar("T")

DEFAULT_CAPACITY = 1024
"""How many emitted elements may wait for demand, unless a class says otherwise."""

DEFAULT_PREFETCH = 128
"""How many elements of each input may be on their way or wait for `on_next`, unless a class says otherwise."""


@refuses_deferred_hooks("and await in a task of the event loop", generators=("sources",))
class MultiInputNode(MultiInputStage[T], Generic[T]):
    """An operator with several inputs, written in Python: subclass it and define `sources` and `on_next`.

    Hooks: `sources()`, `source(source_id, **arguments)`, `on_next(index, element)`, `on_complete(index)`,
    `on_error(index, error)`, `on_request(n)`, `on_context(context)`, `on_start()`, `on_dispose()`,
    `save_fields(writer)`, `load_fields(reader, version)`. In those of signals, of demand and of the start it calls
    `request_input(index, n)`, `cancel_input(index)`, `emit(element)`, `complete()` and `fail(error)`, and
    `add_input(source_id, **arguments)` for one more input, which `source` makes, now and when the state is loaded. What
    hooks return means nothing. An `OperatorPublisher` makes a stream of it.

    Args:
        subscriber: Who gets the elements. A subclass with a constructor calls `super().__init__(subscriber)`.

    Class attributes that a subclass may set:
        name: The id in front of its saved state, such as `shop/stock`: unlike all others, not empty.
        version: Four integers, raised when the layout of its state changes.
        loadable_versions: Older versions that `load_fields` reads, too; by default none.
        recovery: Where it has no inputs: what it does after a recovery, by default `exact`.
        capacity: How many emitted elements may wait for demand, from 0, 1024 by default; one more is a CapacityError.
            While one waits, signals of the inputs wait too: so it bounds what one hook for them emits.
        prefetch: How many elements of each input may be on their way or wait for `on_next`, from 1 to 2**24, 128 by
            default; the rest of what `request_input` asked for is requested as they are taken.

    Raises:
        ArgumentTypeError: The subscriber is none, or `prefetch` or `capacity` no integer.
        ArgumentError: The class has no name, `prefetch` is not positive, or `capacity` negative.

    Demand: what `request_input` asks for, by `prefetch` at most; `on_request` tells what is asked for below.
    Errors: an exception of a hook cancels the inputs and becomes `on_error`; an input's goes to `on_error`.
    State: signals that came and were not handled, elements that wait for demand, which inputs are over, and of those
        that were added by what `source` makes them again; what `save_fields` writes.
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

    # A class attribute is all that the properties of the interface ask for.
    name: ClassVar[str] = ""  # pyright: ignore[reportIncompatibleMethodOverride]
    version: ClassVar[Version] = (1, 0, 0, 0)  # pyright: ignore[reportIncompatibleMethodOverride]
    loadable_versions: ClassVar[tuple[Version, ...]] = ()  # pyright: ignore[reportIncompatibleMethodOverride]
    recovery: ClassVar[str] = "exact"  # pyright: ignore[reportIncompatibleMethodOverride]
    capacity: ClassVar[int] = DEFAULT_CAPACITY
    prefetch: ClassVar[int] = DEFAULT_PREFETCH

    def __init__(self, subscriber: Subscriber[T]) -> None:
        kind = type(self)
        if not kind.name:
            raise ArgumentError(
                f"{kind.__name__}.name is {kind.name!r}; set it to the id that shall stand in front of the saved state"
            )
        if not isinstance(subscriber, Subscriber):
            raise ArgumentTypeError(
                f"{kind.__name__}(subscriber) needs a Subscriber, got {subscriber!r} ({type(subscriber).__name__}); "
                f"pass what bind() was given"
            )
        super().__init__(
            subscriber,
            checked_count(self.prefetch, operator=kind.__name__, name="prefetch", at_least=1, at_most=2**24),
            checked_count(self.capacity, operator=kind.__name__, name="capacity", at_least=0),
        )

    def sources(self) -> Iterable[Subscribable]:
        """Return the inputs, such as streams, in an order that is the same each time."""
        return ()

    def bindable_sources(self) -> list[Subscribable]:
        """Return what `sources` returns, checked; override that instead.

        Raises:
            ArgumentTypeError: They are no streams.
        """
        sources: Any = self.sources()
        if isinstance(sources, Subscribable) or not isinstance(sources, Iterable):
            raise ArgumentTypeError(
                f"sources() of {self!r} has to return the streams, got {sources!r} ({type(sources).__name__}); "
                f"return a list of them"
            )
        return [self._checked(source, "sources()") for source in cast("Iterable[object]", sources)]

    def source(self, source_id: str, **arguments: Any) -> Subscribable:
        """Return the input that `add_input` was called for, in the run that called it and in those that load its state.

        Args:
            source_id: What `add_input` got.
            **arguments: As well.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define source(self, source_id, **arguments)")

    def bindable_source(self, source_id: str, arguments: dict[str, Any]) -> Subscribable:
        """Return what `source` returns, checked; override that instead.

        Raises:
            ArgumentTypeError: It is no stream, or the id is not a text.
        """
        if not isinstance(source_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # what a user passes
            raise ArgumentTypeError(
                f"add_input(source_id) of {self!r} needs a text, got {source_id!r} ({type(source_id).__name__}); pass "
                f"the rest as arguments by name"
            )
        return self._checked(self.source(source_id, **arguments), f"source({source_id!r})")

    def _checked(self, source: object, hook: str) -> Subscribable:
        if not isinstance(source, Subscribable):
            raise ArgumentTypeError(
                f"{hook} of {self!r} has to return streams, got {source!r} ({type(source).__name__}); wrap it: "
                f"Stream.from_publisher(...) or Stream.from_iterable(...)"
            )
        return source

    @property
    def trace(self) -> OperatorTrace | None:
        """What to log with: the host's trace, with this node in its path; None where the host wants no messages."""
        trace: OperatorTrace | None = getattr(self.context, "trace", None)
        return None if trace is None else trace.at(self)
