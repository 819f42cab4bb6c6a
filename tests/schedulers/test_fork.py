"""What goes on in a child of fork, and what is refused there, in processes of their own with a time-out."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
]

TIMEOUT_SECONDS = 60

PRELUDE = """
import asyncio, os, sys, threading
from reactivestreams import ImmediateScheduler, Stream, StreamEmitter, WorkerScheduler
from reactivestreams.schedulers import (
    EventLoopScheduler, LogicalScheduler, TrampolineScheduler, VirtualTimeScheduler, WorkerPool
)
from reactivestreams.subjects import SimpleSubject

def told(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def in_child(body):
    # Prints what the body returns in a child; then that the child has ended, and how.
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            print("child:", told(body), flush=True)
        finally:
            os._exit(7)
    _, status = os.waitpid(child, 0)
    print("ended:", os.waitstatus_to_exitcode(status), flush=True)

def elements_on(scheduler):
    return Stream.range(3).observe_on(scheduler).to_list(timeout_seconds=30)

class Taking:
    def __init__(self):
        self.taken = []
    def on_subscribe(self, subscription):
        subscription.request(100)
    def on_next(self, element):
        self.taken.append(element)
    def on_error(self, error):
        self.taken.append(type(error).__name__)
    def on_complete(self):
        self.taken.append("complete")
"""

REFUSED = "belongs to the process that this one was forked from, and its tasks run only there; create a new"


def lines_of(script: str) -> list[str]:
    """Run a script in a process; fail where it, or a child of it, hangs: a child keeps the pipe open."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PRELUDE + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "make",
    [
        "WorkerScheduler(name='made before')",
        "LogicalScheduler(WorkerPool(workers=3), name='made before')",
        "LogicalScheduler(WorkerPool(workers=3), name='made before', affinity='any')",
        "LogicalScheduler(WorkerPool(workers=1), name='root').create_child(name='made before')",
    ],
)
@pytest.mark.parametrize("is_used", [True, False])
def test_scheduler_with_threads_is_refused_at_once_in_the_child_and_goes_on_in_the_parent(
    make: str, is_used: bool
) -> None:
    lines = lines_of(f"""
        scheduler = {make}
        if {is_used}:
            elements_on(scheduler)
        in_child(lambda: elements_on(scheduler))
        in_child(lambda: scheduler.schedule(print))
        in_child(lambda: (scheduler.status.value, scheduler.pause(timeout_seconds=5), scheduler.dispose()))
        print("parent:", elements_on(scheduler))
    """)
    for place in (0, 2):
        assert lines[place].startswith("child: SchedulerDisposedError: ")
        assert "made before" in lines[place]
        assert REFUSED in lines[place]
    assert lines[4] == "child: ('disposed', False, None)"
    assert lines[1::2] == ["ended: 7", "ended: 7", "ended: 7"]
    assert lines[6] == "parent: [0, 1, 2]"


def test_scheduler_made_in_the_child_works_there() -> None:
    lines = lines_of("""
        before = WorkerScheduler()
        elements_on(before)
        def body():
            with WorkerScheduler() as worker, WorkerPool(workers=2) as pool:
                return elements_on(worker), elements_on(LogicalScheduler(pool))
        in_child(body)
    """)
    assert lines == ["child: ([0, 1, 2], [0, 1, 2])", "ended: 7"]


def test_pool_takes_no_scheduler_in_the_child() -> None:
    lines = lines_of("""
        pool = WorkerPool(workers=2, name="made before")
        in_child(lambda: LogicalScheduler(pool))
        print("parent:", elements_on(LogicalScheduler(pool)))
    """)
    assert lines[0].startswith("child: SchedulerDisposedError: WorkerPool(workers=2, name='made before') belongs to")
    assert lines[1:] == ["ended: 7", "parent: [0, 1, 2]"]


