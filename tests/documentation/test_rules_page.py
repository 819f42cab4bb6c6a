"""The page of the rules is written from the data, and links to it lead somewhere."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from reactivestreams.spec.rules import RULES
from tests.documentation.generators import DOCS, Application, loaded


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("generate_rules")


def test_each_rule_has_one_section_with_an_anchor_in_order(generator: ModuleType) -> None:
    page = generator.render()
    assert re.findall(r"^### §(.*)$", page, re.MULTILINE) == list(RULES)
    assert re.findall(r"^\((rule-.*)\)=$", page, re.MULTILINE) == [generator.anchor(rule) for rule in RULES.values()]
    assert re.findall(r"^## (\d) ", page, re.MULTILINE) == ["1", "2", "3", "4"]


@pytest.mark.parametrize("id", RULES)
def test_the_section_of_a_rule_says_all_that_the_data_says(generator: ModuleType, id: str) -> None:
    rule = RULES[id]
    section = generator.render().split(f"### §{id}\n")[1].split("(rule-")[0].replace("`", "")
    assert rule.text in section
    assert rule.intent in section
    words = " and ".join(word.value for word in rule.obligation)
    assert f"**{words}**, binds the {rule.bound.value}." in section


def test_every_link_to_a_rule_in_the_pages_leads_to_a_rule(generator: ModuleType) -> None:
    anchors = {generator.anchor(rule): id for id, rule in RULES.items()}
    links = [
        (label, target)
        for page in DOCS.rglob("*.md")
        if "_build" not in page.parts
        for label, target in re.findall(r"\[§([\d.]+)\]\(#(rule-[\w-]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 5
    assert [(label, target) for label, target in links if anchors.get(target) != label] == []


def test_the_page_is_written_when_the_documentation_is_built_and_only_if_it_changed(
    generator: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "reference").mkdir()
    application = Application(tmp_path)
    generator.setup(application)
    page = tmp_path / "reference" / "rules.md"
    application.write()
    assert page.read_text(encoding="utf-8") == generator.render()
    before = page.stat().st_mtime_ns
    application.write()
    assert page.stat().st_mtime_ns == before
    page.write_text("stale")
    application.write()
    assert page.read_text(encoding="utf-8") == generator.render()
