"""The stage that counts what passes, and the counts of one run, which any thread may read while elements flow.

The stream writes words; whoever wants them reads them, when it likes. So an exporter that hangs or raises is none of
the stream's business: nobody is called for an element or a request.

Roles
    drainer    the holder of the token above the stage: counts elements and ends the run; the only writer of these words
    requester  any thread: counts what it requests, and starts the clock of a wait
    reader     any thread

Ordering
    counts      relaxed: a reader wants a recent number, and nothing that belongs to it
    `state`     release, after the end and its error are written; readers acquire: who sees that a run has ended, sees
                all that the drainer has counted in it
    `asked_at`  relaxed: its value is the whole message. A requester sets it where it is 0, the drainer takes it.
"""

from weakref import ref

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.demand cimport demand_add
from rs_core.stream.subscription cimport FORWARDED, REPLACED, Stage, drop_signal, release_failed
from rs_core.sync.atomics cimport (
    gil_int64, gil_uint32, memory_order_acquire, memory_order_relaxed, memory_order_release,
)

cdef extern from "sync/clock.h" nogil:
    int64_t clock_nanoseconds "rs_clock_nanoseconds"() noexcept

cdef enum State:
    NEW = 0
    RUNNING = 1
    COMPLETED = 2
    FAILED = 3
    CANCELLED = 4

cdef tuple NAMES = ("new", "running", "completed", "failed", "cancelled")


@cython.final
cdef class TappedRun:
    """The counts of one run of a stream at its operator `tap`; made by that, and handed to its metrics.

    It does not keep the stream alive, and may be read after that has ended.

    Threads: any may read; each number is that of its moment.
    """

    cdef readonly str name
    cdef str failure
    cdef object stage                    # a weak reference
    cdef gil_uint32 state
    cdef int64_t started, ended          # by the clock, in nanoseconds
    cdef gil_int64 passed, asked, requests_passed, is_unlimited, asked_at
    cdef gil_int64 waits_ended, waited, longest

    def __cinit__(self, *args, **kwargs):
        self.state.store(NEW, memory_order_relaxed)  # relaxed, as all here: nobody else has it yet
        self.passed.store(0, memory_order_relaxed)
        self.asked.store(0, memory_order_relaxed)
        self.requests_passed.store(0, memory_order_relaxed)
        self.is_unlimited.store(0, memory_order_relaxed)
        self.asked_at.store(0, memory_order_relaxed)
        self.waits_ended.store(0, memory_order_relaxed)
        self.waited.store(0, memory_order_relaxed)
        self.longest.store(0, memory_order_relaxed)

    def __init__(self, str name not None):
        self.name = name

    @property
    def outcome(self) -> str:
        """`"running"`, `"completed"`, `"failed"` or `"cancelled"`; `"new"` before the start.

        And `"abandoned"` if the stream was dropped while it ran, so that it has not ended and never will.
        """
        cdef int state = self.state.load(memory_order_acquire)  # acquire: see Ordering
        if state == RUNNING and self.stage() is None:
            state = self.state.load(memory_order_acquire)  # acquire: as above; it may have ended before it was dropped
            if state == RUNNING:
                return "abandoned"
        return NAMES[state]

    @property
    def elements(self) -> int:
        """How many elements have passed."""
        return self.passed.load(memory_order_relaxed)  # relaxed: see Ordering

    @property
    def requests(self) -> int:
        """How many requests have passed."""
        return self.requests_passed.load(memory_order_relaxed)  # relaxed: see Ordering

    @property
    def requested(self) -> int:
        """How many elements were requested, by the requests that have a limit."""
        return self.asked.load(memory_order_relaxed)  # relaxed: see Ordering

    @property
    def is_unbounded(self) -> bool:
        """Whether a request without a limit has passed."""
        return self.is_unlimited.load(memory_order_relaxed) != 0  # relaxed: see Ordering

    @property
    def waits(self) -> int:
        """How often an element came after a request; of several requests before an element the first one counts."""
        return self.waits_ended.load(memory_order_relaxed)  # relaxed: see Ordering

    @property
    def waited_seconds(self) -> float:
        """The time from these requests to these elements, all in all."""
        return self.waited.load(memory_order_relaxed) / 1e9  # relaxed: see Ordering

    @property
    def longest_wait_seconds(self) -> float:
        """The longest time from a request to the next element."""
        return self.longest.load(memory_order_relaxed) / 1e9  # relaxed: see Ordering

    @property
    def seconds(self) -> float:
        """How long it has run, or ran until it ended."""
        cdef int state = self.state.load(memory_order_acquire)  # acquire: see Ordering
        if state == NEW:
            return 0.0
        return ((clock_nanoseconds() if state == RUNNING else self.ended) - self.started) / 1e9

    @property
    def error_type(self) -> str | None:
        """The name of the class of the error with which it has failed; None: it has not."""
        # acquire: see Ordering
        return self.failure if self.state.load(memory_order_acquire) == FAILED else None

    def __repr__(self):
        return f"<TappedRun {self.name!r}: {self.elements} elements, {self.outcome}>"

    cdef void begin(self, TapStage stage):
        self.stage = ref(stage)
        self.started = clock_nanoseconds()
        self.state.store(RUNNING, memory_order_release)  # release: see Ordering

    cdef bint end(self, State state, object error):
        """Write how it has ended; False: it was not running."""
        if self.state.load(memory_order_relaxed) != RUNNING:  # relaxed: the only writer
            return False
        self.ended = clock_nanoseconds()
        if state == FAILED:
            self.failure = type(error).__qualname__
        self.state.store(state, memory_order_release)  # release: see Ordering
        return True

    cdef void request(self, int64_t n) noexcept:
        self.requests_passed.fetch_add(1, memory_order_relaxed)  # relaxed: see Ordering
        if n == INT64_MAX:
            self.is_unlimited.store(1, memory_order_relaxed)  # relaxed: see Ordering
        else:
            demand_add(self.asked, n)
        # relaxed: see Ordering. Of two requesters that find 0 either may write: they request at the same time.
        if not self.asked_at.load(memory_order_relaxed):
            self.asked_at.store(clock_nanoseconds(), memory_order_relaxed)

    cdef void end_wait(self) noexcept:
        # relaxed: see Ordering
        cdef int64_t took = clock_nanoseconds() - self.asked_at.exchange(0, memory_order_relaxed)
        add(self.waits_ended, 1)
        add(self.waited, took)
        if took > self.longest.load(memory_order_relaxed):  # relaxed: see Ordering
            self.longest.store(took, memory_order_relaxed)


