"""Pictures of running streams: a box for each node, with what it says of itself, and those marked that stand still."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from reactivestreams.drawing.graph import MAX_TREE_NODES, PICTURE_CLASS, STYLE, Node, Tree, tree_graph
from reactivestreams.drawing.mermaid import mermaid
from rs_core.inspection.report import RunReport, explain, number_text
from rs_core.inspection.stalls import diagnose

__all__ = ["draw_mermaid", "draw_svg", "mermaid_of", "svg_of"]

STALLED = "stalled"
ENDED = "ended"

TITLE_CHARACTERS = 22
"""How much of the name of a node its title shows; below a longer one it stands whole."""

RUN_STYLE = f"""{STYLE}
.{PICTURE_CLASS} .{STALLED} {{ fill: #d33; fill-opacity: .12; stroke: #d33; stroke-opacity: 1; stroke-width: 2; }}
.{PICTURE_CLASS} .{ENDED} {{ stroke-dasharray: 4 4; }}
"""
MERMAID_STYLES = {STALLED: "stroke:#d33,stroke-width:3px", ENDED: "stroke-dasharray:4 4"}

Told = dict[str, Any]
"""What is known of one stream, as an answer of `ask_process` has it: `stages`, `stalls` and `more_stages`."""


def draw_mermaid(run: Any) -> str:
    """Return the nodes of a running stream as text of Mermaid, which GitHub, GitLab and notebooks draw.

    Each has a box with its operator, what is requested of it and was delivered, what waits in it, for what it waits,
    and the line where it was assembled. The border of a node that stands still is red, and its cause is in the box. A
    picture has at most 500 nodes, and says how many more there are.

    Args:
        run: A `RunReport`, or what `explain` takes.

    Raises:
        ArgumentTypeError: It is no running stream.

    Threads: as for `explain`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.inspection import draw_mermaid
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.never().bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> handle.request(1)
        >>> print(draw_mermaid(handle))  # doctest: +ELLIPSIS
        flowchart TD
            n0["never<br>1 requested<br>...waits for elements<br>it sends nothing and never ends<br>..."]
            n1["subscriber<br>DefaultSubscriber"]
            n0 --> n1
            classDef stalled stroke:#d33,stroke-width:3px
            class n0 stalled
        >>> handle.cancel()
    """
    return mermaid_of([_told(run)])


def draw_svg(run: Any) -> str:
    """Return the nodes of a running stream as a picture, an SVG document.

    It shows what `draw_mermaid` does, from the sources above to the end below.

    Args:
        run: A `RunReport`, or what `explain` takes.

    Raises:
        ArgumentTypeError: It is no running stream.

    Threads: as for `explain`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.inspection import draw_svg
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> draw_svg(handle).count("<rect")
        3
        >>> handle.cancel()
    """
    return svg_of([_told(run)])


def mermaid_of(streams: Sequence[Told]) -> str:
    """Return streams as one text of Mermaid."""
    return mermaid(_forest(streams), styles=MERMAID_STYLES)


def svg_of(streams: Sequence[Told]) -> str:
    """Return streams as one picture, beside each other."""
    forest = _forest(streams)
    stalled = sum(node.css == STALLED for node in forest.nodes)
    label = f"Running streams: {len(streams)}, their nodes: {len(forest.nodes)}, of these stand still: {stalled}"
    return tree_graph(forest, label=label, css=PICTURE_CLASS, style=RUN_STYLE)


def _told(run: Any) -> Told:
    report = run if isinstance(run, RunReport) else explain(run)
    return {**report.to_dict(), "stalls": [stall.to_dict() for stall in diagnose(report)]}


def _forest(streams: Sequence[Told]) -> Tree:
    """Return the boxes of streams, each after its inputs, the straight one first."""
    last_first: list[Node] = []
    targets: list[int | None] = []  # counted from the last
    total = 0
    for told in streams:
        stages: list[dict[str, Any]] = told["stages"]
        total += len(stages) + told.get("more_stages", 0)
        causes = {stall["stage"]: stall["cause"] for stall in told["stalls"]}
        inputs: list[list[int]] = [[] for _ in stages]
        for number, stage in enumerate(stages):
            into: int | None = stage["target"]
            if into is not None:
                inputs[into].append(number)
        waiting: list[tuple[int, int | None]] = [
            (number, None) for number, stage in enumerate(stages) if stage["target"] is None
        ]
        while waiting:
            number, target = waiting.pop()
            if len(last_first) == MAX_TREE_NODES:
                break
            waiting += ((each, len(last_first)) for each in inputs[number])  # the last of them is taken first
            last_first.append(_box(stages[number], causes.get(number)))
            targets.append(target)
    left_out = total - len(last_first)
    if left_out or not last_first:
        last_first.append(Node(f"{left_out:,} more nodes" if left_out else "no stream runs", ()))
        targets.append(None)
    last = len(last_first) - 1
    return Tree(
        tuple(reversed(last_first)),
        tuple(None if target is None else last - target for target in reversed(targets)),
    )


def _box(stage: dict[str, Any], cause: str | None) -> Node:
    name = stage["operator"].removeprefix("rx://operators/").removeprefix("rx://sources/").removeprefix("rx://")
    title, _, rest = name.partition(" ")  # an end says what it is, then the class
    if len(title) > TITLE_CHARACTERS:
        title, rest = f"{title[: TITLE_CHARACTERS - 1]}…", name
    details: list[str] = [rest] if rest else []
    details += [
        f"{number_text(stage[amount])} {amount}" for amount in ("requested", "delivered") if stage[amount] is not None
    ]
    if stage["buffered"] is not None:
        bound = "" if stage["capacity"] is None else f" of {stage['capacity']:,}"
        details.append(f"{stage['buffered']:,}{bound} buffered")
    if stage["is_terminated"]:
        details.append("ended")
    elif stage["is_running"]:
        details.append("running")
    elif stage["waiting_for"] is not None:
        details.append(f"waits for {stage['waiting_for']}")
    if cause is not None:
        details.append(cause)
    place = "" if stage["file"] is None else f"{PurePath(stage['file']).name}:{stage['line']}"
    css = STALLED if cause is not None else ENDED if stage["is_terminated"] else "operator"
    return Node(title, tuple(details), place, css)
