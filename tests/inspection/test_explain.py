"""What the nodes of a running stream say of themselves: all operators, from another thread, in any state."""

import json
import threading
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.inspection import StageReport, explain, running
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.inspection.report import WAITS
from rs_core.operators.python_operator import PythonStage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.inspection.standing_streams import Unbounded
from tests.oracle.case import NAMES
from tests.oracle.catalog import CATALOG, OF_ARROW


def checked(stage: StageReport) -> StageReport:
    """Return what a node said, after a look at whether it can be."""
    assert stage.waiting_for is None or stage.waiting_for in WAITS
    for number in (stage.requested, stage.delivered, stage.buffered, stage.capacity, stage.prefetch):
        assert number is None or number >= 0
    json.dumps(stage.to_dict())
    return stage


def test_table_shows_demand_what_waits_and_where_it_was_assembled() -> None:
    handle = Stream.range(100).limit_rate(8).map(str).bind(DefaultSubscriber())
    handle.initialize()
    handle.request(3)
    report = explain(handle)
    end, mapped, limited, source = map(checked, report.stages)
    assert (end.operator, end.assembly) == ("subscriber DefaultSubscriber", None)
    assert (mapped.operator, mapped.requested, mapped.delivered) == ("rx://operators/map", 0, 3)
    assert (limited.requested, limited.buffered, limited.capacity, limited.waiting_for) == (0, 5, 8, "demand")
    assert (source.requested, source.waiting_for) == (0, "demand")
    assert {str(stage.assembly).partition(":")[0] for stage in (mapped, limited, source)} == {__file__}
    lines = str(report).splitlines()
    assert lines[0].split() == ["operator", "requested", "buffered", "waits", "for", "assembled", "at"]
    assert "5 of 8" in lines[3]
    handle.cancel()
    assert all(stage.is_terminated for stage in explain(handle).stages)


def test_notebook_shows_a_table_and_escapes_what_users_wrote() -> None:
    hostile = type("<script>alert(1)</script>", (DefaultSubscriber,), {})
    handle = Stream.range(100).map(str).bind(hostile())
    handle.initialize()
    report = explain(handle)
    table = ET.fromstring(report._repr_html_())
    rows = [[cell.text for cell in row] for row in table]
    assert rows[0] == ["operator", "requested", "buffered", "waits for", "assembled at"]
    assert rows[1:] == [list(stage.cells()) for stage in report.stages]
    assert rows[1][0] == "subscriber <script>alert(1)</script>"
    handle.cancel()


def test_notebook_shows_a_run_as_it_is_explained_and_says_when_it_has_ended() -> None:
    handle = Stream.range(100).map(str).bind(type("<b>", (DefaultSubscriber,), {})())
    assert [row[3].text for row in list(ET.fromstring(handle._repr_html_()))[1:2]] == ["start"]
    handle.initialize()
    assert handle._repr_html_() == explain(handle)._repr_html_()
    assert "&lt;b&gt;" in handle._repr_html_()
    assert repr(handle).startswith("<subscription of <b> to rx://operators/map assembled at ")
    handle.cancel()
    waits = [row[3].text for row in list(ET.fromstring(handle._repr_html_()))[1:]]
    assert waits == ["ended", "ended", "ended"]


def test_side_inputs_are_shown_one_step_deeper() -> None:
    handle = Stream.range(3).merge_with(Stream.never().map(str)).bind(DefaultSubscriber())
    handle.initialize()
    depths = {stage.operator: stage.depth for stage in explain(handle).stages}
    assert depths["rx://sources/range"] == 0
    assert depths["rx://sources/never"] == 1
    handle.cancel()


@pytest.mark.parametrize("name", sorted(set(CATALOG) - set(OF_ARROW)))
def test_every_operator_says_what_it_waits_for(name: str) -> None:
    step = CATALOG[name](Random(1))
    text = f"Stream.from_iterable([1, 2, 3]){step.text}"
    with WorkerScheduler(name="reactivestreams-explained") as worker:
        places: dict[str, Any] = {**NAMES, "Stream": Stream, "scheduler": worker, "loop": None}
        try:
            handle = eval(text, places).bind(RecordingSubscriber())
        except AttributeError:
            pytest.skip("it runs on an event loop only")
        handle.initialize()
        for _ in range(2):
            stages = [checked(stage) for stage in explain(handle).stages]
            assert any(stage.waiting_for or stage.is_running or stage.is_terminated for stage in stages)
            handle.request(1)
        handle.cancel()


def test_any_thread_may_ask_while_elements_flow() -> None:
    done = threading.Event()
    failures: list[BaseException] = []
    asked = threading.Semaphore(0)

    def ask() -> None:
        try:
            while not done.is_set():
                for end in running():
                    for stage in explain(end).stages:
                        checked(stage)
                asked.release()
        except BaseException as error:
            failures.append(error)
            asked.release()

    asking = threading.Thread(target=ask)
    with WorkerScheduler(name="reactivestreams-asked") as worker:
        stream = Stream.range(20_000).flat_map(lambda element: [element]).observe_on(worker, prefetch=16).map(str)
        asking.start()
        try:
            for _ in range(3):
                assert len(stream.to_list(timeout_seconds=60)) == 20_000
                asked.acquire()
        finally:
            done.set()
            asking.join()
    assert failures == []


def test_what_is_no_running_stream_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="pass what bind"):
        explain(Stream.range(3))


def test_operator_whose_author_uses_the_name_for_something_else_is_shown_by_its_name() -> None:
    class Odd(PythonStage):
        name = "example/odd"
        inspect = 5  # type: ignore[assignment]

        def on_next(self, element: Any) -> None:
            self.emit(element)

    handle = Stream.range(3).lift(Odd).bind(Unbounded())
    handle.initialize()
    assert [stage.operator for stage in explain(handle).stages][1:] == ["example/odd", "rx://sources/range"]


def test_operator_that_was_lifted_is_shown_by_its_name_and_line() -> None:
    class Even(PythonStage[int, int]):
        name = "example/even"

        def on_next(self, element: int) -> None:
            if element % 2 == 0:
                self.emit(element)

    handle = Stream.range(3).lift(Even).bind(DefaultSubscriber())
    handle.initialize()
    lifted = explain(handle).stages[1]
    assert lifted.place.startswith(f"example/even, assembled at {__file__}")
    handle.cancel()
