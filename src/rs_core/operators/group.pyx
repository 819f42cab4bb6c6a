"""group_by and window: a stream of streams, one for each key or part of the input, whose queues are bounded.

A window is a group whose key is its number, and which ends by a count, a time, a predicate or another stream. Below,
"group" means both.

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

State: nodes are saved from the end of a stream upward, so the stages below, which have the groups, come first. They
write a reference in the place of a group (GroupReferences). One that has ended is nobody's but theirs: the first
reference contains what waits of it. All others are in the record of their stage, which comes later.
"""

from collections import deque
from warnings import warn

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.arguments cimport safe_repr
from rs_core.interp.calls cimport decref, incref
from rs_core.queues.spsc_ring cimport SpscRing, SpscSlots, spsc_capacity, spsc_offer, spsc_peek, spsc_poll, spsc_size
from rs_core.stream.clock cimport NEVER, Clock, after, as_datetime, as_span, read_moment
from rs_core.stream.combine_stage cimport CombineStage, InputPort, pass_on
from rs_core.stream.description cimport Description, group_stream
from rs_core.stream.queue_stage cimport elements_in, read_error, ring_with
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

cdef str _OLDER = "load an older checkpoint"
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

    cdef GroupsStage stage           # None: it had ended when it was saved
    cdef object key
    cdef int64_t number              # of all that its stage has made
    cdef str noun                    # what it is, for messages
    cdef Py_ssize_t place            # of its stream in GroupReferences, while it is loaded
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
    cdef object opening              # of a window_toggle: the element that opened it

    def __cinit__(self):
        # relaxed: nobody else has it yet
        self.has_ended.store(0, memory_order_relaxed)
        self.wants_room.store(0, memory_order_relaxed)
        self.is_closed.store(0, memory_order_relaxed)
        self.is_taken.store(0, memory_order_relaxed)

    cdef bint is_open(self) noexcept:
        """Whether it may get more elements; for who saves or loads."""
        # relaxed: all nodes stand still, or nothing flows before the start
        return not (self.has_ended.load(memory_order_relaxed) or self.is_closed.load(memory_order_relaxed))

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
        if self.stage is not None and not self.stage.state.load(memory_order_relaxed) & TERMINAL:
            self.stage.closed.append(self)
        return self.wake_stage()

    cdef int wake_stage(self) except -1:
        if self.stage is None:
            return 0
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

    State: none of its own: the elements are saved with the group.
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
            facts["capacity"] = <int64_t>spsc_capacity(queue.slots)
            # relaxed: as for all that is inspected
            facts["has_input_ended"] = queue.has_ended.load(memory_order_relaxed) != 0
        return facts

    cdef int begin(self) except -1:
        cdef _GroupQueue queue = self.queue
        # acq_rel: of several subscriptions one finds 0
        if queue.is_taken.exchange(1, memory_order_acq_rel):
            self.queue = None
            self.fail_at(self, SourceUsedTwiceError(  # nobody drains yet: the note is read when the tree is opened
                f"§1.10: {_named(queue)} was used by an earlier subscription; a {queue.noun} can be subscribed "
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
                f"a callback of the stream of {self.queue.noun}s waits for {_named(self.queue)}, whose elements "
                f"come when it has returned; let it return the {self.queue.noun} or what is built on it, as "
                f"flat_map(function) wants it"
            ))
        return 0

    cdef bint _waits_for_itself(self) noexcept:
        """Whether the thread that waits is the one that would bring the next element."""
        cdef GroupsStage stage = self.queue.stage
        if stage is None or not self.waits_for_elements():
            return False
        return stage.handing_out.is_mine() or (is_drained_here(stage) and stage.is_of_one_thread())

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
        if sent:
            self.changed = True
        self._wake_stage()
        return sent

    cdef void _wake_stage(self) noexcept:
        try:
            self.queue.wake_stage()
        except BaseException as error:
            self.fail_at(self, error)

    cdef bint waits_outside(self) noexcept:
        """Whether a thread waits for the end of this subscription, which is none of the stream of groups."""
        return self.queue.stage is not None and self.tree != self.queue.stage.tree and is_awaited(self)

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
        cdef GroupReferences references = getattr(writer, "references", None)
        if self.queue is None or self.disposed or self.disposed_in_state:
            return 0
        if references is None or not references.has_written(self.queue):
            raise StateError(
                f"{self!r} cannot be saved: the stream of {self.queue.noun}s that {_named(self.queue)} comes from is "
                f"not part of what is saved; subscribe to the {self.queue.noun} by an operator such as flat_map()"
            )
        return 0


