"""What would become of an artifact if the program of now recovered what is stored."""

import difflib
from dataclasses import dataclass
from typing import Any

__all__ = ["Rehearsal", "difference"]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What came of building one artifact anew and loading its state.

    Attributes:
        artifact_id: Its id.
        factory: The name of its factory.
        stored_version: The version of the factory that has built what is stored.
        version: The version that is registered now; 0: none is.
        outcome: `same`; `migrated`: from an older version; `changed`: it is another one without a new version, which
            `start` refuses unless it is among `accept_changes`; `failed`: it cannot be built, or the state not loaded.
        before: The stored arguments.
        after: The arguments for the version of now.
        difference: What differs in operators, parameters and names of functions; empty: nothing.
        error: Why it failed.
    """

    artifact_id: str
    factory: str
    stored_version: int
    version: int
    outcome: str
    before: dict[str, Any]
    after: dict[str, Any]
    difference: str = ""
    error: Exception | None = None

    @property
    def recovers(self) -> bool:
        """Whether an engine without other settings would recover it."""
        return self.outcome in ("same", "migrated")


def difference(saved: str, built: str) -> str:
    """Return what differs between two digests, a line for each operator."""
    lines = difflib.unified_diff(saved.splitlines(keepends=True), built.splitlines(keepends=True), "saved", "built")
    return "".join(lines)
