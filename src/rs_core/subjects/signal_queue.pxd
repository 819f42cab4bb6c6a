# What was signalled to a subject and has yet to be passed on, in order. Roles and the argument are in subjects/signal_queue.pyx.

from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef enum Outcome:              # what became of an element
    PUT = 0                     # it waits, or the policy has dropped it
    PUT_FULL = 1                # there is no place, and the policy is to fail
    PUT_CLOSED = 2              # nothing is taken any more
    PUT_NOBODY = 3              # an offer: nobody would get it
    PUT_UNWANTED = 4            # an offer: somebody could not take it

cdef enum:
    NOBODY = -1                 # the room where nobody is there

cdef enum SignalKind:
    PUSH = 0                    # value: the element; detail: the time, or None
    OFFER = 1                   # as PUSH
    END = 2                     # value: the error, or None; detail: whether the upstream has to be cancelled
    UPSTREAM = 3                # value: the subscription
    SEAL = 4                    # value: makes the error for who subscribes; detail: what is called when nobody is left
    DISPOSE = 5                 # value: as for SEAL


cdef class HubSignal:
    cdef int kind
    cdef object value, detail
    cdef HubSignal following    # the next that waits, or the next that is kept; guarded by the queue's critical section


cdef class HubQueue:
    cdef readonly int64_t most_waiting    # elements
    cdef bint displaces, drops, remembers_end
    # Guarded by the queue's critical section.
    cdef HubSignal first, last
    cdef int64_t waiting_elements, waiting_controls   # all that are no elements
    cdef int64_t changes                  # how often somebody has come or gone
    cdef int64_t room                     # elements, those that wait included, that all can take; or NOBODY
    cdef int64_t lost_pushes              # that will not come out, since the deliverer last looked
    cdef bint is_closed, is_sealed, is_disposed, has_upstream
    cdef bint is_deserted                 # the upstream was cancelled since nobody was left, and no other has come

    # Any thread.
    cdef HubSignal push(self, HubSignal signal, int* outcome)   # what is dropped for it, or None
    cdef int offer(self, HubSignal signal) noexcept             # an Outcome
    cdef bint put(self, HubSignal signal) noexcept              # no element; False: it is refused
    cdef bint is_empty(self) noexcept
    cdef void close(self) noexcept                              # take no elements, ends and upstreams any more
    # The deliverer.
    cdef HubSignal take(self, int64_t changes, int64_t room)    # or None; `room` is what all can take, as of `changes`
    cdef void set_room(self, int64_t changes, int64_t room) noexcept
    cdef int64_t take_lost(self) noexcept

    cdef void _append(self, HubSignal signal) noexcept
    cdef HubSignal _displace(self)
    cdef bint _refuses(self, int kind) noexcept


cdef HubSignal new_signal(int kind, object value, object detail)
