# The core of a subject: the registry, the delivery, the source of each subscription. The argument is in
# multicaster.pyx.

from libc.stdint cimport int64_t

from rs_core.ends.subscriber cimport CompiledSubscriber
from rs_core.sources.emitter cimport EmitterSource
from rs_core.stream.subscription cimport FanOut
from rs_core.sync.atomics cimport gil_int64, gil_uint32

cdef enum WordBit:   # in addition to TOKEN and MISSED (sync/serial_word.h)
    CALLING = 4       # a thread calls the upstream, without the token

cdef enum Outcome:              # the result for an element
    PUT = 0                     # it waits, or the policy dropped it
    PUT_FULL = 1                # the queue is full, and the policy is to fail
    PUT_CLOSED = 2              # no more elements are accepted
    PUT_NOBODY = 3              # an offer: there is no source
    PUT_UNWANTED = 4            # an offer: a source could not accept it

cdef enum:
    NOBODY = -1                 # the number that all accept if there is no source

cdef enum SignalKind:
    PUSH = 0                    # value: the element; detail: the time, or None
    OFFER = 1                   # like PUSH
    END = 2                     # value: the error, or None; detail: whether the upstream must be cancelled
    UPSTREAM = 3                # value: the subscription
    SEAL = 4                    # value: makes the error for new subscribers; detail: called when none is left
    DISPOSE = 5                 # value: as for SEAL

cdef enum:                      # the kind of a deferred call that does not request
    CALL = 0
    CANCEL = -1


cdef struct Reach:              # what the sources accept, as of a look at them
    int64_t changes             # of the registry
    int64_t least               # of those that are not closed; NOBODY: there are none
    int64_t most                # of those that are open; -1: there is none
    bint least_fills, most_fills   # that number is the free capacity, not the demand
    bint has_opening            # a source is not open yet


cdef class Signal:
    cdef int kind
    cdef object value, detail
    cdef Signal following       # the next that waits, or the next that is retained; guarded by the critical section


cdef class SourcePlace:
    # Guarded by the registry.
    cdef SubjectSource source   # None: it was removed
    cdef SourcePlace following


cdef class Admission:
    cdef Signal first, last     # the retained elements for it; None: none
    cdef object refuse          # makes the error for it; None: it is not refused
    cdef bint is_second         # it is refused, because another one is, or was, the only one
    cdef bint is_over
    cdef object end_error


