"""group_by and window: a stream of streams, one for each key or part of the input, whose queues are bounded.

A window is a group whose key is its number, and which ends by a count, a time or another stream. Below, "group" means
both.

The stage takes the elements of its input and puts each into the queue of its group; each group is the source of a
subscription of its own, which takes them out in whatever thread it runs. An element for a full queue is held, and with
it all that comes after it: nothing more is requested upstream until there is room. That is plain backpressure where
somebody will make room. Where nobody can, the stage says so instead of waiting for ever (see Stalls).

Roles
    drainer   the holder of the stage's token: fills the queues, ends them, hands out the groups
    consumer  the holder of the token of a group's source: takes out of its queue, closes it
    owner     whoever has a group that was handed out: subscribes to it, once, or drops it, which closes it, too

Ordering (write -> read that pairs with it)
    element (release of the ring's index), then notice to the source  ->  as in stream/queue_stage.pyx
    `error`, then `has_ended` (release)           ->  `has_ended` (acquire), then the ring, then `error`
    `wants_room` := 1, then offer (drainer)       ->  poll or `is_closed` := 1, then `wants_room` := 0 (consumer): both
                                                      exchange (acq_rel), and the later one sees what the other wrote
                                                      before: the drainer finds the room, or the consumer notifies it
    `source`, then open() of the source           ->  notice to the source: guarded by a critical section
    tests/stress/test_group_by.py runs them.

Stalls: the stage holds an element for a full queue, has let all owners run first that wait in the list of the run of
this thread, and has no input that ends a group. Nothing can go on any more, and the stream fails with
WouldDeadlockError, if one of these holds.
    - What stands below is a stage such as flat_map, which is idle although more is requested of it, and the full group
      waits there for a place or for its turn, or for a request. Of all streams that it runs the sources are groups that
      wait for this stage or for their turn, and no stage on the way has a queue.
    - The thread that iterates over the groups waits for an element of one of them, and the full group was not handed
      out yet.
A RuntimeWarning names the group, once, where a queue in one of these streams is all that might still go on, or where a
thread waits for the end of the stream of groups, none of which anybody has subscribed to.

Closed groups: who closes one lists it in `closed`, and the drainer keeps no more of it than its key. A stage below that
is cancelled closes the groups that it runs before it cancels this one; so where a group was closed, this stage looks
whether it comes next, and takes nothing more in.

Depth: a group's source is drained like any owner of demand: in the list of the run, if it belongs to the same
subscription, as under flat_map.
"""

from collections import deque
from warnings import warn

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport decref, incref
from rs_core.queues.spsc_ring cimport SpscRing, SpscSlots, spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.clock cimport Clock
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description
from rs_core.stream.queue_stage cimport elements_in
from rs_core.stream.subscription cimport (
    ACCEPTED, DRAIN_NONE, LEAVE, PAUSE, TERMINAL, TURN_OVER, DemandOwner, Stage, add_assembly_note, count as count_tick,
    is_awaited, is_drained_here, note_element, others_wait_here, push, waits_here,
)
from rs_core.sync.atomics cimport (
    gil_uint32, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed, memory_order_release,
)
from rs_core.sync.serial_word cimport set_relaxed
from rs_core.sync.thread_owner cimport ThreadOwner

from rs_core.errors import CapacityError, SourceUsedTwiceError, StateError, WouldDeadlockError

cdef enum:
    MAX_YIELDS = 100   # how often a stage that stalls lets others run first

cdef enum Stall:
    STALL_AWHILE = 0         # somebody is slow
    STALL_WITHOUT_HELP = 1   # it goes on if another thread makes room, of which nothing is known
    STALL_FOREVER = 2        # nobody can make room

cdef str _GROUPS_REMEDY = (
    "subscribe to all groups at a time, as flat_map(concurrency=) does where that is at least the number of groups, or "
    "use key_by(), whose operators need no subscription"
)
cdef str _WINDOWS_REMEDY = (
    "subscribe to all windows at a time that are open, as flat_map(concurrency=) does where that is at least their "
    "number, let prefetch be the elements of a window, or use buffer(), whose lists need no subscription"
)


cdef class GroupsStage(CombineStage)
cdef class GroupSource(DemandOwner)


