"""What the checks refuse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import Ingress, MemoryStore
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.crash import CrashReport, IngressCase, StoreCase, check_egress, check_ingress, check_store
from reactivestreams.testing.crash.faults import Faults

CHECKS = [check_egress, check_ingress, check_store]


@pytest.mark.parametrize("check", CHECKS)
def test_case_that_cannot_be_made_is_refused(check: Callable[..., CrashReport]) -> None:
    with pytest.raises(ArgumentTypeError, match="needs a callable, got 7"):
        check(7)
    with pytest.raises(ArgumentError, match="most_runs"):
        check(lambda folder: None, most_runs=0)
    with pytest.raises(ArgumentTypeError, match=r"needs a function that returns a \w+Case, it returned 'nothing'"):
        check(lambda folder: "nothing")


def test_each_run_has_an_empty_folder_that_is_deleted(tmp_path: Path) -> None:
    folders: list[Path] = []

    def make_case(folder: Path) -> StoreCase:
        assert list(folder.iterdir()) == []
        (folder / "something").touch()
        folders.append(folder)
        store = MemoryStore()
        return StoreCase(make=store.after_crash)

    report = check_store(make_case, most_runs=5, temporary_folder=tmp_path)
    assert (report.runs, len(set(folders))) == (5, 5)
    assert report.left_out > 0
    assert list(tmp_path.iterdir()) == []


def test_part_that_fails_without_a_fault_is_not_run_with_any() -> None:
    class Broken(Ingress):
        def open(self, position: int, bookmark: Any) -> None:
            raise ZeroDivisionError

    report = check_ingress(lambda folder: IngressCase(make=Broken, elements=[1]))
    assert (report.runs, [each.kind for each in report.findings]) == (1, ["exception"])
    assert "ZeroDivisionError" in str(report)


def test_compiled_object_cannot_be_watched() -> None:
    with pytest.raises(TypeError, match=r"cannot watch \[\] \(list\), .* wrap it in a plain class"):
        Faults().watch([], "store", ("append",))
