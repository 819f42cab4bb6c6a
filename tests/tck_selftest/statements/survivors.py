"""The mutants of statements that no check sees, as a person has reviewed them: `survivors.toml` says why."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Survivors", "reviewed"]


@dataclass(frozen=True, slots=True)
class Survivors:
    """Mutants that pass the kit for one reason.

    Attributes:
        reason: Why they pass.
        mutants: Their places, as text.
        rule: The rule that they break; none where it is empty, and then they are equivalent: no check must see them.
    """

    reason: str
    mutants: tuple[str, ...]
    rule: str = ""

    @property
    def are_equivalent(self) -> bool:
        """Whether they keep all rules, as the source does that they differ from."""
        return not self.rule


@cache
def reviewed() -> tuple[Survivors, ...]:
    """Return all that were reviewed."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(
        Survivors(entry["reason"], tuple(entry["mutants"]), entry.get("rule", "")) for entry in table["survivors"]
    )