@cython.final
cdef class _GroupQueue:
    """What waits of a group; shared by the stage and the source of the group."""

    cdef GroupsStage stage
    cdef object key
    cdef SpscRing ring
    cdef SpscSlots* slots            # borrowed from ring
    cdef object error                # with which it ended
    cdef gil_uint32 has_ended        # after error
    cdef gil_uint32 wants_room       # the stage holds an element
    cdef gil_uint32 is_closed        # nobody will take elements any more
    cdef gil_uint32 is_taken         # somebody has subscribed
    cdef GroupSource source          # who did
    # Fields of the stage's drainer.
    cdef bint is_handed_out
    cdef bint ends_later             # with the next element that is put in, which came before its end
    cdef int64_t taken               # elements that a window got

    def __cinit__(self):
        # relaxed: nobody else has it yet
        self.has_ended.store(0, memory_order_relaxed)
        self.wants_room.store(0, memory_order_relaxed)
        self.is_closed.store(0, memory_order_relaxed)
        self.is_taken.store(0, memory_order_relaxed)

    cdef GroupSource subscribed(self):
        cdef GroupSource source
        with cython.critical_section(self):
            source = self.source
        return source

    cdef int notify_source(self) except -1:
        cdef GroupSource source = self.subscribed()
        return 0 if source is None else source.notify()

    cdef int end(self, object error) except -1:
        """End the group after what waits; the stage's drainer."""
        if self.has_ended.load(memory_order_relaxed):  # relaxed: this thread writes it
            return 0
        self.error = error
        self.has_ended.store(1, memory_order_release)  # release: see Ordering
        return self.notify_source()

    cdef int close(self) except -1:
        """Note that nobody will take elements any more, and wake the stage if it waits for that."""
        self.is_closed.store(1, memory_order_release)  # release: with the exchange below, see Ordering
        # relaxed: a hint; a stage that has ended keeps no queues
        if not self.stage.state.load(memory_order_relaxed) & TERMINAL:
            self.stage.closed.append(self)
        return self.wake_stage()

    cdef int wake_stage(self) except -1:
        # acq_rel: see Ordering. relaxed: a hint, for a stage that has seen the others wait.
        if self.wants_room.exchange(0, memory_order_acq_rel) or self.stage.is_stalled.load(memory_order_relaxed):
            return self.stage.notify()
        return 0


cdef _GroupQueue _CLOSED = _GroupQueue()   # in the place of all that are closed: it takes nothing, and has ended
# relaxed: the import orders them before all else
_CLOSED.is_closed.store(1, memory_order_relaxed)
_CLOSED.has_ended.store(1, memory_order_relaxed)


@cython.final
cdef class Group:
    """The only parameter of the description of a group: closes the group when all that refers to it is gone."""

    cdef _GroupQueue queue

    @property
    def key(self):
        """The key of its elements."""
        return self._queue().key

    def source(self) -> GroupSource:
        """Return a new source for a subscription."""
        return GroupSource(self)

    def __repr__(self) -> str:
        return safe_repr(self._queue().key)

    cdef _GroupQueue _queue(self):
        if self.queue is None:
            raise StateError("this group belongs to no stream; group_by() and window() pass on streams of groups")
        return self.queue

    def __del__(self):
        # relaxed: nobody can subscribe any more
        if self.queue is not None and not self.queue.is_taken.load(memory_order_relaxed):
            self.queue.close()


