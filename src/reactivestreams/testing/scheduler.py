"""The scheduler of tests: virtual time, test streams, and runs with fixed ticks."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    ExecutionEnvironment,
    OperatorContext,
    OperatorSubscription,
    OperatorTrace,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from reactivestreams.schedulers import ActionTask, VirtualTimeScheduler
from reactivestreams.schedulers.task import HARNESS_PRIORITY
from reactivestreams.state import load_tree, save_tree
from reactivestreams.testing.cold_stream import ColdStream
from reactivestreams.testing.hot_stream import HotStream
from reactivestreams.testing.observer import TestObserver
from reactivestreams.testing.recorded import Notification, Recorded

__all__ = ["CREATED", "DISPOSED", "SUBSCRIBED", "Recovery", "TestScheduler"]

CREATED: Final = 100
"""The tick at which a run makes its stream."""

SUBSCRIBED: Final = 200
"""The tick at which a run subscribes to it."""

DISPOSED: Final = 1000
"""The tick at which a run disposes of the subscription."""

Create = Callable[[], Any]
"""Makes the stream under test: a Stream, or any object with `bind(subscriber)`."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of a run with a crash and a recovery.

    Attributes:
        before: The observer until the crash.
        after: The observer of the recovered tree.
        state: The saved state.
    """

    before: TestObserver
    after: TestObserver
    state: bytes


class TestScheduler(VirtualTimeScheduler):
    """Run a stream in virtual time and record its signals with their ticks.

    In each tick the actions of the test and the notifications of its hot and cold streams come first; then operators
    run. Each scheduler has its own clock; it changes nothing outside.

    Attributes:
        saved: The state that `start` saved, by tick.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.testing import TestScheduler, on_complete, on_next
        >>> scheduler = TestScheduler()
        >>> ticks = scheduler.create_hot(on_next(150, 1), on_next(210, 2), on_next(220, 3), on_complete(230))
        >>> scheduler.start(lambda: Stream.from_publisher(ticks).map(lambda n: n * 10)).messages
        [210: on_next(20), 220: on_next(30), 230: on_complete()]
        >>> ticks.subscriptions
        [(200, 230)]
    """

    __test__ = False

    def __init__(self) -> None:
        super().__init__(name="test")
        self.saved: dict[int, bytes] = {}

    # --- parts of a run -----------------------------------------------------------------------------------------------

    def create_observer(self, *, requests: Mapping[int, int] | None = None) -> TestObserver:
        """Return a subscriber that records.

        Args:
            requests: How many elements it requests at which ticks; None requests all of them when it is subscribed.
                Earlier requests are made when it is subscribed.
        """
        observer = TestObserver(self.clock, requests_all=requests is None)
        for tick, n in (requests or {}).items():
            self.do_at(tick, observer.request, n)
        return observer

    def create_hot(self, *messages: Recorded[Notification]) -> HotStream:
        """Return a stream that sends at these ticks, whether or not it has subscribers.

        Args:
            messages: The notifications; a current or past tick becomes the next one.
        """
        return HotStream(self, *messages)

    def create_cold(self, *messages: Recorded[Notification]) -> ColdStream:
        """Return a stream that sends at ticks counted from the start of each subscription.

        Args:
            messages: The notifications.
        """
        return ColdStream(self, *messages)

    def create_context(
        self,
        *,
        execution_environment: ExecutionEnvironment | None = None,
        trace: OperatorTrace | None = None,
        elements: Mapping[str, object] | None = None,
    ) -> OperatorContext:
        """Return a context with this scheduler.

        Args:
            execution_environment: The other artifacts of the host, or None.
            trace: The logger of the operators; by default a logger with the context's name.
            elements: Settings and services by their ids.
        """
        return DefaultOperatorContext(
            "rx://testing", self, execution_environment=execution_environment, trace=trace, elements=elements
        )

    def do_at(self, tick: int, action: Callable[..., object], *arguments: object) -> None:
        """Call a function at a tick, before operators run.

        Args:
            tick: The tick; a current or past tick becomes the next one.
            action: The function.
            arguments: Its arguments.
        """
        self.schedule_at(tick, ActionTask(action, *arguments, priority=HARNESS_PRIORITY))

    # --- runs -------------------------------------------------------------------------------------------------------

    def start(
        self,
        create: Create,
        *,
        created: int = CREATED,
        subscribed: int = SUBSCRIBED,
        disposed: int = DISPOSED,
        recovery: bytes | None = None,
        context: object | None = None,
        requests: Mapping[int, int] | None = None,
        save_at: Collection[int] = (),
    ) -> TestObserver:
        """Create, subscribe to and dispose a stream, and run everything else that was scheduled.

        Args:
            create: Returns the stream.
            created: The tick at which it is called.
            subscribed: The tick at which the stream is subscribed to, not before.
            disposed: The tick at which the subscription is disposed of, not before that.
            recovery: State to continue from, saved by `save_tree` or an earlier run; None starts without state.
            context: The context of the operators; by default `create_context()`.
            requests: As for `create_observer`.
            save_at: Ticks at which the state is saved, into `saved`; none before `subscribed`.

        Returns:
            The observer with the recorded signals.

        Raises:
            ArgumentError: The ticks are not in this order.
            StateError: The state does not fit the stream.
        """
        _check_order(created=created, subscribed=subscribed, disposed=disposed)
        for tick in save_at:
            _check_order(subscribed=subscribed, save_at=tick)
        run = _Run(self, create, self.create_context() if context is None else context)
        observer = self.create_observer(requests=requests)
        self.do_at(created, run.create)
        self.do_at(subscribed, run.subscribe, observer, recovery)
        for tick in save_at:
            self.do_at(tick, run.save, tick)
        self.do_at(disposed, run.dispose)
        self.clock.start()
        return observer

    def crash_and_recover(
        self,
        create: Create,
        *,
        saved: int,
        crashed: int,
        recovered: int,
        created: int = CREATED,
        subscribed: int = SUBSCRIBED,
        disposed: int = DISPOSED,
        context: object | None = None,
        requests: Mapping[int, int] | None = None,
    ) -> Recovery:
        """Save a running stream, crash it, load the state into a new one and continue that, in one run.

        Args:
            create: Returns the stream; called twice.
            saved: The tick at which the state is saved.
            crashed: The tick at which the first stream is lost, not before.
            recovered: The tick at which the second one is made, loaded and started, not before that.
            created: As for `start`.
            subscribed: As for `start`; not after `saved`.
            disposed: The tick at which the second one is disposed of, not before `recovered`.
            context: As for `start`; the same for both.
            requests: As for `create_observer`, for both: each makes the requests of the ticks in which it exists.

        Returns:
            The observers before and after the crash, and the state.

        Raises:
            ArgumentError: The ticks are not in this order.
            StateError: The state does not fit the stream.
        """
        _check_order(
            created=created,
            subscribed=subscribed,
            saved=saved,
            crashed=crashed,
            recovered=recovered,
            disposed=disposed,
        )
        shared = self.create_context() if context is None else context
        before, after = _Run(self, create, shared), _Run(self, create, shared)
        early = None if requests is None else {tick: n for tick, n in requests.items() if tick < crashed}
        late = None if requests is None else {tick: n for tick, n in requests.items() if tick >= crashed}
        observers = self.create_observer(requests=early), self.create_observer(requests=late)
        self.do_at(created, before.create)
        self.do_at(subscribed, before.subscribe, observers[0], None)
        self.do_at(saved, before.save, saved)
        self.do_at(crashed, before.dispose)
        self.do_at(recovered, after.create)
        self.do_at(recovered, lambda: after.subscribe(observers[1], self.saved[saved]))
        self.do_at(disposed, after.dispose)
        self.clock.start()
        return Recovery(*observers, self.saved[saved])


class _Run:
    """One stream and its subscription."""

    def __init__(self, scheduler: TestScheduler, create: Create, context: object) -> None:
        self._scheduler = scheduler
        self._create = create
        self._context = context
        self._source: Any = None
        self._handle: OperatorSubscription | None = None

    def create(self) -> None:
        self._source = self._create()
        if not callable(getattr(self._source, "bind", None)):
            raise ArgumentTypeError(
                f"start(create) needs a function that returns a stream, got {self._source!r} "
                f"({type(self._source).__name__}) from it; wrap another publisher: Stream.from_publisher(publisher)"
            )

    def subscribe(self, observer: TestObserver, recovery: bytes | None) -> None:
        handle: OperatorSubscription = self._source.bind(observer)
        self._handle = handle
        subscribe_tree(handle)
        set_tree_context(handle, self._context)
        if recovery is not None:
            load_tree(handle, recovery)
        start_tree(handle)

    def save(self, tick: int) -> None:
        assert self._handle is not None  # ticks are in order
        self._scheduler.saved[tick] = save_tree(self._handle)

    def dispose(self) -> None:
        assert self._handle is not None  # ticks are in order
        self._handle.dispose()


def _check_order(**ticks: int) -> None:
    names = list(ticks)
    for earlier, later in pairwise(names):
        if ticks[earlier] > ticks[later]:
            raise ArgumentError(
                f"{later}={ticks[later]} is before {earlier}={ticks[earlier]}; pass the ticks in the order "
                f"{', '.join(names)}"
            )
