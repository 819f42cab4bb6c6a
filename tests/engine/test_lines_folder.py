"""The ingress from a folder sends the lines of its files in the order of their names, or says what may be lost."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import IngressGapError, JsonLinesFolder, LinesFolder
from reactivestreams.errors import ArgumentError, ArgumentTypeError


def opened(folder: Path, position: int = 0, bookmark: Any = None, **arguments: Any) -> LinesFolder:
    ingress = LinesFolder(folder, **arguments)
    ingress.open(position, bookmark)
    return ingress


def put(folder: Path, name: str, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    unfinished = folder / f".{name}"
    unfinished.write_text("".join(f"{line}\n" for line in lines))
    unfinished.replace(folder / name)


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    ingress = opened(tmp_path / "in", pattern="[!.]*")
    assert ingress.read(9) == []
    put(tmp_path / "in", "b", "2", "3")
    put(tmp_path / "in", "a", "1")
    assert ingress.read(2) == [(1, "1"), (2, "2")]
    put(tmp_path / "in", "c", "4")
    assert ingress.read(9) == [(3, "3"), (4, "4")]
    assert ingress.read(9) == []
    put(tmp_path / "in", "d")
    put(tmp_path / "in", "e", "5")
    assert ingress.read(9) == [(5, "5")]
    ingress.close()


def test_it_goes_on_at_each_position(tmp_path: Path) -> None:
    for name, lines in (("a", "12"), ("b", ""), ("c", "345")):
        put(tmp_path, name, *lines)
    for stop in range(1, 6):
        first = opened(tmp_path, pattern="[!.]*")
        read = first.read(stop)
        bookmark = first.bookmark
        first.close()
        second = opened(tmp_path, stop, bookmark, pattern="[!.]*", follow=False)
        read += second.read(9) or []
        assert read == [(n, str(n)) for n in range(1, 6)]
        assert second.read(9) is None
        second.close()


def test_results_of_a_json_lines_folder_can_be_read(tmp_path: Path) -> None:
    egress = JsonLinesFolder(tmp_path)
    egress.open()
    egress.write(9, [1, 2])
    egress.write(10, [3])
    ingress = opened(tmp_path, pattern="*.jsonl")
    assert [element for _, element in ingress.read(9) or []] == ["1", "2", "3"]
    ingress.close()


def test_files_are_deleted_when_they_are_acknowledged(tmp_path: Path) -> None:
    for name in "abc":
        put(tmp_path, name, name, name)
    ingress = opened(tmp_path, pattern="[!.]*", deletes=True)
    ingress.read(5)
    ingress.acknowledge(3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "c"]
    bookmark = ingress.bookmark
    ingress.close()
    after = opened(tmp_path, 5, bookmark, pattern="[!.]*", deletes=True)
    after.acknowledge(5)  # as the engine does when it starts
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]
    assert after.read(9) == [(6, "c")]
    after.close()


def test_file_that_the_bookmark_names_is_kept(tmp_path: Path) -> None:
    put(tmp_path, "a", "1", "2")
    ingress = opened(tmp_path, pattern="[!.]*", deletes=True)
    assert ingress.read(2) == [(1, "1"), (2, "2")]
    bookmark = ingress.bookmark
    put(tmp_path, "b")
    assert ingress.read(2) == []  # it has gone on to b, of which no checkpoint knows
    ingress.acknowledge(2)
    ingress.close()
    put(tmp_path, "c", "3")
    after = opened(tmp_path, 2, bookmark, pattern="[!.]*", deletes=True)
    after.acknowledge(2)
    assert after.read(2) == [(3, "3")]
    after.acknowledge(3)
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    after.close()


def test_name_that_comes_before_one_that_was_read_is_a_gap(tmp_path: Path) -> None:
    put(tmp_path, "b", "1", "2")
    ingress = opened(tmp_path, pattern="[!.]*")
    ingress.read(9)
    bookmark = ingress.bookmark
    put(tmp_path, "a", "0")
    with pytest.raises(IngressGapError, match="a came later than b, which was read, and its name comes before"):
        ingress.read(9)
    ingress.close()
    with pytest.raises(IngressGapError, match="one of a came later than b"):
        opened(tmp_path, 2, bookmark, pattern="[!.]*")


def test_file_that_is_gone_or_shorter_is_a_gap(tmp_path: Path) -> None:
    put(tmp_path, "a", "1", "2")
    ingress = opened(tmp_path)
    ingress.read(1)
    bookmark = ingress.bookmark
    ingress.close()
    (tmp_path / "a").write_text("")
    with pytest.raises(IngressGapError, match="is shorter now"):
        opened(tmp_path, 1, bookmark)
    (tmp_path / "a").unlink()
    with pytest.raises(IngressGapError, match="of which 2 bytes were read, is gone"):
        opened(tmp_path, 1, bookmark)


def test_line_that_is_too_long_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a", "12345")
    ingress = opened(tmp_path, max_line_bytes=4)
    with pytest.raises(IngressGapError, match="longer than max_line_bytes=4"):
        ingress.read(1)
    ingress.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"folder": 7}, ArgumentTypeError, "needs a path, got 7"),
        ({"folder": "x", "pattern": 7}, ArgumentTypeError, "needs a text, got 7"),
        ({"folder": "x", "poll_interval": 7}, ArgumentTypeError, "needs a timedelta, got 7"),
        ({"folder": "x", "poll_interval": timedelta()}, ArgumentError, "needs a time above 0"),
        ({"folder": "x", "max_line_bytes": 0}, ArgumentError, "max_line_bytes"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        LinesFolder(**arguments)