def test_tasks_that_wait_at_the_fork_run_once_and_in_the_parent() -> None:
    lines = lines_of("""
        worker, go, done = WorkerScheduler(), threading.Event(), threading.Event()
        worker.schedule(go.wait)
        worker.schedule(lambda: print("ran in", "the parent" if os.getpid() == parent else "a child", flush=True))
        worker.schedule(done.set)
        parent = os.getpid()
        in_child(lambda: (go.set(), worker.dispose(), worker.status.value))
        go.set()
        done.wait(30)
    """)
    assert lines == ["child: (True, None, 'disposed')".replace("True", "None"), "ended: 7", "ran in the parent"]


def test_blocking_iterator_that_waits_for_a_thread_of_the_parent_is_refused_in_the_child() -> None:
    lines = lines_of("""
        emitters = []
        iterator = Stream.create(emitters.append, on_overflow="error").iterate(prefetch=4)
        emitters[0].emit(1)
        first = next(iterator)
        in_child(lambda: next(iterator))
        emitters[0].emit(2)
        emitters[0].complete()
        print("parent:", first, list(iterator))
    """)
    assert lines[0].startswith("child: StateError: the iterator was made in the process that this one was forked from")
    assert lines[1:] == ["ended: 7", "parent: 1 [2]"]


def test_stream_that_its_caller_runs_goes_on_in_both_processes() -> None:
    lines = lines_of("""
        iterator = iter(Stream.range(5).map(lambda number: number * 2))
        first = next(iterator)
        in_child(lambda: list(iterator))
        print("parent:", first, list(iterator))
    """)
    assert lines == ["child: [2, 4, 6, 8]", "ended: 7", "parent: 0 [2, 4, 6, 8]"]


def test_schedulers_without_threads_go_on_in_both_processes() -> None:
    lines = lines_of("""
        made = [ImmediateScheduler(), TrampolineScheduler(), VirtualTimeScheduler()]
        def body():
            ran = []
            for scheduler in made:
                scheduler.schedule(lambda: ran.append("ran"))
            made[2].clock.start()
            return ran
        in_child(body)
        print("parent:", body())
    """)
    assert lines == ["child: ['ran', 'ran', 'ran']", "ended: 7", "parent: ['ran', 'ran', 'ran']"]


def test_trampoline_that_another_thread_was_running_is_refused_in_the_child() -> None:
    lines = lines_of("""
        trampoline, runs, go = TrampolineScheduler(), threading.Event(), threading.Event()
        thread = threading.Thread(target=trampoline.schedule, args=(lambda: (runs.set(), go.wait(30)),))
        thread.start()
        runs.wait(30)
        in_child(lambda: trampoline.schedule(print))
        go.set()
        thread.join()
        trampoline.schedule(lambda: print("parent: ran"))
    """)
    assert lines[0].startswith("child: SchedulerDisposedError: TrampolineScheduler(")
    assert REFUSED in lines[0]
    assert lines[1:] == ["ended: 7", "parent: ran"]


def test_scheduler_of_an_event_loop_is_refused_in_the_child_and_never_wakes_the_parents_loop() -> None:
    lines = lines_of("""
        async def main():
            scheduler = EventLoopScheduler(name="made before")
            in_child(lambda: scheduler.schedule(lambda: print("ran in the wrong process", flush=True)))
            in_child(lambda: (scheduler.dispose(), scheduler.status.value))
            done = asyncio.Event()
            scheduler.schedule(done.set)
            await asyncio.wait_for(done.wait(), 30)
            print("parent: ran")
        asyncio.run(main())
    """)
    assert lines[0].startswith("child: SchedulerDisposedError: EventLoopScheduler(name='made before') belongs to")
    assert lines[1:] == ["ended: 7", "child: (None, 'disposed')", "ended: 7", "parent: ran"]


