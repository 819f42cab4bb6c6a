"""replay: run the operators below the border of a record again, in virtual time."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, ReactiveStreamsError
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.digest import SIDE_EFFECTS, all_nodes, operator_lines
from reactivestreams.schedulers import Scheduler, VirtualTimeScheduler
from reactivestreams.spec import MAX_DEMAND, Subscriber, Subscription
from reactivestreams.state import StateRegistry, default_registry
from rs_core.operators.recorded import OLDER, RecordReader, ReplaySource, ResultsStage
from rs_core.stream.description import Description, new_head

__all__ = ["Replay", "ReplayError", "replay"]

DEFAULT_MAX_RESULTS = 1_000
"""How many results a replay keeps, the last ones, unless it is told otherwise."""

MOST_SECONDS_AFTER_END = 86_400
"""How far the clock goes on after the last signal of a record, for what operators still wait for."""

RECORDED = "rx://operators/recorded"
ELSEWHERE = frozenset({"rx://operators/map_async", "rx://operators/map_in_executor"})
"""Operators that call their functions in loops or threads of their own, of which virtual time knows nothing."""

READS_AGAIN = frozenset(
    f"rx://sources/{name}" for name in ("create", "from_publisher", "from_callable", "from_future", "using", "defer")
)
"""Sources of other inputs that ask something outside of the stream."""

_FIRST_DAY = datetime.min.replace(tzinfo=UTC)


class ReplayError(ReactiveStreamsError, RuntimeError):
    """Report that a record cannot be replayed, or not with this stream; the message says what to do."""


@dataclass(slots=True)
class Replay:
    """What a replay has done.

    Attributes:
        elements: How many elements of the record were sent.
        results: What came out at the end of the stream, the last `max_results`.
        result_count: How many that were.
        end: `"stopped"` before the element that was named; `"completed"`, `"failed"`, as the stream did; `"cancelled"`
            or `"full"`, where the run or its record ended so; `"cut off"`, where the record is.
        error: With which exception the stream failed, or None.
        next_element: The element before which it was stopped, or None.
        differs_at: The first element before which fewer elements were requested at the border than in the run, or None.
            Then the run depended on something that the record does not have, such as threads.
        fault: Why the record is cut off, or None.
    """

    elements: int = 0
    results: list[Any] = field(default_factory=list[Any])
    result_count: int = 0
    end: str = ""
    error: Exception | None = None
    next_element: Any = None
    differs_at: int | None = None
    fault: str | None = None


def replay(
    path: str | os.PathLike[str],
    stream: Description,
    *,
    to: int | None = None,
    before: Callable[[Any], object] | None = None,
    allow_side_effects: bool = False,
    allow_missing_state: bool = False,
    max_results: int = DEFAULT_MAX_RESULTS,
    registry: StateRegistry = default_registry,
) -> Replay:
    """Run what is below `recorded` in a stream again, from a record of it, in virtual time.

    The operators get the same elements, each when the virtual clock shows the time of the run, and the end of the
    stream requests what it has requested there. Schedulers among the parameters are replaced by one in virtual time,
    and everything runs in this thread, so every replay does the same. Sources of other inputs are run again.

    A record of `recorded(keep="newest")` may begin in the middle of its run. Elements keep their numbers; what
    operators held there, as in a queue, is missing, and those with state would begin without it.

    Args:
        path: The record, which `recorded` has written.
        stream: The stream, which has `recorded` among its own operators; what is above it is not run. Other `recorded`
            below it write nothing.
        to: The number of an element, from 1: stop before it is sent. None: go to the end.
        before: Called with that element, just before it is sent; then the replay goes on to the end of the record. A
            breakpoint is set here.
        allow_side_effects: Whether to run operators that are there for their side effects, as `do` is, and other inputs
            that ask something outside of the stream. Functions of other operators are called in any case.
        allow_missing_state: Whether operators with state may begin without it, where the record begins in the middle.
        max_results: How many results are kept, the last ones, from 0.
        registry: The registered classes of saved state.

    Returns:
        What was done; also if the stream has failed.

    Raises:
        ReplayError: The record is none, of another version, or of a stream that had other operators below; it was made
            of a stream that had loaded its state; an operator calls elsewhere, or has side effects that are not
            allowed; the stream has requested less than in the run.
        ArgumentError: `to` or `max_results` is out of bounds, or `to` is before the beginning of the record.
        OSError: The file cannot be read.

    Threads: one; no event loop is needed.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from reactivestreams import Stream
        >>> from reactivestreams.testing import replay
        >>> folder = tempfile.TemporaryDirectory()
        >>> record = Path(folder.name, "shares.rsr")
        >>> shares = Stream.just(2, 1, 0).recorded(record).map(lambda n: 2 // n)
        >>> try:
        ...     shares.run()
        ... except ZeroDivisionError as error:
        ...     print(error)
        integer division or modulo by zero
        >>> replay(record, shares, to=3)  # doctest: +ELLIPSIS
        Replay(elements=2, results=[1, 2], result_count=2, end='stopped', error=None, next_element=0, ...)
        >>> folder.cleanup()
    """
    if to is not None:
        to = checked_count(to, operator="replay", name="to", at_least=1)
    if before is not None:
        checked_callable(before, operator="replay", name="before")
        if to is None:
            raise ArgumentError("replay(before) needs the number of the element; pass it as to")
    max_results = checked_count(max_results, operator="replay", name="max_results", at_least=0)
    record = read_record(path, registry)
    below = operators_below(stream, record, path)
    require_replayable(below, allow_side_effects=allow_side_effects)
    if record.passed:
        require_middle(below, record, path, to, allow_missing_state=allow_missing_state)
    return _Run(stream, below, record, max_results).run(to, before)


def read_record(path: str | os.PathLike[str], registry: StateRegistry = default_registry) -> RecordReader:
    """Return a reader of a record.

    Raises:
        ReplayError: It is none, or cannot be replayed by anybody.
        OSError: The file cannot be read.
    """
    try:
        reader = _reader_of_parts(Path(path), dict(registry.by_name))
    except ReactiveStreamsError as error:
        raise ReplayError(f"{path}: {error}") from error
    if reader.head.get("loaded"):
        raise ReplayError(
            f"{path} begins in the middle of a stream, which had loaded its state; record a run from its start"
        )
    return reader


def _reader_of_parts(path: Path, kinds: dict[str, Any]) -> RecordReader:
    """Return a reader of a record in one part or two."""
    before = path.with_name(path.name + OLDER)
    if not before.is_file():
        return RecordReader(path.read_bytes(), kinds)
    older = before.read_bytes()
    if not path.exists():  # the process was killed between the two
        return RecordReader(older, kinds)
    newest = path.read_bytes()
    reader = RecordReader(newest, kinds)
    if not reader.passed or RecordReader(older, kinds).head["started"] != reader.head["started"]:
        return reader  # the other one is not of this run
    return RecordReader(older, kinds, newest)


def operators_below(stream: Description, record: RecordReader, path: object) -> list[Description]:
    """Return the operators of a stream that are below the border of a record.

    Raises:
        ArgumentTypeError: It is no stream.
        ReplayError: It has no `recorded`, or other operators below it than the stream that was recorded.
    """
    if not isinstance(stream, Description):
        raise ArgumentTypeError(
            f"replay(path, stream) needs the stream that was recorded, got {stream!r} ({type(stream).__name__}); pass "
            f"what was run, before it was subscribed to"
        )
    nodes = stream.nodes()
    borders = [place for place, node in enumerate(nodes) if node.definition.id == RECORDED]
    if not borders:
        raise ReplayError(
            f"{path} was recorded at {record.head['border']}, but the stream has no recorded() among its operators; "
            f"name the stream with it"
        )
    was, end = (cast("list[str]", record.head[part]) for part in ("operators", "end"))
    for place in borders:
        lines = operator_lines(nodes[place + 1 :])
        if was in (lines, [*lines, *end]):
            return nodes[place + 1 :]
    now = [line for node in nodes[borders[0] + 1 :] for line in operator_lines([node])]
    raise ReplayError(
        f"{path} is of a stream that had other operators below recorded():\n{differences(was, now)}\n"
        f"replay it with the stream as it was, or record the run again"
    )


def differences(was: Sequence[str], now: Sequence[str]) -> str:
    """Return what differs between the operators of two streams, a line for each."""
    lines: list[str] = []
    for kind, first, last, other, other_last in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += [f"  operator {first + n + 1} was  {line}" for n, line in enumerate(was[first:last])]
            lines += [f"  operator {other + n + 1} is   {line}" for n, line in enumerate(now[other:other_last])]
    return "\n".join(lines)


def require_replayable(below: list[Description], *, allow_side_effects: bool) -> None:
    """Raise ReplayError if operators run elsewhere, or have side effects that are not allowed."""
    nodes = all_nodes(below)
    elsewhere = [node for node in nodes if node.definition.id in ELSEWHERE]
    if elsewhere:
        raise ReplayError(
            f"{_places(elsewhere)} calls its function in other threads or an event loop, where nothing can be "
            f"replayed; put recorded() below it"
        )
    effects = side_effects_of(nodes)
    if effects and not allow_side_effects:
        raise ReplayError(
            f"the replay would run again what is there for its side effects: {_places(effects)}; pass "
            f"allow_side_effects=True, or --allow-side-effects, if that does no harm"
        )


def require_middle(
    below: list[Description], record: RecordReader, path: object, to: int | None, *, allow_missing_state: bool
) -> None:
    """Raise if a record that begins in the middle of its run does not have what a replay needs.

    Raises:
        ArgumentError: `to` names an element before its beginning.
        ReplayError: An operator has state, and may not begin without.
    """
    gone = record.passed
    if to is not None and to <= gone:
        raise ArgumentError(
            f"replay(to={to}) is before the beginning of {path}, whose first element is number {gone + 1}; give a "
            f"later one, or record with a larger max_bytes"
        )
    stateful = [node for node in below if node.definition.stateful]
    held = _places(stateful) if stateful else "the end of the stream" if record.head["end"] else ""
    if held and not allow_missing_state:
        raise ReplayError(
            f"{path} begins after element {gone}, and what {held} had from before is not in it; record with a larger "
            f"max_bytes or keep='oldest', or pass allow_missing_state=True, or --allow-missing-state, to begin without"
        )


def side_effects_of(nodes: list[Description]) -> list[Description]:
    """Return the operators that are there for their side effects, and inputs that ask something outside."""
    return [node for node in nodes if node.definition.id in SIDE_EFFECTS | READS_AGAIN]


def _places(nodes: list[Description]) -> str:
    return ", ".join(f"{node.definition.method} assembled at {node.assembly}" for node in nodes)


class _InlineScheduler(VirtualTimeScheduler):
    """A scheduler in virtual time for what waits; what does not, runs where it is."""

    is_immediate = True


class _Context:
    """What the operators get: the virtual clock."""

    instance_id = "replay"
    reactive_service = trace = execution_environment = None

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler


class _Replayed(OperatorDefinition):
    """The source of a replay."""

    id = "rx://sources/replay"
    method = "replay"

    @staticmethod
    def stage(run: _Run) -> ReplaySource:
        """Return the live source, which the run has made."""
        return run.source


class _Results(OperatorDefinition):
    """The last operator of a replay."""

    id = "rx://operators/results"
    method = "results"

    @staticmethod
    def stage(run: _Run) -> ResultsStage:
        """Return the live stage, which the run has made."""
        return run.results


class _End(Subscriber[Any]):
    """Notes how a replay ends."""

    def __init__(self, report: Replay) -> None:
        self._report = report
        self.is_over = False

    def on_subscribe(self, subscription: Subscription, /) -> None:
        pass

    def on_next(self, element: Any, /) -> None:
        pass  # the operator above passes on none

    def on_error(self, error: Exception, /) -> None:
        self._report.error = error
        self._report.end = "failed"
        self.is_over = True

    def on_complete(self) -> None:
        self._report.end = "completed"
        self.is_over = True


class _Run:
    def __init__(self, stream: Description, below: list[Description], record: RecordReader, max_results: int) -> None:
        self._record = record
        self._report = Replay()
        self._scheduler = _InlineScheduler(name="replay")
        self._clock = self._scheduler.clock
        started = cast("datetime", record.head["started"])
        self._began = (started - _FIRST_DAY).days * 86_400_000_000 + (started - _FIRST_DAY).seconds * 1_000_000
        self._clock.sleep(self._began + record.time)
        self.source = ReplaySource(record, self._clock._queue, self._began, 0)  # pyright: ignore[reportPrivateUsage]
        # The end has requested one result of what is not here: then all is requested at once, as that has done.
        self._takes_all = record.head["operators"] != operator_lines(below)
        chain: Any = new_head(type(stream), _Replayed, (self,))
        for node in below:
            if node.definition.id != RECORDED:
                chain = chain._then(node.definition, self._in_virtual_time(node.parameters), node.assembly)
        self.results = ResultsStage(max_results)
        self._end = _End(self._report)
        self._handle = chain._then(_Results, (self,)).bind(self._end)

    def _in_virtual_time(self, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self._scheduler if isinstance(each, Scheduler) else each for each in parameters)

    def run(self, to: int | None, before: Callable[[Any], object] | None) -> Replay:
        report, record = self._report, self._record
        try:
            self._handle.initialize(_Context(self._scheduler))
            self._go(to, before)
        finally:
            self._handle.cancel()
        report.elements = record.passed
        report.results, report.result_count = self.results.results(), self.results.count
        report.differs_at = self.source.differs_at or None
        if record.kind == "cut":
            report.fault = f"after element {record.passed}: {record.error or 'there is no end; the process was killed'}"
        return report

    def _go(self, to: int | None, before: Callable[[Any], object] | None) -> None:
        report, record = self._report, self._record
        stop_before = to or 0
        head = record.head
        asked = MAX_DEMAND if self._takes_all else head.get("end_requested", 0) - head.get("given", 0)
        if asked > 0:  # in the middle of a run: what its end had requested and not yet got
            self.source.go_on(stop_before)  # it knows where to stop before anything is requested
            self._handle.request(asked)
        while not self._is_over():
            passed = record.passed
            self.source.go_on(stop_before)
            if self._is_over():
                return
            kind = record.kind
            if self._runs_due(self._began + record.time):
                continue
            if kind == "e":
                count = record.count
                record.skip()
                if not self._takes_all:
                    self._handle.request(count)
            elif kind == "n" and record.passed + 1 == stop_before:
                report.next_element = self.source.next_element()
                if before is None:
                    report.end = "stopped"
                    return
                before(report.next_element)
                stop_before = 0
            elif kind == "r":
                record.skip()  # of a source that is over
            elif kind == "n" and record.passed == passed:
                raise ReplayError(
                    f"element {passed + 1} was sent in the run, and in this replay nobody has requested it: something "
                    f"that the record does not have, such as a thread or another input, was different"
                )
            elif kind != "n":
                self._end_with(kind)
                return

    def _is_over(self) -> bool:
        return self._end.is_over

    def _runs_due(self, tick: int) -> bool:
        """Run the next tasks of the clock that are due, and say whether there were some."""
        return self._clock.advance_once(tick)

    def _end_with(self, kind: str) -> None:
        """After the last signal of the record: let what waits for a time go on, if the run did."""
        if kind in ("", ".", "x"):
            self._handle.request(MAX_DEMAND)
            last = self._clock.ticks + MOST_SECONDS_AFTER_END * 1_000_000
            while not self._end.is_over and self._clock.advance_once(last):
                pass
        if not self._end.is_over:
            self._report.end = {"c": "cancelled", "f": "full", "cut": "cut off"}.get(kind, "cancelled")
