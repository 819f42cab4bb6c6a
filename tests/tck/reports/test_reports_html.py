"""The page: one well-formed file without outside references, in which every text of the subject is only text."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import Report
from reactivestreams.tck.kit.timeline import MOST_ROWS, Gap
from reactivestreams.tck.reports import html_report
from reactivestreams.tck.reports.html_report import NARROW_PIXELS, WIDE_PIXELS
from reactivestreams.tck.reports.sequence_picture import sequence_picture
from tests.demo.page_reader import PageReader
from tests.tck.report_examples import FAILED, GOOD_REPORT, HOSTILE_REPORT, HOSTILE_VERDICT, MADE, REPORT, REPORTS

pytest.importorskip("jinja2", reason="needs the extra tck")

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def source() -> str:
    return html_report.render(REPORTS, made=MADE)


@pytest.fixture(scope="module")
def page(source: str) -> PageReader:
    return PageReader(source)


def test_page_is_well_formed(page: PageReader) -> None:
    assert page.problems == []
    assert sorted(page.ids) == sorted(set(page.ids))
    assert set(page.labelled) <= set(page.ids)


def test_page_refers_to_nothing_but_its_own_parts(source: str, page: PageReader) -> None:
    assert {reference[:1] for reference in page.references} == {"#"}
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert {"script", "link", "iframe", "img", "object", "embed"} & set(page.tags) == set()
    assert re.findall(r"https?:|@import|url\(", source) == []


def test_text_of_the_subject_stays_text(source: str, page: PageReader) -> None:
    assert "<b>" not in source
    assert "script" not in page.tags
    source.encode()  # no half of a surrogate pair is left
    text = " ".join(page.text)
    assert "</script><b>&amp; ]]> \\x00\\x1b[31m \\xd800 é \U0001f600" in text


def test_every_rule_has_a_cell_with_its_outcome(page: PageReader) -> None:
    text = " ".join(" ".join(page.text).split())
    assert set(RULES) <= set(text.split())
    assert "3.9 ✕ failed" in text
    assert "1.1 ✓ passed" in text
    assert "3.4 ○ skipped" in text
    assert "2.1 · no check" in text


def test_rule_leads_to_its_checks_and_they_to_their_failure(page: PageReader) -> None:
    assert {"#v0-rule-3.9", f"#v0-{FAILED.check}"} <= set(page.references)
    assert page.references.count(f"#v0-{FAILED.check}") == 3  # it is a cause, and broke two rules


def test_failure_has_its_whole_explanation(page: PageReader) -> None:
    text = " ".join(page.text)
    for lines in REPORT.explanation(FAILED).values():
        for line in lines:
            assert line.strip() in text


def test_headings_tell_the_outcome() -> None:
    def heading(*reports: Report) -> str:
        return PageReader(html_report.render(reports, made=MADE)).headings[0][1].strip()

    assert heading(GOOD_REPORT) == "Every check that could be run passed"
    assert heading(GOOD_REPORT, REPORT) == "Not compatible"
    assert heading() == "Nothing was verified"


def test_every_failure_is_drawn_for_both_widths_with_a_label(page: PageReader) -> None:
    assert [picture["width"] for picture in page.pictures] == [str(WIDE_PIXELS), str(NARROW_PIXELS)] * 2
    assert {picture["role"] for picture in page.pictures} == {"img"}
    assert page.pictures[0]["aria-label"] == (
        f"Signals between publisher and subscriber 1 during {FAILED.check}; the same follows as text"
    )


def picture(verdict: object, width: float) -> ET.Element:
    shown = verdict.evidence.timeline()  # type: ignore[attr-defined]
    drawn = sequence_picture(shown, width=width, label="a label")
    return ET.fromstring(drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


@pytest.mark.parametrize("width", [WIDE_PIXELS, NARROW_PIXELS])
def test_picture_has_an_arrow_for_each_signal_from_its_sender_to_its_receiver(width: float) -> None:
    drawn = picture(FAILED, width)
    columns = [float(line.get("x1", "")) for line in drawn.iter(f"{SVG}line") if line.get("class") == "lifeline"]
    publisher, subscriber = columns
    arrows = [group for group in drawn.iter(f"{SVG}g") if str(group.get("class")).startswith("signal ")]
    ends = []
    for arrow in arrows:
        line = arrow.find(f"{SVG}line")
        head = arrow.find(f"{SVG}path")
        assert line is not None
        assert head is not None
        ends.append((float(line.get("x1", "")), float(head.get("d", "")[1:].split()[0])))
    down, up = (publisher, subscriber), (subscriber, publisher)
    assert ends == [up, down, up, down, down, up]
    assert [arrow.get("class") for arrow in arrows] == [
        *("signal thread-0", "signal thread-0", "signal thread-1", "signal thread-2", "signal thread-2"),
        "signal thread-1",
    ]


@pytest.mark.parametrize("width", [WIDE_PIXELS, NARROW_PIXELS])
@pytest.mark.parametrize("verdict", [FAILED, HOSTILE_VERDICT], ids=["failed", "hostile"])
def test_picture_stays_within_its_frame_and_goes_downwards(width: float, verdict: object) -> None:
    drawn = picture(verdict, width)
    _, _, frame_width, frame_height = map(float, drawn.get("viewBox", "").split())
    for text in drawn.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", "")) <= frame_width
        assert 0 <= float(text.get("y", "")) <= frame_height
    times = [float(each.get("y", "")) for each in drawn.iter(f"{SVG}text") if each.get("class") == "time"]
    assert times == sorted(times)


def test_breach_stands_out_from_steps() -> None:
    drawn = picture(FAILED, WIDE_PIXELS)
    groups = {group.get("class"): "".join(group.itertext()) for group in drawn.iter(f"{SVG}g")}
    assert "✕ §1.4: silent" in groups["breach"]
    assert "request(0)" in groups["step"]
    assert "✕" not in groups["step"]


def test_check_without_a_signal_is_drawn_too() -> None:
    nothing = replace(FAILED, evidence=replace(FAILED.evidence, signals=()))
    assert [line.get("class") for line in picture(nothing, WIDE_PIXELS).iter(f"{SVG}line")] == []


def test_long_log_is_drawn_with_its_gap() -> None:
    signals = tuple(
        replace(FAILED.evidence.signals[3], order=order, thread=f"worker-{order % 9}") for order in range(3 * MOST_ROWS)
    )
    verdict = replace(FAILED, evidence=replace(FAILED.evidence, steps=(), signals=signals))
    gaps = [each.text for each in picture(verdict, WIDE_PIXELS).iter(f"{SVG}text") if each.get("class") == "gap"]
    assert gaps == [f"… {Gap(2 * MOST_ROWS).text} …"]


def test_page_has_no_link_for_a_verification_without_a_command() -> None:
    assert "--seed" not in html_report.render([GOOD_REPORT], made=MADE)
    assert f"{REPORT.command} --seed 7" in html_report.render([REPORT], made=MADE)


def test_page_of_hostile_names_is_well_formed() -> None:
    assert PageReader(html_report.render([HOSTILE_REPORT], made=MADE)).problems == []


def test_failure_that_shows_its_rule_best_comes_first() -> None:
    passing_by = replace(FAILED, check="required_spec101_other", rules=("1.1",), broken_rules=("3.9",))
    page = PageReader(html_report.render([replace(REPORT, verdicts=(passing_by, FAILED))], made=MADE))
    headings = [text for tag, text in page.headings if tag == "h3"]
    assert headings[0] == "1 cause, 2 failures"
    assert headings[2:4] == ["The clearest failure of each cause", "Failed as well, from the same causes"]
    assert page.ids.index(f"v0-{FAILED.check}") < page.ids.index(f"v0-{passing_by.check}")


def test_failures_that_repeat_what_another_shows_are_not_drawn() -> None:
    once = html_report.render([replace(REPORT, verdicts=(FAILED,))], made=MADE)
    again = tuple(replace(FAILED, check=f"{FAILED.check}_{number}") for number in range(10))
    often = html_report.render([replace(REPORT, verdicts=(FAILED, *again))], made=MADE)
    assert often.count("<svg") == once.count("<svg")
    assert often.count("As text") == 10
