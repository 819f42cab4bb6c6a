"""What an engine guarantees, for each path from what brings elements in to what takes them out, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reactivestreams.engine.artifact import Artifact
from reactivestreams.engine.store import Store
from reactivestreams.guarantees import Guarantee, PartGuarantee, weakest
from reactivestreams.operators.digest import SIDE_EFFECTS

__all__ = ["Explanation", "PathGuarantee", "explained"]


@dataclass(frozen=True, slots=True)
class PathGuarantee:
    """What holds for the elements of one path.

    Attributes:
        ids: The artifacts, from where elements come in to where they go out.
        parts: What each of them guarantees, and the store.
    """

    ids: tuple[str, ...]
    parts: tuple[PartGuarantee, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of its weakest part; of at-least-once and at-most-once together, none."""
        found = {part.guarantee for part in self.parts}
        if {Guarantee.AT_LEAST_ONCE, Guarantee.AT_MOST_ONCE} <= found:
            return Guarantee.NONE
        return min(found, default=Guarantee.EXACTLY_ONCE)

    def __str__(self) -> str:
        lines = [f"{' -> '.join(self.ids)}: {self.guarantee.value}", *(f"  {part}" for part in self.parts)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What an engine guarantees for the paths that lead through an artifact.

    Attributes:
        artifact_id: Its id.
        paths: The paths.
    """

    artifact_id: str
    paths: tuple[PathGuarantee, ...]

    @property
    def guarantee(self) -> Guarantee:
        """The weakest guarantee of a path."""
        return min((path.guarantee for path in self.paths), default=Guarantee.EXACTLY_ONCE)

    @property
    def weakest(self) -> PartGuarantee | None:
        """The part that decides; None: there are no paths."""
        return weakest(part for path in self.paths for part in path.parts)

    def __str__(self) -> str:
        return "\n".join([f"{self.artifact_id}: {self.guarantee.value}", *map(str, self.paths)])


def explained(artifact: Artifact, artifacts: Mapping[str, Artifact], store: Store) -> Explanation:
    """Return what holds for the paths through an artifact, among the others of an engine."""
    known = {**artifacts, artifact.id: artifact}
    sources = {each.id: _sources_of(each, known) for each in known.values()}
    sinks: dict[str, list[str]] = {each.id: [] for each in known.values()}
    for each, named in sources.items():
        for source in named:
            sinks[source].append(each)
    stored = store.guarantee
    paths: list[PathGuarantee] = []
    for above in _ways(artifact.id, sources):
        for below in _ways(artifact.id, sinks):
            ids = (*reversed(above), *below[1:])
            parts = [part for each in ids for part in _parts_of(known[each])]
            paths.append(PathGuarantee(ids, (*parts, stored)))
    return Explanation(artifact.id, tuple(paths))


def _sources_of(artifact: Artifact, known: Mapping[str, Artifact]) -> list[str]:
    """Return the ids of what an artifact takes elements from."""
    takes = [
        each
        for each in artifact.dependencies
        if each != artifact.into and each in known and known[each].kind in _GIVERS
    ]
    return [*takes, *(each.id for each in known.values() if each.into == artifact.id)]


_GIVERS = ("ingress", "subject")


def _ways(start: str, following: Mapping[str, list[str]]) -> Iterator[tuple[str, ...]]:
    """Return the ways from an artifact to where there is nothing further; a circle is gone through once."""
    waiting: list[tuple[str, ...]] = [(start,)]
    while waiting:
        way = waiting.pop()
        further = [each for each in following[way[-1]] if each not in way]
        if not further:
            yield way
        waiting += [(*way, each) for each in reversed(further)]


def _parts_of(artifact: Artifact) -> list[PartGuarantee]:
    node: Any = artifact.node
    if node is None:
        reason = f"it was not recovered ({artifact.error!r}), so elements pass it by"
        return [PartGuarantee(artifact.id, Guarantee.NONE, reason, "mend what is wrong, and start a new engine")]
    if artifact.kind == "ingress":
        return [replace(node.ingress.guarantee, part=artifact.id)]
    if artifact.kind == "egress":
        return [replace(node.egress.guarantee, part=artifact.id)]
    if artifact.kind == "subject":
        return [_of_subject(artifact.id, node.subject)]
    effects = [
        line for line in artifact.definition.digest.splitlines() if line.strip().partition("(")[0] in SIDE_EFFECTS
    ]
    if effects:
        reason = f"after a crash {effects[0].strip()} repeats its side effects since the last checkpoint"
        remedy = "send the elements to an egress, and leave it out"
        return [PartGuarantee(artifact.id, Guarantee.AT_LEAST_ONCE, reason, remedy)]
    reason = "its state is saved at the same moment as that of all others"
    return [PartGuarantee(artifact.id, Guarantee.EXACTLY_ONCE, reason)]


def _of_subject(artifact_id: str, subject: Any) -> PartGuarantee:
    policy = getattr(subject, "policy", None)
    if policy is not None and (policy.is_lossy or policy.drops_for_slow):
        reason = f"its policy {policy.name} drops elements for who has not requested them"
        return PartGuarantee(artifact_id, Guarantee.AT_MOST_ONCE, reason, "make it with policy=lockstep()")
    return PartGuarantee(artifact_id, Guarantee.EXACTLY_ONCE, "what waits in it is saved with all others")