cdef class SubscriberRegistry:
    cdef readonly int64_t most_waiting    # elements
    cdef bint displaces, drops, remembers_end
    cdef bint is_shared                   # False: it serves one source, ever
    cdef int64_t replay_limit
    # Guarded by the critical section: signals.
    cdef Signal first_signal, last_signal
    cdef int64_t waiting_elements, waiting_controls   # all signals that are not elements
    cdef int64_t accepted_by_all          # elements, including the waiting ones; or NOBODY
    cdef int64_t lost_pushes              # pushes that will not be taken out, since the deliverer's last check
    cdef bint is_closed, is_sealed, is_disposed, has_upstream
    cdef bint is_disconnected             # the upstream was cancelled because no source was left; no other yet
    # Guarded by the critical section: subscribers.
    cdef SourcePlace first_place, last_place   # including those of closed sources
    cdef int64_t present                  # the number of used places
    cdef int64_t changes                  # how often a source was added or removed
    cdef SubjectSource first_closed       # the list of those that reported it
    cdef Signal first_retained, last_retained
    cdef int64_t retained
    cdef bint retains                     # new elements are retained
    cdef bint had_source                  # the one of a registry that is not shared
    cdef int64_t expected                 # sources that were there when the state was saved, and have yet to come back
    cdef bint is_over                     # a remembered end was sent
    cdef object end_error
    cdef object disconnect_error          # for new subscribers while it is disconnected
    cdef object refuse                    # makes the error for new subscribers; None: they are accepted

    # Fields of the deliverer: the sources at its last look, and how many empty places it has seen.
    cdef SourcePlace seen_first, seen_last
    cdef int64_t seen_changes
    cdef int64_t empty_places

    # Signals: any thread.
    cdef Signal put_element(self, Signal signal, int* outcome)   # the element that is dropped for it, or None
    cdef int offer(self, Signal signal) noexcept             # an Outcome
    cdef bint put_control(self, Signal signal) noexcept      # not an element; False: it is refused
    cdef bint refuses_elements(self) noexcept
    cdef bint is_empty(self) noexcept
    # Signals: the deliverer.
    cdef Signal take(self, int64_t changes, int64_t accepted)   # or None; `accepted` by all, as of `changes`
    cdef void set_accepted(self, int64_t changes, int64_t accepted) noexcept
    cdef bint look_if_nothing_waits(self) noexcept
    cdef void take_accepted(self, int64_t changes, int64_t accepted) noexcept
    cdef int64_t take_lost(self) noexcept
    # Subscribers: any thread.
    cdef Admission add(self, SubjectSource source)
    cdef int64_t present_count(self) noexcept
    cdef void note_closed(self, SubjectSource source) noexcept
    cdef int64_t free_replay(self) noexcept                  # for later sources; NOBODY: nothing is retained
    # Subscribers: the deliverer.
    cdef void look(self) noexcept                            # the sources: from seen_first to seen_last
    cdef bint retain(self, Signal signal) noexcept           # and look; False: the only source has not arrived yet
    cdef Signal evict(self, bint is_too_many)                # the oldest, or None
    cdef bint end_unserved(self, object error) noexcept      # False: the only source has arrived meanwhile
    cdef void end(self, object error)                        # its receivers were read
    cdef void close(self, object refuse, bint disposes)      # its receivers were read
    cdef bint prune_closed(self) except -1                   # whether the last one was removed
    cdef bint disconnect(self, object error) noexcept        # False: a source has arrived meanwhile

    cdef void _append(self, Signal signal) noexcept
    cdef Signal _displace(self)
    cdef bint _refuses(self, int kind) noexcept
    cdef void _look(self) noexcept
    cdef void _empty(self) noexcept
    cdef SubjectSource _take_closed(self)
    cdef int _compact(self) except -1


cdef class DeferredCall:
    cdef object target          # the upstream, or the function to call when no source is left
    cdef int64_t n              # how many elements to request; CANCEL; or CALL
    cdef str origin

    cdef int run(self) except -1


cdef class Upstream:
    # Fields of the deliverer.
    cdef str origin
    cdef object subscription
    cdef list unwanted          # to be cancelled
    cdef int64_t in_flight      # requested and not yet passed on

    cdef int attach(self, object subscription) except -1
    cdef int refuse(self, object subscription) except -1
    cdef int detach(self, bint cancels) except -1
    cdef int lower_in_flight(self, int64_t n) noexcept
    cdef DeferredCall next_call(self, int64_t wanted)


cdef class SubjectInput(CompiledSubscriber):
    cdef public SubjectCore _core

    cdef int accept(self, object element) except -1