@cython.final
cdef class GroupReferences:
    """The groups that the values of one snapshot refer to.

    Each stage of groups has a number in the snapshot, in the order in which it is met. A reference contains that
    number, the number of the group, its key, and, once for a group that has ended, what waits of it and its error.

    Threads: the one that saves or loads.
    """

    cdef dict numbers     # of what has groups, a stage or an ended group itself, in the order in which it is met
    cdef dict queues      # by that number, by the number of the group: those that were met
    cdef set stages       # whose records were written, or the numbers of those that were read
    cdef list streams     # of the groups that were read: one that nobody refers to yet is not dropped

    def __cinit__(self):
        self.numbers = {}
        self.queues = {}
        self.stages = set()
        self.streams = []

    # --- who saves ----------------------------------------------------------------------------------------------

    def place_of(self, value) -> tuple | None:
        """Return the content of a reference to a value, if that is the stream of a group.

        Raises:
            StateError: It was built on such a stream.
        """
        cdef Description head
        cdef _GroupQueue queue
        if not isinstance(value, Description):
            return None
        head = <Description>value
        while head.upstream is not None:
            head = head.upstream
        for parameter in head.parameters:
            if isinstance(parameter, Group):
                queue = (<Group>parameter)._queue()
                if head is value:
                    return self._place(queue)
                raise StateError(
                    f"{value!r}, a stream that was built on {_named(queue)}, waits to be subscribed to and cannot be "
                    f"saved; let the {queue.noun} itself wait, and build on it in the function with which an operator "
                    f"such as flat_map() subscribes to it"
                )
        return None

    cdef tuple _place(self, _GroupQueue queue):
        cdef int64_t owner = self.number_of(queue if queue.stage is None else queue.stage)
        cdef dict met = self.queues.setdefault(owner, {})
        is_first = queue.number not in met
        met[queue.number] = queue
        if is_first and not queue.is_open():
            return (owner, queue.number, queue.key, queue.noun, elements_in(queue.slots), queue.error)
        return (owner, queue.number, queue.key)

    cdef int64_t number_of(self, object owner) except -1:
        return self.numbers.setdefault(owner, len(self.numbers))

    cdef bint has_met(self, _GroupQueue queue) except -1:
        owner = self.numbers.get(queue if queue.stage is None else queue.stage)
        return queue.number in self.queues.get(owner, ())

    cdef bint has_written(self, _GroupQueue queue) except -1:
        return queue.stage in self.stages or self.has_met(queue)

    def require_written(self) -> None:
        """Raise if the record of a stage was not written whose groups were met.

        Raises:
            StateError: It is so.
        """
        cdef _GroupQueue queue
        for owner, number in self.numbers.items():
            if owner not in self.stages:
                for queue in self.queues[number].values():
                    if queue.is_open():
                        raise _without_stage(queue)

    # --- who loads ----------------------------------------------------------------------------------------------

    def stream_at(self, content):
        """Return the stream of the group that a reference leads to; None: this is not the content of one."""
        cdef _GroupQueue queue
        cdef dict met
        if not _is_place(content):
            return None
        owner, number, key, *rest = content
        met = self.queues.setdefault(owner, {})
        queue = met.get(number)
        if rest:
            if queue is not None:
                return None
            noun, elements, error = rest
            queue = self._loaded_queue(met, number, key, noun)
            queue.ring = ring_with(elements, queue.ring)
            queue.slots = queue.ring.slots
            queue.error = error
            queue.has_ended.store(1, memory_order_relaxed)  # relaxed: nothing flows before the start
        elif queue is None:
            queue = self._loaded_queue(met, number, key, "group")
        return self.streams[queue.place]

    cdef _GroupQueue _loaded_queue(self, dict met, int64_t number, object key, str noun):
        cdef _GroupQueue queue = _new_queue(number, key, noun)
        cdef Group group = Group()
        queue.is_handed_out = True
        met[number] = group.queue = queue
        queue.place = len(self.streams)
        self.streams.append(group_stream(group))
        return queue

    cdef dict read_by(self, GroupsStage stage, int64_t number):
        """Return the groups of a stage that were met; its record has this number."""
        cdef dict met
        if number in self.stages:
            raise StateError(f"{stage!r} has the number of another operator, {number}; load an older checkpoint")
        self.stages.add(number)
        met = self.queues.setdefault(number, {})
        return met

    def require_read(self) -> None:
        """Raise if groups were met that no record of a stage contains.

        Raises:
            StateError: It is so.
        """
        cdef _GroupQueue queue
        for met in self.queues.values():
            for queue in (<dict>met).values():
                if queue.stage is None and queue.is_open():
                    raise _without_stage(queue)


