"""The path of an element through the operators of its key: what `key_by().through` does for each element.

The operators of each key are a chain: a tree of its own, with a source that is fed and a subscriber that keeps what
comes. All chains of a stage share one Inlet, which hands the input of a chain that subscribes to this chain, and one
Outlet: a chain runs only inside the call that feeds it, under the token of the stage, so they are used by one chain at
a time. What is rare is done in Python: making chains live, ending keys, saving.

Invariants
    I1  While `is_direct`, nothing waits in the stage to be put in order, no time has been reached, and the input has
        not ended: the next element is fed as it comes. Python code that changes one of these then calls work(), which
        sets `is_direct` anew.
    I2  An element is requested where `wanted` > 0, one at a time; so what one brings more than was requested, and no
        more, waits in the output buffer.
"""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.interp.calls cimport call1, caught, decref, error_occurred
from rs_core.operators.python_operator cimport HOOK_NONE, HOOK_OTHER, PythonStage
from rs_core.stream.subscription cimport count

from rs_core.errors import StateError
from rs_core.stream.nop_subscription import NOP

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object dictionary, object key) noexcept   # borrowed
    PyObject* PyObject_CallMethodNoArgs(object target, object name) noexcept


@cython.final
cdef class Chain:
    """The live operators of one key.

    Args:
        handle: The root of their tree.

    Attributes:
        inlet: What gets the elements; None: the operators complete without any, as `take(0)` does.
    """

    cdef readonly object handle
    cdef readonly object inlet
    cdef object on_next          # of the inlet; None: there is no inlet

    def __init__(self, handle):
        self.handle = handle


@cython.final
cdef class Inlet:
    """The publisher at the head of every chain: gives its subscriber to the chain at hand."""

    cdef public Chain chain

    def subscribe(self, subscriber) -> None:
        """Keep the subscriber, which gets elements without a publisher; operators that repeat subscribe again."""
        cdef Chain chain = self.chain
        if chain is None:
            raise StateError("there is no chain at hand to subscribe; subscribe to the stream, not to a part of it")
        chain.inlet = subscriber
        chain.on_next = subscriber.on_next
        subscriber.on_subscribe(NOP)


@cython.final
@cython.binding(False)  # plain method descriptors: a call costs less
cdef class Outlet:
    """The subscriber at the end of every chain: keeps what comes until the keyed operator takes it."""

    cdef public list results
    cdef public bint is_complete
    cdef public object error

    def __cinit__(self):
        self.results = []

    def on_subscribe(self, subscription) -> None:
        """Request everything: each call takes all that an element brings."""
        subscription.request(INT64_MAX)

    def on_next(self, element) -> None:
        """Keep a result."""
        self.results.append(element)

    def on_error(self, error) -> None:
        """Keep the error."""
        self.error = error

    def on_complete(self) -> None:
        """Note the end."""
        self.is_complete = True


@cython.final
cdef class LiveChains:
    """The live chains of all keys; used by one thread at a time.

    Attributes:
        live: The live chains by their keys.
        changed: Keys that had an element since the last save, where a host stores rows; None: none does.
    """

    cdef readonly dict live
    cdef public dict changed
    cdef readonly Inlet inlet
    cdef readonly Outlet outlet

    def __cinit__(self):
        self.live = {}
        self.inlet = Inlet()
        self.outlet = Outlet()

    def feed(self, keeper, key, element) -> list:
        """Give an element to the operators of its key and return what follows from it.

        Args:
            keeper: Who knows all keys. Its `opened(key)` returns the live chain of a key that has none, or None where
                it is over; `taken(key)` takes the results where a chain has ended, or raises its error and leaves those
            that came before it in the outlet.
            key: The key.
            element: The element.

        Raises:
            CapacityError: It is the first element of a key too many.
            Exception: What an operator failed with.
        """
        cdef list results
        self.push(keeper, key, element)
        results = self.outlet.results
        if results:
            self.outlet.results = []
        return results

    cdef int push(self, object keeper, object key, object element) except -1:
        """Give an element to the operators of its key; what follows from it is in the outlet."""
        cdef Chain chain
        cdef PyObject* result
        cdef PyObject* found = PyDict_GetItemWithError(self.live, key)
        if found is not NULL:
            chain = <Chain?><object>found
        elif error_occurred() is not NULL:
            raise caught()
        else:
            chain = keeper.opened(key)
            if chain is None:
                return 0
        if self.changed is not None:
            self.changed[key] = None
        if chain.on_next is not None:
            self.inlet.chain = chain
            result = call1(<PyObject*>chain.on_next, <PyObject*>element)
            if result is NULL:
                raise caught()
            decref(result)
        if self.outlet.is_complete or self.outlet.error is not None:
            self.outlet.results = keeper.taken(key)
        return 0


