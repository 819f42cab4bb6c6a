"""The picture of a checkpoint shows the steps that an engine makes, in the order that keeps its promise."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tests.documentation.generators import DOCS, Application, loaded


def test_steps_are_those_of_an_engine() -> None:
    steps = loaded("generate_checkpoint").steps()
    order = [f"{name}: {what}" for name, what in steps]
    assert order == [
        "engine: pause: nothing flows",
        "query: save its state",
        "egress: prepare(1, rows)",
        "engine: all states are in memory",
        "engine: resume: elements flow",
        "store: commit(checkpoint 1)",
        "engine: states count as stored",
        "egress: commit(1, token)",
        "store: forget the prepared batch",
        "ingress: acknowledge(position)",
        "store: prune older ones",
    ]


def test_picture_shows_each_step() -> None:
    page: Any = loaded("generate_checkpoint")
    texts = [each.text for each in ET.fromstring(page.picture(page.steps())).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [*page.LINES, *(what for _, what in page.steps())]


def test_picture_is_written_when_the_documentation_is_built(tmp_path: Path) -> None:
    application = Application(tmp_path)
    loaded("generate_checkpoint").setup(application)
    application.write()
    picture = tmp_path / loaded("generate_checkpoint").PICTURE
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert f"]({picture.name})" in (DOCS / "explanation/checkpoints.md").read_text(encoding="utf-8")