@cython.final
cdef class GroupSource(DemandOwner):
    """Send the elements of a group, once.

    State: none; a stream of groups cannot be saved.
    """

    cdef Group group
    cdef _GroupQueue queue      # None: another subscription has taken the elements
    cdef ThreadOwner requesting_thread

    def __init__(self, Group group not None):
        self.group = group
        self.queue = group._queue()

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and what waits of its group."""
        cdef dict facts = DemandOwner.inspect(self)
        cdef _GroupQueue queue
        if self.group is not None:  # else it was made by hand
            queue = self.group._queue()
            facts["buffered"] = <int64_t>spsc_size(queue.slots)
            facts["capacity"] = queue.stage.prefetch
            # relaxed: as for all that is inspected
            facts["has_input_ended"] = queue.has_ended.load(memory_order_relaxed) != 0
        return facts

    cdef int begin(self) except -1:
        cdef _GroupQueue queue = self.queue
        # acq_rel: of several subscriptions one finds 0
        if queue.is_taken.exchange(1, memory_order_acq_rel):
            self.queue = None
            self.fail_at(self, SourceUsedTwiceError(  # nobody drains yet: the note is read when the tree is opened
                f"§1.10: {_named(queue)} was used by an earlier subscription; a {queue.stage.noun} can be subscribed "
                f"to once: put share() behind it, or branch after the operators that consume it"
            ))
            return 0
        with cython.critical_section(queue):
            queue.source = self
        return 0

    cdef int add_demand(self, int64_t n) except -1:
        self.requesting_thread.enter()
        DemandOwner.add_demand(self, n)
        if self.queue is not None and self.waits_outside() and self._waits_for_itself():
            self.refuse_request(WouldDeadlockError(
                f"a callback of the stream of {self.queue.stage.noun}s waits for {_named(self.queue)}, whose elements "
                f"come when it has returned; let it return the {self.queue.stage.noun} or what is built on it, as "
                f"flat_map(function) wants it"
            ))
        return 0

    cdef bint _waits_for_itself(self) noexcept:
        """Whether the thread that waits is the one that would bring the next element."""
        cdef GroupsStage stage = self.queue.stage
        return self.waits_for_elements() and (
            stage.handing_out.is_mine() or (is_drained_here(stage) and stage.is_of_one_thread())
        )

    cdef int64_t send(self, int64_t n) noexcept:
        cdef _GroupQueue queue = self.queue
        cdef int64_t sent = 0
        cdef PyObject* element
        cdef bint has_ended
        # relaxed: drain() looks again, with the order that the bits need
        while not self.state.load(memory_order_relaxed) & LEAVE:
            has_ended = queue.has_ended.load(memory_order_acquire) != 0  # acquire: see Ordering; before the ring
            element = spsc_poll(queue.slots) if sent < n else NULL
            if element is not NULL:
                if push(self, element) == ACCEPTED:
                    sent += 1
                continue
            if has_ended and spsc_peek(queue.slots) is NULL:
                self.finish(self.down, queue.error)
            break
        self._wake_stage()
        return sent

    cdef void _wake_stage(self) noexcept:
        try:
            self.queue.wake_stage()
        except BaseException as error:
            self.fail_at(self, error)

    cdef bint waits_outside(self) noexcept:
        """Whether a thread waits for the end of this subscription, which is none of the stream of groups."""
        return self.tree != self.queue.stage.tree and is_awaited(self)

    cdef bint waits_for_elements(self) noexcept:
        """Whether elements are requested of it that it has not, and its group goes on."""
        # relaxed: asked where this thread is the only one that could change it
        return self.demand_word.load(memory_order_relaxed) > 0 and not self.can_go_on()

    cdef bint can_go_on(self) noexcept:
        """Whether it has an element that is requested, or nothing but its end to send."""
        cdef bint has_ended = self.queue.has_ended.load(memory_order_acquire) != 0  # acquire: as in send()
        if spsc_peek(self.queue.slots) is NULL:
            return has_ended
        return self.demand_word.load(memory_order_relaxed) > 0  # relaxed: as in waits_for_elements()

    cdef void release(self) noexcept:
        cdef _GroupQueue queue = self.queue
        cdef PyObject* element
        if queue is None:
            return
        element = spsc_poll(queue.slots)
        while element is not NULL:
            decref(element)
            element = spsc_poll(queue.slots)
        with cython.critical_section(queue):
            queue.source = None  # they refer to each other
        try:
            queue.close()
        except BaseException as error:
            self.fail_at(self, error)

    cdef int write_fields(self, object writer) except -1:
        raise _unsaved(self, self.group.queue.stage)


cdef str _named(_GroupQueue queue):
    return f"{queue.stage.noun} {safe_repr(queue.key)}"


cdef bint _lies_in(InputPort port, _GroupQueue queue) except -1:
    """Whether a group waits in the queue of the stage below, or what was built on it."""
    cdef Description head
    for element in elements_in(port.slots):
        if isinstance(element, Description):
            head = <Description>element
            while head.upstream is not None:
                head = head.upstream
            for parameter in head.parameters:
                if isinstance(parameter, Group) and (<Group>parameter).queue is queue:
                    return True
    return False


cdef str _explained(_GroupQueue queue, str consequence):
    trouble = "no subscriber" if queue.subscribed() is None else "a subscriber that does not request them"
    return (
        f"{_named(queue)} has {spsc_size(queue.slots)} elements waiting and {trouble}, and {consequence}; "
        f"{queue.stage.remedy}"
    )


cdef object _unsaved(Stage node, GroupsStage stage):
    return StateError(
        f"{node!r} cannot be saved: its {stage.noun}s are subscriptions that are made while it runs; use "
        f"{stage.saved_instead}"
    )


cdef class GroupsStage(CombineStage):
    """Pass on a stream for each group; base of the stages that say in which groups an element is.

    Args:
        sources: As for CombineStage.
        prefetch: How many elements may wait in each queue, and be requested upstream.
        max_groups: How many groups there may be at a time, and how many may wait for a request.
        grouped: Called with the class of the description above and a Group; returns the stream of the group.

    State: none; it refuses to be saved.
    """

    cdef object grouped
    cdef readonly str noun, remedy, saved_instead   # for messages
    cdef int64_t max_groups
    cdef dict groups             # by key: the queues of those that have not ended
    cdef object waiting          # queues of groups that wait for a request, in order
    cdef object closed           # queues that were closed, and may be in `groups` still; any thread appends
    cdef PyObject* held          # an element that has no room, owned
    cdef _GroupQueue held_for
    cdef object held_rest        # queues that get it after that one
    cdef bint is_requested, input_is_over, groups_have_ended
    cdef object end_error
    cdef int yields
    cdef bint has_warned
    cdef gil_uint32 is_stalled
    cdef ThreadOwner requesting_thread, handing_out
    cdef readonly int64_t dropped   # elements of groups that were closed

    def __init__(self, tuple sources, int64_t prefetch, int64_t max_groups, grouped):
        CombineStage.__init__(self, sources, prefetch)
        self.held_rest = deque()
        self.max_groups = max_groups
        self.grouped = grouped
        self.groups = {}
        self.waiting = deque()
        self.closed = deque()
        self.is_stalled.store(0, memory_order_relaxed)  # relaxed: nothing flows yet

    def __dealloc__(self):
        cdef PyObject* held = self.held
        if held is not NULL:
            decref(held)

    cdef int attach(self) except -1:
        CombineStage.attach(self)
        self.main().is_free = True  # groups may be consumed while no more of them are requested
        return 0

    cdef int add_demand(self, int64_t n) except -1:
        self.requesting_thread.enter()
        return DemandOwner.add_demand(self, n)

    # --- the drainer ------------------------------------------------------------------------------------------------

    cdef int64_t send(self, int64_t n) noexcept:
        if self.closed and self._is_left():
            return 0
        if n > 0 and not self.is_requested:
            self.is_requested = True
            self.list_inputs()
        return CombineStage.send(self, n)

    cdef bint _is_left(self) noexcept:
        """Whether a stage below has ended, closed the groups that it ran, and will cancel this one next."""
        cdef Stage stage = self.next_below()
        while stage is not None:
            # relaxed: written before by the thread that has closed a group there
            if stage.is_owner and (<DemandOwner>stage).state.load(memory_order_relaxed) & TERMINAL:
                return True
            stage = stage.next_below()
        return False

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and for which groups it waits."""
        cdef dict facts = CombineStage.inspect(self)
        cdef _GroupQueue queue
        cdef list full = []
        for queue in list(self.groups.values()):  # a copy, since the drainer adds and removes groups meanwhile
            # relaxed: as for all that is inspected
            if queue.wants_room.load(memory_order_relaxed):
                full.append((queue.key, queue.is_taken.load(memory_order_relaxed) != 0))
        facts["full_groups"] = full
        facts["noun"] = self.noun
        return facts

    cdef void list_inputs(self) noexcept:
        """Look again at what was not accepted."""
        if not self.main().is_over:
            self.list_port(self.main())

    cdef bint accepts(self, InputPort port) noexcept:
        return self.is_requested and self.held is NULL and not self._waits_for_requests()

    cdef bint _waits_for_requests(self) noexcept:
        """Whether too many groups wait to be requested; those that have ended do not count as groups any more."""
        return len(self.waiting) >= self.max_groups

    cdef _GroupQueue new_queue(self, object key):
        """Return the queue of a new group."""
        cdef _GroupQueue queue = _GroupQueue()
        queue.key = key
        queue.stage = self
        queue.ring = SpscRing(self.prefetch)
        queue.slots = queue.ring.slots
        self.groups[key] = queue
        return queue

    cdef void pass_or_wait(self, _GroupQueue queue) noexcept:
        """Hand out a new group, if it is requested and none before it waits."""
        if self.remaining > 0 and not self.waiting:
            self._hand_out(queue)
        else:
            self.waiting.append(queue)

    cdef void _hand_out(self, _GroupQueue queue) noexcept:
        cdef Group group = Group()
        group.queue = queue
        queue.is_handed_out = True
        self.handing_out.enter()
        try:
            stream = self.grouped(type(self.source), group)
            group = None  # else it would not be dropped where it is not wanted
            incref(<PyObject*>stream)
            pass_on(self, <PyObject*>stream)
        except BaseException as error:
            self.fail(error)
        self.handing_out.leave()

    cdef void put(self, _GroupQueue queue, PyObject* element) noexcept:
        """Put an element into the queue of a group, or hold it; steals it."""
        if self.held is not NULL:
            decref(element)  # the same one: another queue of its is full
            self.held_rest.append(queue)
            return
        # acquire: pairs with the release in close()
        if queue.is_closed.load(memory_order_acquire):
            self._drop(element)
        elif spsc_offer(queue.slots, element):
            self._notify(queue)
        else:
            self.held = element
            self.held_for = queue
            self.yields = 0
            self._place_held()
            return
        if queue.ends_later:
            self._end_queue(queue, None)

    cdef bint _place_held(self) noexcept:
        """Try to put the element that is held into its queues; False: there is no room in one."""
        cdef _GroupQueue queue
        cdef bint has_more = True
        while has_more:
            queue = self.held_for
            has_more = bool(self.held_rest)
            if has_more:
                incref(self.held)
            queue.wants_room.exchange(1, memory_order_acq_rel)  # acq_rel: see Ordering
            if queue.is_closed.load(memory_order_relaxed):  # relaxed: after the exchange
                self._drop(self.held)
            elif not spsc_offer(queue.slots, self.held):
                if has_more:
                    decref(self.held)
                return False
            if has_more:
                self.held_for = self.held_rest.popleft()
                self.yields = 0
            else:
                self.held = NULL
                self.held_for = None
            # relaxed: a hint; a notice too many is harmless
            queue.wants_room.store(0, memory_order_relaxed)
            self.is_stalled.store(0, memory_order_relaxed)
            self._notify(queue)
            if queue.ends_later:
                self._end_queue(queue, None)
        return True

    cdef void _drop(self, PyObject* element) noexcept:
        self.dropped += 1
        decref(element)

    cdef void _notify(self, _GroupQueue queue) noexcept:
        try:
            queue.notify_source()
        except BaseException as error:
            self.fail_at(self, error)

    cdef void _end_queue(self, _GroupQueue queue, object error) noexcept:
        try:
            queue.end(error)
        except BaseException as interrupt:
            self.fail_at(self, interrupt)

    cdef int end_group(self, _GroupQueue queue) noexcept:
        """End a group after what it got; its key begins another one."""
        try:
            self.groups.pop(queue.key, None)
            if self.held_for is queue:
                queue.ends_later = True  # the element came before this
            else:
                self._end_queue(queue, None)
        except BaseException as error:  # of the key's class
            return self.fail(error)
        return 0

    cdef int fail(self, object error) noexcept:
        """End all groups and the stream with an error of this operator."""
        if isinstance(error, Exception):
            add_assembly_note(error, self)
            self._end_groups(error)
        return self.fail_at(self, error)

    cdef void _end_groups(self, object error) noexcept:
        if self.groups_have_ended:
            return
        self.groups_have_ended = True
        for queue in self._unended():
            self._end_queue(<_GroupQueue>queue, error)

    cdef list _unended(self):
        """Return the queues of all groups that have not ended, also of one that ends after the element that is held."""
        cdef list queues = list(self.groups.values())
        if self.held_for is not None:
            queues.append(self.held_for)
        queues.extend(self.held_rest)
        return queues

    cdef int input_over(self, InputPort port) noexcept:
        self.input_is_over = True
        self.end_error = port.input_error
        return 0

    cdef int nothing_to_do(self) noexcept:
        if self.waiting and self.remaining > 0:
            if self._waits_for_requests():
                self.list_inputs()
            self._hand_out(<_GroupQueue>self.waiting.popleft())
            count_tick(self)
            return True
        if self.held is not NULL:
            if self._place_held():
                self.list_inputs()
                return True
            self._look_at_stall()
            return False
        if self.input_is_over:
            self._end_groups(self.end_error)
            if self.end_error is not None or not self.waiting:
                self.finish(self.down, self.end_error)
        return False

    # --- stalls: the drainer ----------------------------------------------------------------------------------------

    cdef void _look_at_stall(self) noexcept:
        """Look whether anybody can make room for the element that is held."""
        cdef _GroupQueue queue = self.held_for
        cdef int stall
        self.is_stalled.store(1, memory_order_relaxed)  # relaxed: a hint; sources look again when they are drained
        if self.yields == 0 or (self.yields < MAX_YIELDS and others_wait_here()):
            self.yields += 1
            set_relaxed(self.state, TURN_OVER)
            return
        try:
            stall = self._kind_of_stall(queue)
            if stall == STALL_FOREVER:
                self.fail(WouldDeadlockError(_explained(
                    queue, "nothing that this stream does can make room for the next one"
                )))
            elif stall == STALL_WITHOUT_HELP and not self.has_warned:
                self.has_warned = True
                warn(_explained(queue, "the next one waits until it has one"), RuntimeWarning, stacklevel=1)
        except BaseException as error:
            self.fail(error)

    cdef bint may_end_groups(self) noexcept:
        """Whether something besides the end of the input may end a group, which makes room for others below."""
        return False

    cdef int _kind_of_stall(self, _GroupQueue queue) except -1:
        cdef Stage end = self.down
        if self.may_end_groups():
            return STALL_AWHILE
        while end.down is not None and not isinstance(end, InputPort) and not end.is_owner:
            end = end.down
        if isinstance(end, InputPort):
            return self._stall_at(<InputPort>end, queue)
        if end.is_owner or not self.requesting_thread.is_mine():
            return STALL_AWHILE
        if end.is_pulled:
            return STALL_FOREVER if not queue.is_handed_out and self._waits_here_for_a_group() else STALL_AWHILE
        return STALL_WITHOUT_HELP if is_awaited(self) and not self._has_subscribers() else STALL_AWHILE

    cdef bint _waits_here_for_a_group(self) except -1:
        """Whether this thread waits for the next element of a group."""
        cdef GroupSource source
        for queue in self.groups.values():
            source = (<_GroupQueue>queue).subscribed()
            if source is not None and source.requesting_thread.is_mine():
                if source.waits_outside() and source.waits_for_elements():
                    return True
        return False

    cdef bint _has_subscribers(self) except -1:
        # relaxed: a hint
        return any([(<_GroupQueue>queue).is_taken.load(memory_order_relaxed) for queue in self._unended()])

    cdef bint is_of_one_thread(self) noexcept:
        """Whether nothing between the source of this subscription and its end signals in a thread of its own."""
        cdef Stage stage = self
        while stage.down is not None:
            stage = stage.down
        while stage is not None:
            if stage.is_owner and ((<DemandOwner>stage).is_concurrent or (<DemandOwner>stage).scheduler is not None):
                return False
            stage = stage.up
        return True

    cdef int _stall_at(self, InputPort port, _GroupQueue queue) except -1:
        """Look whether the stage below waits for this one, and with it all streams that it runs."""
        cdef CombineStage below = port.target
        cdef GroupSource source = queue.subscribed()
        cdef int stall
        if source is not None and source.tree != self.tree:
            return STALL_AWHILE  # somebody else consumes it
        if not below.hold():
            return STALL_AWHILE
        try:
            # relaxed: this thread has its token
            if (
                below.demand_word.load(memory_order_relaxed) == 0 or below.state.load(memory_order_relaxed) & PAUSE or
                below.scheduled_drain.load(memory_order_relaxed) != DRAIN_NONE
            ):
                below.starving = self  # it has something at hand, or waits itself, as for another turn
                return STALL_AWHILE
            if source is None and queue.is_handed_out and not _lies_in(port, queue):
                return STALL_AWHILE
            stall = min(
                [self._stall_of(<InputPort>side) for side in below.side_inputs() if side is not port],
                default=STALL_AWHILE,
            )
        finally:
            below.release_hold()
        return STALL_AWHILE if stall == STALL_WITHOUT_HELP and source is not None else stall

    cdef int _stall_of(self, InputPort side) except -1:
        """Say what can come of an input of the stage below until this stage sends it something."""
        cdef Stage stage = side.up
        cdef int stall = STALL_FOREVER
        cdef GroupSource source
        while stage is not None and not isinstance(stage, GroupSource):
            if stage.is_owner:
                stall = STALL_WITHOUT_HELP
            stage = stage.up
        source = <GroupSource>stage
        if source is None or source.queue is None or source.queue.stage is not self:
            return STALL_AWHILE
        # True where another thread is about to take them out, or to end a group that has no more.
        return STALL_AWHILE if source.can_go_on() else stall

    # --- the end ------------------------------------------------------------------------------------------------------

    cdef void release(self) noexcept:
        cdef PyObject* held = self.held
        cdef list unended = self._unended()
        self.held = NULL
        self.held_for = None
        self.held_rest.clear()
        if held is not NULL:
            decref(held)
        CombineStage.release(self)
        for queue in unended:
            if not (<_GroupQueue>queue).has_ended.load(memory_order_relaxed):  # relaxed: this thread writes it
                self._end_queue(<_GroupQueue>queue, StateError(
                    f"the stream of {self.noun}s was cancelled, so that {_named(<_GroupQueue>queue)} gets nothing "
                    f"more; put take() and the like behind the operator that subscribes to the {self.noun}s"
                ))
        self.groups = {}
        self.waiting = deque()
        self.closed.clear()
        self.grouped = None

    def refuse_to_save(self) -> None:
        """Raise, whatever it holds."""
        raise _unsaved(self, self)

    cdef int write_fields(self, object writer) except -1:
        raise _unsaved(self, self)


