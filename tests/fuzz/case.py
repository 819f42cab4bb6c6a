"""One case: a random stream, in whose callbacks random things happen, and what must hold all the same."""

import gc
import threading
import weakref
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from reactivestreams import Stream
from reactivestreams.dropped import set_hook
from reactivestreams.errors import RunningEventLoopError, StateError
from reactivestreams.schedulers import Scheduler, WorkerScheduler
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.state import load_tree, save_tree
from tests.contracts.manual_scheduler import ManualScheduler
from tests.fuzz.ingredients import Kitchen, Operator, Source
from tests.fuzz.judge import Judge

WAIT_SECONDS = 30.0
POLL_SECONDS = 0.01
MOST_ACTIONS = 12
MOST_ROUNDS = 2000  # of a settling case: each requests without limit, or runs what a scheduler has

THREADS = 4
LOOP_SHARE = 0.05  # of the cases, how many may need an event loop


class FindingError(AssertionError):
    """A case that broke a rule."""


class PlannedError(Exception):
    """What user functions of a case raise."""


class PlannedInterrupt(BaseException):
    """What user functions of a case raise as Ctrl-C would."""


@dataclass
class Chances:
    """How often a callback acts, and which actions there are with their weights."""

    rate: float
    actions: dict[str, int]


GENTLE = {"request": 6, "nest": 2, "save": 2, "pause": 1, "emit": 4, "collect": 1}
ROUGH = {
    **GENTLE,
    "bad_request": 1,
    "cancel": 2,
    "dispose": 1,
    "raise": 1,
    "interrupt": 1,
    "finish": 1,
    "fail": 1,
    "start": 1,
    "forget": 1,
    "join": 1,
}
# A finalizer or the hook for dropped signals may do what any thread may do, but what it raises goes to nobody.
WITHOUT_RAISING = {name: weight for name, weight in ROUGH.items() if name not in {"raise", "interrupt", "nest"}}