def test_child_runs_an_event_loop_of_its_own() -> None:
    lines = lines_of("""
        async def numbers():
            return [element async for element in Stream.range(3).map(str)]
        async def main():
            return await numbers()
        asyncio.run(main())
        in_child(lambda: asyncio.run(main()))
    """)
    assert lines == ["child: ['0', '1', '2']", "ended: 7"]


def test_subject_and_emitter_are_copies_in_the_child() -> None:
    lines = lines_of("""
        subject, taking = SimpleSubject(), Taking()
        subject.subscribe(taking)
        entrance = subject.create_observer()
        entrance.on_next(1)
        emitters, emitted = [], Taking()
        Stream.create(emitters.append, on_overflow="error").subscribe(emitted)
        emitters[0].emit("a")
        def body():
            entrance.on_next("child")
            emitters[0].emit("child")
            return taking.taken, emitted.taken
        in_child(body)
        entrance.on_next(2)
        emitters[0].emit("b")
        print("parent:", taking.taken, emitted.taken)
    """)
    assert lines == ["child: ([1, 'child'], ['a', 'child'])", "ended: 7", "parent: [1, 2] ['a', 'b']"]


def test_subscriber_behind_a_thread_fails_in_the_child_at_the_next_element() -> None:
    lines = lines_of("""
        worker, subject, taking = WorkerScheduler(), SimpleSubject(), Taking()
        Stream.from_publisher(subject).observe_on(worker).subscribe(taking)
        entrance = subject.create_observer()
        def settle():
            worker.pause()  # no turn runs from here on
            worker.continue_()
            done = threading.Event()
            worker.schedule(done.set)
            done.wait(30)
            worker.pause()
        def body():
            entrance.on_next("child")
            return taking.taken
        settle()
        in_child(body)
        worker.continue_()
        entrance.on_next(1)
        settle()
        print("parent:", taking.taken)
    """)
    assert lines == ["child: ['SchedulerDisposedError']", "ended: 7", "parent: [1]"]


def test_child_of_a_worker_thread_ends() -> None:
    lines = lines_of("""
        done = threading.Event()
        worker = WorkerScheduler()
        worker.schedule(lambda: (in_child(lambda: worker.schedule(print)), done.set()))
        done.wait(30)
        print("parent:", elements_on(worker))
    """)
    assert lines[0].startswith("child: SchedulerDisposedError: ")
    assert lines[1:] == ["ended: 7", "parent: [0, 1, 2]"]


def test_processes_of_multiprocessing_end_and_say_what_is_wrong() -> None:
    lines = lines_of("""
        import multiprocessing
        worker = WorkerScheduler(name="made before")
        elements_on(worker)
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        def target():
            answers.put(told(lambda: elements_on(worker)))
            with WorkerScheduler() as own:
                answers.put(elements_on(own))
        processes = [context.Process(target=target) for _ in range(3)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(30)
        print([process.exitcode for process in processes])
        texts = sorted(str(answers.get())[:21] for _ in range(6))
        print(texts)
        print("parent:", elements_on(worker))
    """)
    refused = "SchedulerDisposedErro"
    assert lines == [
        "[0, 0, 0]",
        str([refused] * 3 + ["[0, 1, 2]"] * 3),
        "parent: [0, 1, 2]",
    ]


def test_fork_beside_threads_that_schedule_leaves_no_lock_taken_in_the_child() -> None:
    lines = lines_of("""
        worker, stop = WorkerScheduler(capacity=10**6), threading.Event()
        pool = WorkerPool(workers=2)
        def storm():
            while not stop.is_set():
                worker.schedule(int)
                LogicalScheduler(pool).dispose()
        threads = [threading.Thread(target=storm, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        ends = []
        for _ in range(40):
            child = os.fork()
            if child == 0:
                told(lambda: worker.schedule(int))
                told(lambda: LogicalScheduler(pool))
                worker.dispose()
                pool.dispose()
                os._exit(7)
            ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        for thread in threads:
            thread.join()
        print(set(ends))
    """)
    assert lines == ["{7}"]
