"""An artifact of an engine: a subject, an ingress, a query or an egress, as it is built, saved and recovered."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from reactivestreams.engine.egress import Egress, EgressNode, IdempotentEgress, StoreEgress, TwoPhaseEgress
from reactivestreams.engine.ingress import Ingress, IngressNode
from reactivestreams.engine.push_input import PushInput
from reactivestreams.engine.settings import within_settings
from reactivestreams.engine.state_codec import DEFAULT_CODEC, StateCodec
from reactivestreams.engine.store import Definition
from reactivestreams.engine.subject_node import SubjectNode
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle import (
    ArtifactKindError,
    DefaultOperatorContext,
    DependencyOperator,
    UnknownArtifactError,
    set_tree_context,
    start_tree,
)
from reactivestreams.operators.digest import all_nodes, operator_lines
from reactivestreams.schedulers import LogicalScheduler, Scheduler
from reactivestreams.state import (
    SaveToken,
    SnapshotReader,
    SnapshotWriter,
    load_nodes,
    save_nodes,
    stateful_nodes,
    tree_was_saved,
)
from reactivestreams.stream import Stream
from reactivestreams.subjects import ConvertingSubject
from reactivestreams.subjects.in_memory_subject import InMemorySubject
from rs_core.ends.subscriber import DiscardingSubscriber
from rs_core.stream.description import Description
from rs_core.stream.quiescence import Quiescence, WatchedNodes
from rs_core.stream.tree_walk import nodes_of, nodes_with_paths

if TYPE_CHECKING:
    from reactivestreams.engine.engine import Engine

__all__ = ["Artifact", "BuildContext", "decoded_arguments", "dependencies_of", "encoded_arguments"]

KINDS = ("subject", "ingress", "egress", "query")

Arguments = dict[str, Any]


class BuildContext:
    """What a factory gets as its first argument: the streams of what it depends on.

    Example:
        >>> from reactivestreams.engine import Engine, MemoryStore, factories
        >>> from reactivestreams.subjects import BroadcastSubject
        >>> @factories.register("example/numbers")
        ... def numbers(engine):
        ...     return BroadcastSubject()
        >>> @factories.register("example/doubled")
        ... def doubled(engine, *, numbers):
        ...     return engine.stream(numbers).map(lambda n: 2 * n)
        >>> with Engine(MemoryStore(), checkpoint_every=None) as engine:
        ...     engine.define("numbers", numbers)
        ...     engine.define("doubled", doubled, numbers="numbers")
        ...     [each.id for each in engine.artifacts()]
        <Artifact numbers: subject>
        <Artifact doubled: query>
        ['numbers', 'doubled']
    """

    def __init__(self, engine: "Engine", artifact_id: str, dependencies: Iterable[str]) -> None:
        self._engine = engine
        self._dependencies = frozenset(dependencies)
        self.artifact_id = artifact_id
        """The id of what is built."""

    def stream(self, artifact_id: str) -> Stream[Any]:
        """Return the stream of what comes from an ingress or a subject.

        Args:
            artifact_id: Its id, which must be one of the arguments of the definition: so the engine knows that it is
                needed.

        Raises:
            UnknownArtifactError: Nothing has this id, or it is not among the arguments.
            ArtifactKindError: It is a query or an egress, from which nothing comes.
        """
        if artifact_id not in self._dependencies:
            raise UnknownArtifactError(
                f"stream({artifact_id!r}) in the factory of {self.artifact_id!r}: the arguments do not have this id; "
                f"pass it to define(), so that the engine knows what this one needs"
            )
        return Stream.from_publisher(self._engine.find(artifact_id).source())


def encoded_arguments(arguments: Arguments, into: str | None, codec: StateCodec) -> bytes:
    """Return the arguments of a definition as they are stored.

    Raises:
        StateTypeError: One of them is no value that state can hold.
    """
    return codec.encode({"arguments": arguments, "into": into})


def decoded_arguments(data: bytes, codec: StateCodec = DEFAULT_CODEC) -> tuple[Arguments, str | None]:
    """Return the arguments of a definition, and the id of where the elements of a query go."""
    stored = codec.decode(data)
    return stored["arguments"], stored["into"]


def dependencies_of(arguments: Arguments, into: str | None, known: Mapping[str, object]) -> tuple[str, ...]:
    """Return the ids among the arguments of a definition, in containers too."""
    found: dict[str, None] = {} if into is None else {into: None}
    waiting: list[Any] = list(arguments.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if value in known:
                found[value] = None
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += value
    return tuple(sorted(found))


class Artifact:
    """One artifact of an engine; made by `Engine.define`.

    Attributes:
        definition: How it was defined.
        arguments: What it was built with.
        into: The id of the subject or egress that gets the elements of a query, or None.
        dependencies: The ids of what it needs.
    """

    def __init__(
        self, definition: Definition, arguments: Arguments, into: str | None, dependencies: tuple[str, ...]
    ) -> None:
        self.definition: Definition = definition
        self.arguments = arguments
        self.into: str | None = into
        self.dependencies = dependencies
        self.error: Exception | None = None
        """Why it does not run, or what failed last; None: nothing did."""
        self.scheduler: LogicalScheduler | None = None
        self.node: Any = None
        """The running node, or handle; None where it was not built."""
        self.nodes: WatchedNodes | None = None
        """Its nodes, as they were when it was last saved; None: it was not saved yet."""

    @property
    def id(self) -> str:
        """Its id."""
        return self.definition.id

    @property
    def kind(self) -> str:
        """`subject`, `ingress`, `egress` or `query`."""
        return self.definition.kind

    @property
    def status(self) -> str:
        """`running`, `ended`, or `failed`: it was not recovered, or its task raised."""
        if self.node is None or self.scheduler is None or self.scheduler.status.value == "disposed":
            return "failed"
        has_ended = getattr(self.node, "has_ended", None)
        if has_ended is None:
            has_ended = getattr(self.node, "outcome", "open") != "open" or self.node.is_disposed
        return "ended" if has_ended else "running"

    def source(self) -> Any:
        """Return the subject whose elements streams of this artifact get.

        Raises:
            ArtifactKindError: It is a query or an egress.
        """
        subject = getattr(self.node, "subject", None)
        if subject is None:
            raise ArtifactKindError(
                f"stream({self.id!r}): nothing can be taken from this {self.kind}"
                + ("; let it go into a subject, and take that" if self.kind == "query" else "; take its query's input")
                if self.node is not None
                else f"stream({self.id!r}): it was not recovered ({self.error!r}); recover it first"
            )
        return subject

    # --- built ------------------------------------------------------------------------------------------------------

    def build(self, engine: "Engine", factory: Callable[..., Any], host: Any) -> None:
        """Run the factory and make the node; nothing flows yet. Runs user code."""
        context = BuildContext(engine, self.id, self.dependencies)
        made: Any = factory(context, **self.arguments)
        made_class: type[Any] = made.__class__  # so that type checkers take the parameters of `made` for any
        if issubclass(made_class, Description):
            kind, node = "query", self._query(engine, made, made_class)
        elif issubclass(made_class, Ingress):
            if issubclass(made_class, PushInput):
                made.attach(engine.store, self.id, engine.codec)
            kind, node = "ingress", IngressNode(made, host)
        elif issubclass(made_class, Egress):
            engine.require_egress(self.id, made)
            kind, node = "egress", EgressNode(made, host)
        elif issubclass(made_class, InMemorySubject):
            kind, node = "subject", SubjectNode(made)
        elif issubclass(made_class, ConvertingSubject) and issubclass(type(made.subject), InMemorySubject):
            kind, node = "subject", SubjectNode(made.subject, made)
        else:
            raise ArgumentTypeError(
                f"the factory {self.definition.factory!r} returned {made!r} ({type(made).__name__}) for {self.id!r}; "
                f"return a Stream, a subject of reactivestreams.subjects, an Ingress or an egress"
            )
        if self.into is not None and kind != "query":
            raise ArgumentError(
                f"define({self.id!r}, into={self.into!r}): it is a {kind}, and only the elements of a query go "
                f"somewhere; leave into= out"
            )
        self.definition = Definition(
            self.id,
            kind,
            self.definition.factory,
            self.definition.factory_version,
            self.definition.arguments,
            _digest(made, kind, self.into),
            self.definition.created,
        )
        self.node = node
        for each in nodes_of(node):
            each.subscribe()  # from here on it has inputs, which are visited next
            recovery = getattr(each, "recovery", None)
            if recovery in ("restarts", "none"):
                path = next(path for found, path in nodes_with_paths(node) if found is each)
                raise StateError(
                    f"define({self.id!r}): {each.name} at {path} cannot continue where it was saved: its recovery is "
                    f"{recovery!r}; take its elements through an Ingress or a PushInput, or state recovery='skips' "
                    f"where it gives the same elements each time"
                )

    def _query(self, engine: "Engine", stream: Any, made_class: type[Any]) -> Any:
        if not issubclass(made_class, Stream):
            raise ArgumentTypeError(
                f"the factory {self.definition.factory!r} returned {stream!r} ({type(stream).__name__}) for "
                f"{self.id!r}, which has no source; return a Stream, such as engine.stream(id) with operators"
            )
        _require_own_schedulers(self.id, stream, engine)
        stream = within_settings(self.id, stream, engine.settings)
        if self.into is None:
            return stream.bind(DiscardingSubscriber(self._note_failure))
        target = engine.find(self.into)
        if target.kind not in ("subject", "egress"):
            raise ArtifactKindError(
                f"define({self.id!r}, into={self.into!r}): this is a {target.kind}; name a subject or an egress"
            )
        if target.node is None:
            raise StateError(f"{self.id!r} goes into {self.into!r}, which was not recovered: {target.error!r}")
        writer = target.node.writer_id
        if writer is not None and writer != self.id:
            raise ArgumentError(
                f"define({self.id!r}, into={self.into!r}): the elements of {writer!r} go there already; merge the two "
                f"in one query, with merge_with()"
            )
        target.node.writer_id = self.id
        return stream.bind(target.node)

    def _note_failure(self, error: Exception) -> None:
        self.error = error

    def needs(self) -> set[str]:
        """Return the ids of what it cannot do without: its dependencies, and those that its nodes name now."""
        needed = set(self.dependencies)
        if self.node is not None:
            for node, _ in nodes_with_paths(self.node):
                if isinstance(node, DependencyOperator):
                    needed.update(each for each in node.dependencies if each is not None)
        needed.discard(self.id)
        return needed

    # --- run --------------------------------------------------------------------------------------------------------

    def begin(self, scheduler: LogicalScheduler, environment: Any, settings: Mapping[str, object]) -> None:
        """Give the nodes their context; state is loaded next."""
        self.scheduler = scheduler
        set_tree_context(
            self.node,
            DefaultOperatorContext(self.id, scheduler, execution_environment=environment, elements=settings),
        )

    def load(self, snapshot: SnapshotReader) -> None:
        """Load a saved state. Runs user code."""
        load_nodes(self.node, snapshot)
        snapshot.finish()

    def start(self) -> None:
        """Start the nodes; what they do is done when the scheduler is released. Runs user code."""
        start_tree(self.node)

    @property
    def has_changed(self) -> bool:
        """Whether it has state that is not yet stored.

        Looks at the nodes that were there when it was saved: one that came since has changed the node that it is an
        input of.
        """
        return self.watched_nodes.has_changed()

    @property
    def watched_nodes(self) -> WatchedNodes:
        """Its nodes, for `changed_places` of many artifacts, while nothing flows."""
        if self.nodes is None:
            self.nodes = WatchedNodes([node for node, _ in stateful_nodes(self.node)])
        return self.nodes

    def save(self, snapshot: SnapshotWriter, quiescence: Quiescence) -> SaveToken:
        """Add its records to a snapshot, and hold its nodes until the quiescence ends. Runs user code."""
        token = save_nodes(self.node, snapshot, quiescence=quiescence)
        self.nodes = WatchedNodes(token.nodes)
        return token

    def was_saved(self, token: SaveToken) -> None:
        """Note that a snapshot is stored."""
        tree_was_saved(self.node, token)

    def unload(self) -> None:
        """Release what the nodes hold of this process; their state remains. Runs user code."""
        for node, _ in stateful_nodes(self.node):
            unload = getattr(node, "unload", None)
            if unload is not None:
                unload()

    def dispose(self) -> None:
        """End it for good."""
        if self.node is not None:
            self.node.dispose()
        if self.scheduler is not None:
            self.scheduler.dispose()

    def __repr__(self) -> str:
        return f"<Artifact {self.id}: {self.kind or 'not built'}>"


def _require_own_schedulers(artifact_id: str, stream: Description, engine: "Engine") -> None:
    for node in all_nodes(stream.nodes()):
        for parameter in node.parameters:
            if isinstance(parameter, Scheduler) and not engine.owns(parameter):
                raise ArgumentError(
                    f"define({artifact_id!r}): {node.definition.id} assembled at {node.assembly} runs on "
                    f"{parameter!r}, which is not paused with the engine, so that no checkpoint could be taken; leave "
                    f"that operator out: the engine has a scheduler for each query"
                )


def _digest(made: Any, kind: str, into: str | None) -> str:
    """Return what a factory has built, a line for each operator: its id, parameters and names of functions."""
    if not isinstance(made, Description):
        described = made.kind if isinstance(made, IdempotentEgress | TwoPhaseEgress | StoreEgress) else kind
        return f"{described} {type(made).__qualname__}\n"
    lines = operator_lines(made.nodes())
    return "\n".join(lines if into is None else [*lines, f"into {into}"]) + "\n"
