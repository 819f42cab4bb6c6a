"""The marble diagrams of the documentation are drawn, and every one that a page shows exists."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.documentation.generators import DOCS, Application, loaded

PAGES = sorted((DOCS / "explanation").glob("*.md"))


def test_the_pages_show_every_diagram_and_no_other() -> None:
    shown = re.findall(r"!\[[^]]+\]\((marbles/\w+\.svg)\)", "".join(page.read_text("utf-8") for page in PAGES))
    drawn = [path for path in loaded("generate_marbles").pages() if path.startswith("explanation/")]
    assert sorted(f"explanation/{path}" for path in shown) == sorted(drawn)


def test_the_page_of_operators_shows_a_run_of_each() -> None:
    pages = loaded("generate_marbles").pages()
    shown = re.findall(r"!\[[^]]+\]\((marbles/\w+\.svg)\)", pages["reference/operator-marbles.md"])
    assert sorted(f"reference/{path}" for path in shown) == sorted(
        p for p in pages if p.startswith("reference/marbles/")
    )
    assert len(shown) == len(set(shown)) == len(loaded("drawn_operators").DRAWN)
    assert "[1, 2]" in pages["reference/marbles/buffer.svg"]


def test_every_method_of_a_stream_is_drawn_or_says_why_not() -> None:
    table = loaded("drawn_operators")
    drawn = {loaded("generate_marbles").method_of(call) for call in table.DRAWN}
    assert sorted(drawn | table.NOT_DRAWN.keys()) == sorted(loaded("generate_api").methods())
    assert drawn & table.NOT_DRAWN.keys() == set()


def test_every_source_and_function_of_the_table_stands_in_a_call() -> None:
    table = loaded("drawn_operators")
    words = set(re.findall(r"\w+", " ".join(table.DRAWN)))
    assert table.INPUTS.keys() | table.FUNCTIONS.keys() <= words
    assert set(table.COLD) <= table.INPUTS.keys()


def test_diagrams_are_written_when_the_documentation_is_built(tmp_path: Path) -> None:
    (tmp_path / "explanation").mkdir()
    (tmp_path / "reference").mkdir()
    application = Application(tmp_path)
    loaded("generate_marbles").setup(application)
    application.write()
    for path in tmp_path.glob("*/marbles/*.svg"):
        assert ET.parse(path).getroot().attrib["aria-label"].startswith("marble diagram: ")
    assert len(list((tmp_path / "explanation/marbles").iterdir())) == len(loaded("generate_marbles").DIAGRAMS)
