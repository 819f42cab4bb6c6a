"""The figure by which the kit is judged on mutants of statements: how many of those that break a rule it kills."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.tck_selftest.statements.survivors import Survivors

__all__ = ["LEAST_KILLED", "StatementFigures"]

LEAST_KILLED = 0.98
"""The share that has to be killed of all mutants that are not equivalent."""


@dataclass(frozen=True, slots=True)
class StatementFigures:
    """What came out of judging all mutants of statements.

    Attributes:
        killers: Which check sees a mutant, by the mutant's place; an empty text where none does.
        reviewed: The mutants that are known to survive.
    """

    killers: Mapping[str, str]
    reviewed: Sequence[Survivors]

    @property
    def equivalent(self) -> int:
        """How many were found to break no rule."""
        return sum(entry.are_equivalent for entry in self._entries.values())

    @property
    def mutants(self) -> int:
        """How many there are that are not equivalent."""
        return len(self.killers) - self.equivalent

    @property
    def killed(self) -> int:
        """How many of those are seen."""
        return sum(bool(killer) for place, killer in self.killers.items() if not self._is_equivalent(place))

    @property
    def accused(self) -> dict[str, str]:
        """The checks that fail a mutant that breaks no rule, by its place."""
        return {place: killer for place, killer in self.killers.items() if killer and self._is_equivalent(place)}

    @property
    def is_good(self) -> bool:
        """Whether enough are killed, and nothing that breaks no rule was failed."""
        return self.killed >= LEAST_KILLED * self.mutants and not self.accused

    def lines(self) -> Iterator[str]:
        """Give the report: whoever survived and why, whoever was failed for nothing, the figure."""
        for place, killer in self.killers.items():
            entry = self._entries.get(place)
            if not killer and entry is None:
                yield f"survives, for no known reason: {place}"
            elif not killer and entry is not None and not entry.are_equivalent:
                yield f"survives: {place} (§{entry.rule}): {entry.reason}"
        for place, killer in self.accused.items():
            yield f"seen by {killer}, though it breaks no rule: {place}"
        share = self.killed / max(1, self.mutants)
        yield (
            f"killed mutants of statements: {self.killed} of {self.mutants} ({share:.1%}); "
            f"{self.equivalent} more are equivalent"
        )

    @property
    def _entries(self) -> dict[str, Survivors]:
        return {place: entry for entry in self.reviewed for place in entry.mutants if place in self.killers}

    def _is_equivalent(self, place: str) -> bool:
        return place in self._entries and self._entries[place].are_equivalent
