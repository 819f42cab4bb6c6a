"""What an engine is doing now, in numbers."""

from dataclasses import dataclass

from reactivestreams.engine.store import Checkpoint

__all__ = ["ArtifactStatistics", "EngineStatistics", "Figures"]


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of one ingress, egress or subject; None: it has no such number.

    Attributes:
        elements: How many elements have passed it: for an ingress in all, for others in this process.
        demand: How many elements are requested, and have not come.
        waiting: How many elements wait in it: were read and not passed on, or were received and are not stored.
        capacity: How many may wait.
        behind: How many elements no checkpoint contains that was saved.
    """

    elements: int | None = None
    demand: int | None = None
    waiting: int | None = None
    capacity: int | None = None
    behind: int | None = None


@dataclass(frozen=True, slots=True)
class ArtifactStatistics:
    """An artifact now.

    Attributes:
        id: Its id.
        kind: `subject`, `ingress`, `egress` or `query`.
        status: `running`, `ended` or `failed`.
        figures: Its numbers.
        error: What failed last, as text; empty: nothing did.
    """

    id: str
    kind: str
    status: str
    figures: Figures
    error: str


@dataclass(frozen=True, slots=True)
class EngineStatistics:
    """An engine now.

    Attributes:
        status: The value of its `EngineStatus`.
        last_checkpoint: The last stored checkpoint, or None.
        failed_checkpoints: How many checkpoints in a row were not stored.
        artifacts: Its artifacts, in the order in which they were defined.
    """

    status: str
    last_checkpoint: Checkpoint | None
    failed_checkpoints: int
    artifacts: tuple[ArtifactStatistics, ...]
