"""The checks: one part of a program under the engine, with a fault in each step of its protocol."""

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Any, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.engine import (
    BuildContext,
    Egress,
    Engine,
    FactoryRegistry,
    Ingress,
    MemoryStore,
    PushInput,
    Store,
)
from reactivestreams.engine.engine import LOGGER_NAME
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers.virtual_time import TICK
from reactivestreams.stream import Stream
from reactivestreams.testing.crash.faults import Call, Faults
from reactivestreams.testing.crash.findings import CrashReport, Finding, compared
from reactivestreams.testing.crash.lives import (
    EGRESS_STEPS,
    INGRESS_STEPS,
    STORE_STEPS,
    EndlessRunError,
    Lives,
    is_planned,
    paced,
)
from reactivestreams.testing.crash.reference_edges import Ledger, NumberedSource, Pages, Table, World
from reactivestreams.testing.crash.store_log import store_findings

__all__ = [
    "MOST_RUNS",
    "CrashKit",
    "EgressCase",
    "IngressCase",
    "StoreCase",
    "check_egress",
    "check_ingress",
    "check_store",
]

MOST_RUNS = 3_000
"""How many runs a check has at most by default."""

READ_AT_ONCE = 2
"""How many elements are read at a time, so that there are several reads."""

CALLS_OF_A_RECOVERY = 24
"""At how many steps after a first death the process dies once more."""

ROWS = tuple(range(1, 8))


