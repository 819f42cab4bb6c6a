"""Demand as a number: how many elements a subscriber requested and has not received. The argument is in demand.pxd."""

cimport cython
from cpython.number cimport PyIndex_Check
from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

from rs_core.interp.arguments cimport as_clamped_int64, as_count, safe_repr, small_int
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed

from rs_core.errors import DemandExceededError, InvalidRequestError, InvalidRequestTypeError

__all__ = ["Demand"]


cdef int64_t as_demand(object n) except? -1:
    """Return the n of request(n) as int64: a larger n counts as 2**63 - 1, n <= 0 stays <= 0.

    Raises InvalidRequestTypeError if n is not an integer. May run user code: the `__index__` of n, or its `__repr__`.
    """
    if type(n) is int:
        return as_clamped_int64(n)
    if not PyIndex_Check(n):
        raise InvalidRequestTypeError(
            f"§3.9: request(n) needs an integer, got {safe_repr(n)} ({type(n).__name__}); "
            "request a positive count or call cancel()"
        )
    try:
        return as_clamped_int64(n)
    except Exception as error:
        raise InvalidRequestTypeError(
            f"§3.9: request(n) needs an integer, but __index__ of {safe_repr(n)} ({type(n).__name__}) failed; "
            "request a positive count or call cancel()"
        ) from error


cdef object invalid_request(object n):
    """Return the error for a request(n) with n <= 0, which rule 3.9 requires to be signalled and not raised."""
    return InvalidRequestError(
        f"§3.9: request(n) needs n > 0, got {safe_repr(n)}; request a positive count or call cancel() "
        "instead of a non-positive subscription request"
    )


@cython.final
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class Demand:
    """Count how many elements were requested and not yet delivered.

    The count starts at 0 and saturates at 2**63 - 1, which means unbounded: from then on it never counts down.
    `cancel()` ends it permanently. Each method is one atomic step.

    There are two ways to serve demand. The thread that gets True from `add` delivers and then calls
    `consume(delivered)` until it returns 0: so at most one thread delivers at a time. Or a single thread, chosen in
    another way, calls `take` before it delivers and stops at 0; then the result of `add` does not decide who delivers.

    Threads:
        Any thread may call `add`, `cancel` and the properties; one thread at a time calls `take` and `consume`.
        No method runs user code, except the `__index__` of an argument that is not an int, and the `__repr__` of a
        refused one.

    Rules:
        §3.8 (requests add up), §3.9 (no request below 1), §3.17 (2**63 - 1 is unbounded), §3.6 (nothing happens after
        cancel).

    Example:
        >>> demand = Demand()
        >>> demand.add(2), demand.add(3)
        (True, False)
        >>> demand.take(4), demand.take(4)
        (4, 1)
        >>> demand.add(10**30), demand.consume(1000) == 2**63 - 1
        (True, True)
        >>> demand
        Demand(unbounded)
    """

    def __cinit__(self):
        # relaxed: no other thread knows this object yet
        self.value_word.store(0, memory_order_relaxed)

    def add(self, n, /):
        """Add n requested elements.

        Args:
            n: The number of elements, an integer of at least 1; the sum saturates at 2**63 - 1.

        Returns:
            True if the demand was 0 before, else False; also False after a cancel, when the call does nothing for any n
            (§3.6). Of threads that add to a demand of 0 exactly one gets True.

        Raises:
            InvalidRequestError: if n is below 1 (§3.9); the demand is unchanged.
            InvalidRequestTypeError: if n is not an integer; the demand is unchanged.
        """
        # acquire: pairs with the release of cancel, as in is_cancelled
        if self.value_word.load(memory_order_acquire) == INT64_MIN:
            return False
        cdef int64_t added = 0
        if not small_int(n, &added):
            added = as_demand(n)
        if added <= 0:
            raise invalid_request(n)
        return demand_add(self.value_word, added) == 0

    def take(self, n, /):
        """Subtract up to n elements from the demand, to deliver them.

        Args:
            n: The maximum to take, an integer of at least 0; a larger one counts as 2**63 - 1.

        Returns:
            How many were taken: n or the whole demand, whichever is less; n itself if unbounded; 0 after a cancel.

        Raises:
            ArgumentError: if n is negative.
            ArgumentTypeError: if n is not an integer.
        """
        return demand_take_up_to(self.value_word, as_count(n, "take(n)", 0, INT64_MAX))

    def consume(self, n, /):
        """Subtract exactly n delivered elements from the demand.

        Args:
            n: The number of delivered elements, an integer from 0 up to the demand.

        Returns:
            The remaining demand; 2**63 - 1 if unbounded; 0 after a cancel, when any n is allowed, because elements that
            were on their way at the `cancel` are legal (§2.8).

        Raises:
            DemandExceededError: if n is above the demand (§1.1); the demand is unchanged.
            ArgumentError: if n is negative.
            ArgumentTypeError: if n is not an integer.
        """
        cdef int64_t consumed = as_count(n, "consume(n)", 0, INT64_MAX)
        # relaxed: only this role lowers the demand, so until it takes, the value read can only grow or be cancelled
        cdef int64_t current = self.value_word.load(memory_order_relaxed)
        if consumed > current and current != INT64_MIN:
            raise DemandExceededError(
                f"§1.1: consume({safe_repr(n)}) exceeds the demand of {current}; deliver only what was requested"
            )
        cdef int64_t remaining = demand_take(self.value_word, consumed)
        return 0 if remaining == INT64_MIN else remaining

    def cancel(self):
        """End the demand permanently: nothing can be added or taken any more. Never runs user code.

        Returns:
            True for the call that cancelled, which should clean up; False for every later one.
        """
        return demand_cancel(self.value_word)

    @property
    def value(self):
        """The current demand, from 0 to 2**63 - 1; 0 after a cancel."""
        # acquire: a thread that sees a demand sees the earlier writes of its requester
        cdef int64_t current = self.value_word.load(memory_order_acquire)
        return 0 if current == INT64_MIN else current

    @property
    def is_unbounded(self):
        """Whether the demand has reached 2**63 - 1, and is not cancelled."""
        return self.value_word.load(memory_order_acquire) == INT64_MAX  # acquire: as in value

    @property
    def is_cancelled(self):
        """Whether `cancel` was called."""
        # acquire: pairs with the release of cancel; a thread that sees it sees the earlier writes of the canceller
        return self.value_word.load(memory_order_acquire) == INT64_MIN

    def __repr__(self):
        cdef int64_t current = self.value_word.load(memory_order_acquire)  # acquire: as in value
        if current == INT64_MIN:
            return "Demand(cancelled)"
        return "Demand(unbounded)" if current == INT64_MAX else f"Demand({current})"