cdef inline void add(gil_int64& word, int64_t n) noexcept:
    """Add to a word of the drainer."""
    word.store(word.load(memory_order_relaxed) + n, memory_order_relaxed)  # relaxed: see Ordering


@cython.final
cdef class TapStage(Stage):
    """Count what passes, and tell somebody when the run starts and ends.

    Args:
        name: The name of the run.
        metrics: Its `run_started` is called with the counts, and its `run_ended` with these and the error. What they
            raise goes to the hook for dropped signals; after `run_started` has raised, `run_ended` is not called.

    State: none.
    """

    cdef object metrics
    cdef TappedRun run

    def __cinit__(self, *args, **kwargs):
        self.run = TappedRun("")

    def __init__(self, str name not None, metrics):
        self.run.name = name
        self.metrics = metrics
        self.is_translating = True

    def inspect(self) -> dict:
        """Return what is known of this node at this moment; see `Stage.inspect`."""
        cdef dict facts = Stage.inspect(self)
        cdef int64_t passed = self.run.passed.load(memory_order_relaxed)  # relaxed: see Ordering
        facts["delivered"] = passed
        facts["requested"] = INT64_MAX if self.run.is_unbounded else max(0, self.run.requested - passed)
        facts["name"] = self.run.name
        return facts

    cdef int begin(self) except -1:
        self.run.begin(self)
        try:
            self.metrics.run_started(self.run)
        except BaseException as error:
            self.metrics = None
            if not isinstance(error, Exception):
                raise
            drop_signal(self, "run_started", error, self.name)
        return 0

    cdef int64_t translate(self, int64_t n) noexcept:
        self.run.request(n)
        return n

    cdef int try_next(self, PyObject* element) noexcept:
        add(self.run.passed, 1)
        if self.run.asked_at.load(memory_order_relaxed):  # relaxed: see Ordering
            self.run.end_wait()
        return self.down.try_next(element)

    cdef int receive_complete(self) noexcept:
        interrupt = self._end(COMPLETED, None)
        if interrupt is None:
            return FORWARDED
        self.owner.fail_at(self, interrupt)
        return REPLACED

    cdef int receive_error(self, object error) noexcept:
        interrupt = self._end(FAILED, error)
        if interrupt is None:
            return FORWARDED
        drop_signal(self, "on_error", error, self.name)  # §1.7: one terminal signal only
        self.owner.fail_at(self, interrupt)
        return REPLACED

    cdef object _end(self, State state, object error):
        """Write the end down and tell it; return what interrupts that, or None."""
        if not self.run.end(state, error) or self.metrics is None:
            return None
        try:
            self.metrics.run_ended(self.run, error)
        except Exception as trouble:
            drop_signal(self, "run_ended", trouble, self.name)
        except BaseException as interrupt:
            return interrupt
        return None

    cdef void release(self) noexcept:
        interrupt = self._end(CANCELLED, None)
        if interrupt is not None:
            release_failed(self, "run_ended", interrupt, self.name)
        self.metrics = None
