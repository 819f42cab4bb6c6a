"""A link between two stages that checks what passes it: one stands behind every stage while debug checks are on.

It finds what a stage does that its author did not mean:

    an element that was not requested (§1.1)                    ends the stream with DemandExceededError
    a signal while another one is passing (§1.3)                ends the stream with SignalOverlapError
    a signal behind the end (§1.7)                              goes to the hook for dropped signals

Like a relay it is a link only: no visitor sees it, and it has no state, so that what is saved with checks is loaded
without. Where checks are off there is no link, and nothing is paid.

Roles
    requester   any thread: adds to `requested`, on the way up
    sender      the holder of the owner's token; a stage that is wrong may be another thread

Ordering: who requests adds to `requested` before the owner learns of it (drain.pyx), so that what is sent for it finds
it counted. `is_busy` is an acquire-release pair with itself.

Bound: an element that goes on in a relay is not counted by the checks above that relay, which do not learn whether it
was accepted; so in chains of more than 64 links those find too many elements later, or not at all.
"""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.interp.calls cimport decref
from rs_core.demand cimport demand_add
from rs_core.stream.failures cimport drop_signal
from rs_core.stream.stage cimport ACCEPTED, PASSED_ON, STOPPED, SWALLOWED, Stage

from rs_core.errors import DemandExceededError, SignalAfterEndError, SignalOverlapError


@cython.final
cdef class SignalCheck(Stage):
    """A link that checks what passes it."""

    def __cinit__(self, *args, **kwargs):
        self.is_translating = True
        self.requested.store(0, memory_order_relaxed)
        self.is_busy.store(0, memory_order_relaxed)

    cdef int64_t translate(self, int64_t n) noexcept:
        demand_add(self.requested, n)
        return n

    cdef int try_next(self, PyObject* element) noexcept:
        cdef int64_t requested
        cdef int outcome = STOPPED
        held = <object>element
        trouble = self.enter("on_next")
        if trouble is not None:
            decref(element)
            return self.refuse(trouble)
        requested = self.requested.load(memory_order_relaxed)  # relaxed: see Ordering
        if self.has_ended:
            decref(element)
            drop_signal(self, "on_next", SignalAfterEndError(
                f"§1.7: {self.name_of_sender()} sent {shown(held)} behind its end; an operator ends with its last one"
            ), self.name_of_sender())
        elif self.passed >= requested and requested != INT64_MAX:
            decref(element)
            self.owner.finish(self.down, DemandExceededError(
                f"§1.1: {self.name_of_sender()} sent {shown(held)} as element {self.passed + 1}, and {requested} were "
                f"requested of it; an operator sends what was requested, at most"
            ))
        else:
            outcome = self.down.try_next(element)
            if outcome == ACCEPTED:
                self.passed += 1
        self.leave()
        return outcome

    cdef int receive_complete(self) noexcept:
        return self._end("on_complete", None)

    cdef int receive_error(self, object error) noexcept:
        return self._end("on_error", error)

    cdef int _end(self, str signal, object error) noexcept:
        trouble = self.enter(signal)
        if trouble is not None:
            self.refuse(trouble)
            return SWALLOWED
        is_late = self.has_ended
        self.has_ended = True
        self.leave()
        if not is_late:
            return PASSED_ON
        late = SignalAfterEndError(
            f"§1.7: {self.name_of_sender()} called {signal} behind its end; an operator ends with its last signal"
        )
        late.__cause__ = error
        drop_signal(self, signal, late, self.name_of_sender())
        return SWALLOWED

    cdef object enter(self, str signal):
        """Let a signal pass; returns the error where another one is passing."""
        # acquire: pairs with leave()
        if not self.is_busy.exchange(1, memory_order_acquire):
            return None
        return SignalOverlapError(
            f"§1.3: {self.name_of_sender()} called {signal} while another of its signals was running; an operator "
            f"signals one at a time, and only when it is asked to"
        )

    cdef void leave(self) noexcept:
        self.is_busy.store(0, memory_order_release)  # release: pairs with enter()

    cdef int refuse(self, object error) noexcept:
        """End the stream with an error that any thread may have caused."""
        try:
            self.owner.refuse_request(error)
        except BaseException as interrupt:
            self.owner.fail_at(self, interrupt)
        return STOPPED

    cdef str name_of_sender(self):
        cdef Stage sender = self.sender
        try:
            return f"{sender.name or type(sender).__name__}"
        except Exception:  # the name is a property of somebody's class
            return type(sender).__name__

    cdef void release(self) noexcept:
        self.sender = None


cdef SignalCheck new_check(Stage sender):
    """Return the check of what a stage sends; its links are set by who inserts it."""
    cdef SignalCheck check = SignalCheck()
    check.sender = sender
    sender.check = check
    return check