@cython.final
cdef class GroupByStage(GroupsStage):
    """Pass on a stream for each key, which sends the elements of that key.

    Args: prefetch, max_groups and grouped as for GroupsStage;
        key_function: Returns the key of an element.
        until: Called with the key of a new group; returns what ends the group by its first signal. None: only the
            end of the input does.
        described: Returns the description of what `until` returned, or raises.

    State: none; it refuses to be saved.
    """

    cdef object key_function, until, described

    def __init__(self, int64_t prefetch, key_function, until, described, int64_t max_groups, grouped):
        GroupsStage.__init__(self, (), prefetch, max_groups, grouped)
        self.noun = "group"
        self.remedy = _GROUPS_REMEDY
        self.saved_instead = "key_by(), whose states are saved"
        self.key_function = key_function
        self.until = until
        self.described = described

    cdef bint accepts(self, InputPort port) noexcept:
        return port.index != 0 or GroupsStage.accepts(self, port)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        cdef _GroupQueue queue
        cdef InputPort until
        if port.index != 0:
            decref(element)
            return self._end_by(port)
        try:
            if self.closed:
                self._forget_closed()
            key = self.key_function(<object>element)
            queue = self.groups.get(key)
            if queue is not None:
                self.put(queue, element)
                return 0
            queue, until = self._new_group(key)
        except BaseException as error:
            note_element(error, self, <object>element)
            decref(element)
            return self.fail(error)
        self.pass_or_wait(queue)
        self.put(queue, element)
        if until is not None and not self.should_leave():
            self.start_input(until)
            if not until.is_over:
                self.see_end(until)  # it may have completed at once
        return 0

    cdef int _forget_closed(self) except -1:
        """Keep of groups that were closed no more than the key."""
        cdef _GroupQueue queue
        while self.closed:
            queue = self.closed.popleft()
            if self.groups.get(queue.key) is queue:
                self.groups[queue.key] = _CLOSED

    cdef tuple _new_group(self, object key):
        cdef _GroupQueue queue
        cdef InputPort until = None
        if <int64_t>len(self.groups) >= self.max_groups:
            method = self.name.rpartition("/")[2]
            raise CapacityError(
                f"group {safe_repr(key)} would be number {self.max_groups + 1}, and "
                f"{method}(max_groups={self.max_groups}) allows {self.max_groups}; raise max_groups, use a coarser "
                f"key, let groups end by group_by_until(), or use key_by()"
            )
        queue = self.new_queue(key)
        if self.until is not None:
            until = self.add_input(<Description?>self.described(self.until(queue.key), queue.key), queue)
            until.is_free = True
        return queue, until

    cdef int _end_by(self, InputPort port) noexcept:
        """End a group, because what `until` returned has signalled."""
        self.remove_input(port)
        return self.end_group(<_GroupQueue>port.key)

    cdef int input_over(self, InputPort port) noexcept:
        if port.index == 0:
            return GroupsStage.input_over(self, port)
        return self._end_by(port) if port.input_error is None else self.fail(port.input_error)

    cdef bint may_end_groups(self) noexcept:
        return self.count_live() > 1  # of what ends groups, some may signal

    cdef void release(self) noexcept:
        GroupsStage.release(self)
        self.key_function = None
        self.until = None
        self.described = None