cdef class KeyedChainsStage(PythonStage):
    """An operator that feeds the chains of keys; meant to be subclassed by the one that knows when keys end.

    A subclass calls `set_chains` when it is made, and defines `work()`, which does what is due as far as there is
    demand and calls `proceed` in the end.

    Attributes:
        wanted: Results requested and not yet passed on; below 0: so many wait.
        is_waiting: For the element that was requested.
        is_finishing: The input has completed.
    """

    cdef object key_function
    cdef LiveChains live_chains
    cdef object keeper, marker
    cdef public int64_t wanted
    cdef public bint is_waiting, is_finishing
    cdef bint is_direct          # I1

    def set_chains(self, key_function, keeper, LiveChains chains not None, marker) -> None:
        """Take what elements are fed with.

        Args:
            key_function: Returns the key of an element.
            keeper: As for `LiveChains.feed`.
            chains: The chains.
            marker: The class of what comes between the elements and is none; `work` does what it is for.
        """
        self.key_function = key_function
        self.keeper = keeper
        self.live_chains = chains
        self.marker = marker

    def proceed(self, bint is_direct) -> None:
        """Request an element if results are wanted, and note whether the next one is fed as it comes (I1)."""
        self.is_direct = is_direct and not self.is_finishing and self.live_chains is not None
        self._want_one()

    cdef void _want_one(self) noexcept:
        if self.wanted > 0 and not self.is_waiting and not self.is_finishing:
            self.is_waiting = True
            if self.unrequested != INT64_MAX:
                self.unrequested += 1

    cdef bint _notify_demand(self, int64_t n) noexcept:
        cdef int64_t fresh = 0 if self.output.is_ending else self.output.take_news(n)
        cdef PyObject* result
        if fresh == 0:
            return self._request_more()
        # What waits counts first; a demand without bound stays one.
        self.wanted = INT64_MAX if self.wanted > INT64_MAX - fresh else self.wanted + fresh
        if self.is_direct:
            self._want_one()
            return self._request_more()
        self.in_hook = HOOK_OTHER
        result = PyObject_CallMethodNoArgs(self, "work")
        self.in_hook = HOOK_NONE
        if result is NULL:
            return self.fail_in_hook(caught())
        decref(result)
        return self._request_more()

    cdef bint _take_in(self, PyObject* element) noexcept:
        cdef int failed
        self.is_waiting = False
        if not self.is_direct or self.wanted < 0 or type(<object>element) is self.marker:
            return PythonStage._take_in(self, element)
        count(self)
        self.changed = True
        self.requested -= 1
        failed = (<Feeds>_feed)(self, element)
        decref(element)
        if failed:
            return self.fail_in_hook(caught())
        self._want_one()
        return self._request_more()


# Whose -1 means that an exception is set, as in queue_stage.pyx.
ctypedef int (*Feeds)(KeyedChainsStage stage, PyObject* element) noexcept


cdef int _feed(KeyedChainsStage stage, PyObject* element) except -1:
    """Give an element to the chain of its key, and what follows from it to the output buffer."""
    cdef Outlet outlet = stage.live_chains.outlet
    cdef PyObject* key = call1(<PyObject*>stage.key_function, element)
    if key is NULL:
        raise caught()
    try:
        stage.live_chains.push(stage.keeper, <object>key, <object>element)
    finally:  # also what a chain brought before its error
        decref(key)
        if outlet.results:
            stage.wanted -= len(outlet.results)
            for result in outlet.results:
                stage.output.put(stage, result)
            outlet.results.clear()
    return 0
