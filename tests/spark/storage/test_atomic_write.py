"""A file is written whole or not at all, also where a step fails or the process is killed between two of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark.storage.atomic_write import atomic_write

ROOT = Path(__file__).resolve().parents[3]

KILLED = """
import os, sys
from pathlib import Path
from reactivestreams.spark.storage.atomic_write import atomic_write

os.{call} = lambda *arguments: os._exit(9)
atomic_write(Path(sys.argv[1]), b"new")
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("before", [None, b"old, and longer"])
def test_content_is_replaced_and_nothing_else_is_left(tmp_path: Path, before: bytes | None) -> None:
    target = tmp_path / "file"
    if before is not None:
        target.write_bytes(before)

    atomic_write(target, b"new")

    assert (target.read_bytes(), names(tmp_path)) == (b"new", ["file"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("mode", [0o644, 0o700])
def test_permissions_do_not_depend_on_the_umask(tmp_path: Path, mode: int) -> None:
    before = os.umask(0o077)
    try:
        atomic_write(tmp_path / "file", b"new", mode=mode)
    finally:
        os.umask(before)

    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("call", ["chmod", "replace"])
def test_failing_write_keeps_the_old_content_and_leaves_no_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError("no space left")

    target = tmp_path / "file"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, call, full)

    with pytest.raises(OSError, match="no space left"):
        atomic_write(target, b"new")

    assert (target.read_bytes(), names(tmp_path)) == (b"old", ["file"])


@pytest.mark.parametrize("call", ["chmod", "replace"])
def test_process_killed_before_the_rename_leaves_the_old_content(tmp_path: Path, call: str) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    done = subprocess.run(
        [sys.executable, "-c", KILLED.format(call=call), str(target)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
        timeout=60,
    )

    assert (done.returncode, target.read_bytes()) == (9, b"old")
    assert [name.startswith(".file.") for name in names(tmp_path)] == [True, False]
    atomic_write(target, b"newer")
    assert target.read_bytes() == b"newer"


def test_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "absent" / "file", b"new")
