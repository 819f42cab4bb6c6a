"""Draws a checkpoint from one that an engine takes when the documentation is built: an extension of Sphinx."""

from collections.abc import Sequence
from typing import Any

from written_pages import write_when_built

from reactivestreams.drawing.svg_text import opening, text
from reactivestreams.engine import Engine, FactoryRegistry, MemoryStore
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.testing.crash.faults import Call, Faults
from reactivestreams.testing.crash.lives import EGRESS_STEPS, INGRESS_STEPS, STORE_STEPS
from reactivestreams.testing.crash.reference_edges import Ledger, NumberedSource, World

__all__ = ["PICTURE", "pages", "picture", "setup", "steps"]

PICTURE = "explanation/checkpoint.svg"

LINES = ("ingress", "query", "engine", "store", "egress")
COLUMN, LEFT, TOP, ROW = 150, 75, 46, 30

OF_THE_ENGINE = {
    "paused": "pause: nothing flows",
    "saved": "all states are in memory",
    "resumed": "resume: elements flow",
    "marked": "states count as stored",
}
SENT = {
    "ingress.acknowledge": "acknowledge(position)",
    "store.commit": "commit(checkpoint 1)",
    "store.prune": "prune older ones",
    "store.settle": "forget the prepared batch",
    "egress.prepare": "prepare(1, rows)",
    "egress.commit": "commit(1, token)",
}

STYLE = (
    "<style>text{font:11px sans-serif;fill:#444}.who{font-weight:bold}line,path{stroke:#888;fill:none}"
    ".pause{fill:#f2b84b;opacity:.35}.call{stroke:#2a6fb0;stroke-width:1.5}.head{fill:#2a6fb0;stroke:none}"
    "@media (prefers-color-scheme: dark){text{fill:#ccc}}</style>"
)

Step = tuple[str, str]  # at which line of life, and what


def steps() -> list[Step]:
    """Return the steps of a checkpoint in their order, as an engine with a two-phase egress takes it."""
    made: list[Step] = []

    def note(call: Call) -> None:
        made.append((call.name.partition(".")[0], SENT.get(call.name, call.name)))

    faults, world, registry = Faults(on_call=note), World(range(6)), FactoryRegistry()
    store = faults.watch(MemoryStore(), "store", STORE_STEPS)
    scheduler = VirtualTimeScheduler()
    registry.register("numbers")(lambda engine: faults.watch(NumberedSource(world), "ingress", INGRESS_STEPS))
    registry.register("totals")(lambda engine, source: engine.stream(source).scan(lambda total, n: total + n, 0))
    registry.register("ledger")(lambda engine: faults.watch(Ledger(world), "egress", EGRESS_STEPS["two-phase"]))
    engine = Engine(
        store,
        scheduler=scheduler,
        checkpoint_every=None,
        registry=registry,
        on_step=lambda name: made.append(("engine", OF_THE_ENGINE.get(name, ""))),
    )
    engine.start()
    engine.define("numbers", "numbers")
    engine.define("ledger", "ledger")
    engine.define("totals", "totals", source="numbers", into="ledger")
    scheduler.clock.advance_to(5)
    made.clear()
    engine.checkpoint()
    taken = [step for step in made if step[1]]
    engine.unload()
    place = next(index for index, step in enumerate(taken) if step[0] == "egress")
    return [*taken[:place], ("query", "save its state"), *taken[place:]]


def picture(taken: Sequence[Step]) -> str:
    """Return the drawing of these steps: a line for each who takes part, time from above."""
    width, height = LEFT + COLUMN * (len(LINES) - 1) + 110, TOP + ROW * len(taken) + 24
    x_of = {name: LEFT + COLUMN * index for index, name in enumerate(LINES)}
    label = "sequence diagram of a checkpoint: " + "; ".join(f"{name} {what}" for name, what in taken)
    parts = [
        opening("sequence", width, height, label, is_document=True),
        STYLE,
    ]
    paused = [TOP + ROW * index for index, (_, what) in enumerate(taken) if what.startswith(("pause", "resume"))]
    parts.append(
        f'<rect class="pause" x="0" y="{paused[0] - 16}" width="{width}" height="{paused[1] - paused[0] + 10}"/>'
    )
    for name, x in x_of.items():
        parts.append(text(x, 18, name, "who"))
        parts.append(f'<line x1="{x}" y1="26" x2="{x}" y2="{height - 8}"/>')
    for index, (name, what) in enumerate(taken):
        y = TOP + ROW * index
        if name == "engine":
            parts.append(text(x_of[name] + 6, y, what, "", anchor="start"))
            continue
        start, end = x_of["engine"], x_of[name]
        side = 1 if end > start else -1
        parts.append(f'<path class="call" d="M{start} {y}H{end - 7 * side}"/>')
        parts.append(f'<path class="head" d="M{end} {y}l{-8 * side} -4v8z"/>')
        parts.append(text(start + side * COLUMN / 2, y - 5, what, ""))
    return "\n".join([*parts, "</svg>", ""])


def pages() -> dict[str, str]:
    """Return the picture by its path."""
    return {PICTURE: picture(steps())}


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    return write_when_built(app, pages)
