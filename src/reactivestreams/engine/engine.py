"""The engine: hosts named queries that run for months, and continues each where it was after the process has died."""

import asyncio
import difflib
import enum
import gc
import logging
import threading
import time
from collections.abc import Callable, Collection, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, Self

from reactivestreams.arguments import checked_callable, checked_count, checked_timeout
from reactivestreams.engine.artifact import Artifact, decoded_arguments, dependencies_of, encoded_arguments
from reactivestreams.engine.egress import Egress, EgressNode, StoreEgress
from reactivestreams.engine.errors import (
    CheckpointError,
    DefinitionChangedError,
    EngineStatusError,
    EngineUnloadedError,
    StoreFencedError,
)
from reactivestreams.engine.explanation import Explanation, explained
from reactivestreams.engine.factory_registry import Factory, FactoryRegistry, factories
from reactivestreams.engine.hosted_subject import HostedSubject
from reactivestreams.engine.ingress import IngressNode
from reactivestreams.engine.rehearsal import Rehearsal, difference
from reactivestreams.engine.settings import checked_settings
from reactivestreams.engine.state_codec import StateCodec
from reactivestreams.engine.statistics import ArtifactStatistics, EngineStatistics, Figures
from reactivestreams.engine.store import (
    KEPT_CHECKPOINTS,
    Checkpoint,
    CheckpointWrite,
    Definition,
    Store,
    TableWrite,
)
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import Guarantee, checked_guarantee, require_guarantee
from reactivestreams.lifecycle import (
    ArtifactKindError,
    ExecutionEnvironment,
    OperatorSubscription,
    UnknownArtifactError,
)
from reactivestreams.schedulers import LogicalScheduler, Scheduler, WorkerPool
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from reactivestreams.state import DEFAULT_LIMITS, SaveToken, StateLimits, StateRegistry, default_registry
from rs_core.stream.quiescence import Quiescence, changed_places

__all__ = [
    "DEFAULT_CHECKPOINT_INTERVAL",
    "LOGGER_NAME",
    "MAX_FAILED_CHECKPOINTS",
    "PAUSE_TIMEOUT_SECONDS",
    "Engine",
    "EngineStatus",
    "Failure",
    "Mitigation",
]

DEFAULT_CHECKPOINT_INTERVAL = timedelta(seconds=1)
"""How often a checkpoint is taken by default."""

MAX_FAILED_CHECKPOINTS = 5
"""After how many checkpoints in a row that were not stored the engine is faulted by default, and nothing flows."""

PAUSE_TIMEOUT_SECONDS = 30.0
"""How long a checkpoint waits for running tasks by default."""

LOGGER_NAME = "reactivestreams.engine"

_logger = logging.getLogger(LOGGER_NAME)


class EngineStatus(enum.Enum):
    """What an engine is doing."""

    CREATED = "created"
    """It was not started."""
    RECOVERING = "recovering"
    """It builds what its store has; nothing flows yet."""
    RUNNING = "running"
    CHECKPOINTING = "checkpointing"
    """It saves, or stores what it has saved while elements flow."""
    UNLOADING = "unloading"
    UNLOADED = "unloaded"
    """It runs nothing any more; its store can be opened by another engine."""
    UNLOAD_FAILED = "unload failed"
    """Something raised while it was unloaded; `unload` can be called again."""
    FAULTED = "faulted"
    """Nothing flows, since checkpoints could not be stored, or another engine has the store; unload it."""


class Mitigation(enum.Enum):
    """What to do about an artifact that failed."""

    STOP = "stop"
    """Raise: the engine does not start, or the checkpoint is not stored. The default."""
    IGNORE = "ignore"
    """Go on without it. Its stored state stays as it is, for an engine that can load it."""
    REMOVE = "remove"
    """Delete it, with its state; in recovery only."""
    REGENERATE = "regenerate"
    """Build it anew and start it without state; in recovery only."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What is given to the function that decides about failures.

    Attributes:
        artifact_id: The id of the artifact.
        kind: `subject`, `ingress`, `egress` or `query`.
        stage: `build`, `load` or `start` in recovery; `save` in a checkpoint.
        error: What was raised.
    """

    artifact_id: str
    kind: str
    stage: str
    error: Exception


class _Environment(ExecutionEnvironment):
    """The other artifacts, for operators that look them up."""

    __slots__ = ("_engine",)

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def find_artifact(self, artifact_id: str) -> tuple[bool, object]:
        artifact = self._engine.find(artifact_id)
        node: Any = artifact.node
        if artifact.scheduler is None or node is None:
            return True, None
        if artifact.kind == "query":
            return True, node
        subject = getattr(node, "subject", None)
        if subject is None:
            return True, artifact
        return True, HostedSubject(artifact_id, subject, artifact.scheduler, getattr(node, "conversions", None))


class _ArtifactHost:
    """The engine, as one artifact sees it."""

    def __init__(self, engine: "Engine", artifact: Artifact) -> None:
        self._engine = engine
        self._artifact = artifact

    @property
    def artifact_id(self) -> str:
        return self._artifact.id

    @property
    def last_checkpoint(self) -> int:
        last = self._engine.last_checkpoint
        return 0 if last is None else last.number

    def encode(self, value: Any) -> bytes:
        return self._engine.codec.encode(value)

    def report(self, stage: str, error: Exception) -> None:
        self._artifact.error = error
        _logger.warning("%s: %s failed, and is tried again: %r", self._artifact.id, stage, error)

    def request_checkpoint(self) -> None:
        self._engine.request_checkpoint()

    def run_soon(self, task: Callable[[], object]) -> None:
        if self._artifact.scheduler is not None and self._artifact.scheduler.status.value != "disposed":
            self._artifact.scheduler.schedule(task)


