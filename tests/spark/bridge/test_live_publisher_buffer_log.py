"""A live publisher with a write-ahead log: what a restarted driver finds, a full disk, the bound of what is lost."""

from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import WriteAheadLog, WriteAheadLogError
from tests.spark.bridge.live_publishers import BRIEFLY, SOON, Ledger, eventually, ids, rows

pytestmark = pytest.mark.spark


def test_nothing_is_collected_ahead_of_a_log(made_elements: Any, tmp_path: Path) -> None:
    publisher = Ledger(rows(100))
    with WriteAheadLog(tmp_path) as log:
        elements = made_elements(publisher, log=log)
        assert [elements.plan(0, 10, SOON), elements.plan(10, 10, SOON)] == [10, 20]

        assert not eventually(lambda: elements.collected.rows() > 0, BRIEFLY)
        assert publisher.requested == [10, 10]


def test_log_gives_a_restarted_driver_what_was_planned(made_elements: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        before = made_elements(Ledger(rows(100)), log=log)
        assert before.plan(0, 10, SOON) == 10
        assert before.plan(10, 10, SOON) == 20
    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 20
        after = made_elements(Ledger(rows(100, start=log.end_offset)), log=log)
        # The batch that was not finished is read first, then the query plans from its end.
        assert ids(after.read(10, 20)) == list(range(10, 20))
        assert after.plan(20, 10, SOON) == 30
        assert ids(after.read(20, 30)) == list(range(20, 30))


def test_elements_in_the_log_that_were_not_planned_are_planned_first(made_elements: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        made_elements(Ledger(rows(100)), log=log).plan(0, 10, SOON)
    with WriteAheadLog(tmp_path) as log:
        after = made_elements(Ledger(rows(100, start=10)), log=log)
        assert after.plan(0, 6, SOON) == 6
        assert after.plan(6, 10, SOON) == 16
        assert ids(after.read(0, 16)) == list(range(16))


def test_elements_handed_over_but_not_logged_are_lost_with_the_process(made_elements: Any, tmp_path: Path) -> None:
    # The stated bound of the log: a publisher that forgets what it has sent, and a crash before the next plan.
    publisher = Ledger(rows(100), at_once=False)
    with WriteAheadLog(tmp_path) as log:
        before = made_elements(publisher, log=log)
        before.plan(0, 10, BRIEFLY)
        publisher.send(4)
    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 0
        after = made_elements(publisher, log=log)
        publisher.at_once = True
        assert after.plan(0, 5, SOON) == 5
        assert ids(after.read(0, 5)) == [4, 5, 6, 7, 8]


def test_log_keeps_the_batch_before_the_last(made_elements: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        elements = made_elements(Ledger(rows(100)), log=log)
        for start in (0, 10, 20):
            elements.plan(start, 10, SOON)

        assert ids(elements.read(10, 30)) == list(range(10, 30))
        assert log.start_offset == 10


def test_log_that_cannot_be_written_fails_the_plan_and_loses_nothing(made_elements: Any, tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log:
        elements = made_elements(Ledger(rows(100)), log=log)
        elements.plan(0, 10, SOON)
        log.database.execute("PRAGMA query_only=ON")
        with pytest.raises(WriteAheadLogError, match=r"elements 10 to 19 cannot be written .*they are still held"):
            elements.plan(10, 10, SOON)

        log.database.execute("PRAGMA query_only=OFF")
        assert elements.plan(10, 10, SOON) == 20
        assert ids(elements.read(0, 20)) == list(range(20))
