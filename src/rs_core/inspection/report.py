"""What a running stream says of itself: for each node what is requested, what waits there, for what it waits.

Every node answers in one way, by `inspect()`: a dictionary of what it knows at that moment. What it does not know is
not in it, and None here: nothing is counted for this. The names:

    name                                under which it counts what passes, as its user calls it
    has_started, is_terminated          of its life cycle
    requested                           elements that are requested of it and were not sent yet
    delivered                           elements that it has sent; known of `tap`, and while debug checks are on
    buffered, capacity                  elements that wait in it, and how many may
    prefetch                            of its input, how many elements may be on their way or wait
    is_running                          a thread drains it at this moment, or runs its functions
    waiting_for                         one of WAITS
    has_input_ended, error              the end of its input came, and with which error
    function_seconds                    how long its functions ran, if somebody has looked (sampling.py)

    is_link                             it is no more than a link between two nodes, and left out

and, for the rules of `stalls`: description, operator (of an end), scheduler, clock, loops_run, inputs,
inputs_that_wait, repeats, subscriber, full_groups, noun, subject, is_lockstep; waits_outside, which is cause and
remedy of a node that waits for something that is no part of a stream.

Threads: any thread may ask while elements flow; nothing is stopped and nothing waits. Each node reads atomic words, and
references that stay as they are while it lives or that it reads under the lock of who changes them. So the numbers of
one node, and more so those of two, may belong to moments that lie apart.
"""

from html import escape
from typing import Any, cast

from rs_core.errors import ArgumentError, ArgumentTypeError
from rs_core.inspection.sampling import function_seconds
from rs_core.stream.description import Assembly
from rs_core.stream.tree_walk import TreePath, nodes_with_paths

__all__ = ["WAITS", "RunReport", "StageReport", "explain"]

MAX_DEMAND = 2**63 - 1

MOST_SAMPLE_SECONDS = 60.0

WAITS = ("start", "resume", "scheduler", "time", "demand", "elements", "end", "its consumer")
"""For what a node may wait: to be started; to be resumed; for a turn of its scheduler or event loop; for a time of its
scheduler; for a request; for its input or its producer; a blocking end for the end; an iteration for its next step."""

_LIFT = "rx://operators/lift"
"""The operator under whose id all stand that users have written; those have names of their own."""

_HEADINGS = ("operator", "requested", "buffered", "waits for", "assembled at")