@cython.final
cdef class WindowsStage(GroupsStage):
    """Pass on a stream for each part of the input, a window, which begins with its first element.

    Args: prefetch, max_groups and grouped as for GroupsStage;
        boundary: The description of the second input, whose elements end windows; None: there is none.
        count: The elements of a window, at most; None: as many as come.
        skip: From the first element of a window to the first of the next one. None: one begins when none is open.
        span: The time, a timedelta, from its first element on, after which a window ends; None: it ends otherwise.
        find_scheduler: As for Clock, where there is a time.

    State: none; it refuses to be saved.
    """

    cdef int64_t count, skip     # 0: none
    cdef int64_t to_leave_out    # elements before the next window begins
    cdef int64_t begun           # windows, of which this is the number of the next one
    cdef object span, due
    cdef Clock clock             # None: no window ends by time

    def __init__(
        self, Description boundary, int64_t prefetch, int64_t count, int64_t skip, span, find_scheduler,
        int64_t max_groups, grouped,
    ):
        GroupsStage.__init__(self, () if boundary is None else (boundary,), prefetch, max_groups, grouped)
        self.noun = "window"
        self.remedy = _WINDOWS_REMEDY
        self.saved_instead = "buffer(), whose lists are saved"
        self.count = count
        self.skip = skip
        self.span = span
        self.clock = None if span is None else Clock(find_scheduler)

    cdef int attach(self) except -1:
        GroupsStage.attach(self)
        for port in self.ports.values():
            (<InputPort>port).is_free = True
        return 0

    cdef int begin(self) except -1:
        try:
            if self.clock is not None:
                self.clock.at(self.context_of_host)
        except Exception as error:
            self.fail(error)
        return GroupsStage.begin(self)

    cdef void list_inputs(self) noexcept:
        for port in list(self.ports.values()):
            if not (<InputPort>port).is_over:
                self.list_port(<InputPort>port)

    cdef bint accepts(self, InputPort port) noexcept:
        return not self.input_is_over and GroupsStage.accepts(self, port)

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            self.closed.clear()  # they end as the others do
            if port.index != 0:
                self._cut()
            elif self._begins():
                self._begin_window()
        except BaseException as error:
            decref(element)
            return self.fail(error)
        if port.index == 0:
            self._put_into_all(element)
        decref(element)
        return 0

    cdef bint _begins(self) noexcept:
        """Whether a window begins with the next element."""
        if self.skip == 0:
            return not self.groups
        self.to_leave_out -= 1
        if self.to_leave_out >= 0:
            return False
        self.to_leave_out = self.skip - 1
        return True

    cdef _GroupQueue _begin_window(self):
        cdef _GroupQueue queue = self.new_queue(self.begun)
        self.begun += 1
        if self.clock is not None:
            self.due = self.clock.now() + self.span
            self.clock.wait_until(self, self.due)
        self.pass_or_wait(queue)
        return queue

    cdef void _put_into_all(self, PyObject* element) noexcept:
        """Put an element into all open windows, of which the oldest may have got its last one with it."""
        cdef _GroupQueue queue
        for each in list(self.groups.values()):
            queue = <_GroupQueue>each
            queue.taken += 1
            if queue.taken == self.count:
                queue.ends_later = True
                del self.groups[queue.key]
            incref(element)
            self.put(queue, element)

    cdef int _cut(self) except -1:
        """End the window that is open; if none is, pass on one that has no element."""
        for each in list(self.groups.values()):
            self.end_group(<_GroupQueue>each)
            return 0
        self.end_group(self._begin_window())
        return 0

    cdef int nothing_to_do(self) noexcept:
        if self.clock is not None:
            try:
                self._look_at_time()
            except BaseException as error:
                self.fail(error)
                return True
        return GroupsStage.nothing_to_do(self)

    cdef int _look_at_time(self) except -1:
        """End the window that is open, if its time has come."""
        if not self.clock.rang() or not self.groups:
            return 0
        if self.clock.now() < self.due:
            return self.clock.wait_until(self, self.due)
        for each in list(self.groups.values()):
            self.end_group(<_GroupQueue>each)
        return 0

    cdef int input_over(self, InputPort port) noexcept:
        if port.index != 0 and port.input_error is not None:
            return self.fail(port.input_error)
        return GroupsStage.input_over(self, port)

    cdef void release(self) noexcept:
        GroupsStage.release(self)
        if self.clock is not None:
            self.clock.close(self)


