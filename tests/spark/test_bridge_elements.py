"""A live publisher between plans: demand, bounds, ends, failures, broken rules and the log."""

import errno
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StructField, StructType

from reactivestreams import Publisher, Stream, Subscription
from reactivestreams.spark import PipelineError, ReplayError, WriteAheadLog, WriteAheadLogError
from reactivestreams.spark.replay import segment_file
from reactivestreams.spark.replay.live_elements import LiveElements
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS

pytestmark = pytest.mark.spark

SCHEMA = StructType([StructField("id", LongType(), nullable=False), StructField("half", LongType())])
SOON = 10.0
BRIEFLY = 0.05


class Ledger(Publisher[Any]):
    """A publisher that notes what is requested, and sends when it is told to or at once."""

    def __init__(self, elements: Any, *, at_once: bool = True) -> None:
        self.elements: Iterator[Any] = iter(elements)
        self.at_once = at_once
        self.requested: list[int] = []
        self.cancelled = threading.Event()
        self.asked = threading.Event()
        self.subscriber: Any = None
        self.subscriptions = 0

    def subscribe(self, subscriber: Any, /) -> None:
        ledger = self
        self.subscriptions += 1
        self.subscriber = subscriber

        class Own(Subscription):
            def request(self, n: int, /) -> None:
                ledger.requested.append(n)
                ledger.asked.set()
                if ledger.at_once:
                    ledger.send(n)

            def cancel(self) -> None:
                ledger.cancelled.set()

        subscriber.on_subscribe(Own())

    def send(self, count: int) -> None:
        for _ in range(count):
            element = next(self.elements, None)
            if element is None:
                self.subscriber.on_complete()
                return
            self.subscriber.on_next(element)


@pytest.fixture
def made() -> Iterator[Any]:
    """Return the function that makes elements of a publisher, which are closed at the end."""
    opened: list[LiveElements] = []

    def make(publisher: Any, *, form: str = "rows", log: WriteAheadLog | None = None) -> LiveElements:
        opened.append(LiveElements(publisher, SCHEMA, form=form, log=log, name=f"test-elements-{len(opened)}"))
        return opened[-1]

    yield make
    for elements in opened:
        elements.close()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("test-elements")] == []


