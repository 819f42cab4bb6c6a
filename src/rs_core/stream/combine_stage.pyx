"""A stage with several inputs, which may come and go: base of what joins streams, or runs one for each element.

Each input is a chain of stages that ends in a port. The port of the input above, if there is one, stands between it and
the stage, so that walks along a chain go through; the stage makes, opens and cancels
the chains of all others, the side inputs.

Roles
    input    the holder of the token of an input's owner: offers to the ring of its port, notes the end, lists the port
    drainer  the holder of this stage's token: takes from the rings, requests, draws; adds and removes inputs

Invariants
    I1  Of an input at most `prefetch` elements are requested and not yet taken, so its ring never overflows.
    I2  A port that has news, an element or an end, is in a list, or its drainer is serving it: an input lists it
        after it has written the news, and the drainer takes the mark away before it looks.
    I3  A port is in one list at most: who sets its mark `is_listed` puts it there. One that is over keeps the mark, so
        that nobody lists it again.
    I4  Lists hold borrowed references: a port is in `ports` or `retired` as long as it is in a list. After the
        teardown nobody reads a list.
    I5  The mode of a port is changed under the token of its owner: one that passes, fills or forwards is drawn by
        the drainer, which has both tokens.

Ordering (write -> read that pairs with it)
    news, then `is_listed` := 1 (seq_cst)   ->  `is_listed` := 0 (seq_cst), then the news: a store-buffer pair; in a
                                                weaker order both could miss each other, and an element would wait for
                                                ever
    `next_listed`, then `arrived` (release) ->  `arrived` := 0 (acquire), `next_listed`
    `arrived`, then notify() (seq_cst)      ->  clear_missed (seq_cst), then `arrived`: a listed port is seen by the
                                                present drainer or by who notified
    elements and `input_error`, then `input_ended` (release)  ->  `input_ended` (acquire), then the ring
    tests/interleavings/test_combine_model.py explores the list, with each step or order broken.

Drawing: where the thread that drains this stage can have the token of an input's owner, it runs that owner itself and
takes what comes at once, with neither ring nor notice. What an input brings in another thread, or later, goes through
the ring. Each input is drawn for as many elements as were requested of it, then it is the next one's turn. At most
MAX_DRAWN stages draw each other; those further up are drained in the list of the run (subscription.pyx, Depth).

Progress: inputs never wait for the drainer, nor it for them; listing is lock-free.
Overflow and reuse: `arrived` is taken as a whole, so that a head that comes back (ABA) is harmless.
Source: the list of ready inputs is Treiber's stack, R. K. Treiber, Systems Programming: Coping with Parallelism, 1986,
reversed when it is taken; demand and fairness are those of Reactor's FluxFlatMap.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

cimport cython

from rs_core.debug_checks cimport log_of_words
from rs_core.interp.calls cimport caught, decref
from rs_core.queues.spsc_ring cimport SpscRing, spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.description cimport Description
from rs_core.stream.lifecycle cimport hand_context, make_nodes, open_owners, start_nodes
from rs_core.stream.queue_stage cimport read_elements, read_error, write_signals
from rs_core.stream.subscription cimport (
    ACCEPTED, BOUNCED, CONSUMED, INTERRUPTED, LEAVE, NEW, STOPPED, TERMINAL, TURN_OVER, UNWANTED, DemandOwner, Stage,
    cancel_upstream, count, drop_signal, new_error, request_upstream, turn_here,
)
from rs_core.demand cimport demand_take
from rs_core.sync.atomics cimport (
    memory_order_acquire, memory_order_relaxed, memory_order_release, memory_order_seq_cst,
)
from rs_core.sync.serial_word cimport (
    clear_acquire, clear_missed, clear_release, connect_log, set_relaxed, try_acquire_idle,
)

from rs_core.errors import DemandExceededError, StateError

connect_log(log_of_words())

cdef enum:
    MAX_DRAWN = 8


@cython.final
cdef class InputPort(Stage):
    """The end of an input of a stage that has several."""

    def __cinit__(self, *args, **kwargs):
        self.is_unit = False
        self.mode = PORT_NOTIFIES
        self.input_ended.store(0, memory_order_relaxed)
        self.is_listed.store(0, memory_order_relaxed)

    @property
    def name(self) -> str:
        """That of the stage that has this input."""
        return self.target.name

    def inspect(self) -> dict:
        """Return that this is no node: what waits in it is a part of what its stage says."""
        return {"is_link": True}

    cdef Stage next_below(self):
        return self.target

    # What most elements take is here, and needs neither a stack frame nor a reference to the stage; all else is a call.
    cdef int try_next(self, PyObject* element) noexcept:
        cdef int outcome
        if self.allowed > 0:
            outcome = self.target.down.try_next(element)
            if outcome == BOUNCED:
                outcome = self.target.run_trampoline()
            if outcome == ACCEPTED:
                self.allowed -= 1
            else:
                self.dropped += 1
            # relaxed: drain() looks again, with the order that the bits need
            if self.target.state.load(memory_order_relaxed) & LEAVE:
                set_relaxed(self.owner.state, TURN_OVER)  # a note for draw()
            return ACCEPTED
        if self.mode == PORT_FILLS and spsc_offer(self.slots, element):
            return ACCEPTED
        return self.target.receive(self, element)

    cdef int receive_complete(self) noexcept:
        return self._end_input(None)

    cdef int receive_error(self, object error) noexcept:
        return self._end_input(error)

    cdef int _end_input(self, object error) noexcept:
        # relaxed: as in receive()
        if self.target.state.load(memory_order_relaxed) & TERMINAL:
            if error is not None:
                drop_signal(self, "on_error", error, self.target.name)
            return CONSUMED
        self.input_error = error
        self.input_ended.store(1, memory_order_release)  # release: pairs with the acquire in has_ended()
        self.announce()
        if (<Notifies>_notify)(self.target) == -1:
            self.callback_failed()
        return CONSUMED

    cdef void announce(self) noexcept:
        """List this port, unless it is listed."""
        cdef CombineStage target = self.target
        cdef uint64_t head
        if self.is_listed.exchange(1, memory_order_seq_cst):  # seq_cst: see Ordering
            return
        head = target.arrived.load(memory_order_relaxed)  # relaxed: the CAS says whether it is still so
        self.next_listed = <PyObject*><void*>head
        # release: pairs with the acquire of who takes the list
        while not target.arrived.compare_exchange_weak(
            head, <uint64_t><void*>self, memory_order_release, memory_order_relaxed
        ):
            self.next_listed = <PyObject*><void*>head

    cdef void release(self) noexcept:
        cdef CombineStage target = self.target
        # Torn down by an interrupt, without an end: what is below gets none, so it is cancelled.
        # relaxed: the holder of the token has set it
        if self.owner is None or not self.owner.state.load(memory_order_relaxed) & INTERRUPTED:
            return
        set_relaxed(target.state, INTERRUPTED)
        target.cancel_here()

    cdef bint has_ended(self) noexcept:
        # acquire: pairs with the release in _end_input(); elements and error that came before the end are seen
        return self.input_ended.load(memory_order_acquire) and spsc_peek(self.slots) is NULL


cdef class CombineStage(DemandOwner):
    """A stage with several inputs.

    Args:
        sources: Descriptions of the inputs besides the one above.
        prefetch: How many elements of each input may be requested and not yet taken; 1 and more.
    """

    def __init__(self, tuple sources not None, int64_t prefetch):
        self.sources = sources
        self.prefetch = prefetch
        self.replenish_at = prefetch - prefetch // 4
        self.ports = {}
        self.retired = {}
        self.draw_mode = PORT_PASSES
        self.draw_depth = 1
        self.arrived.store(0, memory_order_relaxed)

    @property
    def inputs(self) -> tuple:
        """The nodes at the ends of the inputs: the one above, then the others in the order in which they came."""
        above = () if self.up is None else (self.up,)
        return above + (self.side_nodes(False) if self.released is None else self.released)

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what waits of all its inputs."""
        cdef dict facts = DemandOwner.inspect(self)
        cdef InputPort port
        cdef int64_t buffered = 0, waiting = 0, size, inputs = 0
        for port in list(self.ports.values()):  # a copy, since the drainer adds and removes inputs meanwhile
            size = <int64_t>spsc_size(port.ring.slots)
            buffered += size
            waiting += size > 0
            inputs += not port.is_over
        facts["buffered"] = buffered
        facts["prefetch"] = self.prefetch
        facts["inputs"] = inputs
        facts["inputs_that_wait"] = waiting
        return facts

    # --- what operators override --------------------------------------------------------------------------------

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        """Take an element of an input; called where accepts() was true."""
        pass_on(self, element)
        return 0

    cdef bint accepts(self, InputPort port) noexcept:
        """Whether an element of this input can be taken now. An operator that refuses for another reason than demand
        lists the port when that has changed."""
        return self.remaining > 0 or port.is_free

    cdef int input_over(self, InputPort port) noexcept:
        """Do what the end of an input means, all of whose elements were taken."""
        if port.input_error is not None:
            self.finish(self.down, port.input_error)
        elif self.count_live() == 0:
            self.finish(self.down, None)
        return 0

    cdef int nothing_to_do(self) noexcept:
        """Do what does not come from an input; False: there is nothing."""
        return False

    # --- the holder of the token of an input's owner --------------------------------------------------------------

    cdef int receive(self, InputPort port, PyObject* element) noexcept:
        """Take an element of an input at once, if that is drawn and accepted; else have it wait."""
        if port.mode == PORT_PASSES and self.accepts(port):
            port.outstanding -= 1
            self.changed = True
            self.take_in(port, element)
            # relaxed: drain() looks again, with the order that the bits need
            if not count(self) or self.state.load(memory_order_relaxed) & LEAVE:
                set_relaxed(port.owner.state, TURN_OVER)  # a note for draw()
            return ACCEPTED
        # relaxed: a late element is only swept up here; teardown has emptied the ring, or the ring dies with its port
        if self.state.load(memory_order_relaxed) & TERMINAL:
            decref(element)
            return STOPPED
        if not spsc_offer(port.slots, element):
            decref(element)
            return _fail_as_full(port)
        if port.mode != PORT_NOTIFIES:
            return ACCEPTED
        port.announce()
        return ACCEPTED if (<Notifies>_notify)(self) == 0 else port.callback_failed()

    # --- the drainer --------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        cdef DemandOwner starving
        self.remaining = n
        self.work()
        if self.remaining > 0 and self.starving is not None:
            starving = self.starving
            self.starving = None
            if (<Drains>_notify_owner)(starving) == -1:
                self.fail_at(self, caught())
        return n - self.remaining

    cdef int work(self) noexcept:
        cdef PyObject* listed
        cdef InputPort port
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            listed = _next_listed(self)
            if listed is not NULL:
                port = <InputPort>listed  # a reference of its own: an input that is over is released
                _serve(self, port)
            elif not self.nothing_to_do():
                break
        return 0

    cdef int64_t count_live(self) noexcept:
        cdef InputPort port
        cdef int64_t live = 0
        for each in self.ports.values():
            port = <InputPort>each
            live += not port.is_over
        return live

    cdef bint replenish(self, InputPort port) noexcept:
        """Request what there is room for, if it is worth it; True: the input was drawn, so there may be news."""
        cdef int64_t more = self.wanted_of(port)
        if more < self.replenish_at and more == self.prefetch - port.outstanding:
            return False
        # relaxed: a hint; after the end nobody looks at a request
        if more <= 0 or port.input_ended.load(memory_order_relaxed):
            return False
        port.outstanding += more
        if self.draw(port, more):
            return True
        try:
            request_upstream(port, more)
        except BaseException as error:
            self.fail_at(self, error)
        return False

    cdef int64_t wanted_of(self, InputPort port) noexcept:
        cdef int64_t more = self.prefetch - port.outstanding
        if self.is_exact and not port.is_free and self.remaining - port.outstanding < more:
            return self.remaining - port.outstanding
        return more

    cdef bint draw(self, InputPort port, int64_t more) noexcept:
        """Request elements of an input and take them here, if its owner is idle; False: it is not, nothing was done."""
        cdef DemandOwner owner = port.owner
        cdef int64_t wanted, sent
        cdef bint is_over
        cdef int outcome
        if owner.scheduler is not None or self.draw_depth == MAX_DRAWN or not _has_loops_of(owner, self):
            return False
        if not try_acquire_idle(owner.state):
            return False
        if isinstance(owner, CombineStage):
            (<CombineStage>owner).draw_depth = self.draw_depth + 1
        if owner.loops is not None and turn_here() is not None:
            owner.look_early(turn_here())
        port.mode = self.draw_mode
        try:
            request_upstream(port, more)  # only adds: this thread has the token
        except BaseException as error:
            self.fail_at(self, error)
        # As in DemandOwner.drain(), which does all that is left to do below.
        while not clear_missed(owner.state) & LEAVE:
            wanted = owner.demand_word.load(memory_order_seq_cst)  # seq_cst: after MISSED was cleared
            if wanted == 0:
                break
            if port.mode == PORT_FORWARDS:
                port.allowed = self.remaining
                sent = owner.send(wanted)
                _count_forwarded(self, port)
            else:
                sent = owner.send(wanted)
            demand_take(owner.demand_word, sent)
            if sent < wanted or self.should_leave():
                break
        port.mode = PORT_NOTIFIES
        # relaxed: both words are this thread's
        if self.state.load(memory_order_relaxed) & UNWANTED:
            cancel_upstream(port)  # else it would send the rest of what was requested
        is_over = clear_acquire(owner.state, TURN_OVER) & TURN_OVER
        if is_over and not self.should_leave():
            set_relaxed(self.state, TURN_OVER)  # it looked at the clock for both, or lets others go first
        # A source leaves when what draws it says so; a stage has a reason of its own, and goes on in its next turn.
        if is_over and isinstance(owner, CombineStage) and not owner.should_leave():
            outcome = (<Drains>_leave_turn)(owner)
        else:
            outcome = (<Drains>_drain)(owner)
        if outcome == -1:
            self.fail_at(self, caught())
        return True

    # --- inputs that come and go: the drainer -------------------------------------------------------------------

    cdef InputPort new_port(self, Description source, object key):
        cdef InputPort port = InputPort()
        port.target = self
        port.source = source
        port.key = key
        port.tree = self.tree
        port.ring = SpscRing(self.prefetch)
        port.slots = port.ring.slots
        port.index = self.next_index
        self.next_index += 1
        self.ports[port.index] = port
        return port

    cdef InputPort add_port(self, Description source, object key):
        """Add an input and make its nodes; start_port() begins it."""
        cdef InputPort port = self.new_port(source, key)
        cdef Stage stage
        make_nodes(port)
        if self.context_of_host is not None:
            hand_context(port, self.context_of_host)
        if self.loops is not None:
            stage = port
            while stage is not None:
                if isinstance(stage, DemandOwner) and (<DemandOwner>stage).loops is None:
                    (<DemandOwner>stage).loops = self.loops
                stage = stage.up
        return port

    cdef int start_port(self, InputPort port) noexcept:
        """Begin an input that was added, and request what there is room for."""
        cdef int64_t more = self.wanted_of(port)
        try:
            start_nodes(port, self.context_of_host)
            if more > 0:
                port.outstanding += more
            if _opens_plainly(port.owner):
                clear_release(port.owner.state, NEW)  # the life cycle's fields travel with the token
                if more > 0 and self.draw(port, more):
                    self.list_port(port)
                    return 0
            else:
                open_owners(port)
            if more > 0:
                request_upstream(port, more)
            port.owner.notify()  # the begin may have noted an end
        except BaseException as error:
            self.fail_at(self, error)
        return 0

    cdef void remove_port(self, InputPort port) noexcept:
        """Cancel an input and forget what waits of it."""
        cdef PyObject* element
        if not port.is_over:
            port.is_over = True
            cancel_upstream(port)
            element = spsc_poll(port.slots)
            while element is not NULL:
                decref(element)
                element = spsc_poll(port.slots)
            _forget(self, port)
            # acquire: as in has_ended()
            if port.input_ended.load(memory_order_acquire) and port.input_error is not None:
                drop_signal(self, "on_error", port.input_error, self.name)

    cdef bint see_end(self, InputPort port) noexcept:
        """Do what the end of an input means, if it has ended and nothing of it waits; False: it has not."""
        if port.is_over:
            return True  # it was removed
        if not port.has_ended():
            return False
        port.is_over = True
        self.changed = True
        _forget(self, port)
        self.input_over(port)
        return True

    cdef void list_port(self, InputPort port) noexcept:
        """Look at a port again, after those that are listed."""
        if not port.is_listed.exchange(1, memory_order_seq_cst):  # seq_cst: see Ordering; who set it lists it (I3)
            _append(&self.listed_first, &self.listed_last, port)

    cdef void unpark(self) noexcept:
        """Look again at all ports whose elements wait."""
        if self.parked_first is NULL:
            return
        if self.listed_first is NULL:
            self.listed_first = self.parked_first
        else:
            (<InputPort>self.listed_last).next_listed = self.parked_first
        self.listed_last = self.parked_last
        self.parked_first = NULL
        self.parked_last = NULL

    cdef InputPort main(self):
        """The port of the input above."""
        return <InputPort>self.ports[0]

    # --- the life cycle -----------------------------------------------------------------------------------------

    cdef tuple side_inputs(self):
        cdef InputPort port
        return tuple([port for port in self.ports.values() if port.up is not None])

    cdef int attach(self) except -1:
        cdef InputPort port
        DemandOwner.attach(self)
        if self.up is not None:
            # Between its input and itself, without an `up`: walks go from the stage to the input.
            port = self.new_port(None, None)
            port.down = self
            self.up.down = port
        for source in self.sources:
            make_nodes(self.new_port(<Description>source, None))
        return 0

    cdef int take_context(self, object context) except -1:
        DemandOwner.take_context(self, context)
        for port in self.side_inputs():
            hand_context(<Stage>port, context)
        return 0

    cdef int begin(self) except -1:
        cdef InputPort port
        for each in list(self.ports.values()):
            port = <InputPort>each
            # relaxed: loaded by this thread. What its end means is done again, since no end was signalled.
            if port.is_over and port.input_ended.load(memory_order_relaxed):
                port.is_over = False
                port.is_listed.store(0, memory_order_relaxed)  # relaxed: nothing flows before the start
            # relaxed: read from a saved state by this thread
            if spsc_peek(port.slots) is not NULL or port.input_ended.load(memory_order_relaxed):
                self.list_port(port)
            if port.up is not None:
                start_nodes(port, self.context_of_host)
            if self.is_exact and not port.is_free:
                continue
            # relaxed: as above
            if port.outstanding < self.prefetch and not port.input_ended.load(memory_order_relaxed):
                request_upstream(port, self.prefetch - port.outstanding)
                port.outstanding = self.prefetch
        return 0

    cdef int open(self) except -1:
        DemandOwner.open(self)
        for port in self.side_inputs():
            open_owners(<Stage>port)
        return 0

    cdef void cancel_inputs(self) noexcept:
        cdef InputPort port
        for each in list(self.ports.values()):
            port = <InputPort>each
            if port.up is not None:
                cancel_upstream(port)

    cdef void release(self) noexcept:
        cdef InputPort port
        cdef PyObject* element
        self.cancel_inputs()
        # Those that came are gone with the stage: a tree that loads its state does not make them again.
        self.released = self.side_nodes(True)
        for each in list(self.ports.values()):
            port = <InputPort>each
            element = spsc_poll(port.slots)
            while element is not NULL:
                decref(element)
                element = spsc_poll(port.slots)
        self.starving = None
        self.ports = {}  # each refers to this stage
        self.retired = {}

    cdef tuple side_nodes(self, bint are_first):
        """The nodes at the ends of the side inputs, all or those that are there from the start on."""
        cdef InputPort port
        return tuple([
            port.up for port in list(self.ports.values())
            if port.up is not None and not (are_first and port.index >= _first_dynamic(self))
        ])

    # --- who saves ----------------------------------------------------------------------------------------------

    cdef bint quiesce(self) except -1:
        cdef InputPort port
        cdef list held = []
        if not DemandOwner.quiesce(self):
            return False
        for each in self.ports.values():
            port = <InputPort>each
            if port.up is not None and port.owner is not None:
                if not port.owner.hold():
                    break
                held.append(port)
        else:
            return True
        while held:
            (<InputPort>held.pop()).owner.release_hold()
        DemandOwner.unquiesce(self)
        return False

    cdef int unquiesce(self) except -1:
        cdef InputPort port
        interrupt = None
        for each in reversed(list(self.ports.values())):
            port = <InputPort>each
            if port.up is not None and port.owner is not None:
                try:
                    port.owner.release_hold()
                except BaseException as error:
                    interrupt = error if interrupt is None else interrupt
        DemandOwner.unquiesce(self)
        if interrupt is not None:
            raise interrupt
        return 0

    cdef bint differs_from_saved(self) noexcept:
        cdef InputPort port
        # relaxed: a hint for a host, old the next moment
        for each in list(self.ports.values()):
            port = <InputPort>each
            if not port.is_over and (
                <int64_t>spsc_size(port.slots) != port.saved_size
                or (port.input_ended.load(memory_order_relaxed) != 0) != port.saved_end
            ):
                return True
        return False

    cdef int64_t count_inputs(self) noexcept:
        """How many inputs it has from the start on."""
        return len(self.sources) + (0 if self.source is None else 1)

    cdef int require_inputs(self) except -1:
        if self.released is None and len(self.ports) < self.count_inputs():
            raise StateError(f"{self!r} cannot be saved before its inputs are made; save after subscribe()")
        return 0

    cdef int save_port(self, InputPort port, object writer) except -1:
        # acquire: as in has_ended(); the end before the elements, see queue_stage.pyx
        cdef bint has_ended = port.input_ended.load(memory_order_acquire) != 0
        error = port.input_error if has_ended else None
        port.saved_size = write_signals(writer, port.slots, has_ended, error)
        port.saved_end = has_ended
        writer.write(port.is_over)
        return 0

    cdef int load_port(self, InputPort port, object reader, bint has_over=True) except -1:
        cdef bint has_ended
        port.ring = read_elements(reader, port.ring)
        port.slots = port.ring.slots
        port.outstanding = <int64_t>spsc_size(port.slots)
        has_ended = reader.read(bool)
        port.input_error = read_error(reader)
        port.input_ended.store(1 if has_ended else 0, memory_order_relaxed)  # relaxed: nothing flows before the start
        port.is_over = has_over and reader.read(bool)
        if port.is_over and (port.outstanding or not has_ended):
            raise StateError(
                f"{self!r} cannot load an input that is over, of which {port.outstanding} elements wait"
                f"{'' if has_ended else ' and whose end did not come'}; load an older checkpoint"
            )
        if port.is_over:
            port.is_listed.store(1, memory_order_relaxed)  # relaxed: as above; nobody lists it again (I3)
        port.saved_size = port.outstanding
        port.saved_end = has_ended
        return 0

    cdef int save_inputs(self, object writer) except -1:
        """Write what waits of each input, in their order."""
        self.require_inputs()
        if self.disposed or self.disposed_in_state:
            writer.write(0)
            return 0
        writer.write(len(self.ports))
        for port in list(self.ports.values()):
            self.save_port(<InputPort>port, writer)
        return 0

    cdef int load_inputs(self, object reader) except -1:
        cdef int64_t saved = reader.read_count()
        if saved == 0 and self.disposed_in_state:
            return 0
        if saved != len(self.ports):
            raise StateError(
                f"{self!r} was saved with {saved} inputs and has {len(self.ports)}; load the state with the streams "
                f"that it was saved with"
            )
        for port in list(self.ports.values()):
            self.load_port(<InputPort>port, reader)
        return 0

    cdef int write_fields(self, object writer) except -1:
        return self.save_inputs(writer)

    cdef int read_fields(self, object reader, object version) except -1:
        return self.load_inputs(reader)