@cython.final
cdef class WindowToggleStage(GroupsStage):
    """Pass on a stream, a window, for each element of the second input, the openings, of what comes from there on.

    Each window ends by the first signal of a stream that a function returns for that element. What comes while no
    window is open is dropped.

    Args: prefetch, max_groups and grouped as for GroupsStage;
        openings: The description of the second input.
        closing: Called with each element of the openings.
        described: Returns the description of what `closing` returned, or raises.

    State: none; it refuses to be saved.
    """

    cdef object closing, described
    cdef int64_t begun           # windows, of which this is the number of the next one
    cdef InputPort newest        # what ends the window that was opened last; None: it has ended
    cdef bint has_yielded        # since that was opened

    def __init__(
        self, Description openings not None, int64_t prefetch, closing, described, int64_t max_groups, grouped
    ):
        GroupsStage.__init__(self, (openings,), prefetch, max_groups, grouped)
        self.noun = "window"
        self.remedy = _WINDOWS_REMEDY
        self.saved_instead = "buffer_toggle(), whose lists are saved"
        self.closing = closing
        self.described = described

    cdef int attach(self) except -1:
        GroupsStage.attach(self)
        (<InputPort>self.ports[1]).is_free = True
        return 0

    cdef void list_inputs(self) noexcept:
        # In which order they came is not known any more: a window that is opened, or ended, gets all that waited.
        for port in sorted(self.ports.values(), key=_openings_first):
            if not (<InputPort>port).is_over:
                self.list_port(<InputPort>port)

    cdef bint accepts(self, InputPort port) noexcept:
        if self.input_is_over or not GroupsStage.accepts(self, port):
            return False
        if self.newest is None or port is self.newest or self.has_yielded or not waits_here(self.newest):
            return True
        # What ends the window at once, if it does, comes before the next element.
        self.has_yielded = True
        self.list_port(port)
        set_relaxed(self.state, TURN_OVER)
        return False

    cdef int take_in(self, InputPort port, PyObject* element) noexcept:
        try:
            self.closed.clear()  # they end as the others do
            if port is not self.newest:
                self._end_newest()
            if port.index == 0:
                for each in list(self.groups.values()):
                    incref(element)
                    self.put(<_GroupQueue>each, element)
            elif port.index == 1:
                self._open_window(<object>element)
            else:
                self._end_by(port)
        except BaseException as error:
            if port.index == 1:
                note_element(error, self, <object>element)
            decref(element)
            return self.fail(error)
        decref(element)
        return 0

    cdef int _open_window(self, object opening) except -1:
        cdef _GroupQueue queue
        cdef InputPort port
        if <int64_t>len(self.groups) >= self.max_groups:
            raise CapacityError(
                f"window_toggle(max_windows={self.max_groups}): {safe_repr(opening)} would open one window more; raise "
                f"max_windows, or let windows end sooner"
            )
        source = self.described(self.closing(opening), opening)
        queue = self.new_queue(self.begun)
        self.begun += 1
        port = self.add_input(<Description?>source, queue)
        port.is_free = True
        self.newest = port
        self.has_yielded = False
        self.pass_or_wait(queue)
        if not self.should_leave():
            self.start_input(port)
        if not port.is_over and not self.should_leave():
            self.see_end(port)  # it may have completed at once
        return 0

    cdef void _end_newest(self) noexcept:
        """End the newest window, if the signal that ends it waits."""
        cdef PyObject* signal
        if self.newest is None:
            return
        signal = spsc_poll(self.newest.slots)
        if signal is NULL:
            self.see_end(self.newest)
        else:
            decref(signal)
            self._end_by(self.newest)

    cdef int _end_by(self, InputPort port) noexcept:
        """End a window, because what `closing` returned has signalled; behind the last one nothing more comes."""
        if port is self.newest:
            self.newest = None
        self.remove_input(port)
        self.end_group(<_GroupQueue>port.key)
        if not self.groups and (<InputPort>self.ports[1]).is_over:
            self.input_is_over = True
        return 0

    cdef int input_over(self, InputPort port) noexcept:
        if port.index != 0 and port.input_error is not None:
            return self.fail(port.input_error)
        if port.index > 1:
            return self._end_by(port)
        return GroupsStage.input_over(self, port) if port.index == 0 or not self.groups else 0

    cdef void release(self) noexcept:
        GroupsStage.release(self)
        self.closing = None
        self.described = None
        self.newest = None


def _openings_first(InputPort port):
    return (port.index != 1, port.index)