@dataclass(frozen=True, slots=True, kw_only=True)
class IngressCase:
    """An ingress under test, with the outside world that it reads; a new one for each run.

    Attributes:
        make: Returns the ingress of a new process over this world.
        elements: What it has to send in all, in this order; or a function that returns that when the run is over.
        ends: Whether it ends by itself, since `read` returns None; otherwise the run is over when nothing comes any
            more.
        acknowledged: Returns up to which position the outside world has forgotten elements; None: it cannot be seen.
        before_round: Called before each round with the engine, in which the ingress has the id `ingress`, and the
            number of the round from 1, which is counted over the lives: for what happens in the world meanwhile, such
            as a rotation, or a push.
        rounds: How many rounds there are at least, so that `before_round` has done all.
        abandon: Called with each ingress of a process that has died, to release what the operating system would
            release, such as open files; `close` is not called.
    """

    make: Callable[[], Ingress]
    elements: Sequence[Any] | Callable[[], Sequence[Any]]
    ends: bool = True
    acknowledged: Callable[[], int] | None = None
    before_round: Callable[[Engine, int], object] | None = None
    rounds: int = 0
    abandon: Callable[[Any], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressCase:
    """An egress under test, with the outside world that it writes into; a new one for each run.

    Attributes:
        make: Returns the egress of a new process over this world.
        results: Returns the rows that a reader of this world sees now.
        rows: What is sent to it.
        expected: What a reader has to see in the end; None: the rows.
        is_ordered: Whether the order of the results counts.
        store: Returns the store of a new process, where a `StoreEgress` needs its kind; None: a store in memory.
        abandon: Called with each egress of a process that has died, to release what the operating system would
            release, such as open connections; `close` is not called.
    """

    make: Callable[[], Egress]
    results: Callable[[], Sequence[Any]]
    rows: Sequence[Any] = ROWS
    expected: Sequence[Any] | None = None
    is_ordered: bool = True
    store: Callable[[], Store] | None = None
    abandon: Callable[[Any], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCase:
    """A store under test; a new one for each run.

    Attributes:
        make: Returns the store as a new process finds it; the first time it is new and empty.
        abandon: Called with each store of a process that has died, to release what the operating system would release:
            locks, and transactions that were not committed. By default `close` does that.
    """

    make: Callable[[], Store]
    abandon: Callable[[Any], object] = methodcaller("close")


MakeCase = Callable[[Path], Any]


def check_ingress(
    make_case: Callable[[Path], IngressCase],
    *,
    most_runs: int = MOST_RUNS,
    temporary_folder: "str | os.PathLike[str] | None" = None,
) -> CrashReport:
    r"""Run an ingress under an engine again and again, with a fault at another place each time. Runs user code.

    The engine runs in virtual time over a store in memory. In each run one step of store, ingress or egress goes wrong:
    the process dies before it, after it, or before a line of the ingress that it runs; or it raises, having done
    nothing or everything. In others it dies between two steps, or once more while it recovers. The next engine
    continues, until everything was read. Then each element has to have come once.

    A death is an exception that passes through the ingress, so `finally` and `with` clean up there; a death outside of
    it leaves all as it is.

    Args:
        make_case: Called with an empty folder for each run; returns the world of this run.
        most_runs: How many runs there are at most, from 1; beyond that some are left out, evenly.
        temporary_folder: Where the folders of the runs are made, such as a file system in memory; None: where the
            system keeps temporary files.

    Returns:
        The report. `require_none` raises for its findings.

    Example:
        >>> from reactivestreams.engine import AppendedFile
        >>> def log(folder):
        ...     path = folder / "requests.log"
        ...     _ = path.write_text("GET /\nGET /a\nGET /b\n")
        ...     return IngressCase(
        ...         make=lambda: AppendedFile(path, follow=False),
        ...         elements=["GET /", "GET /a", "GET /b"],
        ...         abandon=AppendedFile.close,
        ...     )
        >>> report = check_ingress(log, most_runs=50)
        >>> report.findings
        []
    """
    return _explored(make_case, IngressCase, _IngressRun, most_runs, temporary_folder)


def check_egress(
    make_case: Callable[[Path], EgressCase],
    *,
    most_runs: int = MOST_RUNS,
    temporary_folder: "str | os.PathLike[str] | None" = None,
) -> CrashReport:
    r"""Run an egress under an engine again and again, with a fault at another place each time; as `check_ingress`.

    In the end each row has to be there once.

    Args:
        make_case: Called with an empty folder for each run; returns the world of this run.
        most_runs: How many runs there are at most, from 1; beyond that some are left out, evenly.
        temporary_folder: Where the folders of the runs are made, such as a file system in memory; None: where the
            system keeps temporary files.

    Returns:
        The report. `require_none` raises for its findings.

    Example:
        >>> from reactivestreams.engine import IdempotentEgress
        >>> class Appending(IdempotentEgress):  # forgets that it is called again
        ...     def __init__(self, path):
        ...         self.path = path
        ...
        ...     def write(self, batch_id, rows):
        ...         with self.path.open("a") as file:
        ...             file.writelines(f"{row}\n" for row in rows)
        >>> def numbers(folder):
        ...     path = folder / "numbers"
        ...     path.touch()
        ...     return EgressCase(
        ...         make=lambda: Appending(path), results=lambda: list(map(int, path.read_text().split()))
        ...     )
        >>> sorted(each.kind for each in check_egress(numbers, most_runs=50).findings)
        ['duplicate']
    """
    return _explored(make_case, EgressCase, _EgressRun, most_runs, temporary_folder)


def check_store(
    make_case: Callable[[Path], StoreCase],
    *,
    most_runs: int = MOST_RUNS,
    temporary_folder: "str | os.PathLike[str] | None" = None,
) -> CrashReport:
    """Run an engine over a store again and again, with a fault at another place each time; as `check_ingress`.

    In the end each row has to be there once, and each answer of the store has to be one that its calls before explain.

    Args:
        make_case: Called with an empty folder for each run; returns the store of this run.
        most_runs: How many runs there are at most, from 1; beyond that some are left out, evenly.
        temporary_folder: Where the folders of the runs are made, such as a file system in memory; None: where the
            system keeps temporary files.

    Returns:
        The report. `require_none` raises for its findings.

    Example:
        >>> from reactivestreams.engine import MemoryStore
        >>> def memory(folder):
        ...     store = MemoryStore()
        ...     return StoreCase(make=store.after_crash)
        >>> check_store(memory, most_runs=50).findings
        []
    """
    return _explored(make_case, StoreCase, _StoreRun, most_runs, temporary_folder)


class CrashKit:
    """The checks as the fixture `crash_kit` gives them: with the settings of a project, and raising for findings.

    Args:
        most_runs: How many runs a check has at most.
        temporary_folder: Where the folders of the runs are made; None: where the system keeps temporary files.

    Example:
        >>> from reactivestreams.engine import MemoryStore
        >>> def memory(folder):
        ...     store = MemoryStore()
        ...     return StoreCase(make=store.after_crash)
        >>> CrashKit(most_runs=10).store(memory).runs
        10
    """

    def __init__(self, *, most_runs: int = MOST_RUNS, temporary_folder: "str | os.PathLike[str] | None" = None) -> None:
        self._settings: dict[str, Any] = {"most_runs": most_runs, "temporary_folder": temporary_folder}

    def ingress(self, make_case: Callable[[Path], IngressCase]) -> CrashReport:
        """Do as `check_ingress`; raises CrashTestError for findings. Runs user code."""
        return _without_findings(check_ingress(make_case, **self._settings))

    def egress(self, make_case: Callable[[Path], EgressCase]) -> CrashReport:
        """Do as `check_egress`; raises CrashTestError for findings. Runs user code."""
        return _without_findings(check_egress(make_case, **self._settings))

    def store(self, make_case: Callable[[Path], StoreCase]) -> CrashReport:
        """Do as `check_store`; raises CrashTestError for findings. Runs user code."""
        return _without_findings(check_store(make_case, **self._settings))


def _without_findings(report: CrashReport) -> CrashReport:
    report.require_none()
    return report


# --- exploring --------------------------------------------------------------------------------------------------------


def _explored(
    make_case: MakeCase,
    case_class: type[Any],
    run_class: "type[_Run]",
    most_runs: int,
    temporary_folder: "str | os.PathLike[str] | None",
) -> CrashReport:
    name = {IngressCase: "check_ingress", EgressCase: "check_egress", StoreCase: "check_store"}[case_class]
    checked_callable(make_case, operator=name, name="make_case")
    checked_count(most_runs, operator=name, name="most_runs", at_least=1, at_most=2**31 - 1)
    report = CrashReport(name)

    def run(faults: Faults, step: str) -> _Run:
        with tempfile.TemporaryDirectory(prefix="crash-", dir=temporary_folder) as folder, _quiet():
            case = make_case(Path(folder))
            if not isinstance(case, case_class):
                raise ArgumentTypeError(
                    f"{name}(make_case) needs a function that returns a {case_class.__name__}, it returned {case!r} "
                    f"({type(case).__name__}); return one for the folder that it gets"
                )
            done = run_class(case, faults, step)
            for finding in done.findings():
                report.add(finding)
        report.runs += 1
        return done

    calm = run(Faults(traced=run_class.part), "no fault")
    report.subject = f"{name} of {calm.subject}"
    report.faults["without a fault"] += 1
    if report.findings:  # what fails by itself says nothing about faults
        return report
    planned = list(_plans(calm.faults, calm.rounds, run_class.part))
    chosen = planned
    if len(planned) >= most_runs:
        chosen = [planned[place * len(planned) // (most_runs - 1)] for place in range(most_runs - 1)]
    report.left_out = len(planned) - len(chosen)
    for how, step, make in chosen:
        run(make(), step)
        report.faults[how] += 1
    return report


@contextmanager
def _quiet() -> Generator[None, None, None]:
    """Let the engine log nothing of faults that are planned, and nobody warn of files that a dead process left open."""
    logger = logging.getLogger(LOGGER_NAME)
    logger.addFilter(_is_news)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        logger.removeFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    arguments = record.args if isinstance(record.args, tuple) else ()
    return not any(isinstance(each, BaseException) and is_planned(each) for each in arguments)


def _plans(calm: Faults, rounds: int, part: str) -> Iterable[tuple[str, str, Callable[[], Faults]]]:
    """Return the faults of all runs: the kind of each, its step in words, and what makes it."""
    for call in calm.log:
        for how, says in (
            ("before", "death before"),
            ("after", "death after"),
            ("fails", "an exception instead of"),
            ("lies", "an exception after"),
        ):
            yield how, f"{says} {call.name} (step {call.number})", partial(Faults, at=call.number, how=how)
    places: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
    for call in calm.log:
        for place, (file, line) in enumerate(call.lines):
            places.setdefault((call.name, file, line), []).append((call.number, place))
    for (name, file, line), found in places.items():
        for number, place in dict.fromkeys((found[0], found[-1])):
            step = f"death before line {line} of {Path(file).name} in {name} (step {number})"
            yield "inside", step, partial(Faults, at=number, how="inside", line=place, traced=part)
    for tick in range(1, rounds + 1):
        yield "between steps", f"death in round {tick}", partial(Faults, tick=tick)
    last = {call.name: call.number for call in calm.log}
    for name, number in last.items():
        for second in range(1, CALLS_OF_A_RECOVERY + 1):
            step = f"death after {name} (step {number}) and again before the {second}. step after that"
            yield "twice", step, partial(Faults, at=number, how="after", second=second)


@dataclass
class _Run:
    """One run of a check; there is a class of runs for each kind of part.

    Attributes:
        case: The world of the run.
        faults: What goes wrong.
        step: That in words.
        world: What surrounds the part.
        memory: The store, where none is under test.
        made: The parts of the process that lives.
        subject: The name of the class of the part.
        rounds: How many rounds there were.
    """

    part = ""

    case: Any
    faults: Faults
    step: str
    world: World = field(default_factory=lambda: World(ROWS))
    memory: MemoryStore = field(default_factory=MemoryStore)
    made: list[Any] = field(default_factory=list[Any])
    subject: str = ""
    rounds: int = 0

    def findings(self) -> list[Finding]:
        """Run engines until all is through; return what is wrong."""
        lives = self.lives()
        found: list[Finding] = []
        try:
            lives.run()
        except EndlessRunError as error:
            found.append(Finding("endless run", self.step, "a run that comes to its end", str(error)))
        except Exception as error:
            found.append(Finding("exception", self.step, "an engine that starts", _said(error)))
        finally:
            self.rounds = lives.round
        with self.faults.switched_off():
            found += [*self.own_exceptions(), *self.judged(has_ended=not found)]
            self.abandon()
        return found

    def own_exceptions(self) -> list[Finding]:
        """Return what the part has raised by itself."""
        for call in self.faults.log:
            error = call.error
            if call.name.startswith(f"{self.part}.") and isinstance(error, Exception) and not is_planned(error):
                expected = f"{call.name} in life {call.life} that does not raise"
                return [Finding("exception", self.step, expected, _said(error))]
        return []

    def lives(self) -> Lives:
        """Return the lives."""
        raise NotImplementedError

    def judged(self, *, has_ended: bool) -> list[Finding]:
        """Return what is wrong with the world in the end."""
        raise NotImplementedError

    # --- the parts --------------------------------------------------------------------------------------------------

    def watched(self, made: Any, part: str, steps: Sequence[str]) -> Any:
        """Return a part that is watched, and abandoned when its process is dead."""
        if part == self.part:
            self.subject = type(made).__name__
            self.made.append(made)
        watched: Any = self.faults.watch(made, part, steps)
        return watched

    def abandon(self) -> None:
        """Release what the operating system releases."""
        abandon = self.case.abandon
        while self.made:
            each = self.made.pop()
            if abandon is not None:
                abandon(each)

    def store(self) -> Store:
        """Return the store in memory."""
        store: Store = self.watched(self.memory.after_crash(), "store", STORE_STEPS)
        return store

    def source(self, poll_interval: timedelta = TICK) -> Ingress:
        """Return the source of the kit."""
        source = NumberedSource(self.world)
        source.poll_interval = poll_interval
        return paced(self.watched(source, "ingress", INGRESS_STEPS), READ_AT_ONCE)

    def calls(self, name: str) -> list[Call]:
        """Return the steps of a name that were done."""
        return [call for call in self.faults.log if call.name == name and call.error is None and _was_done(call)]


class _IngressRun(_Run):
    part = "ingress"

    def lives(self) -> Lives:
        registry = FactoryRegistry()
        _part(registry, "ingress", self.ingress)
        _query(registry, "rows", lambda stream: stream.enumerate(start=1))
        _part(registry, "table", lambda: self.watched(Table(), "egress", EGRESS_STEPS["store"]))
        if self.case.acknowledged is not None:
            self.faults.on_call = self._require_not_early
        self.early: list[Finding] = []
        self.lives_of_run = Lives(
            self.faults,
            registry,
            _define_ingress,
            self.store,
            "table",
            ("ingress", "rows", "table"),
            checkpoint_every=2,
            before_round=self.case.before_round,
            after_death=self.abandon,
            rounds=self.case.rounds,
            ends=self.case.ends,
        )
        return self.lives_of_run

    def ingress(self) -> Ingress:
        made = self.case.make()
        self.lives_of_run.pace = max(made.poll_interval, TICK)
        return paced(self.watched(made, "ingress", INGRESS_STEPS), READ_AT_ONCE)

    def _require_not_early(self, call: Call) -> None:
        if call.name != "ingress.read" or self.early:
            return
        with self.faults.switched_off():
            forgotten = self.case.acknowledged()
        told = self._told()
        if forgotten > told:
            self.early.append(
                Finding("early acknowledgement", self.step, f"nothing forgotten beyond {told}", f"up to {forgotten}")
            )

    def _told(self) -> int:
        return max((call.arguments[0] for call in self.calls("ingress.acknowledge")), default=0)

    def judged(self, *, has_ended: bool) -> list[Finding]:
        case: IngressCase = self.case
        elements = case.elements() if callable(case.elements) else case.elements
        rows = [element for _, element in self.memory.tables.get("rows", [])]
        found = [*self.early, *self._gaps()]
        if has_ended:
            found += compared(elements, rows, self.step, is_ordered=True)
            if self.case.acknowledged is not None and self.case.acknowledged() < self._told():
                forgotten = self.case.acknowledged()
                expected = f"everything up to {self._told()} forgotten"
                found.append(Finding("forgotten acknowledgement", self.step, expected, f"up to {forgotten}"))
        return found

    def _gaps(self) -> list[Finding]:
        position = 0
        known: dict[int, Any] = {}
        for call in self.faults.log:
            if call.error is not None or not _was_done(call):
                continue
            if call.name == "ingress.open":
                position = call.arguments[0]
            elif call.name == "ingress.read":
                for given, element in call.result or ():
                    position += 1
                    if given != position:
                        return [Finding("gap", self.step, f"position {position}", f"position {given!r}: {element!r}")]
                    if known.setdefault(position, element) != element:
                        seen = f"{element!r} in life {call.life}"
                        return [
                            Finding("changed element", self.step, f"{known[position]!r} at position {position}", seen)
                        ]
        return []


def _define_ingress(engine: Engine) -> None:
    engine.define("ingress", "ingress")
    engine.define("table", "table")
    engine.define("rows", "rows", source="ingress", into="table")


class _EgressRun(_Run):
    part = "egress"

    def lives(self) -> Lives:
        self.world.elements = list(self.case.rows)
        self.probed: list[Finding] = []
        if self.step == "no fault":
            self.faults.on_call = self._probe
        self._before: list[Any] = []
        registry = FactoryRegistry()
        _part(registry, "source", self.source)
        _query(registry, "rows", lambda stream: stream.map(_itself))
        _part(registry, "egress", self.egress)
        return Lives(
            self.faults,
            registry,
            _define_egress,
            self.store,
            "egress",
            ("source", "rows", "egress"),
            checkpoint_every=2,
            after_death=self.abandon,
        )

    def store(self) -> Store:
        if self.case.store is None:
            return super().store()
        store: Store = self.watched(self.case.store(), "store", STORE_STEPS)
        self.stores = [*getattr(self, "stores", []), store]
        return store

    def abandon(self) -> None:
        super().abandon()
        for each in getattr(self, "stores", []):
            each.close()
        self.stores = []

    def egress(self) -> Egress:
        made: Egress = self.case.make()
        watched: Egress = self.watched(made, "egress", EGRESS_STEPS.get(made.kind, ("open",)))
        return watched

    def _probe(self, call: Call) -> None:
        """Look after each step what a reader sees."""
        if call.name not in ("egress.prepare", "egress.commit", "egress.write"):
            return
        with self.faults.switched_off():
            now = list(self.case.results())
        if call.name == "egress.prepare" and len(now) > len(self._before):
            self.probed.append(Finding("early result", self.step, f"{self._before} after prepare()", repr(now)))
        if call.name == "egress.write" and self.case.expected is None and len(now) == len(self._before):
            self.probed.append(Finding("missing result", self.step, f"{call.arguments[1]} after write()", repr(now)))
        self._before = now

    def judged(self, *, has_ended: bool) -> list[Finding]:
        if not has_ended:
            return self.probed
        expected = self.case.rows if self.case.expected is None else self.case.expected
        found = compared(expected, list(self.case.results()), self.step, is_ordered=self.case.is_ordered)
        return [*self.probed, *map(self._named, found)]

    def _named(self, finding: Finding) -> Finding:
        """Return a finding as one about aborts, where the steps show that."""
        for call in self.calls("egress.abort"):
            (last,) = call.arguments
            numbers = {each.arguments[0] for each in self.calls("egress.prepare") if each.number < call.number}
            settled = {each.arguments[0] for each in self.calls("egress.commit") if each.number < call.number}
            stored = {number for number in numbers - settled if number <= last}
            if finding.kind == "loss" and stored:
                expected = f"what was prepared for checkpoint {max(stored)} kept by abort({last})"
                return Finding("wrong abort", finding.step, expected, f"lost: {finding.expected}")
            if finding.kind in ("duplicate", "wrong row") and any(number > last for number in numbers):
                expected = f"what was prepared for later checkpoints forgotten by abort({last})"
                return Finding("forgotten abort", finding.step, expected, finding.seen)
        return finding


def _define_egress(engine: Engine) -> None:
    engine.define("source", "source")
    engine.define("egress", "egress")
    engine.define("rows", "rows", source="source", into="egress")


class _StoreRun(_Run):
    part = "store"

    def lives(self) -> Lives:
        self.pushed: list[int] = []
        registry = FactoryRegistry()
        _part(registry, "source", lambda: self.source(PushInput.poll_interval))
        _query(registry, "sums", lambda stream: stream.scan(_added, 0))
        _part(registry, "ledger", lambda: self.watched(Ledger(self.world), "egress", EGRESS_STEPS["two-phase"]))
        _part(registry, "pushed", PushInput)
        _query(registry, "same", lambda stream: stream.map(_itself))
        _part(registry, "pages", lambda: Pages(self.world))
        return Lives(
            self.faults,
            registry,
            _define_store,
            self.store,
            "ledger",
            ("source", "sums", "ledger", "pushed", "same", "pages"),
            checkpoint_every=2,
            before_round=self._push,
            after_death=self.abandon,
            pace=PushInput.poll_interval,
        )

    def store(self) -> Store:
        store: Store = self.watched(self.case.make(), "store", STORE_STEPS)
        return store

    def _push(self, engine: Engine, number: int) -> None:
        if number <= len(ROWS):
            try:
                engine.push("pushed", -number)
                self.pushed.append(-number)
            except Exception as error:
                if not is_planned(error):
                    raise

    def judged(self, *, has_ended: bool) -> list[Finding]:
        found = store_findings([call for call in self.faults.log if call.name.startswith("store.")], self.step)
        if not has_ended or found:
            return found
        sums = [sum(ROWS[: place + 1]) for place in range(len(ROWS))]
        ledger = [row for number in sorted(self.world.ledger) for row in self.world.ledger[number]]
        found += compared(sums, ledger, self.step, is_ordered=True)
        pushed = [row for number in sorted(self.world.pages) for row in self.world.pages[number]]
        expected = [-number for number in ROWS if -number in pushed or -number in self.pushed]  # or in doubt
        found += compared(expected, pushed, self.step, is_ordered=True)
        self.abandon()
        store = self.case.make()
        store.open()
        damage = store.verify()
        store.close()
        if damage:
            found.append(Finding("damage", self.step, "verify() returns []", repr(damage)))
        return found


def _define_store(engine: Engine) -> None:
    engine.define("source", "source")
    engine.define("ledger", "ledger")
    engine.define("sums", "sums", source="source", into="ledger")
    engine.define("pushed", "pushed")
    engine.define("pages", "pages")
    engine.define("same", "same", source="pushed", into="pages")


def _part(registry: FactoryRegistry, name: str, make: Callable[[], Any]) -> None:
    def build(_engine: BuildContext) -> Any:
        return make()

    registry.register(name)(build)


def _query(registry: FactoryRegistry, name: str, operators: Callable[[Stream[Any]], Stream[Any]]) -> None:
    def build(engine: BuildContext, *, source: str) -> Stream[Any]:
        return operators(engine.stream(source))

    registry.register(name)(build)


def _added(total: int, number: int) -> int:
    return total + number


def _itself(row: Any) -> Any:
    return row


def _was_done(call: Call) -> bool:
    return call.fault not in ("before", "fails")  # with `inside`, if it has an error


def _said(error: BaseException) -> str:
    if isinstance(error, ExceptionGroup):
        return "; ".join(_said(each) for each in cast("ExceptionGroup[Exception]", error).exceptions)
    return f"{type(error).__name__}: {error}"
