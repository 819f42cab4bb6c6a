"""The tutorial on certifying a publisher does what it says: its files are written, its commands run, in its order."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "certify-your-publisher.md"
FENCE = re.compile(r"^```(?P<language>\w+)(?P<note>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NOTE = " not-run: the file "
PART_NOTE = " not-run: a part of the file "
LEFT_OUT = "..."
SECONDS = 120


def shown_in(lines: list[str], printed: list[str]) -> str:
    """Return the first line that was not printed, in its order; three dots stand for anything, alone for any lines."""
    rest = iter(printed)
    for line in lines:
        pattern = ".*".join(re.escape(part) for part in line.split(LEFT_OUT))
        if line != LEFT_OUT and not any(re.fullmatch(pattern, each) for each in rest):
            return line
    return ""


def replaced(text: str, part: str) -> str:
    """Return a text with the lines between the first and the last line of a part replaced by it."""
    first, *_, last = part.splitlines()
    before, found, after = text.partition(f"{first}\n")
    _, end, after = after.partition(f"{last}\n")
    assert found
    assert end
    return before + part + after


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(command)
    assert program == "python"
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_files_and_commands_of_the_page_do_what_it_shows(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="the page of a verdict needs the extra tck")
    statuses = []
    for fence in FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        language, note, text = fence["language"], fence["note"], fence["text"]
        if language == "python" and note.startswith(PART_NOTE):
            file = tmp_path / note.removeprefix(PART_NOTE)
            file.write_text(replaced(file.read_text(encoding="utf-8"), text), encoding="utf-8")
        elif language == "python":
            assert note.startswith(FILE_NOTE)
            (tmp_path / note.removeprefix(FILE_NOTE)).write_text(text, encoding="utf-8")
        elif language == "console":
            command, *shown = text.splitlines()
            done = run(command.removeprefix("$ "), tmp_path)
            assert shown_in(shown, done.stdout.splitlines()) == "", done.stdout + done.stderr
            statuses.append(done.returncode)
    assert statuses == [1, 1, 0, 0, 0, 0]
    assert {path.name for path in tmp_path.glob("verdict.*")} == {"verdict.xml", "verdict.html"}


def test_missing_line_is_reported() -> None:
    printed = ["a 1", "b", "c 0.5 s"]
    assert shown_in(["a ...", "...", "c ... s"], printed) == ""
    assert shown_in(["b", "a 1"], printed) == "a 1"
    assert shown_in(["a", "b"], printed) == "a"
