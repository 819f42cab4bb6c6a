"""A process exits while its streams run: at once, with its own exit code, and without a word of the library."""

import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

# Without the GIL CPython 3.13 yields the processor twenty times for each lock it has taken already, so a process that
# shares its processors with busy threads, as here, takes many seconds to begin and to end.
TIMEOUT_SECONDS = 80
ROUNDS = 2

PRELUDE = """
import asyncio, itertools, os, signal, sys, threading
from reactivestreams import Stream, StreamEmitter, WorkerScheduler
from reactivestreams.schedulers import EventLoopScheduler, LogicalScheduler, TrampolineScheduler, WorkerPool
from reactivestreams.dropped import set_hook
from reactivestreams.subjects import ReplaySubject, SimpleSubject, UnicastSubject

class Forever:
    # Counts; a waiting main thread goes on when a few elements came.
    def __init__(self, at_once=2**63 - 1):
        self.at_once, self.came, self.count = at_once, threading.Event(), 0
    def on_subscribe(self, subscription):
        self.subscription = subscription
        subscription.request(self.at_once)
    def on_next(self, element):
        self.count += 1
        if self.count == 50:
            self.came.set()
        if self.at_once == 1:
            self.subscription.request(1)
    def on_error(self, error):
        print("error:", error, file=sys.stderr, flush=True)
    def on_complete(self):
        print("complete", file=sys.stderr, flush=True)

def thread(target):
    begun = threading.Thread(target=target, daemon=True)
    begun.start()
    return begun

class Slow:
    # Dies late: its finalizer uses a stream.
    def __del__(self):
        Stream.range(3).to_list()
"""

# What runs when the process exits; each waits until it does.
RUNNING = {
    "a worker with an endless stream": """
        worker, taking = WorkerScheduler(), Forever()
        worker.schedule(lambda: Stream.range(10**15).map(str).subscribe(taking))
        taking.came.wait()
    """,
    "a pool behind endless threads": """
        pool = WorkerPool(workers=3)
        takings = [Forever(at_once) for at_once in (1, 2**63 - 1)]
        for taking in takings:
            made_by, taken_by = LogicalScheduler(pool), LogicalScheduler(pool)
            made_by.schedule(lambda taking=taking, taken_by=taken_by:
                Stream.from_iterable(itertools.count()).observe_on(taken_by).subscribe(taking))
        for taking in takings:
            taking.came.wait()
    """,
    "alarms": """
        worker = WorkerScheduler()
        woken = threading.Event()
        from datetime import timedelta
        def again():
            woken.set()
            worker.schedule(again, due=timedelta(milliseconds=1))
        worker.schedule(again)
        worker.schedule(print, due=timedelta(days=1))
        woken.wait()
    """,
    "an event loop in a thread": """
        taking = Forever()
        loops = []
        async def main():
            scheduler = EventLoopScheduler()
            Stream.from_iterable(itertools.count()).observe_on(scheduler).subscribe(taking)
            await asyncio.sleep(3600)
        thread(lambda: asyncio.run(main()))
        taking.came.wait()
    """,
    "asynchronous ends in a thread": """
        came = threading.Event()
        async def numbers():
            for number in itertools.count():
                if number == 50:
                    came.set()
                yield number
                await asyncio.sleep(0)
        async def main():
            async for _ in Stream.from_async_iterable(numbers()).map(str):
                pass
        thread(lambda: asyncio.run(main()))
        came.wait()
    """,
    "a blocking iterator half-way": """
        emitters = []
        iterator = Stream.create(emitters.append, on_overflow="error").iterate(prefetch=4)
        emitters[0].emit(1)
        next(iterator)
        own = iter(Stream.from_iterable(itertools.count()).map(str))
        next(own)
    """,
    "threads that wait for elements": """
        emitters, waits = [], threading.Semaphore(0)
        def wait():
            iterator = Stream.create(emitters.append, on_overflow="error").iterate(prefetch=4)
            waits.release()
            next(iterator)
        def wait_for_the_end():
            def keep(emitter):
                emitters.append(emitter)
                waits.release()
            Stream.create(keep, on_overflow="error").to_list()
        for target in (wait, wait, wait_for_the_end):
            thread(target)
        for _ in range(3):
            waits.acquire()
    """,
    "subjects with subscribers that wait": """
        subjects = [SimpleSubject(), ReplaySubject(2), UnicastSubject()]
        takings = [Forever(1) for _ in subjects]
        for subject, taking in zip(subjects, takings):
            subject.subscribe(taking)
        observers = [subject.create_observer() for subject in subjects]
        for observer in observers:
            observer.on_next(1)
    """,
    "threads that emit": """
        set_hook(lambda *_, **__: None)  # what the policy drops
        worker, taking, emitters = WorkerScheduler(), Forever(), []
        Stream.create(emitters.append, on_overflow="drop_oldest", capacity=64).observe_on(worker).subscribe(taking)
        subject, takings = SimpleSubject(), [Forever(), Forever(1)]
        for each in takings:
            subject.subscribe(each)
        observer = subject.create_observer()
        def emit():
            while True:
                emitters[0].emit(Slow())
        def push():
            while True:
                observer.on_next(1)
        for target in (emit, emit, push):
            thread(target)
        for each in (taking, *takings):
            each.came.wait()
    """,
    "threads that wait for room": """
        emitters, waits = [], threading.Semaphore(0)
        blocked = Forever(1)
        blocked.on_subscribe = lambda subscription: None
        Stream.create(emitters.append, on_overflow="block", capacity=4, block_timeout_seconds=3600).subscribe(blocked)
        def emit():
            for _ in range(4):
                emitters[0].emit(1)
            waits.release()
            emitters[0].emit(1)
        thread(emit)
        waits.acquire()
    """,
    "threads that build streams": """
        begun = threading.Semaphore(0)
        def build():
            for number in itertools.count():
                if number == 5:
                    begun.release()
                Stream.range(9).map(str).flat_map(lambda text: [text]).buffer(2).to_list()
                Stream.range(100).key_by(lambda number: number % 3).scan(lambda old, new: new, 0).to_list()
        for _ in range(3):
            thread(build)
        for _ in range(3):
            begun.acquire()
    """,
}

# How a process exits, with its exit code and the end of its stderr.
EXITS = {
    "the end of the script": ("", 0, ""),
    "sys.exit": ("sys.exit(3)", 3, ""),
    "an unhandled exception": ("raise ValueError('of the script')", 1, "ValueError: of the script\n"),
    "an interrupt": (
        "os.kill(os.getpid(), signal.SIGINT); threading.Event().wait()",
        -signal.SIGINT,
        "KeyboardInterrupt\n",
    ),
    "os._exit": ("os._exit(4)", 4, ""),
}


@pytest.mark.parametrize("ending", EXITS)
@pytest.mark.parametrize("running", RUNNING)
def test_a_process_exits_in_silence_while_streams_run(running: str, ending: str) -> None:
    last, code, said = EXITS[ending]
    script = PRELUDE + textwrap.dedent(RUNNING[running]) + last
    for _ in range(ROUNDS):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", script],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        own = "".join(
            line for line in done.stderr.splitlines(keepends=True) if not line.startswith(("Traceback", "  "))
        )
        assert (done.returncode, own, done.stdout) == (code, said, ""), done.stderr
