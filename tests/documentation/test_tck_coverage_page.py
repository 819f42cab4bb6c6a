"""The page that shows what the compatibility kit sees has a row for each rule, and none of them is empty."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import Outcome
from tests.documentation.generators import DOCS, Application, loaded
from tests.tck_selftest.all_mutants import ALL_MUTANTS


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("generate_tck_coverage")


def test_every_rule_has_checks_and_mutants(generator: ModuleType) -> None:
    assert generator.gaps() == []


def test_page_has_a_row_with_both_for_every_rule(generator: ModuleType) -> None:
    rows = re.findall(r"^\| \[§([\d.]+)\]\(#[\w-]+\) \| (\d+) \| (\d+) \|$", generator.render(), re.MULTILINE)
    assert [rule for rule, _, _ in rows] == list(RULES)
    assert [rule for rule, checks, mutants in rows if "0" in {checks, mutants}] == []


def test_page_has_a_line_for_every_check_and_every_mutant(generator: ModuleType) -> None:
    page = generator.render()
    checks = loaded("kit_checks")
    missing = [
        check.name for rule in RULES for _, check in checks.checks_of(rule) if f"\n`{check.name}`\n: " not in page
    ]
    assert missing == []
    shown = {id(mutant) for rule in RULES for mutants in generator.mutants_of(rule).values() for mutant in mutants}
    of_a_rule = [
        mutant
        for mutant in ALL_MUTANTS
        if mutant.outcome is not Outcome.PASS
        and (mutant.rule or generator.check_of(mutant.kit.catalog, mutant.check).rules)
    ]
    assert [mutant.defect for mutant in of_a_rule if id(mutant) not in shown] == []
    assert [mutant.defect for mutant in of_a_rule if mutant.defect not in page] == []


def test_rule_without_checks_or_mutants_would_be_seen(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "checks_of", lambda rule: [] if rule == "1.1" else ["a check"])
    monkeypatch.setattr(generator, "mutants_of", lambda rule: {"a check": [] if rule == "4.2" else ["a mutant"]})
    assert generator.gaps() == ["§1.1: it has no check", "§4.2: it has no mutant"]


def test_page_is_written_when_the_documentation_is_built(generator: ModuleType, tmp_path: Path) -> None:
    application = Application(tmp_path)
    generator.setup(application)
    application.write()
    page = "reference/tck-coverage.md"
    assert (tmp_path / page).read_text(encoding="utf-8") == generator.render()
    assert f"/docs/{page}" in (DOCS.parent / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_page_is_linked_from_the_index() -> None:
    assert "\nreference/tck-coverage\n" in (DOCS / "index.md").read_text(encoding="utf-8")
