"""The progress of streaming queries: values, display, stream and page."""

import io
import re
import threading
import xml.etree.ElementTree as ET
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.drawing.charts import Plot
from reactivestreams.drawing.progress import LINE_SECONDS
from reactivestreams.dropped import set_hook
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import QueryProgress, for_each_batch, from_query, progress_page, query_progress
from reactivestreams.spark.progress import query_progress as watching
from reactivestreams.spark.progress.progress_page import MAX_PICTURED_BATCHES, MEASURES, marks_of, number_text
from reactivestreams.spark.progress.query_display import BarDisplay, LineDisplay, open_display
from tests.spark.sources.test_from_query import ROWS, wait_for, write_file

pytestmark = pytest.mark.spark

CHARACTER_PIXELS = 6.5
PLOT_TOP = Plot.top


def value(batch_id: int, *, rows: int = 10, seconds: float = 0.5, query: str = "flights") -> QueryProgress:
    return QueryProgress(query, f"run of {query}", batch_id, "2013-01-01T00:00:00.000Z", rows, seconds, 7)


@pytest.fixture
def frame(spark: Any, tmp_path: Path) -> Any:
    folder = tmp_path / "incoming"
    folder.mkdir()
    for number in range(3):
        write_file(folder, number)
    return spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(str(folder))


def test_queries_of_a_session_are_watched(spark: Any, frame: Any, tmp_path: Path) -> None:
    shown = io.StringIO()
    with query_progress(spark, stream=shown) as watch:
        from_query(frame, checkpoint=tmp_path / "checkpoint", name="flights", trigger="available_now").run()
        wait_for(lambda: "ended" in shown.getvalue())
        history = watch.history

    assert [(one.query, one.batch_id, one.rows) for one in history] == [
        ("flights", 0, 5),
        ("flights", 1, 5),
        ("flights", 2, 5),
    ]
    assert all(one.seconds > 0 and one.rows_per_second > 0 for one in history)
    assert watch.rows == 3 * ROWS
    shown_in_a_notebook = watch._repr_html_()
    assert shown_in_a_notebook.startswith("<iframe srcdoc=")
    assert "&lt;h2&gt;flights&lt;/h2&gt;" in shown_in_a_notebook
    lines = shown.getvalue().splitlines()
    assert lines[0].startswith("flights: batch 0, 5 rows, ")
    assert re.fullmatch(r"flights: ended after batch 2, 15 rows, [\d,]+ rows/s, \d+\.\d\d s a batch", lines[-1])


def test_one_query_is_watched_as_a_stream_that_ends_with_it(frame: Any, tmp_path: Path) -> None:
    go_on = threading.Event()

    def hold(batch: Any, batch_id: int) -> None:
        assert go_on.wait(60)

    writer = frame.writeStream.foreachBatch(hold).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    with query_progress(query, display=False) as watch:
        seen: list[int] = []
        reader = threading.Thread(target=lambda: watch.stream().for_each(lambda one: seen.append(one.batch_id)))
        reader.start()
        wait_for(lambda: len(watch._emitters) == 1)
        go_on.set()
        reader.join(60)

        assert not reader.is_alive()
    assert seen == [0, 1, 2]


def test_query_of_a_sink_is_watched(frame: Any, tmp_path: Path) -> None:
    go_on = threading.Event()

    def hold(batch_id: int, batches: Any) -> None:
        assert go_on.wait(60)
        batches.run()

    query = for_each_batch(frame, hold, checkpoint=tmp_path / "checkpoint", trigger="available_now")
    with query, query_progress(query, display=False) as watch:
        go_on.set()
        assert query.await_end(60)
        wait_for(lambda: "ended" in repr(watch))

    assert [one.batch_id for one in watch.history] == [0, 1, 2]
    assert repr(watch) == "ProgressWatch(closed, 3 micro-batches, 15 rows)"


def test_closed_watch_takes_nothing_and_ends_its_streams(spark: Any) -> None:
    watch = query_progress(spark, display=False)
    watch.close()
    watch.close()
    watch.on_progress(value(1))

    assert (watch.history, watch.stream().to_list()) == ([], [])
    assert watch._repr_html_() == f"<pre>{escape(repr(watch))}</pre>"