cdef class SubjectCore:
    cdef str label
    cdef readonly int64_t capacity        # the capacity of the queue of each source
    cdef readonly object on_overflow
    cdef bint is_ahead                    # elements are accepted before they are requested
    cdef bint is_lockstep, is_lossy, drops_for_slow
    cdef bint auto_cancel                 # the upstream is cancelled when the last source of a shared one leaves
    cdef bint delay_error                 # an error is sent after elements that wait for demand
    cdef object max_age, scheduler        # None: any age; the scheduler with the clock
    cdef SubscriberRegistry registry
    cdef gil_uint32 word
    cdef gil_uint32 has_closed            # a source was closed since the deliverer's last look; any thread
    cdef gil_uint32 demand_changed        # what to request must be determined again; any thread
    cdef gil_uint32 reach_changed         # `reach` may be too low; any thread
    # Fields of the deliverer.
    cdef Reach reach
    cdef object interrupt                 # the first that was raised in a step
    cdef bint is_abandoned                # no source will arrive any more
    cdef object on_empty                  # called once, when no source is left in a sealed subject
    cdef Upstream upstream
    # What the last save wrote, or the load read; of who saves.
    cdef Signal saved_last
    cdef int64_t saved_retained, saved_present
    cdef int saved_flags

    # Any thread.
    cdef int _flags(self) noexcept
    cdef void _note_saved(self) noexcept
    cdef object _now(self)
    cdef bint accept(self, object element) except -1                 # False: it accepts nothing any more
    cdef bint _push_at_once(self, object element) except -1
    cdef bint _put(self, int kind, object value, object detail) except -1
    cdef bint _fail_full(self, object element) except -1
    cdef bint refuses_elements(self) noexcept                        # there is an end, or it was disposed
    cdef int add_source(self, SubjectSource source) except -1        # it is about to open
    cdef int source_closed(self, SubjectSource source) except -1     # it was released
    cdef int source_changed(self) except -1                          # its demand or its waiting elements changed
    cdef int _replay(self, Admission admission, SubjectSource source, object now) except -1
    cdef int notify(self) except -1
    # The deliverer.
    cdef int deliver(self) except -1
    cdef int note_raised(self, object error) except -1               # to be raised after the token was released
    cdef bint handle_one(self) except -1                             # False: no signal waits
    cdef int _handle(self, Signal signal) except -1
    cdef int _deliver_element(self, Signal signal) except -1
    cdef int send_pushed(self, object element) except -1
    cdef int _send_or_drop(self, object element) except -1
    cdef bint _has_nothing_to_do(self) noexcept
    cdef int _evict_old(self, object now) except -1
    cdef bint _fail_unserved(self, object element) except -1
    cdef int _end(self, object error, bint cancels) except -1
    cdef int _dispose(self, object refuse) except -1
    cdef int _disconnect(self) except -1
    cdef int send(self, object element) except -1                    # to the sources that the registry has read
    cdef int send_end(self, object error, bint at_once) except -1    # the same; at once: before waiting elements
    cdef bint _give(self, SubjectSource source, object element) except -1
    cdef void _note_if_closed(self, SubjectSource source) noexcept
    cdef bint prune_closed(self) except -1                           # whether the last one was removed
    cdef object _error_of(self, object refuse)
    cdef DeferredCall find_call(self, bint may_call)                 # the call to make without the token, or None
    cdef int64_t accepted_by_all(self) noexcept
    cdef int _find_reach(self) noexcept                              # of the sources that the registry has read
    cdef int _renew_reach(self) noexcept
    cdef int64_t wanted(self, int64_t in_flight) except -2


cdef class SubjectSource(EmitterSource):
    cdef SubjectCore core
    cdef object waiting                   # a deque of elements before the queue: retained or loaded; drainer
    cdef gil_uint32 has_waiting           # set by who fills `waiting`, cleared by the drainer when it has sent all
    cdef int64_t saved_size               # elements that the last save wrote, or the load read
    cdef bint saved_end                   # whether the end was included
    cdef readonly bint is_loaded
    cdef gil_int64 ever_requested         # only grows, up to 2**63 - 1
    cdef gil_uint32 is_cut                # waiting elements are not sent any more; written before the queue is closed
    # Guarded by the registry.
    cdef SourcePlace place                # None: it is not listed
    cdef SubjectSource next_closed
    cdef bint is_noted_closed             # it is in the list of closed sources
    cdef int64_t most_waiting             # the capacity of the queue; written once
    # Of the deliverer.
    cdef bint has_given                   # elements may wait in the queue: they were put there since it was seen empty
    # A field of the subscriber's thread, then of the deliverer.
    cdef int64_t ever_taken               # elements that were added and count as requested

    cdef int skip(self, int64_t n) except -1   # the subscriber's thread: n fewer were added than counted
    cdef void _drop_waiting(self) noexcept     # drainer
    # The deliverer.
    cdef bint give(self, object element) except -1   # False: it accepts nothing any more
    cdef int take_at_once(self, FanOut* fan_out, object element) noexcept   # an Outcome, or a PastQueue
    cdef int reach(self, Reach* reach) noexcept                  # count what this source accepts
    cdef int reach_idle(self, Reach* reach) noexcept             # the same, where it is open and nothing waits
    cdef void cut(self) noexcept               # the following end is sent before waiting elements
    cdef bint is_closed(self) noexcept
    cdef bint _has_ended(self) noexcept
    cdef bint is_opening(self) noexcept
    cdef int64_t requested(self) noexcept      # the demand not yet covered
    cdef int64_t free_capacity(self) noexcept  # how many more elements may wait


cdef Signal new_signal(int kind, object value, object detail)
cdef DeferredCall deferred_call(object target, int64_t n, str origin)
