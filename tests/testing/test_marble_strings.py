"""Signals as a line of marbles: what is read, what is written, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing import (
    MarbleError,
    Recorded,
    TestScheduler,
    from_marbles,
    on_complete,
    on_error,
    on_next,
    to_marbles,
)

CAUSE = OSError("gone")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("", []),
        ("---", []),
        ("a|", [on_next(0, "a"), on_complete(10)]),
        ("-- a -b- #", [on_next(20, "a"), on_next(40, "b"), on_error(60, MarbleError())]),
        ("-(ab)-c", [on_next(10, "a"), on_next(10, "b"), on_next(60, "c")]),
        ("a-^-b(c|)", [on_next(-20, "a"), on_next(20, "b"), on_next(30, "c"), on_complete(30)]),
        ("1", [on_next(0, "1")]),
    ],
)
def test_line_is_read(text: str, messages: list[Recorded[Any]]) -> None:
    assert from_marbles(text) == messages


def test_values_error_and_length_of_a_frame_are_given() -> None:
    assert from_marbles("-a-b#", {"a": 1, "b": None}, error=CAUSE, frame_ticks=3) == [
        on_next(3, 1),
        on_next(9, None),
        on_error(12, CAUSE),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a|b", "'b' comes after the end of the stream; end the line with the '|' or '#'"),
        ("(a|b)", "'b' comes after the end of the stream"),
        ("a#|", "'|' comes after the end of the stream"),
        ("^-^", "there are two '^', and ticks are counted from one; leave one of them out"),
        ("(a", "a '(' is not closed; add the ')'"),
        ("(a(b))", "a '(' stands between parentheses; close the first ones before"),
        ("a)", "a ')' has no '(' before it; add one, or take it out"),
        ("(a-b)", "'-' stands between parentheses, where no time passes; take it out"),
        ("(a^)", "'^' stands between parentheses"),
    ],
)
def test_line_that_describes_no_stream_is_refused(text: str, said: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        from_marbles(text)
    assert str(raised.value).startswith(f"from_marbles({text!r}): {said}")


def test_what_is_no_line_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a text such as '--a-b\|', got 3"):
        from_marbles(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="frame_ticks"):
        from_marbles("a", frame_ticks=0)


@pytest.mark.parametrize(
    "message", [on_next(-1, "a"), on_next(-10, "a"), on_next(0, "ab"), on_next(0, "|"), on_next(10**9, "a")]
)
def test_signal_that_no_line_can_have_is_refused(message: Recorded[Any]) -> None:
    with pytest.raises(ArgumentError, match=r"^to_marbles\(messages\) .*; pass (other frame_ticks|values) "):
        to_marbles([message])


def test_signal_within_the_frames_of_a_group_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"in frame 2 after '\(ab\)'"):
        to_marbles([on_next(0, "a"), on_next(0, "b"), on_next(20, "c")])
    assert to_marbles([on_next(0, "a"), on_next(0, "b"), on_next(40, "c")]) == "(ab)c"


FRAMES = st.lists(st.one_of(st.just("-"), st.sampled_from("abc"), st.just("(ab)")))


@given(FRAMES, st.sampled_from(["", "|", "#", "(a|)", "(b#)"]), st.integers(1, 1000))
def test_what_was_read_is_written_as_it_was(frames: list[str], end: str, frame_ticks: int) -> None:
    line = ("".join(frames) + end).rstrip("-")
    values = {"a": 1, "b": None}
    messages = from_marbles(line, values, frame_ticks=frame_ticks)
    assert to_marbles(messages, values, frame_ticks=frame_ticks) == line


def test_lines_describe_the_streams_of_a_scheduler() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*from_marbles("-a-b-c-d|"))
    seen = scheduler.start(lambda: Stream.from_publisher(hot).delay(10e-6), created=0, subscribed=20)
    assert [message.tick for message in seen.messages] == [42, 62, 81, 92]
    assert to_marbles(seen.messages) == "----b-c-d|"
