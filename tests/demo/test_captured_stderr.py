"""What child processes write to standard error is seen only where the work failed."""

import subprocess
import sys

import pytest

from reactivestreams.demo.captured_stderr import SHOWN_BYTES, CapturedStandardError


def write_from_child(text: str, times: int = 1) -> None:
    subprocess.run([sys.executable, "-c", f"import sys; sys.stderr.write({text!r} * {times})"], check=True)


def test_words_of_a_child_are_dropped_when_all_went_well(capfd: pytest.CaptureFixture[str]) -> None:
    with CapturedStandardError():
        write_from_child("held")
    write_from_child("seen")

    assert capfd.readouterr().err == "seen"


def fail_after(error: BaseException, *texts: tuple[str, int]) -> None:
    with CapturedStandardError():
        for text, times in texts:
            write_from_child(text, times)
        raise error


def test_words_of_a_child_are_shown_when_the_work_failed(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="failed"):
        fail_after(ValueError("failed"), ("why it failed", 1))

    assert capfd.readouterr().err == "why it failed"


def test_ctrl_c_shows_nothing_of_a_child(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        fail_after(KeyboardInterrupt(), ("held", 1))

    assert capfd.readouterr().err == ""


def test_only_the_end_of_much_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="failed"):
        fail_after(ValueError("failed"), ("x", SHOWN_BYTES), ("end", 1))

    assert capfd.readouterr().err == "x" * (SHOWN_BYTES - 3) + "end"


def test_after_release_this_process_writes_as_before(capfd: pytest.CaptureFixture[str]) -> None:
    with CapturedStandardError() as held:
        write_from_child("held")
        held.release()
        write_from_child("seen")
        held.release()

    assert capfd.readouterr().err == "seen"
