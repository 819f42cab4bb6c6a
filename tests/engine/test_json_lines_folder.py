"""The egress to a folder writes whole files, each batch once."""

import json
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import JsonLinesFolder
from reactivestreams.errors import ArgumentError, ArgumentTypeError


def opened(folder: Path, **arguments: Any) -> JsonLinesFolder:
    egress = JsonLinesFolder(folder / "results", **arguments)
    egress.open()
    return egress


def test_batch_is_a_file_with_a_row_a_line(tmp_path: Path) -> None:
    egress = opened(tmp_path)
    egress.write(12, [1, {"a": "ä"}, [None]])
    path = tmp_path / "results" / "batch-000000000012.jsonl"
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [1, {"a": "ä"}, [None]]
    assert list(path.parent.iterdir()) == [path]


def test_batch_that_was_written_is_not_written_again(tmp_path: Path) -> None:
    egress = opened(tmp_path)
    egress.write(1, [1])
    egress.write(1, [1, 2, 3])
    assert (tmp_path / "results" / "batch-000000000001.jsonl").read_text() == "1\n"


def test_row_that_cannot_be_encoded_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    egress = opened(tmp_path)
    with pytest.raises(TypeError):
        egress.write(1, [1, object()])
    assert list((tmp_path / "results").glob("*.jsonl")) == []
    opened(tmp_path)
    assert list((tmp_path / "results").iterdir()) == []


def test_rows_are_encoded_as_told(tmp_path: Path) -> None:
    egress = opened(tmp_path, encode=lambda row: f"<{row}>")
    egress.write(1, [1, 2])
    assert (tmp_path / "results" / "batch-000000000001.jsonl").read_text() == "<1>\n<2>\n"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"folder": 7}, ArgumentTypeError, r"needs a path, got 7 \(int\)"),
        ({"folder": "x", "encode": 7}, ArgumentTypeError, "needs a callable, got 7"),
        ({"folder": "x", "max_rows": 1}, ArgumentError, "from 2 to"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        JsonLinesFolder(**arguments)
