"""Every name in backticks on a page is there: of ours, of Python, or of a neighbor."""

from pathlib import Path

import pytest

from tests.documentation.names import unresolved
from tests.documentation.test_pages import PAGES, shown

DECISIONS = "decisions"  # they tell what was decided with the names of then, and are not changed
WRITTEN = [page for page in PAGES if DECISIONS not in page.parts]


@pytest.mark.parametrize("page", WRITTEN, ids=shown)
def test_every_name_on_the_page_leads_somewhere(page: Path) -> None:
    assert unresolved(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "name",
    [
        "PublishSubject",
        "Stream.from_nowhere",
        "Stream.create(callback, overflow=1)",
        "range().frm()",
        "from_futures",
        "reactivestreams.schedulers.Immediate",
        "rs_core.no_module",
        "await to_lists_async()",
        "asyncio.wait_fore",
        "spark.to_nowhere",
    ],
)
def test_name_that_leads_nowhere_is_found(name: str) -> None:
    assert unresolved(f"Take `{name}`, not `Stream.range`.\n") == [name]


def test_names_of_another_library_stand_in_a_column_of_its_own() -> None:
    row = "| `{}` | `Stream.just` |\n"
    assert unresolved("\n| RxJava | here |\n|---|---|\n" + row.format("blockingLast")) == []
    assert unresolved("\n| what | here |\n|---|---|\n" + row.format("blockingLast")) == ["blockingLast"]
