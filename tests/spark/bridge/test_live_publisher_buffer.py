"""A live publisher between plans: demand, bounds, ends, failures and broken rules."""

import threading
import time
from typing import Any

import pytest

from reactivestreams import Publisher, Stream, Subscription
from reactivestreams.spark import PipelineError, ReplayError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS
from tests.spark.bridge.live_publishers import BRIEFLY, SOON, Ledger, batch, eventually, ids, rows

pytestmark = pytest.mark.spark


def test_demand_is_what_a_micro_batch_may_take(made_elements: Any) -> None:
    publisher = Ledger(rows(100))
    elements = made_elements(publisher)

    assert [elements.plan(0, 10, SOON), elements.plan(10, 10, SOON)] == [10, 20]

    # The two that were planned, and one more, which the publisher makes while Spark works on the second.
    assert eventually(lambda: publisher.requested == [10, 10, 10])
    assert elements.plan(20, 5, SOON) == 25
    assert not eventually(lambda: len(publisher.requested) > 3, BRIEFLY)
    assert publisher.subscriptions == 1


def test_elements_collected_ahead_are_planned_without_the_publisher(made_elements: Any) -> None:
    publisher = Ledger(rows(100))
    elements = made_elements(publisher)
    elements.plan(0, 10, SOON)
    assert eventually(lambda: elements.collected.rows() == 10)

    # Asked for more than that, the next plan requests the rest.
    assert elements.plan(10, 15, SOON) == 25
    assert publisher.requested[:3] == [10, 10, 5]


def test_large_demand_comes_in_parts_which_are_encoded_on_the_way(made_elements: Any) -> None:
    count = 2 * ENCODED_BATCH_ROWS + 5
    publisher = Ledger(rows(count + 10))
    elements = made_elements(publisher)

    assert elements.plan(0, count, SOON) == count

    parts = [ENCODED_BATCH_ROWS, ENCODED_BATCH_ROWS, 5]
    assert publisher.requested[:3] == parts
    read = elements.read(0, count)
    assert [batch.num_rows for batch in read] == parts
    assert ids(read) == list(range(count))


def test_row_that_does_not_fit_in_a_later_part_has_its_number(made_elements: Any) -> None:
    fitting = rows(ENCODED_BATCH_ROWS + 3)
    elements = made_elements(Ledger([*fitting, ("no number", 0), *fitting]))

    assert elements.plan(0, 3 * ENCODED_BATCH_ROWS, SOON) == len(fitting)
    assert ids(elements.read(0, len(fitting))) == list(range(len(fitting)))
    with pytest.raises(PipelineError, match=f"element {len(fitting)} of the stream .*'no number'"):
        elements.plan(len(fitting), 3 * ENCODED_BATCH_ROWS, SOON)


def test_unmet_demand_counts_for_the_next_plan(made_elements: Any) -> None:
    publisher = Ledger(rows(100), at_once=False)
    elements = made_elements(publisher)

    assert elements.plan(0, 10, BRIEFLY) == 0
    publisher.send(4)
    assert elements.plan(0, 10, BRIEFLY) == 4
    publisher.send(6)
    assert elements.plan(4, 10, BRIEFLY) == 10

    # 10 at first, then what 10 rows still need beyond the 6 that were on their way; at last those of the next plan.
    assert eventually(lambda: publisher.requested == [10, 4, 6])


def test_batches_are_asked_for_one_by_one_and_never_cut(made_elements: Any) -> None:
    publisher = Ledger([batch(0, 4), batch(4, 4), batch(8, 30), batch(38, 1)])
    elements = made_elements(publisher, form="batches")

    read = []
    for start, end in ((0, 2), (2, 3), (3, 4)):
        assert elements.plan(start, 10, SOON) == end
        read.append(ids(elements.read(start, end)))

    assert read == [list(range(8)), list(range(8, 38)), [38]]
    assert set(publisher.requested) == {1}


def test_memory_holds_two_micro_batches(made_elements: Any) -> None:
    elements = made_elements(Ledger(rows(1_000)))

    for start in range(0, 500, 10):
        assert elements.plan(start, 10, SOON) == start + 10
        assert eventually(lambda: elements.collected.rows() == 10)
        assert elements.held.rows_from(elements.held.start) == 10

    assert ids(elements.read(490, 500)) == list(range(490, 500))
    with pytest.raises(ReplayError, match="elements 480 to 489 are wanted, and 490 to 499 are held"):
        elements.read(480, 490)


def test_planned_elements_are_read_again_until_they_are_committed(made_elements: Any) -> None:
    elements = made_elements(Ledger(rows(100)))
    elements.plan(0, 10, SOON)

    assert ids(elements.read(0, 10)) == ids(elements.read(0, 10)) == list(range(10))
    elements.commit(10)
    with pytest.raises(ReplayError):
        elements.read(0, 10)