def test_history_is_bounded(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MAX_HISTORY", 3)
    with query_progress(spark, display=False) as watch:
        for number in range(10):
            watch.on_progress(value(number))

        assert [one.batch_id for one in watch.history] == [7, 8, 9]
        assert watch.rows == 100


def test_query_that_has_ended_has_streams_that_end(frame: Any, tmp_path: Path) -> None:
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    with query_progress(query, display=False) as watch:
        assert query.awaitTermination(60)
        wait_for(lambda: "ended" in repr(watch))
        assert (watch.stream().to_list(), watch._totals) == ([], {})
    with query_progress(query, display=False) as late:
        assert (late.stream().to_list(), repr(late).startswith("ProgressWatch(ended, ")) == ([], True)
    assert repr(late).startswith("ProgressWatch(closed, ")


class Refusing:
    """A session whose listeners can be added, or removed, no more."""

    readStream = None  # noqa: N815 - the name is Spark's
    is_stopped = False

    def __init__(self, *, refused: str) -> None:
        self.refused = refused

    @property
    def streams(self) -> "Refusing":
        return self

    def addListener(self, listener: Any) -> None:  # noqa: N802 - the name is Spark's
        if self.refused == "add":
            raise RuntimeError("no server")

    def removeListener(self, listener: Any) -> None:  # noqa: N802 - the name is Spark's
        if self.refused == "remove":
            raise RuntimeError("no server")


class ClosingDisplay(LineDisplay):
    closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("refused", ["add", "remove"])
def test_display_and_streams_end_also_where_spark_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    display = ClosingDisplay(io.StringIO())
    monkeypatch.setattr(watching, "open_display", lambda stream: display)
    reader: list[Any] = []

    def watch_and_close() -> None:
        watch = query_progress(Refusing(refused=refused))  # type: ignore[arg-type]
        thread = threading.Thread(target=lambda: reader.extend(watch.stream().to_list()))
        thread.start()
        wait_for(lambda: len(watch._emitters) == 1)
        watch.on_progress(value(0))
        try:
            watch.close()
        finally:
            thread.join(60)
            assert not thread.is_alive()

    with pytest.raises(RuntimeError, match="no server"):
        watch_and_close()

    assert display.closed == 1
    assert [one.batch_id for one in reader] == ([0] if refused == "remove" else [])


def test_watch_of_a_stopped_session_closes() -> None:
    session = Refusing(refused="remove")
    watch = query_progress(session, display=False)  # type: ignore[arg-type]
    session.is_stopped = True

    watch.close()

    assert watch.stream().to_list() == []


def test_display_that_fails_is_told_once_and_costs_no_progress() -> None:
    closed = io.StringIO()
    lost: list[Any] = []
    previous = set_hook(lambda signal, error, *, origin: lost.append((signal, str(error), origin)))
    try:
        with query_progress(Refusing(refused=""), stream=closed) as watch:  # type: ignore[arg-type]
            closed.close()
            watch.on_progress(value(0))
            watch.on_progress(value(1))
            watch.on_end("run of flights", None)
    finally:
        set_hook(previous)

    assert lost == [("on_error", "I/O operation on closed file", "the display of query_progress")]
    assert [one.batch_id for one in watch.history] == [0, 1]


def test_what_is_neither_query_nor_session_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="needs a streaming query or a session, got 'flights'"):
        query_progress("flights")  # type: ignore[arg-type]


