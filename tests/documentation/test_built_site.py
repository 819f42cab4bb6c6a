"""The documentation is built without a warning, and what is public is in it."""

import json
import pkgutil
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import reactivestreams
from reactivestreams import Stream
from tests.architecture.checkout import ROOT
from tests.documentation.generators import loaded

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

NOT_PUBLIC = {
    "reactivestreams.cli": "the command line has a page of its own",
    "reactivestreams.cli.checks": "what a command of the command line consists of",
    "reactivestreams.demo": "a program",
    "reactivestreams.tck.checks.processor": "lists of the checks, which have a page of their own",
    "reactivestreams.tck.checks.publisher": "as above",
    "reactivestreams.tck.checks.subscriber": "as above",
}
"""Packages whose names no page documents, and why."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[CompletedProcess[str], Path]:
    folder = tmp_path_factory.mktemp("built")
    docs = folder / "docs"  # a copy: the build writes pages beside those that are there
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("_build", "__pycache__"))
    beside = "src tests bench ci examples changelog.d CHANGELOG.md CONTRIBUTING.md README.md pyproject.toml Makefile"
    for name in beside.split():
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", docs, folder / "site"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    return run, folder / "site"


@pytest.fixture(scope="module")
def inventory(built: tuple[CompletedProcess[str], Path]) -> frozenset[str]:
    """Return the full names of Python that another project can link to."""
    from sphinx.util.inventory import InventoryFile

    with (built[1] / "objects.inv").open("rb") as file:
        entries = InventoryFile.load(file, "", lambda base, path: f"{base}/{path}")
    return frozenset(name for kind, names in entries.items() if kind.startswith("py:") for name in names)


@pytest.fixture(scope="module")
def search_index(built: tuple[CompletedProcess[str], Path]) -> dict[str, Any]:
    """Return what the search of the site looks into."""
    text = (built[1] / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


def public_packages() -> list[str]:
    """Return the packages that say which of their names are public."""
    modules = pkgutil.walk_packages(reactivestreams.__path__, "reactivestreams.")
    found = [module.name for module in modules if module.ispkg and hasattr(import_module(module.name), "__all__")]
    return ["reactivestreams", "rs_core", *found]


def test_documentation_is_built_without_a_warning(built: tuple[CompletedProcess[str], Path]) -> None:
    assert (built[0].returncode, built[0].stderr) == (0, "")


def test_every_public_package_has_a_page() -> None:
    assert set(public_packages()) - set(loaded("generate_api").PACKAGES) == set(NOT_PUBLIC)


def test_every_public_name_is_in_the_inventory(inventory: frozenset[str]) -> None:
    names = {
        f"{package}.{name}" for package in loaded("generate_api").PACKAGES for name in import_module(package).__all__
    }
    assert names - inventory == set()


def test_every_method_of_a_stream_is_in_the_inventory(inventory: frozenset[str]) -> None:
    not_methods = loaded("generate_api").NOT_METHODS
    names = {f"reactivestreams.Stream.{name}" for name in dir(Stream) if not name.startswith("_")}
    assert names - inventory == {f"reactivestreams.Stream.{name}" for name in not_methods}


def test_list_of_operators_leads_to_every_method() -> None:
    page = (ROOT / "docs/reference/operators.md").read_text(encoding="utf-8")
    missing = [name for name in loaded("generate_api").methods() if f"](stream/{name}.md)" not in page]
    assert missing == ["bind"]  # what a host calls; it is on the page of the class


class Navigation(HTMLParser):
    """The links beside a page, and those of them that are marked as the page itself and as what it is below."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.marked: list[str] = []
        self.is_marked: list[bool] = []
        text = page.read_text(encoding="utf-8")
        begin = text.index('class="sidebar-tree"')
        self.feed(text[begin : text.index("</div>", begin)])

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "li":
            self.is_marked.append("current" in (values["class"] or "").split())
        elif tag == "a":
            self.links.append(values["href"] or "")
            if self.is_marked[-1]:
                self.marked.append(self.links[-1])


def test_navigation_beside_each_page_leads_to_all_and_marks_the_page(built: tuple[CompletedProcess[str], Path]) -> None:
    site = built[1]
    home = Navigation(site / "index.html")
    assert home.marked == []
    for name, above in {
        "install": [],
        "guides/cookbook": [],
        "reference/operators": [],
        "reference/stream/merge": ["../operators.html"],
        "reference/packages/reactivestreams.tck": ["../packages.html"],
        "reference/rules/1-1": ["../rules.html"],
    }.items():
        page = site / f"{name}.html"
        beside = Navigation(page)
        targets = [(page.parent / link).resolve() if link != "#" else page.resolve() for link in beside.links]
        assert targets == [(site / link).resolve() for link in home.links]
        assert all(target.is_file() for target in targets)
        assert beside.marked == [*above, "#"]


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("backpressure", "guides/backpressure"),
        ("slow consumer", "guides/backpressure"),
        ("merge", "reference/stream/merge"),
        ("mergearray", "reference/stream/merge"),
        ("retry", "reference/stream/retry"),
        ("backoff", "reference/stream/retry"),
        ("window", "reference/stream/window"),
        ("tumbling window", "reference/stream/window"),
        ("logging", "reference/stream/log"),
        ("notebook", "guides/notebooks"),
        ("jupyter", "guides/notebooks"),
        ("flatmapsequential", "reference/stream/flat_map_ordered"),
    ],
)
def test_search_leads_from_a_word_to_its_page(search_index: dict[str, Any], word: str, page: str) -> None:
    of_index = [entry[0] for entry in search_index["indexentries"].get(word, ())]
    of_titles = [
        place[0] for title, places in search_index["alltitles"].items() if title.lower() == word for place in places
    ]
    assert page in {search_index["docnames"][number] for number in (*of_index, *of_titles)}