cdef _GroupQueue _new_queue(int64_t number, object key, str noun, int64_t prefetch=1):
    cdef _GroupQueue queue = _GroupQueue()
    queue.number = number
    queue.key = key
    queue.noun = noun
    queue.ring = SpscRing(prefetch)
    queue.slots = queue.ring.slots
    return queue


cdef bint _is_place(object content) except -1:
    if type(content) is not tuple or len(content) not in (3, 6):
        return False
    for number in content[:2]:
        if type(number) is not int or not 0 <= number < 2**63:
            return False
    return len(content) == 3 or (
        type(content[3]) is str and type(content[4]) is list and isinstance(content[5], (Exception, type(None)))
    )


cdef object _without_stage(_GroupQueue queue):
    return StateError(
        f"{_named(queue)} waits here, but the operator that sends its elements is not in the saved state; save and "
        f"load the whole stream, from group_by() or window() on"
    )


cdef str _named(_GroupQueue queue):
    return f"{queue.noun} {safe_repr(queue.key)}"


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


cdef class GroupsStage(CombineStage):
    """Pass on a stream for each group; base of the stages that say in which groups an element is.

    Args:
        sources: As for CombineStage.
        prefetch: How many elements may wait in each queue, and be requested upstream.
        max_groups: How many groups there may be at a time, and how many may wait for a request.

    State: what waits of its inputs; the groups that have not ended and those that were not handed out, with what waits
        of each; the element that is held, and for which groups. That a group was subscribed to is not: who did does it
        again.
    """

    cdef readonly str noun, remedy   # for messages
    cdef int64_t max_groups
    cdef int64_t made            # groups, of which this is the number of the next one
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

    def __init__(self, tuple sources, int64_t prefetch, int64_t max_groups):
        CombineStage.__init__(self, sources, prefetch)
        self.held_rest = deque()
        self.max_groups = max_groups
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
        cdef _GroupQueue queue = _new_queue(self.made, key, self.noun, self.prefetch)
        queue.stage = self
        self.groups[key] = queue
        self.made += 1
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
            stream = group_stream(group)
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

    # --- state --------------------------------------------------------------------------------------------------------

    cdef list _kept(self):
        """Return the queues that a saved state contains."""
        queues = dict.fromkeys([*self.groups.values(), *self.waiting, self.held_for, *self.held_rest])
        return [queue for queue in queues if queue is not None and queue is not _CLOSED]

    cdef int write_fields(self, object writer) except -1:
        cdef GroupReferences references = getattr(writer, "references", None)
        cdef _GroupQueue queue
        cdef InputPort port
        cdef list kept
        self.require_inputs()
        if references is None:
            raise StateError(f"{self!r} cannot be saved here, in no snapshot; use SnapshotWriter or save_tree()")
        references.stages.add(self)
        writer.write(not self.disposed and not self.disposed_in_state)
        if self.disposed or self.disposed_in_state:
            return 0
        self._forget_closed()
        writer.write(references.number_of(self))
        writer.write(self.made)
        kept = self._kept()
        writer.write(len(kept))
        for queue in kept:
            self._require_owner(queue, references)
            writer.write(queue.number)
            writer.write(queue.key)
            is_closed = queue.is_closed.load(memory_order_relaxed) != 0  # relaxed: all nodes stand still
            writer.write(is_closed)
            writer.write(queue.is_handed_out)
            writer.write(queue.ends_later)
            writer.write(queue.taken)
            writer.write(queue.has_ended.load(memory_order_relaxed) != 0)  # relaxed: as above
            writer.write([] if is_closed else elements_in(queue.slots))
            writer.write(queue.error)
        writer.write([(<_GroupQueue>each).number for each in self.groups.values() if each is not _CLOSED])
        writer.write([key for key, each in self.groups.items() if each is _CLOSED])
        writer.write([(<_GroupQueue>each).number for each in self.waiting])
        writer.write(self.held is not NULL)
        if self.held is not NULL:
            writer.write(<object>self.held)
            writer.write([(<_GroupQueue>each).number for each in (self.held_for, *self.held_rest)])
        writer.write(self.input_is_over)
        writer.write(self.end_error)
        writer.write(self.dropped)
        for each in self.ports.values():
            port = <InputPort>each
            if port.index < self.count_inputs():
                self.save_port(port, writer)
        return self.write_rest(writer)

    cdef int _require_owner(self, _GroupQueue queue, GroupReferences references) except -1:
        """Raise for a group that somebody has who is not saved with this stage."""
        cdef GroupSource source = queue.subscribed()
        if queue.is_open() and queue.is_handed_out and (
            (source is not None and source.tree != self.tree) or not references.has_met(queue)
        ):
            raise StateError(
                f"{self!r} cannot be saved: {_named(queue)} was passed to a subscriber that is not part of what is "
                f"saved; subscribe to the {self.noun}s by an operator such as flat_map()"
            )
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        cdef GroupReferences references = getattr(reader, "references", None)
        cdef _GroupQueue queue
        cdef dict met, kept = {}
        if not reader.read(bool):
            return 0
        if references is None:
            raise StateError(f"{self!r} cannot be loaded here, from no snapshot; use SnapshotReader or load_tree()")
        met = references.read_by(self, reader.read_count())
        self.made = reader.read_count()
        for _ in range(reader.read_count()):
            queue = self._read_queue(reader, met)
            kept[queue.number] = queue
        for queue in self._read_queues(reader, kept):
            self._add_group(queue.key, queue)
        for key in reader.read(list):
            self._add_group(key, _CLOSED)
        self.waiting = deque(self._read_queues(reader, kept))
        if reader.read(bool):
            held = reader.read()
            queues = deque(self._read_queues(reader, kept))
            if not queues:
                raise StateError(f"{self!r} cannot load an element that is held for no {self.noun}; {_OLDER}")
            incref(<PyObject*>held)
            self.held = <PyObject*>held
            self.held_for = queues.popleft()
            self.held_rest = queues
            # relaxed: nothing flows before the start. Whoever makes room wakes this stage.
            self.held_for.wants_room.store(1, memory_order_relaxed)
        self.input_is_over = reader.read(bool)
        self.end_error = read_error(reader)
        self.dropped = reader.read_count()
        for each in self.ports.values():
            self.load_port(<InputPort>each, reader)
        return self.read_rest(reader, kept)

    cdef _GroupQueue _read_queue(self, object reader, dict met):
        cdef _GroupQueue queue
        cdef int64_t number = reader.read_count()
        cdef bint has_ended
        key = reader.read()
        if reader.read(bool):  # it was closed: what refers to it still will not subscribe
            queue = _new_queue(number, key, self.noun)
            queue.is_closed.store(1, memory_order_relaxed)  # relaxed: nothing flows before the start
        else:
            queue = met.get(number)
            if queue is None:
                queue = _new_queue(number, key, self.noun)
            elif queue.stage is not None or not queue.is_open():
                raise StateError(f"{self!r} cannot load {_named(queue)} twice; {_OLDER}")
            queue.ring = SpscRing(self.prefetch)
        queue.stage = self
        queue.key = key
        queue.noun = self.noun
        queue.is_handed_out = reader.read(bool)
        queue.ends_later = reader.read(bool)
        queue.taken = reader.read_count()
        has_ended = reader.read(bool)
        queue.ring = ring_with(reader.read(list), queue.ring)
        queue.slots = queue.ring.slots
        queue.error = read_error(reader)
        queue.has_ended.store(1 if has_ended else 0, memory_order_relaxed)  # relaxed: as above
        return queue

    cdef int _add_group(self, object key, _GroupQueue queue) except -1:
        try:
            is_new = self.groups.setdefault(key, queue) is queue
        except TypeError as error:
            raise StateError(f"{self!r} cannot load {safe_repr(key)} as a key; {_OLDER}") from error
        if not is_new:
            raise StateError(f"{self!r} cannot load two {self.noun}s of the key {safe_repr(key)}; {_OLDER}")
        return 0

    cdef list _read_queues(self, object reader, dict kept):
        """Read queues by their numbers."""
        return [self._loaded(number, kept) for number in reader.read(list)]

    cdef _GroupQueue _loaded(self, object number, dict kept):
        cdef _GroupQueue queue = kept.get(number) if type(number) is int else None
        if queue is None:
            raise StateError(f"{self!r} cannot load {self.noun} number {safe_repr(number)}, which is missing; {_OLDER}")
        return queue

    cdef int write_rest(self, object writer) except -1:
        """Write what a derived class adds."""
        return 0

    cdef int read_rest(self, object reader, dict kept) except -1:
        """Read what write_rest() wrote; `kept` contains the queues by number."""
        return 0

    cdef int _forget_closed(self) except -1:
        """Keep no more of groups that were closed than is needed."""
        self.closed.clear()
        return 0

    cdef int write_ends(self, object writer) except -1:
        """Write the inputs that end groups: which group, from what, and what waits of each."""
        cdef InputPort port
        cdef list ends = [port for port in self.ports.values() if port.index >= self.count_inputs()]
        writer.write(len(ends))
        for each in ends:
            port = <InputPort>each
            writer.write((<_GroupQueue>port.key).number)
            writer.write((<_GroupQueue>port.key).opening)
            self.save_port(port, writer)
        return 0

    cdef int read_ends(self, object reader, dict kept) except -1:
        cdef InputPort port
        cdef _GroupQueue queue
        for _ in range(reader.read_count()):
            queue = self._loaded(reader.read(), kept)
            queue.opening = reader.read()
            # Not what the state says, but what the program's function says of an element: no code comes from the state.
            port = self.add_end(queue)
            self.load_port(port, reader)
        return 0

    cdef InputPort add_end(self, _GroupQueue queue):
        """Add the input that ends a group."""
        return None