class Engine:
    """Host subjects, ingresses, queries and egresses by name; save them all at one moment, and continue after a crash.

    What is defined is stored, so that an engine that is started over the same store has it again, each artifact where
    the last stored checkpoint has it. An ingress reads again what came after that, and an egress makes the results of
    each checkpoint count once: effects on state and on egresses are exactly once, whenever the process dies. Side
    effects inside of functions of queries are at least once.

    Args:
        store: Where definitions and checkpoints are kept, which one engine uses at a time.
        define: Called with the engine each time it starts, when what is stored was recovered and before anything flows;
            it calls `define` for each artifact of the program. So no query misses what came before it was defined.
        scheduler: Where queries run: a scheduler whose child the engine makes; by default a thread of its own.
        checkpoint_every: How often a differential checkpoint is taken, by a thread of the engine; None: only when
            `checkpoint` is called, as it has to be in virtual time.
        registry: The factories that definitions name.
        state_registry: The classes of the program that may be part of states, arguments and pushed elements.
        limits: Bounds of the size and depth of a state.
        settings: Bounds for the operators of all queries, by the ids in `reactivestreams.engine.settings`, and whatever
            operators of the program read by `context.try_get_element(id)`.
        on_failure: Called with a `Failure`, returns a `Mitigation`; None stops at each.
        accept_changes: Ids of artifacts whose operators may differ from those that were saved, if the state fits.
        kept_checkpoints: How many checkpoints can be read, from 1; state that only older ones need is deleted.
        max_failed_checkpoints: After how many in a row that were not stored nothing flows any more, from 1.
        pause_timeout_seconds: How long a checkpoint waits for tasks that run, from 0.
        on_step: Called with the name of each step of recovery and checkpoint, in the thread that makes it; for
            measurements, and to kill a process at a chosen place.

    Raises:
        ArgumentTypeError: The store or the scheduler is none, or a function cannot be called.
        ArgumentError: A number is out of its bounds; or `checkpoint_every` is not positive, or given in virtual time.

    Demand: an ingress is read as fast as the slowest query that takes from it; an egress holds `max_rows` at most.
    Errors: the failure of a query ends its egress or subject; what is raised by the store is raised by `checkpoint`.
    State: all nodes of all artifacts, in one snapshot each.
    Threads: all methods by any, but for what waits, not inside of a query. `define`, `delete`, `held`, `checkpoint` and
        `stop` block: in an event loop call them with `asyncio.to_thread`, or use `async with` and `checkpoint_async`.

    Example:
        >>> from reactivestreams.engine import Engine, MemoryStore, PushInput, factories
        >>> @factories.register("example/entered")
        ... def entered(engine):
        ...     return PushInput()
        >>> @factories.register("example/totals")
        ... def totals(engine, *, numbers):
        ...     return engine.stream(numbers).scan(lambda total, n: total + n, 0)
        >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
        ...     numbers = engine.define("numbers", entered)
        ...     running = engine.define("totals", totals, numbers="numbers")
        ...     engine.push("numbers", 4, 5)
        ...     engine.checkpoint().kind
        2
        'differential'
    """

    def __init__(
        self,
        store: Store,
        *,
        define: "Callable[[Engine], object] | None" = None,
        scheduler: Scheduler | None = None,
        checkpoint_every: timedelta | None = DEFAULT_CHECKPOINT_INTERVAL,
        registry: FactoryRegistry = factories,
        state_registry: StateRegistry = default_registry,
        limits: StateLimits = DEFAULT_LIMITS,
        settings: Mapping[str, object] = MappingProxyType({}),
        on_failure: Callable[[Failure], Mitigation] | None = None,
        accept_changes: Collection[str] = (),
        kept_checkpoints: int = KEPT_CHECKPOINTS,
        max_failed_checkpoints: int = MAX_FAILED_CHECKPOINTS,
        pause_timeout_seconds: float = PAUSE_TIMEOUT_SECONDS,
        on_step: Callable[[str], object] | None = None,
    ) -> None:
        if not isinstance(store, Store):
            raise ArgumentTypeError(
                f"Engine(store) needs a Store, got {store!r} ({type(store).__name__}); "
                f"pass e.g. SqliteStore('state.db')"
            )
        if scheduler is not None and (not isinstance(scheduler, LogicalScheduler) or scheduler.is_immediate):
            raise ArgumentTypeError(
                f"Engine(scheduler) needs a LogicalScheduler with a thread, got {scheduler!r} "
                f"({type(scheduler).__name__}); pass e.g. LogicalScheduler(WorkerPool()), or leave it out"
            )
        for name, function in (("define", define), ("on_failure", on_failure), ("on_step", on_step)):
            if function is not None:
                checked_callable(function, operator="Engine", name=name)
        self._checkpoint_every = _checked_interval(checkpoint_every, scheduler)
        self.codec: StateCodec = StateCodec(state_registry, limits)
        """How values and states are written and read."""
        self.settings: Mapping[str, object] = checked_settings(settings)
        """The bounds for the operators of all queries, and what those of the program read."""
        self._kept = checked_count(kept_checkpoints, operator="Engine", name="kept_checkpoints", at_least=1)
        self._max_failed = checked_count(
            max_failed_checkpoints, operator="Engine", name="max_failed_checkpoints", at_least=1
        )
        self._pause_timeout_seconds = checked_timeout(pause_timeout_seconds, operator="Engine")
        if isinstance(accept_changes, str):
            raise ArgumentTypeError(
                f"Engine(accept_changes) needs a collection of ids, got the text {accept_changes!r}; "
                f"pass [{accept_changes!r}]"
            )
        self._store = store
        self._has_store = False
        self._registry = registry
        self._define = define
        self._holds = 0  # how many hold what flows, in the thread that has `_changing`
        self._on_failure = on_failure
        self._accept_changes = frozenset(accept_changes)
        self._on_step = on_step
        self._given_scheduler = scheduler
        self._pool: WorkerPool | None = None
        self._root: LogicalScheduler | None = None
        self._artifacts: dict[str, Artifact] = {}
        self._created = 0  # the highest number of a definition
        self._environment = _Environment(self)
        self._status = EngineStatus.CREATED
        self._changing = threading.RLock()  # who defines, deletes, recovers, checkpoints or unloads
        self._joining = threading.Lock()
        self._running_checkpoint: Future[Checkpoint] | None = None
        self._is_unload_requested = False
        self._last: Checkpoint | None = None
        self._in_doubt: tuple[int, dict[str, SaveToken]] | None = None
        self._failed_checkpoints = 0
        self._warned: set[str] = set()  # of these more than half of the bytes that a state may have
        self._wanted = threading.Event()
        self._timer: threading.Thread | None = None
        self._ends_timer = threading.Event()

    # --- what is there ----------------------------------------------------------------------------------------------

    @property
    def status(self) -> EngineStatus:
        """What the engine is doing."""
        return self._status

    @property
    def store(self) -> Store:
        """The store."""
        return self._store

    @property
    def last_checkpoint(self) -> Checkpoint | None:
        """The last stored checkpoint, or None."""
        return self._last

    def artifacts(self) -> list[Artifact]:
        """Return the artifacts, in the order in which they were defined."""
        return list(self._artifacts.values())

    def find(self, artifact_id: str) -> Artifact:
        """Return an artifact.

        Raises:
            UnknownArtifactError: There is none of this id.
        """
        artifact = self._artifacts.get(artifact_id)
        if artifact is None:
            near = difflib.get_close_matches(str(artifact_id), self._artifacts, n=1)
            known = ", ".join(sorted(self._artifacts)[:10]) or "nothing"
            raise UnknownArtifactError(
                f"find({artifact_id!r}): nothing is defined under this id; "
                + (f"did you mean {near[0]!r}?" if near else f"defined is {known}")
            )
        return artifact

    def get_subject(self, artifact_id: str, *, accepts: Any = object, sends: Any = object) -> HostedSubject[Any]:
        """Return the subject of an ingress or a subject, to subscribe to what comes from now on.

        Such a subscriber is no part of the engine: it is not saved, and slows queries down where the subject is in
        lockstep. Nothing can be pushed from outside: that would not be part of a checkpoint. Operators get the same
        from `context.execution_environment`, and push in their tasks.

        Args:
            artifact_id: Its id.
            accepts: The type of what this use pushes: a class; or, where the factory has returned a
                `ConvertingSubject`, one of the types of its conversions. Another element raises where it is pushed.
            sends: The type of what this use gets; another element ends its subscription with an error.

        Raises:
            UnknownArtifactError: There is none of this id.
            ArtifactKindError: It is a query or an egress.
            ArtifactNotReadyError: It was not recovered.
            ArgumentTypeError: A type is none.
        """
        subject: HostedSubject[Any] = self._environment.get_subject(artifact_id, accepts=accepts, sends=sends)
        return subject

    def get_subscription(self, artifact_id: str) -> OperatorSubscription:
        """Return the running subscription of a query, for visitors of its operators.

        What ends it ends the query, as is saved by the next checkpoint.

        Raises:
            UnknownArtifactError: There is none of this id.
            ArtifactKindError: It is no query.
            ArtifactNotReadyError: It was not recovered.
        """
        return self._environment.get_subscription(artifact_id)

    def explain(self, artifact_id: str) -> Explanation:
        """Return what holds for the paths through an artifact when the process dies, and why.

        A path leads from an ingress, or another source, to an egress, or the end of a query. What `on_failure` ignores,
        removes or builds anew is not part of the promise.

        Raises:
            UnknownArtifactError: There is none of this id.

        Example:
            >>> from reactivestreams.engine import Engine, MemoryStore, PushInput, factories
            >>> @factories.register("example/explained")
            ... def explained(engine):
            ...     return PushInput()
            >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
            ...     numbers = engine.define("numbers", explained)
            ...     print(engine.explain("numbers"))
            numbers: no guarantee
            numbers: no guarantee
              numbers: exactly-once, since what was pushed is in the store when push() returns, and is read from there
              store: no guarantee, since what is in memory is gone with the process; take a store that survives it, ...
        """
        return explained(self.find(artifact_id), self._artifacts, self._store)

    def statistics(self) -> EngineStatistics:
        """Return what the engine is doing now, in numbers; any thread, never blocks."""
        artifacts: list[ArtifactStatistics] = []
        for each in self.artifacts():
            figures = getattr(each.node, "figures", None)
            error = "" if each.error is None else f"{type(each.error).__name__}: {each.error}"
            numbers = Figures() if figures is None else figures()
            artifacts.append(ArtifactStatistics(each.id, each.kind, each.status, numbers, error))
        return EngineStatistics(self._status.value, self._last, self._failed_checkpoints, tuple(artifacts))

    def owns(self, scheduler: Scheduler) -> bool:
        """Return whether a scheduler is held with the engine."""
        above: Any = scheduler
        while above is not None:
            if above is self._root:
                return True
            above = getattr(above, "parent", None)
        return False

    def require_egress(self, artifact_id: str, egress: Egress) -> None:
        """Raise where the store cannot do what an egress needs.

        Raises:
            ArgumentTypeError: The egress is none of the three kinds.
            ArgumentError: It writes in the transaction of another kind of store.
        """
        if not egress.kind:
            raise ArgumentTypeError(
                f"define({artifact_id!r}): {egress!r} is an Egress of no kind; derive it from IdempotentEgress, "
                f"TwoPhaseEgress or StoreEgress"
            )
        if isinstance(egress, StoreEgress) and egress.transaction_kind != self._store.transaction_kind:
            raise ArgumentError(
                f"define({artifact_id!r}): {egress!r} writes in transactions of {egress.transaction_kind!r}, and those "
                f"of {self._store!r} are {self._store.transaction_kind or 'none'!r}; take another egress or store"
            )

    # --- starting ---------------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Open the store, build what it has, load the last checkpoint, and let elements flow. Runs user code.

        Raises:
            EngineStatusError: It was started before.
            StoreLockedError: Another engine uses the store.
            ExceptionGroup: Artifacts could not be recovered, and the policy is to stop. The engine is unloaded, and
                what is stored is as it was.
        """
        with self._changing:
            self._require(EngineStatus.CREATED, call="start()")
            self._status = EngineStatus.RECOVERING
            try:
                self._store.open()
                self._has_store = True
                self._step("opened")
                self._make_scheduler()
                self._recover()
            except BaseException:
                self._status = EngineStatus.RUNNING  # so that it can be unloaded
                with suppress(Exception):  # what is wrong is raised already
                    self.unload()
                raise
            self._status = EngineStatus.RUNNING
            if self._checkpoint_every is not None:
                self._timer = threading.Thread(target=self._take_checkpoints, name="engine checkpoints", daemon=True)
                self._timer.start()
        return self

    def _make_scheduler(self) -> None:
        if self._given_scheduler is None:
            self._pool = WorkerPool(workers=1, name="engine")
            self._root = LogicalScheduler(self._pool, name="engine")
        else:
            child = self._given_scheduler.create_child(name="engine")
            if not isinstance(child, LogicalScheduler):
                raise EngineStatusError(f"{self._given_scheduler!r} was disposed; pass one that runs")
            self._root = child

    def _recover(self) -> None:
        self._last = self._store.last_checkpoint()
        failures: list[Exception] = []
        with self.held(), _without_collector():
            for definition in self._store.definitions():
                self._require_loaded()
                self._recover_one(definition, failures)
            if failures:
                raise ExceptionGroup(
                    f"{len(failures)} artifacts could not be recovered; mend what is wrong, or pass on_failure= to go "
                    f"on without them",
                    failures,
                )
            last = 0 if self._last is None else self._last.number
            for artifact in self.artifacts():
                if isinstance(artifact.node, EgressNode):
                    self._recover_egress(artifact, artifact.node, last)
            self._step("settled")
            for artifact in self._in_order():
                try:
                    artifact.start()
                except Exception as error:
                    self._decide(artifact, "start", error, failures)
            if failures:
                raise ExceptionGroup(f"{len(failures)} artifacts could not be started", failures)
            self._step("recovered")
            if self._define is not None:
                self._define(self)

    def _recover_one(self, definition: Definition, failures: list[Exception]) -> None:
        self._created = max(self._created, definition.created)
        arguments, into = decoded_arguments(definition.arguments, self.codec)
        dependencies = dependencies_of(arguments, into, self._artifacts)
        artifact = self._artifacts[definition.id] = Artifact(definition, arguments, into, dependencies)
        try:
            self._build_again(artifact)
        except Exception as error:
            artifact.node = None
            if self._decide(artifact, "build", error, failures) is Mitigation.REGENERATE:
                failures.append(error)  # what cannot be built cannot be built anew
            return
        try:
            self._load(artifact)
        except Exception as error:
            if self._decide(artifact, "load", error, failures) is Mitigation.REGENERATE:
                self._forget_writer(artifact)
                artifact.dispose()
                self._build_again(artifact)
            else:
                artifact.node = None

    def _build_again(self, artifact: Artifact) -> None:
        stored = artifact.definition
        factory = self._rebuild(artifact)
        built = artifact.definition
        is_migrated = factory.version != stored.factory_version
        if built.digest != stored.digest and not is_migrated and artifact.id not in self._accept_changes:
            raise DefinitionChangedError(
                f"the factory {stored.factory!r} builds something else for {artifact.id!r} than what was saved:\n"
                f"{difference(stored.digest, built.digest)}"
                f"build the same; or raise the version of the factory; or, where the state fits all the same, pass "
                f"accept_changes=[{artifact.id!r}]"
            )
        if built.digest != stored.digest or is_migrated:
            artifact.definition = Definition(
                stored.id,
                built.kind,
                stored.factory,
                factory.version,
                encoded_arguments(artifact.arguments, artifact.into, self.codec),
                built.digest,
                stored.created,
            )
            self._store.put_definition(artifact.definition)
        self._begin(artifact)

    def _rebuild(self, artifact: Artifact) -> Factory:
        """Build what is stored with the factory of now."""
        stored = artifact.definition
        factory = self._registry.find(stored.factory)
        if factory.version != stored.factory_version:
            artifact.arguments = factory.migrated(stored.factory_version, artifact.arguments)
            artifact.dependencies = dependencies_of(artifact.arguments, artifact.into, self._artifacts)
        artifact.build(self, factory.build, _ArtifactHost(self, artifact))
        return factory

    def rehearse(self) -> list[Rehearsal]:
        """Build what the store has and load its states, as `start` would, and say what would come of it.

        Nothing is started, no ingress or egress is opened, and nothing is written: the store need only be open to read,
        as by `SqliteStore.open_to_read`. The engine is unloaded afterwards. Runs user code: factories and migrations.

        Raises:
            EngineStatusError: It was started before.
        """
        with self._changing:
            self._require(EngineStatus.CREATED, call="rehearse()")
            self._status = EngineStatus.RECOVERING
            try:
                self._make_scheduler()
                with self.held():
                    return [self._rehearsed(definition) for definition in self._store.definitions()]
            finally:
                self.unload()

    def _rehearsed(self, stored: Definition) -> Rehearsal:
        before, into = decoded_arguments(stored.arguments, self.codec)
        dependencies = dependencies_of(before, into, self._artifacts)
        artifact = self._artifacts[stored.id] = Artifact(stored, before, into, dependencies)
        version = 0
        try:
            version = self._registry.find(stored.factory).version
            self._rebuild(artifact)
            self._begin(artifact)
            self._load(artifact)
        except Exception as error:
            artifact.node = None
            artifact.error = error
            return Rehearsal(
                stored.id,
                stored.factory,
                stored.factory_version,
                version,
                "failed",
                before,
                artifact.arguments,
                "",
                error,
            )
        changed = difference(stored.digest, artifact.definition.digest)
        outcome = "migrated" if version != stored.factory_version else "changed" if changed else "same"
        return Rehearsal(
            stored.id, stored.factory, stored.factory_version, version, outcome, before, artifact.arguments, changed
        )

    def _load(self, artifact: Artifact) -> None:
        state = self._store.state_of(artifact.id)
        if state is not None:
            artifact.load(self.codec.reader(state, partial(self._store.read_table, artifact.id)))

    def _begin(self, artifact: Artifact) -> None:
        child = self._scheduler().create_child(name=artifact.id)
        assert isinstance(child, LogicalScheduler)  # the root is not disposed
        child.unhandled_exception.add(lambda unhandled: self._task_failed(artifact, unhandled))
        artifact.begin(child, self._environment, self.settings)

    def _task_failed(self, artifact: Artifact, unhandled: SchedulerUnhandledException) -> None:
        """Stop the artifact whose task raised, and nothing else."""
        if not isinstance(unhandled.exception, Exception):
            return
        unhandled.handled = True
        artifact.error = unhandled.exception
        _logger.error("%s: a task raised, and it runs no more: %r", artifact.id, unhandled.exception)
        if artifact.scheduler is not None:
            artifact.scheduler.dispose()

    def _recover_egress(self, artifact: Artifact, node: EgressNode, last: int) -> None:
        node.open()
        prepared = [(number, self.codec.decode(token)) for number, token in self._store.prepared_of(artifact.id)]
        node.recover(prepared, last)
        self._settle(artifact, node)

    def _decide(self, artifact: Artifact, stage: str, error: Exception, failures: list[Exception]) -> Mitigation:
        """Ask what to do about a failure in recovery, and do it, but for building anew."""
        artifact.error = error
        mitigation = self._mitigation(artifact, stage, error)
        if mitigation is Mitigation.STOP:
            error.add_note(f"while {artifact.id!r} was recovered ({stage})")
            failures.append(error)
        elif mitigation is Mitigation.REMOVE:
            self._remove(artifact)
        elif mitigation is Mitigation.IGNORE:
            _logger.warning("%s: was not recovered (%s), its state stays stored: %r", artifact.id, stage, error)
        return mitigation

    def _mitigation(self, artifact: Artifact, stage: str, error: Exception) -> Mitigation:
        if self._on_failure is None:
            return Mitigation.STOP
        answer = self._on_failure(Failure(artifact.id, artifact.kind, stage, error))
        if not isinstance(answer, Mitigation):
            raise ArgumentTypeError(
                f"on_failure needs to return a Mitigation, got {answer!r} ({type(answer).__name__}); return e.g. "
                f"Mitigation.IGNORE"
            )
        return answer

    def _in_order(self) -> list[Artifact]:
        """Return what was built, in the order of starting: who takes elements goes before who sends them."""
        order = ("subject", "egress", "query", "ingress")
        return sorted(
            (each for each in self._artifacts.values() if each.node is not None),
            key=lambda each: (order.index(each.kind), each.definition.created),
        )

    # --- definitions --------------------------------------------------------------------------------------------------

    def define(
        self,
        artifact_id: str,
        factory: "str | Callable[..., Any]",
        /,
        *,
        into: str | None = None,
        guarantee: Guarantee | str | None = None,
        **arguments: Any,
    ) -> Artifact:
        """Define an artifact, build and start it; do nothing where the same was defined before. Runs user code.

        Args:
            artifact_id: Its id, not empty; ids among the arguments of another one are what that depends on.
            factory: A registered function, or its name.
            into: For a query: the id of the subject or egress that gets its elements; None: they go nowhere.
            guarantee: What must hold when the process dies, on all paths through it that there are by now:
                `"exactly-once"`, `"at-least-once"` or `"at-most-once"`; None: whatever `explain` says.
            arguments: What the factory is called with, after the `BuildContext`; values that state can hold.

        Returns:
            The artifact.

        Raises:
            EngineStatusError: The engine does not run.
            ArgumentError: The id has another definition; or the factory returned something that cannot be hosted so.
            UnknownFactoryError: The factory is not registered.
            StateTypeError: An argument is no value that state can hold.
            StateError: A source in it would not continue where it was saved.
        """
        _require_id(artifact_id)
        wanted = checked_guarantee(guarantee)
        found = self._registry.find(factory)
        encoded = encoded_arguments(arguments, into, self.codec)
        with self._changing:
            self._require(EngineStatus.RUNNING, EngineStatus.RECOVERING, call=f"define({artifact_id!r})")
            present = self._artifacts.get(artifact_id)
            if present is not None:
                self._require_same(present, found.name, encoded)
                self._require_guarantee(present, wanted)
                return present
            if into is not None:
                self.find(into)
            self._created += 1
            definition = Definition(artifact_id, "", found.name, found.version, encoded, "", self._created)
            artifact = Artifact(definition, arguments, into, dependencies_of(arguments, into, self._artifacts))
            with self.held():
                self._add(artifact, found.build, wanted)
            return artifact

    def _require_guarantee(self, artifact: Artifact, wanted: Guarantee | None) -> None:
        if wanted is not None:
            paths = explained(artifact, self._artifacts, self._store).paths
            for path in paths:
                require_guarantee(path.parts, wanted)

    def _add(self, artifact: Artifact, build: Callable[..., Any], wanted: Guarantee | None) -> None:
        try:
            artifact.build(self, build, _ArtifactHost(self, artifact))
            self._require_guarantee(artifact, wanted)
            self._begin(artifact)
            self._store.put_definition(artifact.definition)
        except BaseException:
            self._forget_writer(artifact)
            artifact.dispose()
            raise
        self._artifacts[artifact.id] = artifact
        try:
            artifact.start()
        except BaseException:
            self._remove(artifact)
            raise

    def _require_same(self, present: Artifact, factory: str, encoded: bytes) -> None:
        stored = present.definition
        if stored.factory != factory or stored.arguments != encoded:
            arguments, into = decoded_arguments(encoded, self.codec)
            raise ArgumentError(
                f"define({present.id!r}): it is defined as {stored.factory}({present.arguments}, "
                f"into={present.into!r}), which runs and has state, and not as {factory}({arguments}, into={into!r}); "
                f"delete({present.id!r}) first, or take another id"
            )

    def delete(self, artifact_id: str) -> None:
        """Delete an artifact, with its definition and state; what goes into it or comes from it is deleted before.

        Raises:
            UnknownArtifactError: There is none of this id.
            ArgumentError: Others depend on it.
            EngineStatusError: The engine does not run.
        """
        with self._changing:
            self._require(EngineStatus.RUNNING, EngineStatus.RECOVERING, call=f"delete({artifact_id!r})")
            artifact = self.find(artifact_id)
            needing = sorted(each.id for each in self._artifacts.values() if artifact_id in each.needs())
            if needing:
                raise ArgumentError(
                    f"delete({artifact_id!r}): {', '.join(map(repr, needing))} need it; delete those first"
                )
            with self.held():
                self._remove(artifact)

    def _remove(self, artifact: Artifact) -> None:
        self._store.delete_definition(artifact.id)
        self._artifacts.pop(artifact.id, None)
        self._forget_writer(artifact)
        artifact.dispose()

    def _forget_writer(self, artifact: Artifact) -> None:
        target = None if artifact.into is None else self._artifacts.get(artifact.into)
        if target is not None and getattr(target.node, "writer_id", None) == artifact.id:
            target.node.writer_id = None
            target.node.forget_writer()

    @contextmanager
    def held(self) -> Generator[None, None, None]:
        """Let nothing flow inside of a `with` statement, so that several artifacts are defined or deleted at once.

        No checkpoint is taken meanwhile. A process that dies inside of it may leave some of them defined: what a
        program always needs is defined by the function `define` of the engine.

        Raises:
            PauseTimeoutError: A task did not give way.
            EngineStatusError: The engine does not run.
        """
        with self._changing:
            self._require(EngineStatus.RUNNING, EngineStatus.RECOVERING, call="held()")
            root = self._scheduler()
            self._holds += 1
            try:
                if self._holds == 1:
                    root.hold().wait(timeout_seconds=self._pause_timeout_seconds)
                yield
            finally:
                self._holds -= 1
                if self._holds == 0:
                    root.release()

    def push(self, artifact_id: str, *elements: Any) -> int:
        """Store elements for a `PushInput` and have it send them; return the position of the last one.

        When this returns, the elements are stored: they survive the process, and are sent exactly once.

        Raises:
            UnknownArtifactError: There is none of this id.
            ArtifactKindError: It is no `PushInput`.
            StateTypeError: An element is no value that state can hold.
        """
        artifact = self.find(artifact_id)
        node = artifact.node
        push = getattr(node.ingress, "push", None) if isinstance(node, IngressNode) else None
        if push is None:
            raise ArtifactKindError(
                f"push({artifact_id!r}): this is no PushInput ({artifact.kind}); define one, and push into that"
            )
        self._require(EngineStatus.RUNNING, EngineStatus.CHECKPOINTING, call=f"push({artifact_id!r})")
        position: int = push(elements)
        return position

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def request_checkpoint(self) -> None:
        """Have the thread of the engine take a checkpoint soon; nothing happens where it has none."""
        self._wanted.set()

    def checkpoint(self, kind: str = "differential") -> Checkpoint:
        """Save what has changed, or everything, and store it; return when it is stored. Runs user code.

        Nothing flows while it is saved; while it is stored, it does. A call while another one runs waits for that and
        returns its result. If nothing has changed, a differential checkpoint stores nothing and returns the last one.

        Args:
            kind: `"differential"`, or `"full"` for the state of all artifacts.

        Raises:
            EngineStatusError: The engine does not run.
            EngineUnloadedError: It was unloaded meanwhile; nothing was stored.
            PauseTimeoutError: A task did not give way; nothing was stored.
            CheckpointError: It was not stored: the cause says why. Everything in it is part of the next one.
        """
        if kind not in ("differential", "full"):
            raise ArgumentError(f"checkpoint(kind) needs 'differential' or 'full', got {kind!r}; pass one of these")
        own: Future[Checkpoint] = Future()
        with self._joining:
            running = self._running_checkpoint
            if running is None:
                self._running_checkpoint = own
        if running is not None:
            return running.result()
        try:
            with self._changing:
                result = self._checkpoint(kind)
        except BaseException as error:
            self._end_joining()
            own.set_exception(error)
            raise
        self._end_joining()
        own.set_result(result)
        return result

    def _end_joining(self) -> None:
        with self._joining:
            self._running_checkpoint = None

    async def checkpoint_async(self, kind: str = "differential") -> Checkpoint:
        """Do as `checkpoint` in another thread, and wait for it in an asyncio event loop."""
        return await asyncio.to_thread(self.checkpoint, kind)

    def _checkpoint(self, kind: str) -> Checkpoint:
        self._require(EngineStatus.RUNNING, call="checkpoint()")
        self._status = EngineStatus.CHECKPOINTING
        try:
            self._resolve_doubt()
            number = 1 + (0 if self._last is None else self._last.number)
            write = CheckpointWrite(number, kind, time.time_ns())
            tokens = self._save(write, kind)
            if not tokens and (self._last is not None or not self._artifacts) and kind == "differential":
                self._settle_all()
                return self._last or Checkpoint(0, kind, write.began, write.began, 0, write.pause_microseconds)
            stored = self._commit(write, tokens)
            self._failed_checkpoints = 0
            return stored
        except EngineUnloadedError:
            raise
        except BaseException as error:
            self._checkpoint_failed(error)
            raise
        finally:
            if self._status is EngineStatus.CHECKPOINTING:
                self._status = EngineStatus.RUNNING

    def _save(self, write: CheckpointWrite, kind: str) -> dict[str, SaveToken]:
        """Save what has changed into memory, at one moment; steps 1 to 4."""
        root = self._scheduler()
        running = [each for each in self._artifacts.values() if each.node is not None]
        watched: list[Any] = [each.nodes for each in running]
        unwatched = [place for place, nodes in enumerate(watched) if nodes is None]
        began = time.perf_counter_ns()
        tokens: dict[str, SaveToken] = {}
        try:
            root.hold().wait(timeout_seconds=self._pause_timeout_seconds)  # the engine's own: no task ends it
            self._step("paused")
            with _without_collector(), Quiescence() as quiescence:
                if kind != "full":
                    for place in unwatched:
                        watched[place] = running[place].watched_nodes
                    running = [running[place] for place in changed_places(watched)]
                for artifact in running:
                    self._require_loaded()
                    self._save_one(artifact, write, tokens, quiescence)
            self._step("saved")
        finally:
            root.release()
        write.pause_microseconds = (time.perf_counter_ns() - began) // 1000
        self._step("resumed")
        return tokens

    def _save_one(
        self, artifact: Artifact, write: CheckpointWrite, tokens: dict[str, SaveToken], quiescence: Quiescence
    ) -> None:
        snapshot = self.codec.writer(write.number, is_full=write.kind == "full")
        if isinstance(artifact.node, EgressNode):
            artifact.node.write = write
        try:
            tokens[artifact.id] = artifact.save(snapshot, quiescence)
            state = write.states[artifact.id] = snapshot.finish()
            self._warn_of_size(artifact, len(state))
            write.tables[artifact.id] = {
                name: TableWrite(table.rows, table.deleted, table.is_whole) for name, table in snapshot.tables.items()
            }
            self._step("artifact saved")
        except Exception as error:
            tokens.pop(artifact.id, None)
            if self._mitigation(artifact, "save", error) is not Mitigation.IGNORE:
                raise CheckpointError(
                    f"checkpoint {write.number}: {artifact.id!r} could not be saved: {error}; mend it, delete it, or "
                    f"let on_failure return Mitigation.IGNORE for it"
                ) from error
            artifact.error = error
            _logger.warning("%s: is not part of checkpoint %d: %r", artifact.id, write.number, error)

    def _warn_of_size(self, artifact: Artifact, size: int) -> None:
        """Warn once when a state has more than half of the bytes that it may have, before it cannot be saved."""
        most = self.codec.limits.max_bytes
        if size <= most // 2:
            self._warned.discard(artifact.id)
        elif artifact.id not in self._warned:
            self._warned.add(artifact.id)
            _logger.warning(
                "%s: its state has %d of the %d bytes that it may have; keep less, or raise max_bytes of StateLimits",
                *(artifact.id, size, most),
            )

    def _commit(self, write: CheckpointWrite, tokens: dict[str, SaveToken]) -> Checkpoint:
        """Store what was saved, while elements flow; steps 5 to 7."""
        self._require_loaded()
        self._step("committing")
        try:
            stored = self._store.commit(write)
        except Exception as error:
            self._in_doubt = (write.number, tokens)
            with suppress(Exception):  # what is wrong is raised below, and the doubt stays until the next checkpoint
                self._resolve_doubt()
            news = self._last
            if news is not None and news.number == write.number:
                return news  # it was stored, and only the word of it got lost
            if isinstance(error, StoreFencedError):
                raise
            raise CheckpointError(
                f"checkpoint {write.number} was not stored: {type(error).__name__}: {error}; what is in it is part of "
                f"the next one"
            ) from error
        self._step("committed")
        self._was_stored(stored, tokens)
        return stored

    def _resolve_doubt(self) -> None:
        """Find out whether a checkpoint was stored whose commit raised; it stays in doubt while the store is away."""
        if self._in_doubt is None:
            return
        number, tokens = self._in_doubt
        stored = self._store.last_checkpoint()
        if stored is not None and stored.number == number:
            self._in_doubt = None
            self._was_stored(stored, tokens)
            return
        self._in_doubt = None
        self._take_back(0 if stored is None else stored.number)

    def _take_back(self, last_committed: int) -> None:
        """Have egresses forget what they have prepared for a checkpoint that was not stored."""
        for artifact in self.artifacts():
            if isinstance(artifact.node, EgressNode):
                try:
                    artifact.node.was_not_stored(last_committed)
                except Exception as error:  # done once more by recovery
                    artifact.error = error
                    _logger.warning("%s: abort raised: %r", artifact.id, error)

    def _was_stored(self, stored: Checkpoint, tokens: dict[str, SaveToken]) -> None:
        """Let everybody know who is part of a stored checkpoint; each step is repeated by recovery."""
        self._last = stored
        for artifact in self.artifacts():
            token = tokens.get(artifact.id)
            if token is not None:
                artifact.was_saved(token)
        self._step("marked")
        for artifact in self.artifacts():
            if isinstance(artifact.node, EgressNode) and artifact.id in tokens:
                artifact.node.was_stored(stored.number)
        self._settle_all()
        for artifact in self.artifacts():
            if isinstance(artifact.node, IngressNode) and artifact.id in tokens:
                try:
                    artifact.node.was_stored()
                except Exception as error:
                    artifact.error = error
                    _logger.warning("%s: acknowledge raised: %r", artifact.id, error)
                self._step("acknowledged")
        self._store.prune(self._kept)
        self._step("pruned")

    def _settle_all(self) -> None:
        for artifact in self.artifacts():
            if isinstance(artifact.node, EgressNode):
                self._settle(artifact, artifact.node)

    def _settle(self, artifact: Artifact, node: EgressNode) -> None:
        settled = node.settle()
        self._step("egress settled")
        if settled:
            self._store.settle(artifact.id, settled)

    def _checkpoint_failed(self, error: BaseException) -> None:
        self._failed_checkpoints += 1
        if self._in_doubt is None:
            self._take_back(0 if self._last is None else self._last.number)
        if isinstance(error, StoreFencedError) or self._failed_checkpoints >= self._max_failed:
            self._status = EngineStatus.FAULTED
            self._scheduler().hold()
            _logger.error("the engine is faulted after %d failed checkpoints: %r", self._failed_checkpoints, error)

    def _take_checkpoints(self) -> None:
        assert self._checkpoint_every is not None
        while not self._ends_timer.is_set():
            self._wanted.wait(self._checkpoint_every.total_seconds())
            self._wanted.clear()
            if self._ends_timer.is_set() or self._status is EngineStatus.FAULTED:
                return
            try:
                self.checkpoint()
            except EngineStatusError:
                return
            except Exception as error:
                _logger.warning("a checkpoint was not stored, and is tried again: %r", error)

    # --- the end ------------------------------------------------------------------------------------------------------

    def stop(self, *, checkpoint: bool = True) -> None:
        """Take a last checkpoint, and unload. Idempotent.

        Args:
            checkpoint: False: what came since the last checkpoint comes again after the next start.

        Raises:
            CheckpointError: It was not stored. The engine is unloaded all the same.
        """
        try:
            if checkpoint and self._status in (EngineStatus.RUNNING, EngineStatus.CHECKPOINTING):
                running = self._running_checkpoint
                if running is not None:
                    with suppress(Exception):  # whoever called it gets it
                        running.result()
                self.checkpoint()
        finally:
            self.unload()

    def unload(self) -> None:
        """End what runs, without a checkpoint, and unlock the store; what is stored stays. Idempotent.

        A checkpoint that is running is given up, unless its commit has begun. Where something raises, the status is
        `UNLOAD_FAILED`, and this can be called again.

        Raises:
            ExceptionGroup: Artifacts could not be unloaded.
        """
        self._is_unload_requested = True
        self._ends_timer.set()
        self._wanted.set()
        with self._changing:
            if self._status in (EngineStatus.CREATED, EngineStatus.UNLOADED):
                self._status = EngineStatus.UNLOADED
                return
            self._status = EngineStatus.UNLOADING
            failures: list[Exception] = []
            if self._root is not None:
                pause = self._root.hold()
                with suppress(Exception):  # a task that does not give way is disposed with the others
                    pause.wait(timeout_seconds=self._pause_timeout_seconds)
            for artifact in self.artifacts():
                try:
                    if artifact.node is not None:
                        artifact.unload()
                except Exception as error:
                    error.add_note(f"while {artifact.id!r} was unloaded")
                    failures.append(error)
            if failures:
                self._status = EngineStatus.UNLOAD_FAILED
                raise ExceptionGroup("the engine was not unloaded; call unload() again", failures)
            if self._root is not None:
                self._root.dispose()
            if self._pool is not None:
                self._pool.dispose()
            if self._has_store:
                self._store.close()
            self._status = EngineStatus.UNLOADED
        if self._timer is not None and self._timer is not threading.current_thread():
            self._timer.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *exception: object) -> None:
        await asyncio.to_thread(self.stop)

    # --- steps that several share -----------------------------------------------------------------------------------

    def _scheduler(self) -> LogicalScheduler:
        assert self._root is not None  # the status says that it was started
        return self._root

    def _require(self, *statuses: EngineStatus, call: str) -> None:
        if self._status in statuses:
            return
        if self._status in (EngineStatus.UNLOADED, EngineStatus.UNLOADING, EngineStatus.UNLOAD_FAILED):
            raise EngineUnloadedError(f"{call}: the engine is {self._status.value}; make a new one over the store")
        remedy = {
            EngineStatus.CREATED: "start it, or use it in a with statement",
            EngineStatus.FAULTED: "unload it, mend what is wrong, and start a new one",
        }.get(self._status, "wait until it is done")
        raise EngineStatusError(f"{call}: the engine is {self._status.value}; {remedy}")

    def _require_loaded(self) -> None:
        if self._is_unload_requested:
            raise EngineUnloadedError("given up, since the engine is being unloaded; make a new one over the store")

    def _step(self, name: str) -> None:
        if self._on_step is not None:
            self._on_step(name)

    def __repr__(self) -> str:
        return f"<Engine over {self._store!r}: {self._status.value}, {len(self._artifacts)} artifacts>"


@contextmanager
def _without_collector() -> Generator[None, None, None]:
    """Have no garbage collected meanwhile: a collection visits everything that the engine hosts, and makes no room."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _require_id(artifact_id: object) -> None:
    if not isinstance(artifact_id, str):
        raise ArgumentTypeError(
            f"define(id) needs a text, got {artifact_id!r} ({type(artifact_id).__name__}); pass e.g. 'orders/sums'"
        )
    if not artifact_id:
        raise ArgumentError("define(id) needs a text that is not empty, got ''; pass e.g. 'orders/sums'")


def _checked_interval(interval: timedelta | None, scheduler: Scheduler | None) -> timedelta | None:
    if interval is None:
        return None
    if not isinstance(interval, timedelta):
        raise ArgumentTypeError(
            f"Engine(checkpoint_every) needs a timedelta, got {interval!r} ({type(interval).__name__}); "
            f"pass e.g. timedelta(seconds=1), or None"
        )
    if interval <= timedelta():
        raise ArgumentError(f"Engine(checkpoint_every) needs a time above 0, got {interval}; pass None for never")
    if scheduler is not None and scheduler.is_virtual_time:
        raise ArgumentError(
            f"Engine(checkpoint_every={interval}) in virtual time, which only moves when it is moved; pass None, and "
            f"call checkpoint()"
        )
    return interval