def test_lines_are_written_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("reactivestreams.spark.progress.query_display.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    display = LineDisplay(stream)
    for number in range(5):
        display.show(value(number), 10 * (number + 1))
        now[0] += LINE_SECONDS / 2
    display.end("run of flights", "no such file")

    assert stream.getvalue().splitlines() == [
        "flights: batch 0, 10 rows, 20 rows/s, 0.50 s a batch",
        "flights: batch 2, 30 rows, 20 rows/s, 0.50 s a batch",
        "flights: batch 4, 50 rows, 20 rows/s, 0.50 s a batch",
        "flights: failed after batch 4, 50 rows, 20 rows/s, 0.50 s a batch",
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bars_are_drawn_on_a_terminal() -> None:
    pytest.importorskip("rich")
    terminal = Terminal()
    display = open_display(terminal)
    display.show(value(3), 1234)
    display.end("run of flights", None)
    display.close()

    assert isinstance(display, BarDisplay)
    assert "flights" in terminal.getvalue()
    assert isinstance(open_display(io.StringIO()), LineDisplay)


def test_bars_of_ended_queries_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr("reactivestreams.spark.progress.query_display.MAX_SHOWN_QUERIES", 2)
    display = BarDisplay(Terminal())
    for name in ("one", "two", "three"):
        display.show(value(0, query=name), 10)
    running = [*display._tasks]
    display.end("run of one", None)
    display.end("run of one", None)
    display.show(value(1, query="three"), 20)
    display.close()

    assert running == ["run of one", "run of two"]
    assert [*display._tasks] == ["run of two", "run of three"]


def test_name_with_brackets_is_shown_as_it_is() -> None:
    pytest.importorskip("rich")
    terminal = Terminal()
    display = BarDisplay(terminal)
    display.show(value(0, query="[/x] [bold]late"), 10)
    display.close()

    assert "[/x] [bold]late" in terminal.getvalue()


class Pictures(HTMLParser):
    """Counts the pictures and bars of a page, and keeps what it refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.pictures, self.bars = 0, 0
        self.references: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pictures += tag == "svg"
        self.bars += tag == "rect"
        self.references += [content for name, content in attrs if name in ("src", "href")]


def test_page_pictures_every_query(tmp_path: Path) -> None:
    history = [value(number, rows=number) for number in range(20)] + [value(0, seconds=0.0, query="<script>")]

    path = progress_page(tmp_path / "made" / "progress.html", history)

    text = path.read_text(encoding="utf-8")
    pictures = Pictures()
    pictures.feed(text)
    # 20 micro-batches have three pictures, each for two widths; one that took no time has no pace and no seconds.
    assert (pictures.pictures, pictures.bars, pictures.references) == (8, 122, [])
    assert "<script>" not in text
    assert "<dt>Rows</dt><dd>190</dd>" in text
    assert "The first micro-batch began at 2013-01-01T00:00:00.000Z, the last at" in text
    assert text.count("<p>0 seconds in all of them.</p>") == 1


def test_page_of_many_batches_pictures_the_last_and_says_so(tmp_path: Path) -> None:
    history = [value(number) for number in range(MAX_PICTURED_BATCHES + 10)]

    text = progress_page(tmp_path / "progress.html", history).read_text(encoding="utf-8")

    assert "The pictures show the last 500 of 510." in text
    assert "<title>micro-batch 9: " not in text
    assert "<title>micro-batch 10: 10 rows</title>" in text


@pytest.mark.parametrize("rows", [1, 3, 10, 99, 1_000, 2_600_000, 123_456_789])
@pytest.mark.parametrize("batches", [1, 2, 40])
def test_pictures_keep_their_bars_and_texts_inside(tmp_path: Path, rows: int, batches: int) -> None:
    history = [value(1_000 + number, rows=rows, seconds=rows / 700) for number in range(batches)]

    text = progress_page(tmp_path / "progress.html", history).read_text(encoding="utf-8")

    pictures = [ET.fromstring(found) for found in re.findall("<svg.*?</svg>", text)]
    assert [picture.attrib["width"] for picture in pictures] == ["840", "300"] * 3
    for picture in pictures:
        width = float(picture.attrib["width"])
        for bar in picture.findall("rect"):
            assert 0 <= float(bar.attrib["x"]) <= float(bar.attrib["x"]) + float(bar.attrib["width"]) <= width
            assert float(bar.attrib["width"]) <= width / 10
            assert float(bar.attrib["y"]) >= PLOT_TOP
        ends = [mark for mark in picture.findall("text") if mark.attrib["text-anchor"] == "end"]
        assert all(float(mark.attrib["x"]) >= CHARACTER_PIXELS * len(mark.text or "") for mark in ends)
        assert len({mark.attrib["x"] for mark in ends[:-1]}) == 1
        marks = [mark.text or "" for mark in ends[:-1]]
        assert marks[0] == "0"
        assert len(set(marks)) == len(marks)
        assert not any("e" in mark for mark in marks)


def test_rows_have_whole_marks() -> None:
    rows, seconds, _ = MEASURES

    assert marks_of([value(0, rows=1)], rows) == [0, 1]
    assert marks_of([value(0, rows=10), value(1, rows=3)], rows) == [0, 3, 6, 9, 12]
    assert marks_of([value(0, seconds=1.0)], seconds) == [0, 0.25, 0.5, 0.75, 1]
    assert marks_of([value(0, seconds=7.9)], seconds) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "0"), (0.004, "0.004"), (12.34, "12.3"), (99.96, "100"), (250, "250"), (1.5e6, "1,500,000")],
)
def test_numbers_are_written_as_people_do(value: float, written: str) -> None:
    assert number_text(value) == written


@pytest.mark.parametrize(
    ("path", "history", "error", "complaint"),
    [
        ("progress.txt", [value(1)], ArgumentError, "path must end in .html, got 'progress.txt'"),
        ("progress.html", [], ArgumentError, "history is empty"),
        ("progress.html", None, ArgumentTypeError, "history must be a list of QueryProgress values, got None"),
        ("progress.html", [1], ArgumentTypeError, "history must contain QueryProgress values, got 1"),
        (3, [value(1)], ArgumentTypeError, "path must be a path, got 3"),
    ],
)
def test_page_of_nothing_is_refused(path: Any, history: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        progress_page(path, history)