@cython.final
cdef class GroupByStage(GroupsStage):
    """Pass on a stream for each key, which sends the elements of that key.

    Args: prefetch and max_groups as for GroupsStage;
        key_function: Returns the key of an element.
        until: Called with the key of a new group; returns what ends the group by its first signal. None: only the
            end of the input does.
        described: Returns the description of what `until` returned, or raises.

    State: that of GroupsStage; what waits of the streams that end groups. A loaded stage calls `until` again with their
        keys.
    """

    cdef object key_function, until, described

    def __init__(self, int64_t prefetch, key_function, until, described, int64_t max_groups):
        GroupsStage.__init__(self, (), prefetch, max_groups)
        self.noun = "group"
        self.remedy = _GROUPS_REMEDY
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
            self.start_port(until)
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
            until = self.add_end(queue)
        return queue, until

    cdef InputPort add_end(self, _GroupQueue queue):
        cdef InputPort until = self.add_port(<Description?>self.described(self.until(queue.key), queue.key), queue)
        until.is_free = True
        return until

    cdef int write_rest(self, object writer) except -1:
        return self.write_ends(writer)

    cdef int read_rest(self, object reader, dict kept) except -1:
        return self.read_ends(reader, kept)

    cdef int _end_by(self, InputPort port) noexcept:
        """End a group, because what `until` returned has signalled."""
        self.remove_port(port)
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

    Args: prefetch and max_groups as for GroupsStage;
        boundary: The description of the second input, whose elements end windows; None: there is none.
        count: The elements of a window, at most; None: as many as come.
        skip: From the first element of a window to the first of the next one. None: one begins when none is open.
        span: The time, a timedelta, from its first element on, after which a window ends; None: it ends otherwise.
        find_scheduler: As for Clock, where there is a time.
        is_last: Called with each element, and true for one with which the open windows end; None: none is such.

    State: that of GroupsStage; how many elements to leave out, and when the window ends.
    """

    cdef object is_last
    cdef int64_t count, skip     # 0: none
    cdef int64_t to_leave_out    # elements before the next window begins
    cdef int64_t span, due       # due: NEVER before the first window
    cdef Clock clock             # None: no window ends by time

    def __init__(
        self, Description boundary, int64_t prefetch, int64_t count, int64_t skip, span, find_scheduler,
        int64_t max_groups, is_last,
    ):
        GroupsStage.__init__(self, () if boundary is None else (boundary,), prefetch, max_groups)
        self.noun = "window"
        self.remedy = _WINDOWS_REMEDY
        self.count = count
        self.skip = skip
        self.is_last = is_last
        self.due = NEVER
        if span is not None:
            self.span = as_span(span)
            self.clock = Clock(find_scheduler)

    cdef int attach(self) except -1:
        GroupsStage.attach(self)
        for port in self.ports.values():
            (<InputPort>port).is_free = True
        return 0

    cdef int begin(self) except -1:
        try:
            if self.clock is not None:
                self.clock.at(self.context_of_host)
                if self.due != NEVER and self.groups:
                    self.clock.wait_until(self, self.due)
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
        cdef bint is_last = False
        try:
            self.closed.clear()  # they end as the others do
            if port.index != 0:
                self._cut()
            else:
                is_last = self._is_last(<object>element)
                if self._begins():
                    self._begin_window()
        except BaseException as error:
            decref(element)
            return self.fail(error)
        if port.index == 0:
            self._put_into_all(element, is_last)
        decref(element)
        return 0

    cdef bint _is_last(self, object element) except -1:
        """Whether an element ends the open windows."""
        if self.is_last is None:
            return False
        try:
            return bool(self.is_last(element))
        except Exception as error:
            note_element(error, self, element)
            raise

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
        cdef _GroupQueue queue = self.new_queue(self.made)
        if self.clock is not None:
            self.due = after(self.clock.now(), self.span)
            self.clock.wait_until(self, self.due)
        self.pass_or_wait(queue)
        return queue

    cdef void _put_into_all(self, PyObject* element, bint is_last) noexcept:
        """Put an element into all open windows, of which the oldest may be full with it, or all end with it."""
        cdef _GroupQueue queue
        for each in list(self.groups.values()):
            queue = <_GroupQueue>each
            queue.taken += 1
            if is_last or queue.taken == self.count:
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
        self.is_last = None
        if self.clock is not None:
            self.clock.close(self)

    cdef int write_rest(self, object writer) except -1:
        writer.write(self.to_leave_out)
        writer.write(as_datetime(self.due))
        return 0

    cdef int read_rest(self, object reader, dict kept) except -1:
        self.to_leave_out = reader.read_count(max(self.skip - 1, 0))
        self.due = read_moment(self, reader)
        return 0


@cython.final
cdef class WindowToggleStage(GroupsStage):
    """Pass on a stream, a window, for each element of the second input, the openings, of what comes from there on.

    Each window ends by the first signal of a stream that a function returns for that element. What comes while no
    window is open is dropped.

    Args: prefetch and max_groups as for GroupsStage;
        openings: The description of the second input.
        closing: Called with each element of the openings.
        described: Returns the description of what `closing` returned, or raises.

    State: that of GroupsStage; what waits of the streams that end windows, and which is the newest. A loaded stage
        calls `closing` again with what opened them.
    """

    cdef object closing, described
    cdef InputPort newest        # what ends the window that was opened last; None: it has ended
    cdef bint has_yielded        # since that was opened

    def __init__(
        self, Description openings not None, int64_t prefetch, closing, described, int64_t max_groups
    ):
        GroupsStage.__init__(self, (openings,), prefetch, max_groups)
        self.noun = "window"
        self.remedy = _WINDOWS_REMEDY
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
        queue = self.new_queue(self.made)
        queue.opening = opening
        port = self.newest = self.add_end(queue)
        self.has_yielded = False
        self.pass_or_wait(queue)
        if not self.should_leave():
            self.start_port(port)
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
        self.remove_port(port)
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

    cdef InputPort add_end(self, _GroupQueue queue):
        cdef InputPort port = self.add_port(
            <Description?>self.described(self.closing(queue.opening), queue.opening), queue
        )
        port.is_free = True
        return port

    cdef int write_rest(self, object writer) except -1:
        writer.write(self.newest is not None)
        writer.write(self.has_yielded)
        return self.write_ends(writer)

    cdef int read_rest(self, object reader, dict kept) except -1:
        has_newest = reader.read(bool)
        self.has_yielded = reader.read(bool)
        self.read_ends(reader, kept)
        if has_newest:
            self.newest = <InputPort>self.ports[max(self.ports)]
            if self.newest.index < self.count_inputs():
                raise StateError(f"{self!r} cannot load a newest window that nothing ends; {_OLDER}")
        return 0


def _openings_first(InputPort port):
    return (port.index != 1, port.index)
