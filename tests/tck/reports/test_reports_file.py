"""A report becomes a file as a whole or not at all, in the format of its suffix."""

import json
from importlib import util
from pathlib import Path

import pytest

from reactivestreams.errors import ArgumentError, MissingExtraError
from reactivestreams.tck.reports import check_report_path, report_file, write_report
from tests.tck.report_examples import MADE, REPORTS


@pytest.mark.parametrize(("name", "start"), [("a.json", "{\n"), ("a.XML", "<?xml"), ("new/folder/a.json", "{\n")])
def test_suffix_chooses_the_format_and_missing_folders_are_made(tmp_path: Path, name: str, start: str) -> None:
    write_report(REPORTS, tmp_path / name, made=MADE)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_former_report_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("former")
    write_report(REPORTS, path)
    assert json.loads(path.read_text(encoding="utf-8"))["version"] == 1
    assert list(tmp_path.iterdir()) == [path]


def test_former_report_stays_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text("former")

    def full(self: Path, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        write_report(REPORTS, path)
    assert path.read_text(encoding="utf-8") == "former"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["report.pdf", "report"])
def test_unknown_suffix_is_refused_with_those_there_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"no report of the kind '{name}'; end its name in .html or .json or .xml"):
        check_report_path(tmp_path / name)


def test_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(ArgumentError, match=r"a\.json is a folder"):
        check_report_path(tmp_path / "a.json")


def test_page_without_its_template_engine_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "reactive-streams-core\[tck\]"'):
        check_report_path(tmp_path / "a.html")


def test_every_format_has_a_suffix() -> None:
    assert sorted(report_file.FORMATS) == [".html", ".json", ".xml"]