# --- the lists, and the service of a port: functions, since methods would be calls through the vtable ----------------


cdef inline void _append(PyObject** first, PyObject** last, InputPort port) noexcept:
    port.next_listed = NULL
    if first[0] is NULL:
        first[0] = <PyObject*>port
    else:
        (<InputPort>last[0]).next_listed = <PyObject*>port
    last[0] = <PyObject*>port


cdef inline PyObject* _pop(PyObject** first) noexcept:
    cdef PyObject* port = first[0]
    if port is not NULL:
        first[0] = (<InputPort>port).next_listed
    return port


cdef inline PyObject* _next_listed(CombineStage stage) noexcept:
    """The next port to look at, borrowed (I4); NULL: none. Those that wait for demand have waited longer."""
    cdef PyObject* port = NULL
    # relaxed: what is listed after this line is notified, too
    if stage.arrived.load(memory_order_relaxed):
        _take_arrived(stage)
    if stage.remaining > 0:
        port = _pop(&stage.parked_first)
    return _pop(&stage.listed_first) if port is NULL else port


cdef void _take_arrived(CombineStage stage) noexcept:
    """Append what inputs have listed, in the order in which they did."""
    cdef PyObject* latest = <PyObject*><void*>stage.arrived.exchange(0, memory_order_acquire)  # acquire: see Ordering
    cdef PyObject* oldest = NULL
    cdef PyObject* older
    while latest is not NULL:
        older = (<InputPort>latest).next_listed
        (<InputPort>latest).next_listed = oldest
        oldest = latest
        latest = older
    while oldest is not NULL:
        older = (<InputPort>oldest).next_listed
        _append(&stage.listed_first, &stage.listed_last, <InputPort>oldest)
        oldest = older


