"""The page about the architecture lists the folders of the core, in the order of their layers."""

import re
from pathlib import Path

from tests.architecture.checkout import ROOT
from tests.architecture.sources.test_cython_layers import LAYER_OF

PAGE = ROOT / "docs/explanation/architecture.md"


def listed(page: str) -> list[str]:
    """Return the folders and modules in the table's first column, from top to bottom."""
    cells = re.findall(r"^\| (`rs_core\.[^|]*) \|", page, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`rs_core\.(\w+)`", cell)]


def test_every_folder_of_the_core_is_listed() -> None:
    folders = {path.parent.name for path in Path(ROOT / "src/rs_core").glob("*/__init__.py")}
    assert folders - set(listed(PAGE.read_text(encoding="utf-8"))) == set()


def test_order_of_the_list_is_that_of_the_layers() -> None:
    layers = [LAYER_OF[name] for name in listed(PAGE.read_text(encoding="utf-8"))]
    assert layers == sorted(layers)