def rows(count: int, start: int = 0) -> list[tuple[int, int]]:
    return [(number, number // 2) for number in range(start, start + count)]


def batch(start: int, count: int) -> pa.RecordBatch:
    numbers = range(start, start + count)
    return pa.record_batch({"id": list(numbers), "half": [number // 2 for number in numbers]})


def ids(batches: Any) -> list[int]:
    return [number for one in batches for number in one["id"].to_pylist()]


def test_demand_is_what_a_micro_batch_may_take(made: Any) -> None:
    publisher = Ledger(rows(100))
    elements = made(publisher)

    ends = [elements.plan(0, 10, SOON), elements.plan(10, 10, SOON), elements.plan(20, 5, SOON)]

    assert (ends, publisher.requested, publisher.subscriptions) == ([10, 20, 25], [10, 10, 5], 1)


def test_large_demand_comes_in_parts_which_are_encoded_on_the_way(made: Any) -> None:
    count = 2 * ENCODED_BATCH_ROWS + 5
    publisher = Ledger(rows(count + 10))
    elements = made(publisher)

    assert elements.plan(0, count, SOON) == count

    assert publisher.requested == [ENCODED_BATCH_ROWS, ENCODED_BATCH_ROWS, 5]
    read = elements.read(0, count)
    assert [batch.num_rows for batch in read] == publisher.requested
    assert ids(read) == list(range(count))


def test_row_that_does_not_fit_in_a_later_part_has_its_number(made: Any) -> None:
    fitting = rows(ENCODED_BATCH_ROWS + 3)
    elements = made(Ledger([*fitting, ("no number", 0), *fitting]))

    with pytest.raises(PipelineError, match="'no number'") as caught:
        elements.plan(0, 3 * ENCODED_BATCH_ROWS, SOON)

    assert str(ENCODED_BATCH_ROWS + 3) in str(caught.value)


def test_unmet_demand_counts_for_the_next_plan(made: Any) -> None:
    publisher = Ledger(rows(100), at_once=False)
    elements = made(publisher)

    assert elements.plan(0, 10, BRIEFLY) == 0
    publisher.send(4)
    assert elements.plan(0, 10, BRIEFLY) == 4
    publisher.send(6)
    assert elements.plan(4, 10, BRIEFLY) == 10

    # 10 at first, then what 10 rows still need beyond the 6 that were on their way.
    assert publisher.requested == [10, 4]


def test_batches_are_asked_for_one_by_one_and_never_cut(made: Any) -> None:
    publisher = Ledger([batch(0, 4), batch(4, 4), batch(8, 30), batch(38, 1)])
    elements = made(publisher, form="batches")

    ends = [elements.plan(start, 10, SOON) for start in (0, 2, 3)]

    assert ends == [2, 3, 4]
    assert set(publisher.requested) == {1}
    assert ids(elements.read(2, 4)) == list(range(8, 39))


def test_memory_holds_two_micro_batches(made: Any) -> None:
    elements = made(Ledger(rows(1_000)))

    for start in range(0, 500, 10):
        assert elements.plan(start, 10, SOON) == start + 10

    assert elements.most_held_rows == 20
    assert ids(elements.read(480, 500)) == list(range(480, 500))
    with pytest.raises(ReplayError, match="elements 470 to 479 are wanted, and 480 to 499 are held"):
        elements.read(470, 480)


def test_planned_elements_are_read_again_until_they_are_committed(made: Any) -> None:
    elements = made(Ledger(rows(100)))
    elements.plan(0, 10, SOON)

    assert ids(elements.read(0, 10)) == ids(elements.read(0, 10)) == list(range(10))
    elements.commit(10)
    with pytest.raises(ReplayError):
        elements.read(0, 10)


def test_ended_publisher_leaves_nothing_to_plan(made: Any) -> None:
    elements = made(Ledger(rows(3)))

    assert elements.plan(0, 10, SOON) == 3
    assert elements.plan(3, 10, BRIEFLY) == 3
    # Waits for nothing where nothing can come: this would take longer than a test may.
    assert elements.plan(3, 10, 3_600.0, is_final=True) == 3


def test_failure_comes_after_the_elements_before_it(made: Any) -> None:
    stream = Stream.from_iterable(rows(10)).map(lambda row: (row[0], 10 // (7 - row[0])))
    elements = made(stream)

    assert elements.plan(0, 100, SOON) == 7
    with pytest.raises(
        PipelineError, match=r"operator map, built at .*failed at element 7 .*ZeroDivisionError"
    ) as caught:
        elements.plan(7, 100, SOON)

    assert (caught.value.operator, caught.value.row) == ("map", "element 7")
    assert __file__ in caught.value.assembly


def test_publisher_that_fails_to_subscribe_fails_the_plan(made: Any) -> None:
    class Closed(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            raise ConnectionRefusedError("nobody there")

    with pytest.raises(PipelineError, match="failed at element 0 of the stream: ConnectionRefusedError: nobody there"):
        made(Closed()).plan(0, 10, SOON)


def test_element_beyond_the_demand_breaks_rule_1_1_and_is_cancelled(made: Any) -> None:
    publisher = Ledger(rows(100), at_once=False)
    elements = made(publisher)
    elements.plan(0, 3, BRIEFLY)
    publisher.send(4)

    assert elements.plan(0, 3, SOON) == 3
    with pytest.raises(PipelineError, match=r"§1\.1: the publisher sent an element that was not requested") as caught:
        elements.plan(3, 3, SOON)

    assert caught.value.rule == "1.1"
    assert publisher.cancelled.is_set()


def test_silent_publisher_gives_an_empty_batch_in_time(made: Any) -> None:
    blocked = threading.Event()

    class Stuck(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            class Own(Subscription):
                def request(self, n: int, /) -> None:
                    blocked.wait(SOON)

                def cancel(self) -> None:
                    blocked.set()

            subscriber.on_subscribe(Own())

    elements = made(Stuck())

    assert elements.plan(0, 10, BRIEFLY) == 0
    assert elements.plan(0, 10, BRIEFLY) == 0


def test_closing_cancels_the_publisher_once(made: Any) -> None:
    publisher = Ledger(rows(5), at_once=False)
    elements = made(publisher)
    elements.plan(0, 10, BRIEFLY)
    elements.close()

    assert publisher.cancelled.wait(SOON)
    publisher.subscriber.on_next((1, 0))
    assert elements.waiting == []


def test_second_subscription_is_cancelled(made: Any) -> None:
    elements = made(Ledger(rows(5)))
    elements.plan(0, 2, SOON)
    cancelled: list[bool] = []

    class Second(Subscription):
        def request(self, n: int, /) -> None:
            raise AssertionError

        def cancel(self) -> None:
            cancelled.append(True)

    elements.on_subscribe(Second())

    assert cancelled == [True]
    assert elements.plan(2, 2, SOON) == 4


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ((5, "x"), "element 5 of the stream does not fit the schema: column 'half' .*'x'"),
        ((None, 1), "element 5 .*column 'id' .*NOT NULL"),
        ((1,), "element 5 .*must have 2 values for the columns id, half, got 1"),
        ({"id": 1}, "element 5 .*missing: .'half'."),
        (7, "element 5 .*must be a tuple, a list, a Row or a dict, got int 7"),
    ],
)
def test_element_that_does_not_fit_is_named_by_number_and_column(made: Any, bad: Any, complaint: str) -> None:
    elements = made(Ledger([*rows(5), bad, *rows(5)]))
    assert elements.plan(0, 3, SOON) == 3

    with pytest.raises(PipelineError, match=complaint):
        elements.plan(3, 10, SOON)


def test_query_that_goes_back_too_far_is_refused(made: Any) -> None:
    elements = made(Ledger(rows(100)))
    for start in (0, 10, 20):
        elements.plan(start, 10, SOON)

    with pytest.raises(ReplayError, match="goes on at element 0, but the elements 10 to 29 are held"):
        elements.plan(0, 10, SOON)


def test_stream_without_a_log_cannot_repeat_what_an_earlier_driver_planned(made: Any) -> None:
    with pytest.raises(ReplayError, match="pass log= or a replayable factory"):
        made(Ledger(rows(10))).read(20, 30)


def test_log_gives_a_restarted_driver_what_was_planned(made: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        before = made(Ledger(rows(100)), log=log)
        assert before.plan(0, 10, SOON) == 10
        assert before.plan(10, 10, SOON) == 20
    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 20
        after = made(Ledger(rows(100, start=log.end_offset)), log=log)
        # The batch that was not finished is read first, then the query plans from its end.
        assert ids(after.read(10, 20)) == list(range(10, 20))
        assert after.plan(20, 10, SOON) == 30
        assert ids(after.read(20, 30)) == list(range(20, 30))


def test_elements_in_the_log_that_were_not_planned_are_planned_first(made: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        made(Ledger(rows(100)), log=log).plan(0, 10, SOON)
    with WriteAheadLog(tmp_path) as log:
        after = made(Ledger(rows(100, start=10)), log=log)
        assert after.plan(0, 6, SOON) == 6
        assert after.plan(6, 10, SOON) == 16
        assert ids(after.read(0, 16)) == list(range(16))


def test_elements_handed_over_but_not_logged_are_lost_with_the_process(made: Any, tmp_path: Path) -> None:
    # The stated bound of the log: a publisher that forgets what it has sent, and a crash before the next plan.
    publisher = Ledger(rows(100), at_once=False)
    with WriteAheadLog(tmp_path) as log:
        before = made(publisher, log=log)
        before.plan(0, 10, BRIEFLY)
        publisher.send(4)
    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 0
        after = made(publisher, log=log)
        publisher.at_once = True
        assert after.plan(0, 5, SOON) == 5
        assert ids(after.read(0, 5)) == [4, 5, 6, 7, 8]


def test_full_disk_fails_the_plan_and_loses_nothing(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with WriteAheadLog(tmp_path) as log:
        elements = made(Ledger(rows(100)), log=log)
        elements.plan(0, 10, SOON)
        with monkeypatch.context() as patch:
            patch.setattr(segment_file.os, "fsync", full)
            with pytest.raises(WriteAheadLogError, match=r"elements 10 to 19 cannot be written .*they are still held"):
                elements.plan(10, 10, SOON)

        assert elements.plan(10, 10, SOON) == 20
        assert ids(elements.read(0, 20)) == list(range(20))


def test_signals_and_plans_from_several_threads_lose_nothing(made: Any) -> None:
    # Demand is served by a thread that runs beside plans and commits; every element comes once and in order.
    asked: list[int] = []
    wakeup = threading.Condition()
    closing = threading.Event()

    class Busy(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            class Own(Subscription):
                def request(self, n: int, /) -> None:
                    with wakeup:
                        asked.append(n)
                        wakeup.notify()

                def cancel(self) -> None:
                    closing.set()
                    with wakeup:
                        wakeup.notify()

            subscriber.on_subscribe(Own())
            threading.Thread(target=self.run, args=(subscriber,), daemon=True).start()

        def run(self, subscriber: Any) -> None:
            number = 0
            while not closing.is_set():
                with wakeup:
                    while not asked and not closing.is_set():
                        wakeup.wait()
                    count = asked.pop() if asked else 0
                for _ in range(count):
                    subscriber.on_next((number, None))
                    number += 1

    elements = made(Busy())
    start, got = 0, []
    deadline = time.monotonic() + 30
    while start < 20_000 and time.monotonic() < deadline:
        end = elements.plan(start, 777, 0.001)
        got += ids(elements.read(start, end))
        elements.commit(start)
        start = end

    assert got == list(range(start))
    assert start >= 20_000
