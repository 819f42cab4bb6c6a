"""Every behavior that the reference's own tests check has tests here, or a reason why not, and stands on a page."""

from pathlib import Path
from types import ModuleType

import pytest

from tests.documentation.generators import DOCS, Application, loaded
from tests.reference_catalog.bullet import Bullet


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("generate_reference_bullets")


def test_every_behavior_has_tests_that_exist_or_a_reason_to_be_left_out(generator: ModuleType) -> None:
    assert generator.gaps() == []


def test_gaps_would_be_seen(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    written = "documentation/test_reference_bullets_page::test_gaps_would_be_seen"
    nobody = "documentation/test_reference_bullets_page::test_of_nobody"
    group = [Bullet("a", (written,)), Bullet("b", (nobody,)), Bullet("c"), Bullet("d", (written,), "a reason")]
    monkeypatch.setattr(generator, "CATALOG", {"group": group})
    assert generator.gaps() == [
        f"b: there is no test {nobody}",
        "c: it has neither a test nor a reason",
        "d: it has tests, and a reason why it has none",
    ]


def test_no_claim_stands_in_a_group_twice(generator: ModuleType) -> None:
    assert [len({bullet.claim for bullet in bullets}) for bullets in generator.CATALOG.values()] == [
        len(bullets) for bullets in generator.CATALOG.values()
    ]


def test_page_has_every_behavior_with_its_tests_or_its_reason(generator: ModuleType) -> None:
    page = generator.render()
    bullets = [bullet for group in generator.CATALOG.values() for bullet in group]
    assert [bullet.claim for bullet in bullets if f"\n{bullet.claim}\n: " not in page] == []
    assert [test for bullet in bullets for test in bullet.tests if f"`{test}`" not in page] == []
    assert [bullet.left_out for bullet in bullets if bullet.left_out not in page] == []


def test_page_is_written_when_the_documentation_is_built(generator: ModuleType, tmp_path: Path) -> None:
    application = Application(tmp_path)
    generator.setup(application)
    application.write()
    page = "reference/reaqtive-behavior.md"
    assert (tmp_path / page).read_text(encoding="utf-8") == generator.render()
    assert f"/docs/{page}" in (DOCS.parent / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_page_is_linked_from_the_index() -> None:
    assert "\nreference/reaqtive-behavior\n" in (DOCS / "index.md").read_text(encoding="utf-8")
