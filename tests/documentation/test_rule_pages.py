"""Each rule has a page, whose examples are judged by the compatibility kit as the page says."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import Environment, run
from reactivestreams.tck.kit.load import measured_load
from tests.documentation.generators import DOCS, Application, loaded
from tests.documentation.rule_example_subjects import JUDGES, LISTENER, PARTS
from tests.tck.streams.settings import settings as settings_of_our_own

EXAMPLES: Any = loaded("rule_examples").all_examples()
MOST_LINES = 20
"""How long an example may be, without empty lines."""


def settings() -> Environment:
    """Return settings for examples that answer at once, or never, on a machine as busy as this one is now."""
    load = measured_load()
    return Environment(
        default_timeout_milliseconds=round(300 * load),
        no_signals_timeout_milliseconds=round(40 * min(2.0, load)),
        poll_timeout_milliseconds=20,
        reference_timeout_milliseconds=round(120 * load),
        watchdog_timeout_milliseconds=round(10_000 * load),
    )


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("generate_rule_pages")


@pytest.fixture(scope="module")
def pages(generator: ModuleType) -> dict[str, str]:
    return {Path(name).stem: text for name, text in generator.pages().items()}


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")


def test_every_rule_has_examples_and_they_come_in_order() -> None:
    assert list(EXAMPLES) == list(RULES)


@pytest.mark.slow
@pytest.mark.parametrize("id", RULES)
def test_right_example_passes_what_the_wrong_one_does_not(id: str) -> None:
    examples = EXAMPLES[id]
    outcomes = {
        which: [str(verdict.outcome.value) for verdict in judged(examples, getattr(examples, which)).verdicts]
        for which in ("wrong", "right")
    }
    assert outcomes == {
        "wrong": [examples.outcome] * len(examples.checks),
        "right": ["pass"] * len(examples.checks),
    }


def judged(examples: Any, example: Any) -> Any:
    return run(JUDGES[examples.judge](example), settings(), names=examples.checks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "part"), [("publisher", PARTS.Numbers), ("blackbox", LISTENER.Listener), ("whitebox", LISTENER.Listener)]
)
def test_what_the_examples_are_made_of_passes_the_kit_whole(judge: str, part: Any) -> None:
    report = run(JUDGES[judge](part), settings_of_our_own())
    assert [verdict.render() for verdict in report.failed] == []
    assert report.is_success


def test_checks_of_an_example_are_about_its_rule() -> None:
    checks = loaded("kit_checks").all_checks()
    strange = [(id, name) for id, each in EXAMPLES.items() for name in each.checks if id not in checks[name][1].rules]
    assert strange == []


@pytest.mark.parametrize("id", RULES)
def test_examples_are_short_and_differ(id: str) -> None:
    wrong, right = EXAMPLES[id].source("wrong"), EXAMPLES[id].source("right")
    assert max(len(list(filter(str.strip, code.splitlines()))) for code in (wrong, right)) <= MOST_LINES
    assert wrong != right
    assert EXAMPLES[id].wrong_text != EXAMPLES[id].right_text


@pytest.mark.parametrize("id", RULES)
def test_page_says_all_there_is_to_say_of_a_rule(id: str, pages: dict[str, str]) -> None:
    rule, examples = RULES[id], EXAMPLES[id]
    page = pages[id.replace(".", "-")]
    assert page.startswith(f"# §{id} {examples.title}\n")
    assert rule.text in page.replace("`", "")
    assert rule.intent in page.replace("`", "")
    assert f"binds the {rule.bound.value}" in page
    for part in (examples.wrong_text, examples.right_text, examples.source("wrong"), examples.source("right")):
        assert part in page
    for _, check in loaded("kit_checks").checks_of(id):
        assert f"`{check.name}`\n: Judges a " in page


def test_pages_are_linked_from_the_page_of_all_rules(pages: dict[str, str]) -> None:
    overview = loaded("generate_rules").render()
    linked = set(re.findall(r"^rules/([\w-]+)$", overview, re.MULTILINE))
    assert linked == set(pages)


def test_examples_and_their_tables_name_one_another() -> None:
    package = loaded("rule_examples")
    for chapter, name in package.CHAPTERS.items():
        module = loaded(f"rule_examples.{name}_rules")
        defined = {each for each, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
        of_chapter = [each for id, each in EXAMPLES.items() if RULES[id].chapter == chapter]
        named = {getattr(each, which).__name__ for each in of_chapter for which in ("wrong", "right")}
        assert defined == named


def test_pages_are_written_when_the_documentation_is_built(generator: ModuleType, tmp_path: Path) -> None:
    application = Application(tmp_path)
    generator.setup(application)
    (tmp_path / "reference").mkdir()
    application.write()
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    assert written == set(generator.pages())
    assert len(written) == len(RULES) + 1


def test_generated_pages_are_not_committed() -> None:
    ignored = (DOCS.parent / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {"/docs/reference/rules.md", "/docs/reference/rules/", "/docs/reference/seeds.md"} <= set(ignored)