cdef PyObject* next_listed(CombineStage stage) noexcept:
    return _next_listed(stage)


cdef list listed_ports(CombineStage stage):
    """The ports that are to be looked at, in their order."""
    cdef list ports = []
    cdef PyObject* listed
    _take_arrived(stage)
    listed = stage.listed_first
    while listed is not NULL:
        ports.append(<InputPort>listed)
        listed = (<InputPort>listed).next_listed
    return ports


cdef void _serve(CombineStage stage, InputPort port) noexcept:
    """Take what waits at a port as far as it is accepted; then handle its end, or request more."""
    cdef PyObject* element
    if port.is_over:
        stage.retired.pop(port.index, None)
        return
    port.is_listed.exchange(0, memory_order_seq_cst)  # seq_cst: see Ordering
    while stage.accepts(port):
        element = spsc_poll(port.slots)
        if element is NULL:
            break
        port.outstanding -= 1
        stage.changed = True
        stage.take_in(port, element)
        # relaxed: as in work()
        if not count(stage) or stage.state.load(memory_order_relaxed) & LEAVE:
            stage.list_port(port)  # whatever is left to do for it
            return
    if stage.see_end(port):
        return
    if spsc_peek(port.slots) is not NULL:
        stage.replenish(port)
        if stage.remaining == 0 and not port.is_free:
            if not port.is_listed.exchange(1, memory_order_seq_cst):  # seq_cst: as in list_port()
                _append(&stage.parked_first, &stage.parked_last, port)
        elif stage.accepts(port):
            stage.list_port(port)  # it came since the ring was seen empty
    elif stage.replenish(port):
        stage.list_port(port)


