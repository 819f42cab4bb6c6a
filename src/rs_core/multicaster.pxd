# What a subject is made of: the registry, the core that delivers, the source of each subscription. The argument is in
# multicaster.pyx.

from libc.stdint cimport int64_t

from rs_core.sources.emitter cimport EmitterSource
from rs_core.sync.atomics cimport gil_int64, gil_uint32

cdef enum WordBit:   # beside TOKEN and MISSED (sync/serial_word.h)
    CALLING = 4       # somebody calls the upstream, without the token

cdef enum Outcome:              # what became of an element
    PUT = 0                     # it waits, or the policy has dropped it
    PUT_FULL = 1                # there is no place, and the policy is to fail
    PUT_CLOSED = 2              # nothing is taken any more
    PUT_NOBODY = 3              # an offer: nobody would get it
    PUT_UNWANTED = 4            # an offer: somebody could not take it

cdef enum:
    NOBODY = -1                 # what all accept where nobody is there

cdef enum SignalKind:
    PUSH = 0                    # value: the element; detail: the time, or None
    OFFER = 1                   # as PUSH
    END = 2                     # value: the error, or None; detail: whether the upstream has to be cancelled
    UPSTREAM = 3                # value: the subscription
    SEAL = 4                    # value: makes the error for who subscribes; detail: what is called when nobody is left
    DISPOSE = 5                 # value: as for SEAL

cdef enum:                      # what a deferred call does, if it does not request
    CALL = 0
    CANCEL = -1


cdef class Signal:
    cdef int kind
    cdef object value, detail
    cdef Signal following       # the next that waits, or the next that is retained; guarded by the critical section


cdef class SourcePlace:
    # Guarded by the registry.
    cdef SubjectSource source   # None: it has left
    cdef SourcePlace following


cdef class Admission:
    cdef Signal first, last     # of what is retained for it; None: nothing
    cdef object refuse          # makes the error for it; None: it is not refused
    cdef bint is_second         # it is refused, since another one is, or was, the only one
    cdef bint is_over
    cdef object end_error


cdef class SubscriberRegistry:
    cdef readonly int64_t most_waiting    # elements
    cdef bint displaces, drops, remembers_end
    cdef bint is_shared                   # False: it serves one source, ever
    cdef int64_t replay_limit
    # Guarded by the critical section: signals.
    cdef Signal first_signal, last_signal
    cdef int64_t waiting_elements, waiting_controls   # all that are no elements
    cdef int64_t accepted_by_all          # elements, those that wait included; or NOBODY
    cdef int64_t lost_pushes              # that will not be taken out, since the deliverer last looked
    cdef bint is_closed, is_sealed, is_disposed, has_upstream
    cdef bint is_disconnected             # the upstream was cancelled since nobody was left, and no other has come
    # Guarded by the critical section: subscribers.
    cdef SourcePlace first_place, last_place   # those of closed sources included
    cdef int64_t present                  # how many places are taken
    cdef int64_t changes                  # how often somebody was added or removed
    cdef SubjectSource first_closed       # of those that have said so
    cdef Signal first_retained, last_retained
    cdef int64_t retained
    cdef bint retains                     # what comes is retained
    cdef bint had_source                  # the one of a registry that is not shared
    cdef bint is_over                     # an end went out that is remembered
    cdef object end_error
    cdef object disconnect_error          # for who comes while it is disconnected
    cdef object refuse                    # makes the error for who comes; None: anybody may

    # Fields of the deliverer: who was there when it looked, and how many places it has seen empty.
    cdef SourcePlace seen_first, seen_last
    cdef int64_t seen_changes
    cdef int64_t empty_places

    # Signals: any thread.
    cdef Signal put_element(self, Signal signal, int* outcome)   # what is dropped for it, or None
    cdef int offer(self, Signal signal) noexcept             # an Outcome
    cdef bint put_control(self, Signal signal) noexcept      # no element; False: it is refused
    cdef bint is_empty(self) noexcept
    # Signals: the deliverer.
    cdef Signal take(self, int64_t changes, int64_t accepted)   # or None; `accepted` by all, as of `changes`
    cdef void set_accepted(self, int64_t changes, int64_t accepted) noexcept
    cdef int64_t take_lost(self) noexcept
    # Subscribers: any thread.
    cdef Admission add(self, SubjectSource source)
    cdef int64_t present_count(self) noexcept
    cdef void note_closed(self, SubjectSource source) noexcept
    cdef int64_t free_replay(self) noexcept                  # for those to come; NOBODY: nothing is retained
    # Subscribers: the deliverer.
    cdef void look(self) noexcept                            # who is there: from seen_first to seen_last
    cdef bint retain(self, Signal signal) noexcept           # and look; False: the only source has yet to come
    cdef Signal evict(self, bint is_too_many)                # the oldest, or None
    cdef bint end_unserved(self, object error) noexcept      # False: the only source has come meanwhile
    cdef void end(self, object error)                        # who gets it was seen
    cdef void close(self, object refuse, bint disposes)      # who gets it was seen
    cdef bint prune_closed(self) except -1                   # whether the last one has left
    cdef bint disconnect(self, object error) noexcept        # False: somebody has come meanwhile

    cdef void _append(self, Signal signal) noexcept
    cdef Signal _displace(self)
    cdef bint _refuses(self, int kind) noexcept
    cdef void _look(self) noexcept
    cdef void _empty(self) noexcept
    cdef SubjectSource _take_closed(self)
    cdef int _compact(self) except -1


