"""The upstream of a subject, and the calls that a hub makes without its token: they may take long, or signal the hub.

All is the deliverer's but `HubErrand.run`, which the asker calls: the roles and the argument are in hub_delivery.pyx.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.dropped import dropped


@cython.final
cdef class HubErrand:
    """A call that is made without the token."""

    cdef int run(self) except -1:
        """Make it; raises what is no Exception. Others go to the hook: rules 3.15 and 3.16 forbid them an upstream."""
        try:
            if self.n > 0:
                self.target.request(self.n)
            elif self.n == CANCEL:
                self.target.cancel()
            else:
                self.target()
        except Exception as error:
            call = "request" if self.n > 0 else "cancel" if self.n == CANCEL else "on_empty"
            dropped(call, error, origin=self.origin)
        return 0


@cython.final
cdef class HubUpstream:
    """Know what was requested of an upstream, and which upstreams have to be cancelled."""

    def __init__(self, str origin):
        self.origin = origin
        self.unwanted = []

    cdef int attach(self, object subscription) except -1:
        self.subscription = subscription
        return 0

    cdef int refuse(self, object subscription) except -1:
        """Have a second one cancelled (§2.5)."""
        self.unwanted.append(subscription)
        return 0

    cdef int detach(self, bint cancels) except -1:
        """Forget the upstream; `cancels`: it has not ended by itself."""
        cdef object _detached = self.subscription  # dies when nothing is half done
        if cancels and _detached is not None:
            self.unwanted.append(_detached)
        self.subscription = None
        self.in_flight = 0
        return 0

    cdef int lower_in_flight(self, int64_t n) noexcept:
        if self.in_flight != INT64_MAX:
            self.in_flight = max(0, self.in_flight - n)
        return 0

    cdef HubErrand next_errand(self, int64_t wanted):
        """Return the next call of an upstream, or None; `wanted` elements more may be requested, 0: none."""
        cdef HubErrand errand
        if self.unwanted:
            return new_errand(self.unwanted.pop(0), CANCEL, self.origin)
        if self.subscription is None or wanted <= 0:
            return None
        errand = new_errand(self.subscription, wanted, self.origin)
        self.in_flight = INT64_MAX if wanted == INT64_MAX else self.in_flight + wanted
        return errand


cdef HubErrand new_errand(object target, int64_t n, str origin):
    cdef HubErrand errand = HubErrand.__new__(HubErrand)
    errand.target = target
    errand.n = n
    errand.origin = origin
    return errand
