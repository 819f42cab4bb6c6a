"""The page about performance shows what the last run of the benchmarks has measured, and its picture."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.documentation.generators import DOCS, Application, loaded

RUN = json.loads((DOCS.parent / "bench/last_run.json").read_text(encoding="utf-8"))


def row(**figures: object) -> dict[str, object]:
    return {
        "case": "map | filter", "baseline": "a loop", "ratio_of_minima": 0.98765, "bar": {"at_most": 1.0, "unit": "x"},
        "verdict": "met", "nanoseconds": 12345.6, **figures,
    }  # fmt: skip


def rendered(*rows: dict[str, object]) -> list[str]:
    run = {"conditions": {"machine": "one core"}, "rounds": 31, "met": 1, "bars": 2, "rows": rows}
    page: str = loaded("generate_performance").render(run)
    return page.splitlines()


def test_row_has_the_figures_and_the_bar() -> None:
    assert "| map \\| filter | a loop | 0.988 | ≤ 1 | met | 12,346 |" in rendered(row())


def test_row_may_have_a_bar_in_nanoseconds_or_none() -> None:
    lines = rendered(
        row(bar={"at_most": 25, "unit": "ns"}, verdict="missed", nanoseconds=30.51),
        row(bar=None, verdict=None, baseline=None, ratio_of_minima=None),
    )
    assert "| map \\| filter | a loop | 0.988 | ≤ 25 ns | missed | 30.5 |" in lines
    assert "| map \\| filter |  |  |  |  | 12,346 |" in lines


def test_conditions_stand_above_the_figures() -> None:
    lines = rendered(row())
    assert lines.index("- machine: one core") < lines.index("- 31 rounds; 1 of 2 bars met")


def test_page_and_picture_of_the_last_run_are_written_when_the_documentation_is_built(tmp_path: Path) -> None:
    application = Application(tmp_path)
    loaded("generate_performance").setup(application)
    application.write()
    page = (tmp_path / "explanation/performance.md").read_text(encoding="utf-8")
    assert page.count("\n| ") == 1 + len(RUN["rows"])  # the heading
    assert ET.parse(tmp_path / "explanation/performance.svg").getroot().tag.endswith("svg")
