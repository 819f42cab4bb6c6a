"""A report as a notebook shows it: the page in a frame, or one line where the page cannot be made."""

import sys
from html.parser import HTMLParser

import pytest

from reactivestreams.drawing.xml_text import xml_safe
from reactivestreams.tck import Report
from tests.demo.page_reader import PageReader
from tests.tck.report_examples import GOOD_REPORT, HOSTILE_REPORT, REPORT


class FrameReader(HTMLParser):
    """The page inside the only frame of a text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.page = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.page = dict(attributes).get("srcdoc") or ""


@pytest.mark.parametrize("report", [REPORT, GOOD_REPORT, HOSTILE_REPORT], ids=["mixed", "good", "hostile"])
def test_notebook_shows_the_page_in_a_frame(report: Report) -> None:
    pytest.importorskip("jinja2", reason="needs the extra tck")
    frame = FrameReader(report._repr_html_())
    page = PageReader(frame.page)
    assert frame.tags == ["iframe"]
    assert page.problems == []
    assert xml_safe(report.subject) in " ".join(page.text)
    assert "script" not in page.tags


def test_notebook_shows_a_line_where_the_page_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    shown = Report("<Numbers & others>", "1.0.4", 1, (), 0.0)._repr_html_()
    assert shown == "<pre>&lt;Numbers &amp; others&gt;: 0 passed, 0 failed, 0 skipped in 0.00 s</pre>"
