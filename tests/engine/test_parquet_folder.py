"""The egress to a folder of Parquet files writes whole files, each batch once."""

from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import EgressAheadError, JsonLinesFolder, ParquetFolder
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.testing.crash import EgressCase, check_egress

pyarrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")


def schema() -> Any:
    return pyarrow.schema({"n": pyarrow.int64(), "text": pyarrow.string()})


def opened(folder: Path) -> ParquetFolder:
    egress = ParquetFolder(folder / "results", schema=schema())
    egress.open()
    return egress


def test_batch_is_a_file_and_all_are_one_table(tmp_path: Path) -> None:
    egress = opened(tmp_path)
    egress.write(1, [{"n": 1, "text": "a"}, {"n": 2, "text": None}])
    egress.write(3, [{"n": 3}])
    egress.write(3, [{"n": 4}])
    folder = tmp_path / "results"
    assert sorted(each.name for each in folder.iterdir()) == [
        "batch-000000000001.parquet",
        "batch-000000000003.parquet",
    ]
    rows: list[Any] = parquet.read_table(folder).to_pylist()
    assert rows == [{"n": 1, "text": "a"}, {"n": 2, "text": None}, {"n": 3, "text": None}]


def test_row_that_does_not_fit_leaves_no_file_that_looks_whole(tmp_path: Path) -> None:
    egress = opened(tmp_path)
    with pytest.raises(pyarrow.ArrowInvalid):
        egress.write(1, [{"n": "one"}])
    assert list((tmp_path / "results").glob("*.parquet")) == []


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_folder_with_later_batches_than_the_store_is_refused(tmp_path: Path, kind: str) -> None:
    egress = JsonLinesFolder(tmp_path) if kind == "json" else ParquetFolder(tmp_path, schema=schema())
    egress.open()
    egress.resume(0)
    egress.write(7, [{"n": 1}])
    egress.resume(7)
    with pytest.raises(EgressAheadError, match=r"has batch-000000000007\.\w+, and the last checkpoint .* is 6"):
        egress.resume(6)


def test_schema_is_checked_when_it_is_made(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a pyarrow.Schema, got 7 \(int\)"):
        ParquetFolder(tmp_path, schema=7)


@pytest.mark.slow
def test_rows_are_there_once_with_a_fault_in_each_step(tmp_path: Path) -> None:
    def make_case(folder: Path) -> EgressCase:
        def results() -> list[Any]:
            paths = sorted(folder.glob("*.parquet"))
            return [row["n"] for path in paths for row in parquet.read_table(path).to_pylist()]

        rows = [{"n": number, "text": None} for number in range(1, 8)]
        make = lambda: ParquetFolder(folder, schema=schema())  # noqa: E731 - as short as that
        return EgressCase(make=make, results=results, rows=rows, expected=list(range(1, 8)))

    report = check_egress(make_case, most_runs=40)
    assert not report.findings, str(report)