class StageReport:
    """What one node of a running stream said.

    Attributes:
        facts: What it said, by name.
        depth: How many side inputs there are on the way from the end to it.
        target: The place among the stages of the node to which it sends; None: it is the end.
    """

    __slots__ = ("_kind", "depth", "facts", "target")

    def __init__(self, kind: str, facts: dict[str, Any], depth: int, target: int | None = None) -> None:
        self._kind: str = kind
        self.facts: dict[str, Any] = facts
        self.depth: int = depth
        self.target: int | None = target

    @property
    def operator(self) -> str:
        """The id of the operator or source, of one that was lifted its name; for an end what it is; else the class."""
        named = self.facts.get("operator")
        description = self.facts.get("description")
        if named is None and description is not None:
            named = description.definition.id
        return str(named or self._kind)

    @property
    def name(self) -> str | None:
        """Under which name it counts what passes; None: it does not."""
        return self.facts.get("name")

    @property
    def assembly(self) -> Assembly | None:
        """Where in the user's code it was added; None where that is not known, as at an end."""
        description = self.facts.get("description")
        return None if description is None else description.assembly

    @property
    def has_started(self) -> bool | None:
        """Whether it was started."""
        return self.facts.get("has_started")

    @property
    def is_terminated(self) -> bool:
        """Whether it has ended, or was cancelled."""
        return bool(self.facts.get("is_terminated"))

    @property
    def requested(self) -> int | None:
        """How many elements are requested of it and were not sent yet; 2**63 - 1: without a bound."""
        return self.facts.get("requested")

    @property
    def delivered(self) -> int | None:
        """How many elements it has sent."""
        return self.facts.get("delivered")

    @property
    def buffered(self) -> int | None:
        """How many elements wait in it."""
        return self.facts.get("buffered")

    @property
    def capacity(self) -> int | None:
        """How many elements may wait in it."""
        return self.facts.get("capacity")

    @property
    def prefetch(self) -> int | None:
        """How many elements of its input may be on their way or wait in it."""
        return self.facts.get("prefetch")

    @property
    def is_running(self) -> bool:
        """Whether a thread drained it at that moment, or ran its functions."""
        return bool(self.facts.get("is_running"))

    @property
    def waiting_for(self) -> str | None:
        """For what it waited, one of `WAITS`."""
        return self.facts.get("waiting_for")

    @property
    def function_seconds(self) -> float | None:
        """How long its functions ran while `explain(run, sample_seconds=...)` looked; None: it did not, or saw none."""
        return self.facts.get("function_seconds")

    @property
    def error(self) -> BaseException | None:
        """The error with which its input has ended."""
        return self.facts.get("error")

    @property
    def place(self) -> str:
        """The operator, and where it was assembled if that is known."""
        assembly = self.assembly
        return self.operator if assembly is None else f"{self.operator}, assembled at {assembly}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values of JSON; None: it is not known."""
        assembly = self.assembly
        return {
            "operator": self.operator,
            "name": self.name,
            "file": None if assembly is None else assembly.file,
            "line": None if assembly is None else assembly.line,
            "function": None if assembly is None else assembly.function,
            "depth": self.depth,
            "target": self.target,
            "has_started": self.has_started,
            "is_terminated": self.is_terminated,
            "requested": self.requested,
            "delivered": self.delivered,
            "buffered": self.buffered,
            "capacity": self.capacity,
            "prefetch": self.prefetch,
            "is_running": self.is_running,
            "waiting_for": self.waiting_for,
            "function_seconds": self.function_seconds,
            "error": None if self.error is None else f"{type(self.error).__name__}: {self.error}",
        }

    def __repr__(self) -> str:
        return f"<StageReport of {self.place}>"

    def cells(self) -> tuple[str, ...]:
        """Return its row of the table."""
        buffered = number_text(self.buffered)
        if self.buffered is not None and self.capacity is not None:
            buffered += f" of {self.capacity:,}"
        waits = "ended" if self.is_terminated else "running" if self.is_running else self.waiting_for or "-"
        assembly = self.assembly
        place = "-" if assembly is None else str(assembly)
        if self.function_seconds is not None:
            waits += f", {self.function_seconds:.2f} s in its functions"
        return ("  " * self.depth + self.operator, number_text(self.requested), buffered, waits, place)


