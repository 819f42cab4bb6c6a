"""Marble diagrams: what is drawn where, and that no text breaks them."""

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.testing import (
    MarbleLine,
    Recorded,
    SubscriptionSpan,
    TestScheduler,
    marble_diagram,
    on_complete,
    on_error,
    on_next,
)

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*lines: MarbleLine, width_pixels: int = 720) -> ET.Element:
    return ET.fromstring(marble_diagram(lines, label="a run", width_pixels=width_pixels))


def titles(picture: ET.Element) -> list[str]:
    return [title.text or "" for title in picture.iter(f"{SVG}title")]


def centers(picture: ET.Element) -> list[float]:
    """Return the places of the ticks of round marbles."""
    return [float(box.attrib["x"]) + float(box.attrib["rx"]) for box in picture.iter(f"{SVG}rect")]


def test_every_notification_and_request_of_a_run_is_drawn() -> None:
    scheduler = TestScheduler()
    observer = scheduler.start(lambda: Stream.range(2), requests={200: 1, 300: 5})
    picture = drawn(MarbleLine.of_observer("range", observer))
    assert titles(picture) == [
        "201: on_next(0)",
        "301: on_next(1)",
        "301: on_complete()",
        "200: request(1)",
        "300: request(5)",
    ]
    assert (picture.attrib["role"], picture.attrib["aria-label"]) == ("img", "a run")


def test_time_goes_from_left_to_right_in_proportion() -> None:
    picture = drawn(MarbleLine("line", [on_next(0, "a"), on_next(25, "b"), on_next(100, "c")]))
    first, second, third = centers(picture)
    assert second - first == pytest.approx((third - first) / 4, abs=0.2)
    assert 0 < first < third < 720


def test_notifications_of_one_tick_stand_side_by_side() -> None:
    first, second, third = centers(drawn(MarbleLine("line", [on_next(5, n) for n in range(3)])))
    assert first < second < third


def test_end_and_error_are_drawn_differently() -> None:
    picture = drawn(MarbleLine("one", [on_complete(5)]), MarbleLine("other", [on_error(9, ValueError("mine"))]))
    kinds = [path.attrib.get("class") for path in picture.iter(f"{SVG}path")]
    assert [kind for kind in kinds if kind] == ["end", "error"]


def test_line_is_dotted_outside_of_its_span() -> None:
    message = on_next(300, 1)
    picture = drawn(
        MarbleLine("line", [on_next(100, 0), message], span=SubscriptionSpan(200, 300)), MarbleLine("x", [message])
    )
    assert [line.attrib["class"] for line in picture.iter(f"{SVG}line")] == ["rest", "time", "rest", "time"]
    picture = drawn(MarbleLine("line", [message], span=SubscriptionSpan(300)))
    assert [line.attrib["class"] for line in picture.iter(f"{SVG}line")][-1] == "time"


def test_hot_stream_is_drawn_with_its_first_span() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2))
    unused = MarbleLine.of_stream("unused", hot)
    scheduler.start(lambda: Stream.from_publisher(hot).take(1))
    assert (unused.span, MarbleLine.of_stream("used", hot).span) == (None, SubscriptionSpan(200, 210))


def test_cold_stream_is_refused_because_it_has_no_ticks_of_its_own() -> None:
    cold = TestScheduler().create_cold(on_next(10, 1))
    with pytest.raises(
        ArgumentTypeError, match=r"^of_stream\(stream\) needs a hot stream, got ColdStream\(1 messages\) \(ColdStream\)"
    ):
        MarbleLine.of_stream("cold", cold)  # type: ignore[arg-type]


def test_text_of_elements_is_escaped_and_cut() -> None:
    evil = "</text><script>alert(1)</script>\x1b"
    source = marble_diagram([MarbleLine(f"title {evil}", [on_next(1, evil)])], label=f'"label" {evil}')
    assert "<script" not in source
    picture = ET.fromstring(source)
    assert titles(picture) == ["1: on_next('</text><script>alert(1)</script>\\x1b')"]
    (shown,) = [text.text for text in picture.findall(f".//{SVG}g/{SVG}text")]
    assert shown == "</text><script>alert(1)</script>\\x1b"


def test_marble_is_as_long_as_its_text_where_it_has_room() -> None:
    messages = [on_next(0, "a long text"), on_next(5, "another one"), on_next(100, "last")]
    picture = drawn(MarbleLine("line", messages))
    boxes = [(float(box.attrib["x"]), float(box.attrib["width"])) for box in picture.iter(f"{SVG}rect")]
    shown = [text.text for text in picture.findall(f".//{SVG}g/{SVG}text")]
    assert shown == ["a l…", "another one", "last"]
    ends = [x + width for x, width in boxes]
    assert ends[0] < boxes[1][0]
    assert ends[1] < boxes[2][0]
    assert ends[2] < 720


def test_notebook_shows_an_observer_as_a_diagram_of_what_it_recorded() -> None:
    scheduler = TestScheduler()
    observer = scheduler.start(lambda: Stream.just("<script>", "&"), requests={200: 1, 300: 1})
    picture = ET.fromstring(observer._repr_html_())
    assert titles(picture) == [*map(str, observer.messages), "200: request(1)", "300: request(1)"]
    assert (picture.attrib["role"], picture.attrib["aria-label"]) == ("img", "TestObserver(3 messages)")


def test_notebook_shows_an_observer_that_recorded_nothing() -> None:
    assert TestScheduler().create_observer()._repr_html_() == "<pre>TestObserver(0 messages)</pre>"


def test_notebook_draws_a_diagram_which_is_text_besides() -> None:
    diagram = marble_diagram([MarbleLine("<b>&", [on_next(1, "<script>")])], label="<i>")
    assert isinstance(diagram, str)
    assert type(diagram._repr_html_()) is str
    picture = ET.fromstring(diagram._repr_html_())
    assert titles(picture) == ["1: on_next('<script>')"]
    assert picture.attrib["aria-label"] == "<i>"
    assert repr(diagram) == repr(str(diagram))


def test_ticks_of_the_axis_do_not_overlap() -> None:
    messages = [on_next(1_000_000 + number, number) for number in range(100)]
    picture = drawn(MarbleLine("line", messages), width_pixels=240)
    places = [float(text.attrib["x"]) for text in picture.iter(f"{SVG}text") if text.attrib.get("class") == "tick"]
    assert len(places) > 1
    assert min(b - a for a, b in pairwise(places)) >= 7 * 6.7


def test_unbounded_request_is_called_all() -> None:
    source = marble_diagram([MarbleLine("line", [], [Recorded(5, MAX_DEMAND)])], label="all")
    assert re.search(r">all</text></g>", source)


@pytest.mark.parametrize("lines", [[], [MarbleLine("empty", [])]], ids=["no line", "empty line"])
def test_nothing_to_draw_is_refused(lines: list[MarbleLine]) -> None:
    with pytest.raises(
        ArgumentError, match=r"^marble_diagram\(lines\) found nothing to draw; pass lines with messages"
    ):
        marble_diagram(lines, label="nothing")


def test_narrow_picture_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^marble_diagram\(width_pixels\) needs"):
        drawn(MarbleLine("line", [on_complete(5)]), width_pixels=239)