cdef class DeferredCall:
    cdef object target          # the upstream, or who wants to know that nobody is left
    cdef int64_t n              # how many elements to request; CANCEL; or CALL
    cdef str origin

    cdef int run(self) except -1


cdef class Upstream:
    # Fields of the deliverer.
    cdef str origin
    cdef object subscription
    cdef list unwanted          # to be cancelled
    cdef int64_t in_flight      # requested, and not yet passed on

    cdef int attach(self, object subscription) except -1
    cdef int refuse(self, object subscription) except -1
    cdef int detach(self, bint cancels) except -1
    cdef int lower_in_flight(self, int64_t n) noexcept
    cdef DeferredCall next_call(self, int64_t wanted)


cdef class SubjectCore:
    cdef str label
    cdef readonly int64_t capacity        # of the queue of each source
    cdef readonly object on_overflow
    cdef bint is_ahead                    # elements are taken before they are requested
    cdef bint is_lockstep, is_lossy, drops_for_slow
    cdef bint auto_cancel                 # the upstream is cancelled when the last source of a shared one leaves
    cdef bint delay_error                 # an error comes after what waits for demand
    cdef object max_age, scheduler        # None: of any age; whose clock tells it
    cdef SubscriberRegistry registry
    cdef gil_uint32 word
    cdef gil_uint32 has_closed            # a source was closed since the deliverer last looked; any thread
    cdef gil_uint32 demand_changed        # what may be requested has to be found out anew; any thread
    # Fields of the deliverer.
    cdef object interrupt                 # the first that was raised in a step
    cdef bint is_abandoned                # nobody will come any more
    cdef object on_empty                  # called once, when no source is left in a sealed subject
    cdef Upstream upstream

    # Any thread.
    cdef object _now(self)
    cdef bint _put(self, int kind, object value, object detail) except -1
    cdef bint _fail_full(self, object element) except -1
    cdef int add_source(self, SubjectSource source) except -1        # it is about to open
    cdef int source_closed(self, SubjectSource source) except -1     # it was released
    cdef int source_changed(self) except -1                          # what it has requested, or what waits in it
    cdef int _replay(self, Admission admission, SubjectSource source, object now) except -1
    cdef int notify(self) except -1
    # The deliverer.
    cdef int deliver(self) except -1
    cdef int note_raised(self, object error) except -1               # to be raised when the token was given up
    cdef bint handle_one(self) except -1                             # False: nothing waits
    cdef int _handle(self, Signal signal) except -1
    cdef int _deliver_element(self, Signal signal) except -1
    cdef int _evict_old(self, object now) except -1
    cdef bint _fail_unserved(self, object element) except -1
    cdef int _end(self, object error, bint cancels) except -1
    cdef int _dispose(self, object refuse) except -1
    cdef int _disconnect(self) except -1
    cdef int send(self, object element) except -1                    # to whom the registry has seen
    cdef int send_end(self, object error, bint at_once) except -1    # the same; at once: past what waits
    cdef bint _give(self, SubjectSource source, object element) except -1
    cdef void _note_if_closed(self, SubjectSource source) noexcept
    cdef bint prune_closed(self) except -1                           # whether the last one has left
    cdef object _error_of(self, object refuse)
    cdef DeferredCall find_call(self, bint may_call)                 # what has to be called without the token, or None
    cdef int64_t accepted_by_all(self) noexcept
    cdef int64_t least_accepted(self) noexcept
    cdef int64_t wanted(self, int64_t in_flight) except -2


cdef class SubjectSource(EmitterSource):
    cdef SubjectCore core
    cdef object waiting                   # a deque of what comes before the queue: retained, or loaded; drainer
    cdef int64_t saved_size               # elements that the last save wrote, or the load read
    cdef bint saved_end                   # whether the end was among it
    cdef readonly bint is_loaded
    cdef gil_int64 ever_requested         # only grows, up to 2**63 - 1
    cdef gil_uint32 is_cut                # what waits is not sent any more; written before the queue is closed
    # Guarded by the registry.
    cdef SourcePlace place                # None: it is not there
    cdef SubjectSource next_closed
    cdef bint is_noted_closed             # it is among those who have said that they are closed
    # A field of the subscriber, then of the deliverer.
    cdef int64_t ever_taken               # elements that were put in and count as requested

    cdef int skip(self, int64_t n) except -1   # the subscriber: so many fewer were put in than was counted
    cdef void _drop_waiting(self) noexcept     # drainer
    # The deliverer.
    cdef bint give(self, object element) except -1   # False: it takes nothing any more
    cdef void cut(self) noexcept               # the end that follows goes past what waits
    cdef bint is_closed(self) noexcept
    cdef bint _has_ended(self) noexcept
    cdef bint is_opening(self) noexcept
    cdef int64_t requested(self) noexcept      # beyond what was given
    cdef int64_t free_capacity(self) noexcept  # how many more elements may wait
    cdef int64_t accepts(self) noexcept        # how many more elements can be given now


cdef Signal new_signal(int kind, object value, object detail)
cdef DeferredCall deferred_call(object target, int64_t n, str origin)