def test_ended_publisher_leaves_nothing_to_plan(made_elements: Any) -> None:
    elements = made_elements(Ledger(rows(3)))

    assert elements.plan(0, 10, SOON) == 3
    assert elements.plan(3, 10, BRIEFLY) == 3
    # Waits for nothing where nothing can come: this would take longer than a test may.
    assert elements.plan(3, 10, 3_600.0, is_final=True) == 3


def test_failure_comes_after_the_elements_before_it(made_elements: Any) -> None:
    stream = Stream.from_iterable(rows(10)).map(lambda row: (row[0], 10 // (7 - row[0])))
    elements = made_elements(stream)

    assert elements.plan(0, 100, SOON) == 7
    with pytest.raises(
        PipelineError, match=r"operator map, built at .*failed at element 7 .*ZeroDivisionError"
    ) as caught:
        elements.plan(7, 100, SOON)

    assert (caught.value.operator, caught.value.row) == ("map", "element 7")
    assert __file__ in caught.value.assembly


def test_publisher_that_fails_to_subscribe_fails_the_plan(made_elements: Any) -> None:
    class Closed(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            raise ConnectionRefusedError("nobody there")

    with pytest.raises(PipelineError, match="failed at element 0 of the stream: ConnectionRefusedError: nobody there"):
        made_elements(Closed()).plan(0, 10, SOON)


def test_element_beyond_the_demand_breaks_rule_1_1_and_is_cancelled(made_elements: Any) -> None:
    publisher = Ledger(rows(100), at_once=False)
    elements = made_elements(publisher)
    elements.plan(0, 3, BRIEFLY)
    publisher.send(4)

    assert elements.plan(0, 3, SOON) == 3
    with pytest.raises(PipelineError, match=r"§1\.1: the publisher sent an element that was not requested") as caught:
        elements.plan(3, 3, SOON)

    assert caught.value.rule == "1.1"
    assert publisher.cancelled.is_set()


def test_silent_publisher_gives_an_empty_batch_in_time(made_elements: Any) -> None:
    blocked = threading.Event()

    class Stuck(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            class Own(Subscription):
                def request(self, n: int, /) -> None:
                    blocked.wait(SOON)

                def cancel(self) -> None:
                    blocked.set()

            subscriber.on_subscribe(Own())

    elements = made_elements(Stuck())

    assert elements.plan(0, 10, BRIEFLY) == 0
    assert elements.plan(0, 10, BRIEFLY) == 0


def test_closing_cancels_the_publisher_once(made_elements: Any) -> None:
    publisher = Ledger(rows(5), at_once=False)
    elements = made_elements(publisher)
    elements.plan(0, 10, BRIEFLY)
    elements.close()

    assert publisher.cancelled.wait(SOON)
    publisher.subscriber.on_next((1, 0))
    assert elements.collected.count() == 0


def test_second_subscription_is_cancelled(made_elements: Any) -> None:
    elements = made_elements(Ledger(rows(5)))
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
        (7, "element 5 .*must be a tuple, a list, a Row, a dict or an object of a dataclass, got int 7"),
    ],
)
def test_element_that_does_not_fit_is_named_by_number_and_column(made_elements: Any, bad: Any, complaint: str) -> None:
    elements = made_elements(Ledger([*rows(5), bad, *rows(5)]))
    assert [elements.plan(0, 3, SOON), elements.plan(3, 10, SOON)] == [3, 5]

    with pytest.raises(PipelineError, match=complaint):
        elements.plan(5, 10, SOON)


def test_query_that_goes_back_too_far_is_refused(made_elements: Any) -> None:
    elements = made_elements(Ledger(rows(100)))
    for start in (0, 10, 20):
        elements.plan(start, 10, SOON)

    with pytest.raises(ReplayError, match="resumes at element 0, but the elements 20 to 29 are buffered"):
        elements.plan(0, 10, SOON)


def test_stream_without_a_log_cannot_repeat_what_an_earlier_driver_planned(made_elements: Any) -> None:
    with pytest.raises(ReplayError, match="pass log= or a replayable factory"):
        made_elements(Ledger(rows(10))).read(20, 30)


def test_signals_and_plans_from_several_threads_lose_nothing(made_elements: Any) -> None:
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

    elements = made_elements(Busy())
    start, got = 0, []
    deadline = time.monotonic() + 30
    while start < 20_000 and time.monotonic() < deadline:
        end = elements.plan(start, 777, 0.001)
        got += ids(elements.read(start, end))
        elements.commit(start)
        start = end

    assert got == list(range(start))
    assert start >= 20_000