class RunReport:
    """What all nodes of a running stream said, from its end to its sources; `print` shows a table."""

    __slots__ = ("_seen", "_stages")

    def __init__(self, seen: list[tuple[str, dict[str, Any], TreePath]]) -> None:
        self._seen: list[tuple[str, dict[str, Any], TreePath]] = seen
        self._stages: tuple[StageReport, ...] | None = None

    @property
    def stages(self) -> tuple[StageReport, ...]:
        """The nodes, each before its inputs."""
        if self._stages is None:
            depths: dict[TreePath, int] = {}
            places: dict[TreePath, int] = {}
            stages: list[StageReport] = []
            for kind, facts, path in self._seen:
                stages.append(StageReport(kind, facts, _depth(path, depths), _target(path, places)))
                places[path] = len(places)
            self._stages = tuple(stages)
        return self._stages

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as values of JSON."""
        return {"stages": [stage.to_dict() for stage in self.stages]}

    def __str__(self) -> str:
        rows = [_HEADINGS, *(stage.cells() for stage in self.stages)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def __repr__(self) -> str:
        return f"<RunReport of {len(self._seen)} nodes>"

    def _repr_html_(self) -> str:
        headings = "".join(f"<th>{name}</th>" for name in _HEADINGS)
        rows = (
            "".join(f'<td style="text-align: left; white-space: pre">{escape(cell)}</td>' for cell in stage.cells())
            for stage in self.stages
        )
        return f"<table><tr>{headings}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def explain(run: Any, *, sample_seconds: float | None = None) -> RunReport:
    """Return what each node of a running stream says of itself: what is requested, what waits, for what it waits.

    Nothing is stopped. A stream that has ended meanwhile says so.

    Args:
        run: What `bind` returned, any node of a tree, or an element of what `running` returns.
        sample_seconds: Also say how long the functions of each node ran in so many seconds from now, above 0 and up to
            60: found by a look at all threads every 5 ms, so it costs nothing else. Functions written in C are not
            seen; what nodes share is divided among them. None: do not look.

    Raises:
        ArgumentTypeError: It is no running stream, or `sample_seconds` is no number.
        ArgumentError: `sample_seconds` is out of range.

    Threads: any, also while elements flow; waits only while it samples. Runs no user code but `accept`, `inputs` and
        `inspect` of nodes that are not ours.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> [(stage.operator, stage.waiting_for) for stage in explain(handle).stages][1:]
        [('rx://operators/map', None), ('rx://sources/range', 'demand')]
    """
    if not callable(getattr(run, "accept", None)):
        raise ArgumentTypeError(
            f"explain(run) needs a running stream, got {run!r} ({type(run).__name__}); pass what bind() returned, or "
            f"one of running(), which finds those of this process"
        )
    if sample_seconds is not None:
        _check_sample_seconds(sample_seconds)
    said = [(node, facts, path) for node, path in nodes_with_paths(run) if (facts := _facts_of(node)) is not None]
    if sample_seconds is not None:
        seconds = function_seconds([(node, facts.get("description")) for node, facts, _ in said], sample_seconds)
        said = [(node, _facts_of(node) or facts, path) for node, facts, path in said]  # as of now
        for (_, facts, _), took in zip(said, seconds, strict=True):
            if took is not None:
                facts["function_seconds"] = took
    return RunReport([(type(node).__name__, facts, path) for node, facts, path in said])


def _check_sample_seconds(seconds: object) -> None:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ArgumentTypeError(
            f"explain(sample_seconds) needs a number, got {seconds!r} ({type(seconds).__name__}); pass seconds, or "
            f"None not to look"
        )
    if not 0 < seconds <= MOST_SAMPLE_SECONDS:
        raise ArgumentError(
            f"explain(sample_seconds) must be above 0 and at most {MOST_SAMPLE_SECONDS:g}, got {seconds}; pass a "
            f"second or so"
        )


def _facts_of(node: Any) -> dict[str, Any] | None:
    """Return what a node says; None: it is no more than a link between two others."""
    said = inspected(node)
    if said is None:
        return {"operator": _name_of(node), "is_terminated": getattr(node, "is_disposed", None) is True}
    description = said.get("description")
    if description is not None and description.definition.id == _LIFT:
        said["operator"] = _name_of(node)
    return None if said.get("is_link") else said


def _name_of(node: Any) -> str | None:
    name = getattr(node, "name", None)
    return name if isinstance(name, str) and name else None


def inspected(node: Any) -> dict[str, Any] | None:
    """Return what a node or a scheduler says of itself; None: it is not ours, or uses the name for something else."""
    try:
        said: Any = node.inspect()
    except Exception:
        return None
    return cast("dict[str, Any]", said) if type(said) is dict else None


def _depth(path: TreePath, known: dict[TreePath, int]) -> int:
    """Return how many side inputs there are on a way, with what is known of others that begin as it does."""
    steps: list[TreePath] = []
    at: TreePath | None = path
    while at is not None and at not in known:
        steps.append(at)
        at = at.parent
    depth = 0 if at is None else known[at]
    for step in reversed(steps):
        depth += step.index > 0
        known[step] = depth
    return depth


def _target(path: TreePath, places: dict[TreePath, int]) -> int | None:
    """Return the place of the nearest node on the way to the end; links, which have none, are passed over."""
    at = path.parent
    while at is not None and at not in places:
        at = at.parent
    return None if at is None else places[at]


def number_text(value: int | None) -> str:
    """Return a number as the table has it."""
    return "-" if value is None else "unbounded" if value == MAX_DEMAND else f"{value:,}"
