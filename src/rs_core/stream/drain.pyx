"""The owner of demand: a stage that holds elements back, and the protocol by which one thread at a time drains it.

Roles
    requester   any thread: adds demand, sets bits of the state word
    drainer     the one thread that moved the state word from idle to DRAINING: it has the token
    life cycle  the thread that initializes the tree; until `open` the bit NEW keeps everybody from draining
    saver       any thread: holds the token while the fields behind it are saved, where nobody drains

Invariants
    I1  At most one thread has the token.
    I2  Element-side fields of the segment below are touched only by the holder of the token.
    I3  Demand that was added, and a bit that was set, is seen by the present drainer or by who set it: the
        drainer goes idle by a CAS from exactly DRAINING, which fails if MISSED or another bit came.
    I4  TERMINAL is final. It is set once, by the holder of the token, and teardown follows.
    I5  Links, iterators and queues are released only by the holder of the token, when no stage of the segment
        is on the C stack: a callback that cancels its own stream cannot free the stage that is running.
    I6  A saver has the token as a drainer has, so I1 to I5 hold for it: what comes meanwhile leaves a mark in the word,
        and is dealt with when it lets go (drain_task.pyx). Parked and new owners are held as they are, and stay so.
    I7  A drainer whose turn is over gives the token to the turn that goes on, with the word as it is: so I3 holds, and
        whoever takes that turn, to drain or to tear down, has the token (drain_task.pyx, Turns).

Ordering (write -> read that pairs with it)
    demand_add (seq_cst), then the word   ->  clearing MISSED (seq_cst), then the demand: a store-buffer pair; in
                                              any weaker order both could miss each other and a request be lost
    CAS to idle (release)                 ->  CAS to DRAINING (acquire): element-side fields travel with the token
    setting a bit (release)               ->  clearing MISSED (acquire): what was written before the bit is seen
    CAS to idle or parked (release)       ->  claim_token() (acquire): the saver sees the last drainer's fields
    free_token() (release)                ->  CAS to DRAINING (acquire): the next drainer sees what the saver moved

Progress: request and cancel are lock-free and never wait for the drainer; they retry only because another thread
succeeded. A drainer that is preempted delays its own subscription alone.

Depth: see drain_task.pyx. Reuse: ABA of the word is harmless: a transition depends on the bits alone that it compares.
Source: the work-in-progress counter of RxJava and Reactor, reduced to one bit (MISSED) beside the other bits.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

cimport cython

from rs_core.sync.atomics cimport (
    memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst,
)
from rs_core.interp.calls cimport safe_point
from rs_core.demand cimport demand_add, demand_take
from rs_core.stream.drain_task cimport DrainTask, turn_here
from rs_core.stream.failures cimport add_assembly_note, drop_second_interrupt, drop_signal
from rs_core.stream.links cimport Relay, disposed_stage, link_segment
from rs_core.stream.stage cimport (
    LATE, MARKED, PASSED_ON, RELAYED, REPLACED, STOPPED, TORN_DOWN, Stage, cancel_upstream, request_upstream,
)
from rs_core.sync.turns cimport Turn


cdef class DemandOwner(DrainTask):
    """A stage that holds elements back until they are requested: a source or a queue.

    Threads: `request`, `cancel`, `pause` and `resume` by any; elements are sent by one thread at a time.
    """

    def __cinit__(self, *args, **kwargs):
        self.is_owner = True
        self.is_translating = True
        self.drops_directly = False
        self.state.store(NEW, memory_order_relaxed)
        self.demand_word.store(0, memory_order_relaxed)
        self.until_tick = TICK_EVERY
        self.tick_every = 1

    # --- any thread -----------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Park the stream: the drainer stops after the element it is at; requests only add up until `resume`."""
        self._set(PAUSE)

    def resume(self) -> None:
        """Let a parked stream go on, in this thread or on its scheduler. May run user code."""
        # release: pairs with the acquire in _set(); what the pauser wrote is seen by the next drainer
        self.state.fetch_and(~<uint32_t>PAUSE, memory_order_release)
        self.notify()

    @property
    def is_parked(self) -> bool:
        """Whether the stream was paused and its drainer has stopped."""
        # acquire: pairs with the release of the parking CAS; else the drainer's last fields might be missing
        return (self.state.load(memory_order_acquire) & (PAUSE | DRAINING)) == PAUSE

    cdef bint claim_token(self) noexcept:
        cdef uint32_t seen = self.state.load(memory_order_relaxed)
        while not seen & DRAINING:
            # acquire: pairs with the release of whoever gave the token up, see Ordering
            if self.state.compare_exchange_weak(seen, seen | DRAINING, memory_order_acquire, memory_order_relaxed):
                return True
        return False

    cdef bint free_token(self) noexcept:
        cdef uint32_t seen = self.state.load(memory_order_relaxed)
        # What waits for open() or resume() goes on waiting.
        while seen & TERMINAL or not (seen & CANCELLED or (seen & (MISSED | NEW | PAUSE)) == MISSED):
            # release: pairs with the acquire in _set(), see Ordering
            if self.state.compare_exchange_weak(
                seen, seen & ~<uint32_t>DRAINING, memory_order_release, memory_order_relaxed
            ):
                return True
        return False

    cdef int add_demand(self, int64_t n) except -1:
        cdef uint32_t seen
        demand_add(self.demand_word, n)
        # seq_cst: second half of the store-buffer pair with drain(); see Ordering
        seen = self.state.load(memory_order_seq_cst)
        if (seen & (DRAINING | MISSED)) == (DRAINING | MISSED) or seen & TERMINAL:
            return 0  # §3.3: the drainer has yet to clear MISSED, and looks at the demand after that
        return self.notify()

    cdef int notify(self) except -1:
        """Make sure that somebody looks at this owner: the present drainer, or this thread."""
        return self._set(0)

    cdef int refuse_request(self, object error) except -1:
        with cython.critical_section(self):
            if self.bad_request is None:
                self.bad_request = error
        return self._set(BAD_REQUEST)

    cdef int cancel_here(self) noexcept:
        cdef int outcome = self._mark_cancelled()
        if outcome == MARKED and self.scheduler is None and self.claim_turn():
            outcome = TORN_DOWN  # it waited for another turn of a loop, and had the token
        if outcome == TORN_DOWN:
            self._teardown()  # I5: idle, new or parked, so nothing of the segment runs
        return outcome

    cdef int _mark_cancelled(self) noexcept:
        """Set CANCELLED; TORN_DOWN: this thread got the token and has to see to that."""
        cdef uint32_t seen = self.state.load(memory_order_relaxed)
        while not seen & (TERMINAL | CANCELLED):  # §3.7: nothing left to cancel
            # acq_rel: acquire as in _set(), since this thread may get the token; release publishes nothing but the bit
            if self.state.compare_exchange_weak(
                seen, seen | CANCELLED | DRAINING | MISSED, memory_order_acq_rel, memory_order_relaxed
            ):
                return MARKED if seen & DRAINING else TORN_DOWN
        return LATE

    cdef int _set(self, uint32_t bit) except -1:
        """Set a bit; drain if that makes this thread the drainer."""
        cdef uint32_t seen = self.state.load(memory_order_relaxed)
        cdef uint32_t wanted
        cdef bint takes
        while True:
            if seen & TERMINAL:
                return 0  # §3.6, §1.6
            takes = not (seen | bit) & (DRAINING | NEW | PAUSE)
            wanted = seen | bit | MISSED | (DRAINING if takes else 0)
            # seq_cst: acquires what the last drainer released (I2), releases what this thread wrote before the
            # bit, and keeps its place behind demand_add in the single order (I3)
            if self.state.compare_exchange_weak(seen, wanted, memory_order_seq_cst, memory_order_relaxed):
                return self.take_turn() if takes else 0

    # --- life cycle -----------------------------------------------------------------------------------------

    cdef int attach(self) except -1:
        if self.is_owner and self.down is not None and self.down.owner is None:
            link_segment(self)
        return Stage.attach(self)

    cdef int take_context(self, object context) except -1:
        """Under a host with a scheduler only its tasks drain; a request from elsewhere adds, and wakes the task."""
        Stage.take_context(self, context)
        scheduler = getattr(context, "scheduler", None)
        if scheduler is not None and not getattr(scheduler, "is_immediate", False):
            self.drain_on(scheduler)
        return 0

    cdef int open(self) except -1:
        """Serve the demand that was added so far; called when the whole tree was started."""
        # release: pairs with the acquire of whoever takes the token; the life cycle's fields travel with it
        cdef uint32_t seen = self.state.fetch_and(~<uint32_t>NEW, memory_order_release)
        if seen & TERMINAL:
            self._drop_noted_error()  # noted at a start beside which another thread cancelled
        elif seen & NEW:
            return self.notify()
        return 0

    # --- the drainer ----------------------------------------------------------------------------------------

    cdef int drain(self) except -1:
        """Send what demand allows, then go idle, park or end. Requires the token; gives it up."""
        cdef DemandOwner _held = self  # a callback may drop the last reference to this stream
        cdef uint32_t seen
        cdef int64_t wanted, sent
        while True:
            # seq_cst: first half of the store-buffer pair with add_demand(); acquires what came with the bits
            seen = self.state.fetch_and(~<uint32_t>MISSED, memory_order_seq_cst)
            if seen & LEAVE:
                if seen & TURN_OVER:
                    # acquire: as above, since another bit may have come meanwhile
                    seen = self.state.fetch_and(~<uint32_t>TURN_OVER, memory_order_acquire) & ~<uint32_t>TURN_OVER
                    if not seen & LEAVE:
                        return self.leave_turn()
                if self._settle(seen):
                    fatal, self.fatal = self.fatal, None
                    if fatal is not None:
                        raise fatal
                    return 0
                continue
            wanted = self.demand_word.load(memory_order_seq_cst)  # seq_cst: after MISSED was cleared, see Ordering
            if self.scheduler is not None and wanted > TURN_ELEMENTS:
                wanted = TURN_ELEMENTS
            sent = self.send(wanted)
            demand_take(self.demand_word, sent)
            if sent < wanted or wanted == 0 or self.demand_word.load(memory_order_relaxed) == 0:
                seen = DRAINING
                # release: pairs with the acquire in _set(); the fields of the segment travel to the next drainer
                if self.state.compare_exchange_strong(seen, 0, memory_order_release, memory_order_relaxed):
                    return 0
            if self.scheduler is not None and not self.should_leave():
                return self.take_turn()  # a turn is one send(): the scheduler's other tasks come in between

    cdef bint _settle(self, uint32_t seen) noexcept:
        """Act on the bits that made the drainer leave its loop; return whether the token was given up."""
        if seen & (CANCELLED | TERMINAL):
            self._teardown()
            return True
        if seen & BAD_REQUEST:
            self._end(self.down, self.bad_request)  # §3.9
            return True
        if seen & FINISHING:
            if self.finish_error is not None or not self._must_wait():
                self._end(self.finishing, self.finish_error)
                return True
            seen &= ~<uint32_t>MISSED  # idle with FINISHING set: the awaited request takes the token
        # That, or PAUSE. release: pairs with the acquire in _set(); the parked state may be saved and taken over.
        return self.state.compare_exchange_strong(
            seen, seen & ~<uint32_t>DRAINING, memory_order_release, memory_order_relaxed
        )

    cdef bint _must_wait(self) noexcept:
        """Whether a stage that the completion would reach has to be asked for its last elements first (§1.1)."""
        cdef Stage stage = self.finishing
        while stage is not None:
            if stage.must_wait():
                return True
            if stage.is_owner:
                return False
            stage = stage.down
        return False

    cdef void _end(self, Stage receiver, object error) noexcept:
        """Signal the end to the stages from `receiver` down, then tear the segment down."""
        cdef int passage
        # relaxed: only the holder of the token sets it, and whoever reads it needs nothing but the bit (I4)
        self.state.fetch_or(TERMINAL, memory_order_relaxed)
        cancel_upstream(self)
        self.finishing = None
        self.finish_error = None
        while receiver is not None:
            passage = receiver.receive_complete() if error is None else receiver.receive_error(error)
            if passage == PASSED_ON:
                receiver = receiver.down
            elif passage == REPLACED:
                receiver = self.finishing
                error = self.finish_error
                self.finishing = None
                self.finish_error = None
            else:
                break
        self._teardown()

    cdef void _teardown(self) noexcept:
        """Release the segment; after an interrupt also those below, as far as their tokens are free."""
        cdef DemandOwner owner = self
        while owner is not None:
            owner = owner._teardown_segment()

    cdef DemandOwner _teardown_segment(self):
        """Release the segment, from the owner down to its end; nobody takes the token after that (I4, I5).

        Returns:
            The owner at the end of the segment if this thread has its token now and has to tear it down, else None.
        """
        cdef Stage stage = self
        cdef Stage below
        cdef DemandOwner next_owner = None
        self.state.fetch_or(TERMINAL, memory_order_relaxed)  # relaxed: as in _end()
        self.finishing = None
        self._drop_noted_error()  # it was raised by what cancelled the stream, or beside it
        self.relay = None
        while stage is not None:
            below = stage.down
            if stage is not self and stage.is_owner:
                next_owner = <DemandOwner>stage  # a segment with a token of its own
                break
            stage.disposed = True
            stage.changed = stage.changed or not stage.disposed_in_state
            if below is not None:
                with cython.critical_section(stage):  # pairs with that in below_of()
                    stage.down = disposed_stage()
            stage.release()
            stage = below
        # release: pairs with the acquire in claim_token(); a host may save the disposed state now
        if not self.state.fetch_and(~<uint32_t>DRAINING, memory_order_release) & INTERRUPTED or next_owner is None:
            return None
        # relaxed: whoever tears it down has seen CANCELLED, which comes after it
        next_owner.state.fetch_or(INTERRUPTED, memory_order_relaxed)
        return next_owner if next_owner._mark_cancelled() == TORN_DOWN else None

    cdef object take_interrupt(self):
        error = self.fatal
        self.fatal = None
        return error

    cdef void drop_interrupt(self) noexcept:
        error = self.take_interrupt()
        if error is not None:
            drop_signal(self, "cancel", error, self.name)

    cdef int _raise_fatal(self) except -1:
        error = self.take_interrupt()
        if error is not None:
            raise error
        return 0

    # --- what the loops of sources and queues call ----------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        return 0

    cdef int deliver(self, Stage stage, PyObject* element) noexcept:
        cdef int outcome = stage.try_next(element)
        if outcome == RELAYED:
            outcome = self.resume_relays()
        return outcome

    cdef int resume_relays(self) noexcept:
        cdef int outcome = RELAYED
        cdef Relay relay
        while outcome == RELAYED:
            relay = self.relay
            outcome = relay.down.try_next(relay.element)
        return outcome

    cdef void hold_relay(self, Stage relay) noexcept:
        self.relay = <Relay>relay

    cdef bint should_leave(self) noexcept:
        return (self.state.load(memory_order_relaxed) & LEAVE) != 0  # relaxed: a hint; drain() decides

    cdef void come_again(self) noexcept:
        """Note that send() stops with work left, so that the drainer does not go idle."""
        self.state.fetch_or(MISSED, memory_order_relaxed)  # relaxed: the drainer's note to itself

    cdef bint tick(self) noexcept:
        """Give the interpreter a safe point: signals, other threads, a stop of the world; False: leave the loop.

        Due every TICK_EVERY elements: where all functions are compiled, nothing else lets the interpreter look up.
        Where the turn is bounded it is due earlier, and looks whether the turn is over.
        """
        cdef Turn turn = turn_here()
        cdef int64_t more = TICK_EVERY
        self.until_tick = TICK_EVERY
        try:
            safe_point()
            if turn is not None:
                more = turn.look(self.tick_every)
        except BaseException as error:
            self.fail_at(self, error)
            return False
        if turn is None:
            return True
        if more:
            self.tick_every = more
        else:
            self.state.fetch_or(TURN_OVER, memory_order_relaxed)  # relaxed: the drainer's note to itself
        self.until_tick = self.tick_every
        return more != 0

    cdef void look_early(self, Turn turn) noexcept:
        self.until_tick = min(self.until_tick, turn.first_look(self.tick_every))

    cdef bint ask(self, int64_t n) noexcept:
        """Request n elements of this owner's own input; False: leave the loop."""
        try:
            request_upstream(self, n)
        except BaseException as error:
            self.fail_at(self, error)
            return False
        return True

    cdef int finish(self, Stage receiver, object error) noexcept:
        """Note the end for `receiver` and the stages below, to be sent when the present push has returned."""
        # A later note of the same push comes from further down and takes the place of this one.
        if self.finish_error is not error:
            self._drop_noted_error()
        self.finishing = receiver
        self.finish_error = error
        self.state.fetch_or(FINISHING, memory_order_relaxed)  # relaxed: the drainer's note to itself
        return STOPPED

    cdef void _drop_noted_error(self) noexcept:
        error = self.finish_error
        self.finish_error = None
        if error is not None:
            drop_signal(self, "on_error", error, self.name)

    cdef bint has_note(self) noexcept:
        return self.finishing is not None or self.fatal is not None

    cdef int fail_turn(self, object error) noexcept:
        # Who was cancelled is owed no end; an interrupt is raised in any case.
        # relaxed: a scheduler that gives up orders what was cancelled before
        if isinstance(error, Exception) and self.state.load(memory_order_relaxed) & (CANCELLED | TERMINAL):
            return STOPPED
        return self.fail_at(self, error)

    cdef int fail_at(self, Stage stage, object error) noexcept:
        """End the stream with an error that was raised at a stage of this segment."""
        if isinstance(error, Exception):
            add_assembly_note(error, stage)
            return self.finish(stage.down, error)
        # KeyboardInterrupt, SystemExit: not the subscriber's business; re-raised where Python called us.
        if self.fatal is None:
            self.fatal = error
        else:  # of user code that ran because of the first, as of a generator that was closed
            drop_second_interrupt(stage, error)
        # relaxed: the holder of the token tells itself; nobody below gets an end, so all that is below is cancelled
        self.state.fetch_or(INTERRUPTED, memory_order_relaxed)
        cancel_upstream(self)
        self.cancel_here()
        return STOPPED
