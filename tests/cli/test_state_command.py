"""The command `state show`: which folders and which states are refused."""

from pathlib import Path

import pytest

from reactivestreams.cli import ExitStatus, main


def test_state_of_another_release_is_refused() -> None:
    from reactivestreams.spark import CheckpointError
    from reactivestreams.spark.keyed.bucket_store import LAYOUT_VERSION
    from reactivestreams.spark.keyed.checkpoint_state import opened, read_heading

    def heading(layout: int) -> str:
        return f'{{"buckets": 2, "operators": ["rx://operators/keyed_scan"], "layout": {layout}}}'

    for layout in (LAYOUT_VERSION - 1, LAYOUT_VERSION + 1):
        with pytest.raises(CheckpointError, match=r"another release stored the state of rx://operators/keyed_scan"):
            read_heading(heading(layout))
    with pytest.raises(CheckpointError, match="was not written by this package"):
        read_heading("{}")
    with pytest.raises(CheckpointError, match="bucket 0 of rx://operators/keyed_scan: 7 bytes are shorter"):
        opened(0, read_heading(heading(LAYOUT_VERSION)), 0, b"damaged", {})


def test_folder_that_is_no_checkpoint_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(path: Path) -> str:
        assert main(["state", "show", str(path)]) == ExitStatus.FAILURE
        return capsys.readouterr().err

    assert "there is no folder" in refused(tmp_path / "missing")
    assert "is not a checkpoint of a streaming query" in refused(tmp_path)
    (tmp_path / "metadata").write_text("{}")
    (tmp_path / "offsets").mkdir()
    assert "has no state" in refused(tmp_path)


@pytest.mark.parametrize("arguments", [["state"], ["state", "show"], ["state", "show", "x", "--keys", "-1"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == ExitStatus.USAGE
    assert "usage:" in capsys.readouterr().err
