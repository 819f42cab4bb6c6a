"""A catalog: the checks of one kit, in the order in which results are shown."""

import difflib
from collections.abc import Iterable, Iterator
from types import ModuleType

from reactivestreams.errors import ArgumentError
from reactivestreams.tck.kit.check import Check, CheckPair
from reactivestreams.tck.kit.edition import Edition

__all__ = ["Catalog"]


class Catalog:
    """Checks by name: those of the set-up first, then by rule, within a rule in the order of definition.

    Args:
        checks: The checks.

    Raises:
        ArgumentError: Two have the same name.
    """

    def __init__(self, checks: Iterable[Check]) -> None:
        ordered = sorted(checks, key=_position)
        self._by_name = {check.name: check for check in ordered}
        if len(self._by_name) < len(ordered):
            names = [check.name for check in ordered]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ArgumentError(f"two checks are called {' and '.join(twice)}; give each its own name")

    @classmethod
    def of(cls, *modules: ModuleType) -> "Catalog":
        """Return the catalog of all checks that modules define, also two of one body."""
        return cls(check for module in modules for value in vars(module).values() for check in _checks(value))

    def __iter__(self) -> Iterator[Check]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Check:
        """Return the check with a name.

        Raises:
            ArgumentError: There is none; the message names similar ones.
        """
        found = self._by_name.get(name)
        if found is None:
            near = [known for known in self._by_name if name and name in known][:3]
            near = near or difflib.get_close_matches(name, self._by_name, n=3, cutoff=0.4)
            hint = f"did you mean {' or '.join(near)}?" if near else "list(catalog) has all of them"
            raise ArgumentError(f"there is no check {name!r}; {hint}")
        return found

    def chosen(self, names: Iterable[str] | None, edition: Edition) -> tuple[Check, ...]:
        """Return the checks of an edition, or those with the given names, in the order of the catalog.

        Raises:
            ArgumentError: A name is unknown, or its check is not in the edition.
        """
        if names is None:
            return tuple(check for check in self if edition in check.editions)
        wanted = [self[name] for name in names]
        absent = [check.name for check in wanted if edition not in check.editions]
        if absent:
            raise ArgumentError(f"the edition {edition} has no check {', '.join(absent)}; use another edition")
        return tuple(check for check in self if check in wanted)


def _checks(value: object) -> tuple[Check, ...]:
    """Return the checks in a value of a module: none, one, or two with one body."""
    if isinstance(value, CheckPair):
        return value
    return (value,) if isinstance(value, Check) else ()


def _position(check: Check) -> tuple[tuple[int, ...], bool]:
    first = tuple(map(int, check.rules[0].split("."))) if check.rules else ()
    return first, check.origin.value != "reference"