cdef inline void _count_forwarded(CombineStage stage, InputPort port) noexcept:
    """Do for all elements that went down past the stage what pass_on() does for each."""
    cdef int64_t forwarded = stage.remaining - port.allowed + port.dropped
    stage.remaining = port.allowed
    stage.passed += forwarded
    stage.changed = stage.changed or forwarded != 0
    port.outstanding -= forwarded
    port.allowed = 0
    port.dropped = 0


cdef void _forget(CombineStage stage, InputPort port) noexcept:
    """Let nobody list a port that is over any more (I3), and keep it as long as it is listed (I4)."""
    if port.is_listed.exchange(1, memory_order_seq_cst):  # seq_cst: as in list_port()
        stage.retired[port.index] = port
    if port.source is not None and port.index >= _first_dynamic(stage):
        stage.ports.pop(port.index, None)


cdef inline int64_t _first_dynamic(CombineStage stage) noexcept:
    return len(stage.sources) + (0 if stage.up is None else 1)


cdef bint _opens_plainly(DemandOwner owner) noexcept:
    """Whether opening an input means opening this owner alone, which starts nothing itself, such as a callback."""
    return owner.up is None and not owner.is_concurrent and not isinstance(owner, CombineStage)


cdef bint _has_loops_of(DemandOwner owner, DemandOwner stage) noexcept:
    """Whether both belong to the same event loops, so that one may be drained in the turn of the other."""
    return owner.loops is stage.loops or (
        owner.loops is not None and stage.loops is not None and set(owner.loops) == set(stage.loops)
    )


# Whose -1 means that an exception is set, as in subscription.pyx.
ctypedef int (*Notifies)(CombineStage stage) noexcept
ctypedef int (*Drains)(DemandOwner owner) noexcept


cdef inline int _notify(CombineStage stage) except -1:
    return stage.notify()


cdef inline int _notify_owner(DemandOwner owner) except -1:
    return owner.notify()


cdef inline int _drain(DemandOwner owner) except -1:
    return owner.drain()


cdef inline int _leave_turn(DemandOwner owner) except -1:
    return owner.leave_turn()


cdef int _fail_as_full(InputPort port) noexcept:
    return port.owner.fail_at(port, new_error(
        DemandExceededError,
        f"§1.1: an input of {port.target.name} sent more than the {port.target.prefetch} elements that were requested "
        f"of it; a publisher may send only what was requested",
    ))
