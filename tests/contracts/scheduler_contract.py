"""What holds for every scheduler: a suite that the test of each inherits."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers import Scheduler
from tests.contracts.dropped_signals import recorded_drops

WAIT_SECONDS = 60.0
SHORT = timedelta(milliseconds=20)


class Turns:
    """A task of several turns, which notes each and whether it was discarded."""

    def __init__(self, turns: int, note: Callable[[str], object], name: str = "turn") -> None:
        self.turns, self.note, self.name = turns, note, name
        self.discarded: list[Exception] = []

    def execute(self, scheduler: Scheduler) -> bool:
        self.note(self.name)
        self.turns -= 1
        return self.turns == 0

    def discard(self, error: Exception) -> None:
        self.discarded.append(error)


class SchedulerContract:
    """The suite. A subclass makes the scheduler and knows how to let it run."""

    is_virtual_time = False
    sleeps_until_due = False

    def make(self) -> Scheduler:
        raise NotImplementedError

    def settle(self, scheduler: Scheduler) -> None:
        """Return when every task that was scheduled before, and is due, has run."""
        raise NotImplementedError

    @pytest.fixture
    def scheduler(self) -> Any:
        with self.make() as scheduler:
            yield scheduler

    def test_now_is_aware_and_in_utc(self, scheduler: Scheduler) -> None:
        assert scheduler.now.tzinfo is UTC
        assert scheduler.now <= scheduler.now

    def test_callable_runs_once(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        scheduler.schedule(lambda: seen.append("ran"))
        self.settle(scheduler)
        assert seen == ["ran"]

    def test_tasks_run_in_the_order_in_which_they_were_scheduled(self, scheduler: Scheduler) -> None:
        seen: list[int] = []
        for number in range(100):
            scheduler.schedule(lambda number=number: seen.append(number))  # type: ignore[misc]
        self.settle(scheduler)
        assert seen == list(range(100))

    def test_task_gets_turns_until_it_is_done(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        scheduler.schedule(Turns(3, seen.append))
        self.settle(scheduler)
        assert seen == ["turn"] * 3

    def test_turn_is_told_its_scheduler(self, scheduler: Scheduler) -> None:
        seen: list[Any] = []

        class Looking:
            def execute(self, scheduler: Scheduler) -> bool:
                seen.append(scheduler)
                return True

        scheduler.schedule(Looking())
        self.settle(scheduler)
        assert seen == [scheduler]

    def test_tasks_never_overlap(self, scheduler: Scheduler) -> None:
        running = threading.Lock()
        overlaps: list[str] = []

        def task() -> None:
            if not running.acquire(blocking=False):
                overlaps.append("overlap")
                return
            running.release()

        def schedule_many() -> None:
            for _ in range(50):
                scheduler.schedule(task)

        threads = [threading.Thread(target=schedule_many) for _ in range(2)]
        if not scheduler.is_immediate:  # whose tasks run in as many threads as schedule them
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(WAIT_SECONDS)
        self.settle(scheduler)
        assert overlaps == []

    @pytest.mark.parametrize("due", [timedelta(0), -SHORT, -timedelta(days=1)], ids=str)
    def test_time_that_has_passed_is_due_at_once(self, scheduler: Scheduler, due: timedelta) -> None:
        seen: list[str] = []
        scheduler.schedule(lambda: seen.append("delay"), due=due)
        scheduler.schedule(lambda: seen.append("time"), due=scheduler.now + due)
        self.settle(scheduler)
        assert sorted(seen) == ["delay", "time"]

    def test_thread_that_schedules_is_none_of_the_scheduler(self, scheduler: Scheduler) -> None:
        before = scheduler.is_current()
        scheduler.schedule(print)
        self.settle(scheduler)
        assert (before, scheduler.is_current(), scheduler.is_virtual_time) == (False, False, self.is_virtual_time)

    def test_task_that_is_done_cannot_be_cancelled(self, scheduler: Scheduler) -> None:
        handle = scheduler.schedule(lambda: None)
        self.settle(scheduler)
        assert handle.cancel() is False

    def test_cancelled_task_of_a_paused_scheduler_never_runs(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        scheduler.pause()
        kept, cancelled, of_child = (Turns(2, seen.append, name) for name in ("kept", "cancelled", "of a child"))
        scheduler.schedule(kept)
        handles = [scheduler.schedule(cancelled), scheduler.create_child().schedule(of_child)]
        assert [handle.cancel() for handle in handles * 2] == [True, True, False, False]
        scheduler.continue_()
        self.settle(scheduler)
        assert (seen, cancelled.discarded, of_child.discarded) == (["kept"] * 2, [], [])

    def test_task_that_cancels_itself_ends_with_that_turn_or_goes_on(self, scheduler: Scheduler) -> None:
        answers: list[bool] = []
        handles: list[Any] = []
        task = Turns(2, lambda name: answers.append(handles[0].cancel()))
        scheduler.pause()
        handles.append(scheduler.schedule(task))
        scheduler.continue_()
        self.settle(scheduler)
        assert answers == [False, False]

    def test_alarms_are_paused_cancelled_and_discarded_with_their_scheduler(self, scheduler: Scheduler) -> None:
        if self.sleeps_until_due:
            pytest.skip("it sleeps until the time of the last alarm")
        rang: list[str] = []
        alarms = [Turns(1, rang.append, name) for name in ("soon", "cancelled", "late")]
        scheduler.pause()
        handles = [
            scheduler.set_alarm(alarm, scheduler.now + due)
            for alarm, due in zip(alarms, (timedelta(0), timedelta(0), timedelta(days=9)), strict=True)
        ]
        assert (handles[1].cancel(), rang) == (True, [])
        scheduler.continue_()
        self.settle(scheduler)
        is_over = self.is_virtual_time  # in which the time until the last one has passed, too
        assert rang == ["soon", "late"][: 1 + is_over]
        scheduler.dispose()
        assert [len(alarm.discarded) for alarm in alarms] == [0, 0, not is_over]
        with pytest.raises(SchedulerDisposedError):
            scheduler.set_alarm(Turns(1, rang.append), scheduler.now)

    def test_disposed_scheduler_takes_no_task(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        scheduler.dispose()
        with pytest.raises(SchedulerDisposedError, match="was disposed and takes no task; use a new one"):
            scheduler.schedule(lambda: seen.append("ran"))
        scheduler.dispose()
        assert seen == []

    def test_with_block_disposes(self) -> None:
        with self.make() as scheduler:
            pass
        with pytest.raises(SchedulerDisposedError):
            scheduler.schedule(print)

    @pytest.mark.parametrize("task", [None, 3, "task", object()], ids=["None", "int", "str", "object"])
    def test_what_cannot_run_is_refused_at_once(self, scheduler: Scheduler, task: Any) -> None:
        with pytest.raises(
            ArgumentTypeError, match=r"^schedule\(task\) needs a callable or a SchedulerTask, got .*; pass a"
        ):
            scheduler.schedule(task)

    @pytest.mark.parametrize("due", [1.0, "now", 5])
    def test_due_time_of_another_type_is_refused_at_once(self, scheduler: Scheduler, due: Any) -> None:
        with pytest.raises(
            ArgumentTypeError, match=r"^schedule\(due\) needs a timedelta or a datetime, got .*; pass e\.g\."
        ):
            scheduler.schedule(print, due=due)

    def test_due_time_without_a_zone_is_refused_at_once(self, scheduler: Scheduler) -> None:
        with pytest.raises(
            ArgumentError, match=r"^schedule\(due\) needs a datetime with a time zone, got .*; pass e\.g\."
        ):
            scheduler.schedule(print, due=datetime(2013, 1, 1))  # noqa: DTZ001 - the subject


class QueuedSchedulerContract(SchedulerContract):
    """Besides, for a scheduler whose tasks wait."""

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        """Keep the scheduler busy, so that what is scheduled waits; return what lets it go on."""
        raise NotImplementedError

    def test_turns_of_two_tasks_alternate(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        go_on = self.hold(scheduler)
        scheduler.schedule(Turns(2, seen.append, "a"))
        scheduler.schedule(Turns(2, seen.append, "b"))
        go_on()
        self.settle(scheduler)
        assert seen == ["a", "b", "a", "b"]

    def test_task_may_schedule_another_one(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        done = threading.Event()

        def second() -> None:
            seen.append("second")
            done.set()

        def first() -> None:
            scheduler.schedule(second)
            seen.append("first")

        scheduler.schedule(first)
        self.settle(scheduler)
        self.settle(scheduler)
        assert done.wait(WAIT_SECONDS)
        assert seen == ["first", "second"]

    def test_dispose_discards_what_waits_in_order(self, scheduler: Scheduler) -> None:
        seen: list[str] = []
        order: list[str] = []
        last_was_told = threading.Event()

        class Discarded(Turns):
            def discard(self, error: Exception) -> None:
                super().discard(error)
                order.append(self.name)
                if self.name == "second":
                    last_was_told.set()

        go_on = self.hold(scheduler)
        tasks = [Discarded(1, seen.append, name) for name in ("first", "second")]
        for task in tasks:
            scheduler.schedule(task)
        scheduler.schedule(lambda: seen.append("callable"))
        disposing = threading.Thread(target=scheduler.dispose)
        disposing.start()
        assert last_was_told.wait(WAIT_SECONDS)
        go_on()
        disposing.join(WAIT_SECONDS)
        assert (seen, order) == ([], ["first", "second"])
        assert [type(error) for task in tasks for error in task.discarded] == [SchedulerDisposedError] * 2

    def test_discard_that_raises_keeps_no_other_task_from_being_told(self, scheduler: Scheduler) -> None:
        last_was_told = threading.Event()

        class Failing(Turns):
            def discard(self, error: Exception) -> None:
                raise ValueError(self.name)

        class Last(Turns):
            def discard(self, error: Exception) -> None:
                last_was_told.set()

        go_on = self.hold(scheduler)
        for task in (Failing(1, print, "first"), Last(1, print)):
            scheduler.schedule(task)
        with recorded_drops() as drops:
            disposing = threading.Thread(target=scheduler.dispose)
            disposing.start()
            assert last_was_told.wait(WAIT_SECONDS)
            go_on()
            disposing.join(WAIT_SECONDS)
        assert [(signal, repr(value)) for signal, value, _ in drops] == [("task", "ValueError('first')")]
