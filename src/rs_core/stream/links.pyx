"""The stages below an owner of demand, down to and including the next owner's input: how they are linked.

Depth: an element goes down by tail calls. Where a compiler does not make them, every 64th link is a relay that returns
to the owner's loop, so that the C stack holds at most 64 frames of a segment, and as many of checks.
"""

cimport cython
from cpython.object cimport PyObject

from rs_core.debug_checks cimport checks_are_on
from rs_core.stream.signal_check cimport SignalCheck, new_check
from rs_core.stream.stage cimport RELAYED, SWALLOWED, Stage

cdef enum:
    RELAY_EVERY = 64


@cython.final
cdef class Relay(Stage):
    """A link that ends the chain of calls: keeps the element until the owner's loop takes it on."""

    cdef int try_next(self, PyObject* element) noexcept:
        self.element = element
        self.owner.hold_relay(self)
        return RELAYED


@cython.final
cdef class _Disposed(Stage):
    """What `down` becomes after teardown: swallows whatever still comes."""

    cdef int receive_complete(self) noexcept:
        return SWALLOWED

    cdef int receive_error(self, object error) noexcept:
        return SWALLOWED


cdef Stage _DISPOSED = _Disposed()


cdef Stage disposed_stage():
    return _DISPOSED


cdef int link_segment(Stage owner) except -1:
    """Tell the stages of a segment who owns their demand; set a relay at every 64th link, and checks if they are on."""
    cdef Stage above = owner
    cdef Stage stage = owner.down
    cdef Stage link = owner
    cdef Relay relay
    cdef SignalCheck check
    cdef bint are_units = True
    cdef bint is_checked = checks_are_on()
    cdef int depth = 0
    while stage is not _DISPOSED:  # else somebody has torn the segment down, and what is shared must not be linked
        if is_checked:
            check = new_check(above)
            check.owner = owner
            check.demand_link = link
            check.down = stage
            above.down = check
            above = check
            link = check
        stage.owner = owner
        stage.demand_link = link
        stage.drops_directly = are_units
        depth += 1
        if depth % RELAY_EVERY == 0:
            relay = Relay()
            relay.owner = owner
            relay.down = stage
            above.down = relay
        if stage.is_owner or stage.down is None:
            return 0
        if stage.is_translating:
            link = stage
        are_units = are_units and stage.is_unit
        above = stage
        stage = stage.down
    return 0
