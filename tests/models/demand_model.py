"""Demand as plain Python would write it: the oracle of the property tests."""

from dataclasses import dataclass

UNBOUNDED = 2**63 - 1


@dataclass
class DemandModel:
    value: int = 0
    is_cancelled: bool = False

    @property
    def is_unbounded(self) -> bool:
        return self.value == UNBOUNDED

    def add(self, n: int) -> bool:
        before = self.value
        if not self.is_cancelled:
            self.value = min(before + n, UNBOUNDED)
        return before == 0 and not self.is_cancelled

    def take(self, n: int) -> int:
        if self.is_unbounded:
            return min(n, UNBOUNDED)
        taken = min(n, self.value)
        self.value -= taken
        return taken

    def consume(self, n: int) -> int:
        """Return what remains; the caller consumes no more than there is."""
        if not self.is_unbounded and not self.is_cancelled:
            self.value -= n
        return self.value

    def cancel(self) -> bool:
        was_cancelled, self.is_cancelled, self.value = self.is_cancelled, True, 0
        return not was_cancelled
