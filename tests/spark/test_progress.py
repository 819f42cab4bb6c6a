"""The progress of streaming queries: values, display, stream and page."""

import io
import re
import threading
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import QueryProgress, from_query, progress_page, query_progress
from reactivestreams.spark.progress import query_progress as watching
from reactivestreams.spark.progress.query_display import LINE_SECONDS, BarDisplay, LineDisplay, open_display
from tests.spark.test_from_query import ROWS, wait_for, write_file

pytestmark = pytest.mark.spark


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


def test_closed_watch_takes_nothing_and_ends_its_streams(spark: Any) -> None:
    watch = query_progress(spark, display=False)
    watch.close()
    watch.close()
    watch.on_progress(value(1))

    assert (watch.history, watch.stream().to_list()) == ([], [])


def test_history_is_bounded(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MAX_HISTORY", 3)
    with query_progress(spark, display=False) as watch:
        for number in range(10):
            watch.on_progress(value(number))

        assert [one.batch_id for one in watch.history] == [7, 8, 9]
        assert watch.rows == 100


def test_what_is_neither_query_nor_session_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="needs a running streaming query or a session, got 'flights'"):
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
    assert (pictures.pictures, pictures.bars, pictures.references) == (6, 63, [])
    assert "<script>" not in text
    assert "<td>rows</td><td>190</td>" in text


@pytest.mark.parametrize(
    ("path", "history", "error", "complaint"),
    [
        ("progress.txt", [value(1)], ArgumentError, "path must end in .html, got 'progress.txt'"),
        ("progress.html", [], ArgumentError, "history is empty"),
        ("progress.html", [1], ArgumentTypeError, "history must hold QueryProgress values, got 1"),
        (3, [value(1)], ArgumentTypeError, "path must be a path, got 3"),
    ],
)
def test_page_of_nothing_is_refused(path: Any, history: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        progress_page(path, history)
