"""The ingress from a file sends each line once, through rotations, crashes and lines that are half written."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import AppendedFile, IngressGapError
from reactivestreams.errors import ArgumentError, ArgumentTypeError


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(text)


def opened(path: Path, position: int = 0, bookmark: Any = None, **arguments: Any) -> AppendedFile:
    ingress = AppendedFile(path, **arguments)
    ingress.open(position, bookmark)
    return ingress


def lines(ingress: AppendedFile, most: int = 100) -> list[str]:
    return [line for _, line in ingress.read(most) or []]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "requests.log"


def test_lines_are_numbered_from_one_and_read_as_many_as_wanted(log: Path) -> None:
    append(log, "a\nb\n\nd\n")
    ingress = opened(log)
    assert (ingress.read(3), ingress.read(3), ingress.read(3)) == ([(1, "a"), (2, "b"), (3, "")], [(4, "d")], [])
    ingress.close()


def test_file_may_be_made_later(log: Path) -> None:
    ingress = opened(log)
    assert ingress.read(9) == []
    append(log, "a\n")
    assert ingress.read(9) == [(1, "a")]
    ingress.close()


def test_line_is_an_element_when_its_line_feed_is_written(log: Path) -> None:
    ingress = opened(log)
    for part, expected in (("ha", []), ("lf", []), (" done\nnext", ["half done"]), ("\n", ["next"])):
        append(log, part)
        assert lines(ingress) == expected
    ingress.close()


def test_file_that_is_not_followed_ends(log: Path) -> None:
    append(log, "a\n")
    ingress = opened(log, follow=False)
    assert (ingress.read(9), ingress.read(9)) == ([(1, "a")], None)
    ingress.close()


@pytest.mark.parametrize("read", range(6))
def test_reading_goes_on_at_any_line_after_a_restart(log: Path, read: int) -> None:
    append(log, "".join(f"line {number} ä\n" for number in range(6)))
    before = opened(log)
    assert len(before.read(read) or []) == read
    bookmark = before.bookmark
    before.close()
    after = opened(log, read, bookmark)
    assert after.read(9) == [(number + 1, f"line {number} ä") for number in range(read, 6)]
    after.close()


@pytest.mark.parametrize("read", range(1, 9))
@pytest.mark.parametrize("restarts", [False, True])
def test_rotation_loses_and_repeats_nothing(log: Path, read: int, restarts: bool) -> None:
    append(log, "".join(f"first {number}\n" for number in range(4)))
    ingress = opened(log)
    found = lines(ingress, read)
    log.rename(log.with_name("requests.log.1"))
    append(log.with_name("requests.log.1"), "late\n")  # by a program that has not opened the new one yet
    append(log, "second\n")
    os.utime(log, ns=(2**62, 2**62))
    if restarts:
        bookmark = ingress.bookmark
        ingress.close()
        ingress = opened(log, len(found), bookmark)
    for _ in range(6):
        found += lines(ingress, 2)
    assert found == ["first 0", "first 1", "first 2", "first 3", "late", "second"]
    ingress.close()


def test_several_rotations_while_nobody_reads_are_followed_in_their_order(log: Path) -> None:
    append(log, "a\n")
    before = opened(log)
    assert lines(before) == ["a"]
    bookmark = before.bookmark
    before.close()
    append(log, "b\n")
    for generation in range(3):
        for number in range(3, 0, -1):
            older = log.with_name(f"requests.log.{number}")
            if older.exists():
                older.rename(log.with_name(f"requests.log.{number + 1}"))
        log.rename(log.with_name("requests.log.1"))
        os.utime(log.with_name("requests.log.1"), ns=(10**18 + generation, 10**18 + generation))
        append(log, f"generation {generation}\n")
    after = opened(log, 1, bookmark)
    found: list[str] = []
    for _ in range(12):
        found += lines(after)
    assert found == ["b", "generation 0", "generation 1", "generation 2"]
    after.close()


def test_unterminated_last_line_of_a_renamed_file_is_an_element(log: Path) -> None:
    append(log, "whole\nhalf")
    ingress = opened(log)
    assert lines(ingress) == ["whole"]
    log.rename(log.with_name("requests.log.1"))
    append(log, "new\n")
    found: list[str] = []
    for _ in range(4):
        found += lines(ingress)
    assert found == ["half", "new"]
    ingress.close()


def test_shortened_file_is_refused(log: Path) -> None:
    append(log, "a\nb\n")
    ingress = opened(log)
    assert lines(ingress) == ["a", "b"]
    log.write_text("a\n")
    with pytest.raises(IngressGapError, match=r"was read up to byte 4 and is shorter now, .*rotate it by renaming"):
        ingress.read(9)
    bookmark = ingress.bookmark
    ingress.close()
    with pytest.raises(IngressGapError):
        opened(log, 2, bookmark)


def test_file_that_is_gone_is_refused(log: Path) -> None:
    append(log, "a\nb\n")
    before = opened(log)
    assert lines(before, 1) == ["a"]
    bookmark = before.bookmark
    before.close()
    log.unlink()
    append(log, "c\n")
    with pytest.raises(
        IngressGapError, match=r"put it back under a name that begins with 'requests.log', uncompressed"
    ):
        opened(log, 1, bookmark)


def test_number_of_a_deleted_file_that_another_one_got_is_not_taken_for_it(log: Path) -> None:
    append(log, "a\nb\n")
    before = opened(log)
    assert lines(before, 1) == ["a"]
    number, offset, size, checksum = before.bookmark
    before.close()
    log.write_text("z\nb\n")  # the same file in the file system, with another beginning
    assert log.stat().st_ino == number
    with pytest.raises(IngressGapError):
        opened(log, 1, (number, offset, size, checksum))


def test_line_that_is_too_long_is_refused(log: Path) -> None:
    append(log, "short\n" + "x" * 50 + "\n")
    ingress = opened(log, max_line_bytes=20)
    with pytest.raises(IngressGapError, match="byte 6: a line is longer than max_line_bytes=20; raise that"):
        ingress.read(9)
    ingress.close()


def test_bytes_of_another_encoding_are_shown(log: Path) -> None:
    log.write_bytes(b"na\xefve\n")
    ingress = opened(log)
    assert lines(ingress) == ["na\\xefve"]
    ingress.close()
    ingress = opened(log, encoding="latin-1")
    assert lines(ingress) == ["naïve"]
    ingress.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": None}, ArgumentTypeError, "needs a path, got None"),
        ({"path": "x", "encoding": "klingon"}, ArgumentError, "got 'klingon'; pass e.g. 'utf-8'"),
        ({"path": "x", "max_line_bytes": 0}, ArgumentError, "from 1 to"),
        ({"path": "x", "poll_interval": timedelta()}, ArgumentError, "above 0, got 0:00:00"),
        ({"path": "x", "poll_interval": 3}, ArgumentTypeError, r"got 3 \(int\); pass e.g. timedelta\(seconds=1\)"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AppendedFile(**arguments)
