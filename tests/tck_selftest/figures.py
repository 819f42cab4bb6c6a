"""The figures by which the kit is judged: how many mutants it catches and misses, and how many alarms are false."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.tck_selftest.judging import Judgement

__all__ = ["LEAST_KILLED", "Figures", "Repetitions"]

LEAST_KILLED = 0.98
"""The share of all mutants that has to be killed."""

_SHOWN_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Repetitions:
    """What came out of verifying correct components several times.

    Attributes:
        kind: What is special about these runs, in a word.
        repetitions: How many times each component was verified.
        components: How many components there are.
        alarms: What the kit says against them, by the shape of each.
    """

    kind: str
    repetitions: int
    components: int
    alarms: Mapping[str, Sequence[str]]

    @property
    def false_alarms(self) -> int:
        """How many times the kit said something against a correct component."""
        return sum(map(len, self.alarms.values()))

    def lines(self) -> Iterator[str]:
        """Give the report."""
        for shape, texts in self.alarms.items():
            yield f"{len(texts)} false alarms for a component that {shape}; the first: {_short(texts[0])}"
        yield (
            f"false alarms in {self.kind} runs: {self.false_alarms} in {self.repetitions} repetitions "
            f"of {self.components} correct components"
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """What came out of a whole self-test.

    Attributes:
        judgements: Of every trial: of mutants, and of what only looks wrong.
        runs: Of correct components: fast, slow, and under load.
    """

    judgements: Sequence[Judgement]
    runs: Sequence[Repetitions]

    @property
    def killed(self) -> int:
        """How many mutants were seen, by the right check, in the right words."""
        return sum(judgement.is_as_expected for judgement in self._defects)

    @property
    def mutants(self) -> int:
        """How many mutants there are."""
        return len(self._defects)

    @property
    def false_alarms(self) -> int:
        """How many times the kit said something against a correct component."""
        return len(self._wrongly_accused) + sum(run.false_alarms for run in self.runs)

    @property
    def is_good(self) -> bool:
        """Whether enough are killed, and nothing correct was failed."""
        return self.killed >= LEAST_KILLED * self.mutants and self.false_alarms == 0

    def lines(self) -> Iterator[str]:
        """Give the report: whoever survived, false alarms, the figures."""
        for judgement in self._defects:
            if not judgement.is_as_expected:
                yield f"survives: {_short(str(judgement))}"
        for judgement in self._wrongly_accused:
            yield f"false alarm: {_short(str(judgement))}"
        for run in self.runs:
            yield from run.lines()
        yield (
            f"mutants caught: {self.killed} of {self.mutants} ({self.killed / max(1, self.mutants):.1%}), "
            f"missed: {self.mutants - self.killed}"
        )
        yield f"false alarms for what only looks wrong: {len(self._wrongly_accused)}"

    @property
    def _defects(self) -> list[Judgement]:
        return [judgement for judgement in self.judgements if judgement.trial.is_of_a_defect]

    @property
    def _wrongly_accused(self) -> list[Judgement]:
        return [
            judgement
            for judgement in self.judgements
            if not judgement.trial.is_of_a_defect and not judgement.is_as_expected
        ]


def _short(text: str) -> str:
    return text[:_SHOWN_CHARACTERS]