@dataclass
class Case:
    """Known by the seed and its number: the same two make the same case, as far as one thread runs it."""

    seed: int
    number: int
    loop: AbstractEventLoop  # runs in another thread
    threads: int = 1
    log: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(f"case {self.number} of {self.seed}, {self.threads} threads")
        self.is_gentle = self.random.random() < 0.3
        self.rate = self.random.choice((0.0, 0.02, 0.2, 0.6))
        self.left = MOST_ACTIONS
        self.is_quiet = True
        self.is_harmed = False  # something was done behind which the stream owes no more than silence or an error
        self.is_cancelled = False
        self.is_forgotten = False
        self.judges: list[Judge] = []
        self.schedulers: list[Any] = []
        self.manual = ManualScheduler()
        self.kitchen = Kitchen(self.random, self.act, self._scheduler, self.loop)
        self.emitted = 0

    # --- building -----------------------------------------------------------------------------------------------------

    def _scheduler(self) -> Scheduler:
        if self.threads == 1:
            return self.manual
        if not self.schedulers:
            self.schedulers.append(WorkerScheduler(name="fuzz worker"))
        made: Scheduler = self.schedulers[0]
        return made

    def build(self) -> None:
        may_loop = self.random.random() < LOOP_SHARE
        while True:
            self.source: Source = self.random.choice(list(self.kitchen.sources.values()))()
            makers = self.random.choices(list(self.kitchen.operators.values()), k=self.random.randrange(6))
            self.operators: list[Operator] = [make() for make in makers]
            self.needs_loop = self.source.needs_loop or any(operator.needs_loop for operator in self.operators)
            if may_loop or not self.needs_loop:
                break
        self.stream = self.source.stream
        for operator in self.operators:
            self.stream = operator.add(self.stream)
        self.judge = Judge(self.act)
        self.judges.append(self.judge)

    @property
    def is_direct(self) -> bool:
        """Whether one thread does everything, so that silence behind a cancellation is exact."""
        return self.threads == 1 and not self.needs_loop

    @property
    def expected(self) -> list[Any] | None:
        """What comes where nothing goes wrong; None: that is for the case to say, or for chance."""
        given: list[Any] | None = self.source.elements
        if given is None or not all(operator.is_ordered for operator in self.operators):
            return None
        for operator in self.operators:
            given = operator.model(given)
        return given

    # --- acting -------------------------------------------------------------------------------------------------------

    def act(self, place: str) -> None:
        """Do something at random, in a callback; may raise what the case plans."""
        if self.is_quiet or self.left <= 0 or self.random.random() >= self.rate:
            return
        self._act(place, GENTLE if self.is_gentle else ROUGH)

    def act_without_raising(self, place: str) -> None:
        if self.is_quiet or self.left <= 0 or self.random.random() >= self.rate:
            return
        self._act(place, GENTLE if self.is_gentle else WITHOUT_RAISING)

    def _act(self, place: str, actions: dict[str, int]) -> None:
        self.left -= 1
        action = self.random.choices(list(actions), weights=list(actions.values()))[0]
        self.log.append(f"{place}: {action}")
        getattr(self, f"do_{action}")()

    def call(self, what: str, function: Callable[..., object], *arguments: Any, refusals: Any = ()) -> Any:
        """Call what never raises, but for what the case planned."""
        try:
            return function(*arguments)
        except PlannedInterrupt:
            self.is_harmed = self.is_cancelled = True
        except refusals:
            pass
        except PlannedError as error:
            if what not in {"nest", "start"}:
                self.faults.append(f"{what} raised {error!r}")
        except Exception as error:
            self.faults.append(f"{what} raised {error!r}")
        return None

    def do_request(self) -> None:
        n = self.random.choice((1, 1, 2, 5, MAX_DEMAND))
        if self.judge.subscription is not None:
            self.call("request", self.judge.request, n)

    def do_bad_request(self) -> None:
        if self.judge.subscription is not None:
            self.is_harmed = True
            self.call("bad request", self.judge.subscription.request, self.random.choice((0, -1, "x", None, 2.5)))

    def do_cancel(self) -> None:
        if self.judge.subscription is not None:
            self._end("cancel", self.judge.subscription.cancel)

    def do_dispose(self) -> None:
        if self.judge.subscription is not None:
            self._end("dispose", self.judge.subscription.dispose)

    def _end(self, name: str, end: Callable[[], object]) -> None:
        judge = self.judge
        self.is_harmed = self.is_cancelled = True
        self.call(name, end)
        # Elsewhere an element may be on its way (§2.8).
        if self.is_direct and self.depth == 0:
            judge.is_silenced = True

    def do_raise(self) -> None:
        self.is_harmed = True
        if self.judge.is_signalled:
            self.is_cancelled = True  # §2.13: a subscriber that raises is not signalled again
        raise PlannedError("planned")

    def do_interrupt(self) -> None:
        self.is_harmed = self.is_cancelled = True
        raise PlannedInterrupt

    def do_nest(self) -> None:
        """Run another stream to its end inside of this one."""
        self.call("nest", self.run_another, refusals=RunningEventLoopError)

    def run_another(self) -> None:
        """Run a stream that nobody disturbs; whatever happened before, it gives the same."""
        stream = Stream.range(9).flat_map(lambda number: [number] * 2).buffer(4).filter(lambda batch: batch[0] != 2)
        got = stream.to_list()
        if got != [[0, 0, 1, 1], [4, 4, 5, 5], [6, 6, 7, 7], [8, 8]]:
            raise FindingError(f"another stream gave {got!r}")

    def do_save(self) -> None:
        self.call("save", save_tree, self.handle, refusals=StateError)

    def do_pause(self) -> None:
        if self.threads == 1:
            self.manual.pause_async()
            self.paused = 3

    def do_emit(self) -> None:
        if self.source.entrance is not None:
            self.emitted += 1
            # Subjects that were disposed or have ended refuse; the error is theirs.
            self.call("emit", self.source.entrance.emit, self.emitted)

    def do_finish(self) -> None:
        if self.source.entrance is not None:
            self.call("complete", self.source.entrance.complete)

    def do_fail(self) -> None:
        if self.source.entrance is not None:
            self.is_harmed = True
            self.call("fail", self.source.entrance.fail, PlannedError("planned"))

    def do_start(self) -> None:
        if self.depth:
            return
        self.call("start", self.handle.initialize, refusals=(StateError, PlannedError))

    def do_collect(self) -> None:
        if self.random.random() < 0.1:
            cycle = Cycle(self)
            cycle.itself = cycle
            del cycle
            gc.collect(0)

    def do_forget(self) -> None:
        """Drop the handle; the stream goes on by what holds it."""
        self.is_forgotten = True

    def do_join(self) -> None:
        """Subscribe once more."""
        judge = Judge(lambda place: None)
        self.judges.append(judge)
        if not self.needs_loop:
            self.is_harmed = True  # who requests first has what there is once
            self.call("subscribe", self.stream.subscribe, judge)
            if judge.subscription is not None:
                self.call("request", judge.request, 3)

    # --- running ------------------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        return int(any(judge.is_signalled for judge in self.judges)) if self._is_acting_outside else 1

    def run(self) -> None:
        """Run the case; raise a FindingError for what it found."""
        self.paused = 0
        self._is_acting_outside = False
        self.run_another()  # or the collector could call for it in the middle of the imports that it makes
        self.build()
        before = set_hook(lambda signal, value, /, *, origin: self.act_without_raising("dropped"))
        collects = self.random.random() < 0.1
        thresholds = gc.get_threshold()
        if collects:
            gc.callbacks.append(self._collected)
            gc.set_threshold(20, 5, 5)
        try:
            self.handle: Any = self.stream.bind(self.judge)
            self.is_quiet = False
            self.call("initialize", self.handle.initialize)
            if self.threads == 1:
                self._drive()
            else:
                self._drive_in_threads()
            self.is_quiet = True
            self._settle()
        finally:
            if collects:
                gc.set_threshold(*thresholds)
                gc.callbacks.remove(self._collected)
            set_hook(before)
        try:
            self._judge()
        finally:
            for scheduler in self.schedulers:
                scheduler.dispose()

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        self.act_without_raising("gc")

    def _drive(self) -> None:
        """Act from outside, and let the scheduler run now and then."""
        for _ in range(self.random.randrange(12)):
            self._run_scheduler(self.random.randrange(3))
            if self.random.random() < 0.1 and self.source.is_recovered and not self.is_harmed:
                self._recover()
            elif self.random.random() < 0.6:
                self.do_request()
                self.log.append("outside: request")
            else:
                self._is_acting_outside = True
                with suppress(PlannedError, PlannedInterrupt):
                    self._act("outside", GENTLE if self.is_gentle else WITHOUT_RAISING)
                self._is_acting_outside = False
            if self.is_forgotten:
                gc.collect(0)

    def _run_scheduler(self, turns: int) -> None:
        self.paused -= 1
        if self.paused <= 0:
            self.manual.continue_()
        for _ in range(turns):
            if not self.call("a turn", self.manual.run_next):
                break

    def _recover(self) -> None:
        """Save the stream, cancel it, and let a new one go on behind it."""
        self.is_quiet = True  # what is requested during a save is sent behind it, and is not part of it
        saved = self.call("save", save_tree, self.handle, refusals=StateError)
        if saved is None or self.judge.has_ended or self.needs_loop:
            self.is_quiet = False
            return
        self.log.append("outside: recover")
        self.handle.cancel()
        self.judge = Judge(self.act, self.judge)
        self.judges.append(self.judge)
        self.handle = self.stream.bind(self.judge)
        self.call("load", load_tree, self.handle, saved)
        self.is_quiet = False
        self.call("initialize", self.handle.initialize)

    def _drive_in_threads(self) -> None:
        """Act from several threads at once."""
        gate = threading.Barrier(self.threads)
        seeds = [self.random.random() for _ in range(self.threads)]

        def drive(seed: float) -> None:
            random = Random(seed)
            gate.wait()
            for _ in range(random.randrange(20)):
                if random.random() < 0.7:
                    self.do_request()
                else:
                    with suppress(PlannedError, PlannedInterrupt):
                        self._act("a thread", GENTLE if self.is_gentle else WITHOUT_RAISING)

        threads = [threading.Thread(target=drive, args=(seed,), daemon=True) for seed in seeds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_SECONDS)
            if thread.is_alive():
                raise FindingError(self.described("a thread hangs"))

    def _settle(self) -> None:
        """Request all there is, complete what is pushed, and run what waits, until the stream has ended."""
        self.manual.continue_()
        for _ in range(MOST_ROUNDS):
            if self.judge.has_ended or self.is_cancelled:
                break
            self.do_finish()
            self.do_request()
            if self.judge.subscription is not None:
                self.call("request", self.judge.request, MAX_DEMAND)
            self.call("the scheduler", self.manual.run_waiting)
            if self.needs_loop or self.threads > 1:
                self._wait()
                break
        self.call("the scheduler", self.manual.run_waiting)

    def _wait(self) -> None:
        """Wait for other threads, and run what they leave to this one."""
        for _ in range(int(WAIT_SECONDS / POLL_SECONDS)):
            if self.is_cancelled or not self.source.ends or self.judge.ended.wait(POLL_SECONDS):
                break
            self.call("the scheduler", self.manual.run_waiting)

    def _judge(self) -> None:
        faults = [*self.faults]
        for judge in self.judges:
            faults += judge.faults
        elements = self.judge.elements
        expected = self.expected
        if self.source.ends and not self.is_cancelled and not self.judge.has_ended:
            faults.append("it did not end")
        if expected is not None and not self.is_harmed and not self.source.fails and self.judge.error is not None:
            faults.append(f"it failed: {self.judge.error!r}")
        if expected is not None and elements != expected[: len(elements)]:
            faults.append(f"it sent {elements!r}, not {expected!r}")
        elif expected is not None and self.judge.is_complete and elements != expected:
            faults.append(f"it completed after {elements!r}, not after {expected!r}")
        if not faults:
            self.do_nest()  # whatever happened, this thread runs streams as before
            faults = self.faults
        if faults:
            raise FindingError(self.described("; ".join(dict.fromkeys(faults))))

    def check_leak(self) -> None:
        """Let go of the stream, whose subscriber has to die then; the last that a case does."""
        watched = weakref.ref(self.judge)
        text = self.described("its subscriber was never freed")
        for name in list(vars(self)):
            delattr(self, name)
        gc.collect()
        if watched() is not None:
            raise FindingError(text)

    def described(self, fault: str) -> str:
        """Return a fault with all that is needed to repeat it."""
        return (
            f"{fault}\n  stream: {self.stream!r}\n  actions: {', '.join(self.log) or 'none'}\n  again: "
            f"python -m tests.fuzz --seed {self.seed} --threads {self.threads} --case {self.number}"
        )


class Cycle:
    """What only the garbage collector finds; it acts when it is found."""

    itself: Any

    def __init__(self, case: Case) -> None:
        self.case = case

    def __del__(self) -> None:
        with suppress(PlannedError, PlannedInterrupt):
            self.case.act_without_raising("finalizer")
