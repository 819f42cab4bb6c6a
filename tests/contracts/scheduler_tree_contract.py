"""What holds for every scheduler as one of a tree: children, pauses, exceptions, counters, disposal."""

import threading
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers import (
    LogicalScheduler,
    NoOpScheduler,
    PerformanceCounters,
    Scheduler,
    SchedulerStatus,
    SchedulerUnhandledException,
)
from tests.contracts.scheduler_contract import SHORT, Turns

RUNNING, PAUSED, DISPOSED = SchedulerStatus.RUNNING, SchedulerStatus.PAUSED, SchedulerStatus.DISPOSED


class Sleeper(Turns):
    """A task that has no work until it is woken."""

    is_runnable = False

    def wake(self, scheduler: Scheduler) -> None:
        self.is_runnable = True
        scheduler.recalculate_priority()


class SchedulerTreeContract:
    """The suite; of the class that inherits it come `make`, `settle` and the fixture `scheduler`."""

    settle: Callable[[Any], None]

    @pytest.fixture
    def seen(self) -> list[str]:
        return []

    def handled(self, scheduler: Scheduler) -> list[SchedulerUnhandledException]:
        """Have the exceptions of a scheduler handled; return what collects them."""
        told: list[SchedulerUnhandledException] = []

        def handle(unhandled: SchedulerUnhandledException) -> None:
            unhandled.handled = True
            told.append(unhandled)

        scheduler.unhandled_exception.add(handle)
        return told

    # --- children -------------------------------------------------------------------------------------------------

    def test_child_runs_its_tasks_and_is_told_to_them(self, scheduler: Any, seen: list[Any]) -> None:
        class Looking(Turns):
            def execute(self, scheduler: Scheduler) -> bool:
                seen.append(scheduler)
                return True

        child = scheduler.create_child()
        grandchild = child.create_child(name="mine")
        grandchild.schedule(Looking(1, print))
        self.settle(grandchild)
        assert seen == [grandchild]
        assert (child.name, grandchild.name) == (f"{scheduler.name}/1", "mine")
        assert child.now.tzinfo is UTC

    def test_disposed_child_leaves_its_parent_and_siblings_running(self, scheduler: Any, seen: list[str]) -> None:
        first, second = scheduler.create_child(), scheduler.create_child()
        first.dispose()
        with pytest.raises(SchedulerDisposedError):
            first.schedule(print)
        for each, name in ((second, "second"), (scheduler, "parent")):
            each.schedule(lambda name=name: seen.append(name))
            self.settle(each)
        assert (first.status, second.status, seen) == (DISPOSED, RUNNING, ["second", "parent"])

    def test_disposed_parent_disposes_of_all_below(self, scheduler: Any) -> None:
        child = scheduler.create_child()
        below = [child, child.create_child(), scheduler.create_child()]
        scheduler.dispose()
        assert [each.status for each in below] == [DISPOSED] * 3
        for each in below:
            with pytest.raises(SchedulerDisposedError, match="was disposed and takes no task; use a new one"):
                each.schedule(print)

    def test_child_of_a_disposed_scheduler_discards_every_task(self, scheduler: Any, seen: list[str]) -> None:
        scheduler.dispose()
        child = scheduler.create_child()
        task = Turns(1, seen.append)
        child.schedule(task)
        child.schedule(task, due=SHORT)
        assert isinstance(child, NoOpScheduler)
        assert (seen, [type(error) for error in task.discarded]) == ([], [SchedulerDisposedError] * 2)

    # --- pauses ---------------------------------------------------------------------------------------------------

    def test_pause_without_tasks_is_done_at_once(self, scheduler: Any) -> None:
        child = scheduler.create_child()
        pause = scheduler.pause_async()
        assert (pause.is_done, pause.wait(timeout_seconds=0)) == (True, True)
        assert (scheduler.status, child.status) == (PAUSED, PAUSED)
        assert scheduler.create_child().status is PAUSED

    @pytest.mark.parametrize("due", [None, timedelta(0), -SHORT], ids=["no due time", "now", "past"])
    def test_what_is_scheduled_during_a_pause_runs_after_it(
        self, scheduler: Any, seen: list[str], due: timedelta | None
    ) -> None:
        child = scheduler.create_child()
        assert scheduler.pause()
        later = scheduler.create_child()
        for name, each in (("root", scheduler), ("child", child), ("later", later)):
            each.schedule(lambda name=name: seen.append(name), due=due)
        seen.append("continue")
        scheduler.continue_()
        self.settle(later)
        assert (seen[0], sorted(seen[1:])) == ("continue", ["child", "later", "root"])

    def test_paused_child_waits_while_its_parent_runs(self, scheduler: Any, seen: list[str]) -> None:
        child = scheduler.create_child()
        assert child.pause()
        child.schedule(lambda: seen.append("child"))
        scheduler.schedule(lambda: seen.append("parent"))
        self.settle(scheduler)
        assert (seen, scheduler.status, child.status) == (["parent"], RUNNING, PAUSED)
        child.continue_()
        self.settle(child)
        assert seen == ["parent", "child"]

    def test_pauses_are_not_counted_and_reach_all_below(self, scheduler: Any) -> None:
        child = scheduler.create_child()
        assert child.pause()
        assert scheduler.pause()
        assert scheduler.pause()
        scheduler.continue_()
        assert (scheduler.status, child.status) == (RUNNING, RUNNING)
        scheduler.continue_()
        assert scheduler.status is RUNNING

    def test_child_is_continued_while_its_parent_is_paused(self, scheduler: Any, seen: list[str]) -> None:
        child = scheduler.create_child()
        assert scheduler.pause()
        scheduler.schedule(lambda: seen.append("parent"))
        child.schedule(lambda: seen.append("child"))
        child.continue_()
        self.settle(child)
        assert (seen, scheduler.status, child.status) == (["child"], PAUSED, RUNNING)

    def test_tasks_keep_their_order_over_a_pause(self, scheduler: Any, seen: list[Any]) -> None:
        assert scheduler.pause()
        for number in range(100):
            scheduler.schedule(lambda number=number: seen.append(number))
        scheduler.continue_()
        self.settle(scheduler)
        assert seen == list(range(100))

    def test_disposed_is_final(self, scheduler: Any) -> None:
        scheduler.dispose()
        assert (scheduler.pause(), scheduler.status) == (False, DISPOSED)
        scheduler.continue_()
        scheduler.recalculate_priority()
        assert scheduler.status is DISPOSED

    def test_paused_scheduler_disposes_and_tells_its_tasks(self, scheduler: Any, seen: list[str]) -> None:
        assert scheduler.pause()
        tasks = [Turns(1, seen.append), Turns(1, seen.append)]
        scheduler.schedule(tasks[0])
        scheduler.create_child().schedule(tasks[1])
        scheduler.dispose()
        assert (seen, [len(task.discarded) for task in tasks]) == ([], [1, 1])

    # --- work -----------------------------------------------------------------------------------------------------

    def test_task_without_work_waits_for_recalculation(self, scheduler: Any, seen: list[str]) -> None:
        sleeper = Sleeper(1, seen.append)
        scheduler.schedule(sleeper)
        self.settle(scheduler)
        assert seen == []
        sleeper.wake(scheduler)
        self.settle(scheduler)
        assert seen == ["turn"]

    def test_recalculation_is_of_one_scheduler_alone(self, scheduler: Any, seen: list[str]) -> None:
        child = scheduler.create_child()
        sleeper = Sleeper(1, seen.append)
        child.schedule(sleeper)
        self.settle(child)
        sleeper.wake(scheduler)
        self.settle(scheduler)
        assert seen == []
        child.recalculate_priority()
        self.settle(child)
        assert seen == ["turn"]

    def test_recalculation_during_a_pause_takes_effect_after_it(self, scheduler: Any, seen: list[str]) -> None:
        sleeper = Sleeper(1, seen.append)
        scheduler.schedule(sleeper)
        self.settle(scheduler)
        assert scheduler.pause()
        sleeper.wake(scheduler)
        seen.append("continue")
        scheduler.continue_()
        self.settle(scheduler)
        assert seen == ["continue", "turn"]

    @pytest.mark.parametrize("act", ["recalculate_priority", "continue_"])
    def test_work_that_comes_while_the_task_looks_for_it_is_not_missed(
        self, scheduler: Any, seen: list[str], act: str
    ) -> None:
        answers: list[bool] = []

        class Racing(Turns):
            @property
            def is_runnable(self) -> bool:
                if not answers:
                    answers.append(False)
                    getattr(scheduler, act)()  # as another thread would, which has just brought work
                    return False
                return True

        scheduler.schedule(Racing(1, seen.append))
        self.settle(scheduler)
        assert seen == ["turn"]

    def test_task_without_work_is_told_when_it_is_discarded(self, scheduler: Any, seen: list[str]) -> None:
        sleeper = Sleeper(1, seen.append)
        scheduler.schedule(sleeper)
        self.settle(scheduler)
        scheduler.dispose()
        assert (seen, len(sleeper.discarded)) == ([], 1)

    @pytest.mark.parametrize("priority", ["high", None, 1.5])
    def test_priority_of_another_type_is_refused_at_once(self, scheduler: Any, priority: Any) -> None:
        task = Turns(1, print)
        task.priority = priority  # type: ignore[attr-defined]
        with pytest.raises(
            ArgumentTypeError, match=r"^schedule\(task\) needs a task whose priority is an integer, got"
        ):
            scheduler.schedule(task)

    # --- exceptions -----------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
    def test_handler_gets_what_a_task_raises_and_the_others_run(
        self, scheduler: Any, seen: list[Any], error: BaseException
    ) -> None:
        told = self.handled(scheduler)
        child = scheduler.create_child()

        def fail() -> None:
            raise error

        child.schedule(fail)
        child.schedule(lambda: seen.append("goes on"))
        self.settle(child)
        assert [(each.scheduler, each.exception) for each in told] == [(child, error)]
        assert seen == ["goes on"]

    @pytest.mark.parametrize("where", ["is_runnable", "recalculate_priority", "priority"])
    def test_exception_of_a_question_ends_the_task(self, scheduler: Any, seen: list[Any], where: str) -> None:
        told = self.handled(scheduler)
        error = ValueError(where)

        class Broken(Turns):
            is_broken = False

            def execute(self, scheduler: Scheduler) -> bool:
                self.is_broken = True
                return super().execute(scheduler)

            @property
            def is_runnable(self) -> bool:
                return self.answer("is_runnable", True)

            @property
            def priority(self) -> int:
                return self.answer("priority", 1)

            def recalculate_priority(self) -> None:
                self.answer("recalculate_priority", 0)

            def answer(self, name: str, value: Any) -> Any:
                if self.is_broken and name == where:
                    raise error
                return value

        scheduler.schedule(Broken(3, seen.append))
        scheduler.schedule(lambda: seen.append("goes on"))
        self.settle(scheduler)
        assert (sorted(seen), [each.exception for each in told]) == (["goes on", "turn"], [error])

    # --- counters -------------------------------------------------------------------------------------------------

    def test_turns_are_counted_once_wherever_they_were(self, scheduler: Any) -> None:
        child = scheduler.create_child()
        gone = child.create_child()
        for each, turns in ((scheduler, 1), (child, 2), (gone, 3)):
            each.schedule(Turns(turns, lambda name: None))
            self.settle(each)
        before = [self.turns(each) for each in (scheduler, child, gone)]
        gone.dispose()
        own, below = scheduler.performance_counters(), scheduler.performance_counters(include_children=True)
        assert below.task_execution_count == sum(before)
        assert (own.task_execution_count, self.turns(child)) == (before[0], before[1])
        assert below.user_nanoseconds >= own.user_nanoseconds >= 0

    def test_counters_of_what_waits(self, scheduler: Any) -> None:
        assert scheduler.pause()
        scheduler.schedule(print)
        scheduler.create_child().schedule(Turns(1, print))
        assert self.waiting(scheduler) == (1, 2)
        scheduler.dispose()
        assert self.waiting(scheduler) == (0, 0)

    def waiting(self, scheduler: Any) -> tuple[int, int]:
        """Return how many tasks wait in a scheduler, and in it and all below."""
        counters = [scheduler.performance_counters(include_children=with_children) for with_children in (False, True)]
        own, below = (each.ready_count + each.parked_count + each.timed_count for each in counters)
        return own, below

    def test_disposed_scheduler_has_stopped_its_clock(self, scheduler: Any) -> None:
        scheduler.dispose()
        assert scheduler.performance_counters() == scheduler.performance_counters()

    def turns(self, scheduler: LogicalScheduler) -> int:
        counters: PerformanceCounters = scheduler.performance_counters()
        return counters.task_execution_count

    # --- disposing where it is least expected -----------------------------------------------------------------------

    @pytest.mark.parametrize("act", ["dispose", "pause_async", "continue_", "recalculate_priority", "create_child"])
    @pytest.mark.parametrize(
        "where", ["execute", "is_runnable", "recalculate_priority", "discard", "unhandled_exception", "priority"]
    )
    def test_every_callback_may_call_the_scheduler(self, scheduler: Any, where: str, act: str) -> None:
        calls: list[str] = []
        has_acted = threading.Event()

        def here(name: str) -> None:
            if name == where and not has_acted.is_set():
                has_acted.set()
                calls.append(name)
                getattr(child, act)()

        class Acting(Turns):
            def execute(self, scheduler: Scheduler) -> bool:
                here("execute")
                if where == "unhandled_exception":
                    raise ValueError("for the handler")
                return super().execute(scheduler)

            @property
            def is_runnable(self) -> bool:
                here("is_runnable")
                return True

            @property
            def priority(self) -> int:
                here("priority")
                return 1

            def recalculate_priority(self) -> None:
                here("recalculate_priority")

            def discard(self, error: Exception) -> None:
                here("discard")
                super().discard(error)

        def handle(unhandled: SchedulerUnhandledException) -> None:
            here("unhandled_exception")
            unhandled.handled = True

        child = scheduler.create_child()
        child.unhandled_exception.add(handle)
        task = Acting(2, lambda name: None)
        try:
            child.schedule(task)
        except SchedulerDisposedError:
            assert (where, act) == ("priority", "dispose")
        self.settle(scheduler)
        child.dispose()
        self.settle(scheduler)
        if where == "discard" and not has_acted.is_set():
            assert task.turns == 0  # it ran at once: nothing was left to discard
        else:
            assert calls == [where]
        assert child.status is DISPOSED
