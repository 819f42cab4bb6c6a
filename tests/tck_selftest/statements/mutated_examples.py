"""The standard's examples with one module changed: what is changed, who is judged then, and how it is imported."""

import ast
import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from tests.tck_selftest.statements.mutator import StatementMutant, mutants

__all__ = ["JUDGES", "mutants_of", "subject", "unchanged"]

PACKAGE = "examples.standard_examples"
FOLDER = Path(__file__).resolve().parents[3] / "examples" / "standard_examples"
FURTHER = "tests.tck_selftest.statements.further_verifications"

_ASYNC_PUBLISHER = f"{PACKAGE}.verifications.AsyncIterableVerification"
_DROPPED_TASK = f"{FURTHER}.DroppedTaskVerification"
_RANGE = f"{PACKAGE}.verifications.RangeVerification"
_SYNC = (
    f"{PACKAGE}.subscriber_verifications.SyncSubscriberWhiteboxVerification",
    f"{PACKAGE}.subscriber_verifications.SyncSubscriberBlackboxVerification",
)
_ASYNC = (
    f"{PACKAGE}.subscriber_verifications.AsyncSubscriberWhiteboxVerification",
    f"{PACKAGE}.subscriber_verifications.AsyncSubscriberBlackboxVerification",
    f"{FURTHER}.RefusedSubscriberVerification",
)

JUDGES: dict[str, tuple[str, ...]] = {
    "async_iterable_publisher": (_ASYNC_PUBLISHER, _DROPPED_TASK, f"{FURTHER}.SlowSourceVerification"),
    "async_subscriber": _ASYNC,
    "infinite_increment_number_publisher": (f"{PACKAGE}.verifications.InfiniteIncrementNumberVerification",),
    "normal_return": (_RANGE, *_SYNC),
    "number_iterable_publisher": (f"{PACKAGE}.verifications.NumberIterableVerification",),
    "range_publisher": (_RANGE,),
    "serial_task": (
        _ASYNC_PUBLISHER,
        _DROPPED_TASK,
        f"{FURTHER}.LateRefusalVerification",
        f"{FURTHER}.EarlyRefusalVerification",
        *_ASYNC,
    ),
    "subscriber_link": (_RANGE, _ASYNC_PUBLISHER),
    "sync_subscriber": _SYNC,
}
"""The modules that are changed, each with the verifications that judge it, the most telling first."""


@cache
def unchanged(module: str) -> str:
    """Return the source of a module of the examples, as its mutants are written: without comments."""
    return ast.unparse(ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8")))


@cache
def mutants_of(module: str) -> tuple[StatementMutant, ...]:
    """Return the mutants of a module of the examples."""
    return tuple(mutants(unchanged(module)))


def subject(verification: str, module: str = "", source: str = "") -> type:
    """Return the class of a verification, of examples that are imported for it alone; the process has no other use.

    Args:
        verification: Its dotted name.
        module: Which module is changed; none where it is empty.
        source: What stands in that module.
    """
    for name in [name for name in sys.modules if name.startswith((PACKAGE, FURTHER))]:
        del sys.modules[name]
    where, _, class_name = verification.rpartition(".")
    finder = _ChangedModule(f"{PACKAGE}.{module}", source)
    sys.meta_path.insert(0, finder)
    try:
        found = getattr(importlib.import_module(where), class_name)
    finally:
        sys.meta_path.remove(finder)
    assert isinstance(found, type)
    return found


class _ChangedModule(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Find one module, with a source of its own."""

    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == self._name else None

    def get_source(self, fullname: str) -> str:
        return self._source
