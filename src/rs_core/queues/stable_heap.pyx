"""A priority queue with removal of any element, in which equal elements keep their order.

Roles: the owner of the heap calls it, one thread at a time; the caller provides a lock if needed.

Invariants
    I1  entries[i].element.heap_place == i + 1 for each i < count. It is 0 for an element that is in no existing heap.
    I2  No entry is less than its parent, the entry at (i - 1) // 4: keys are compared, then ties, then arrivals.
    I3  Between the first and the last write no object is created or freed, so no user code runs in between. A removed
        element is passed to the caller, who releases it.

Source: d-ary heaps (Johnson 1975), with d = 4: half the levels of a binary heap, and children adjacent in memory.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from types import GenericAlias

from rs_core.interp.calls cimport decref, incref
from rs_core.interp.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc

from rs_core.errors import ArgumentError

__all__ = ["HeapElement", "StableHeap"]

cdef enum:
    FIRST_ROOM = 16
    CHILDREN = 4


cdef inline bint comes_before(const HeapEntry* one, const HeapEntry* other) noexcept:
    if one.key != other.key:
        return one.key < other.key
    if one.tie != other.tie:
        return one.tie < other.tie
    return one.arrival < other.arrival


cdef class HeapElement:
    """An element that can be in one heap at a time; to be subclassed."""


cdef class StableHeap:
    """Elements in the order of their keys; those with equal keys in the order in which they were added.

    Example:
        >>> heap = StableHeap()
        >>> late, soon = HeapElement(), HeapElement()
        >>> heap.push(late, 7), heap.push(soon, 3)
        (0, 1)
        >>> heap.pop() is soon, heap.remove(late), len(heap)
        (True, True, 0)
    """

    def __dealloc__(self):
        self.release_all()

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `StableHeap[element_type]`, for annotations."""
        return GenericAlias(cls, item)

    def push(self, HeapElement element not None, int64_t key, *, arrival=None) -> int:
        """Add an element, or move it. Never runs user code.

        Args:
            element: The element; one that is already in this heap gets the new key and arrival. It must not be in
                another.
            key: Its key, an integer of 64 bits: the lowest comes first.
            arrival: Its position among equal keys, as returned by an earlier `push`; None means after all of them.

        Returns:
            The arrival number.

        Raises:
            ArgumentError: The element is in another heap.
        """
        cdef int64_t place = -1 if arrival is None else arrival
        if element in self:
            self.take_out(element)
        elif element.heap_place:
            raise ArgumentError(f"push({element!r}) found the element in another heap; remove it there first")
        return self.insert(element, key, 0, place)

    def pop(self) -> HeapElement:
        """Remove the first element and return it. Never runs user code.

        Raises:
            IndexError: The heap is empty.
        """
        self.require_some("pop")
        return self.take_first()

    def peek(self) -> HeapElement:
        """Return the first element. Never runs user code.

        Raises:
            IndexError: The heap is empty.
        """
        self.require_some("peek")
        return <HeapElement>self.entries[0].element

    def peek_key(self) -> int:
        """Return the key of the first element. Never runs user code.

        Raises:
            IndexError: The heap is empty.
        """
        self.require_some("peek_key")
        return self.entries[0].key

    def key_of(self, HeapElement element not None):
        """Return the key of an element, or None if it is not in this heap. Never runs user code."""
        return self.entries[element.heap_place - 1].key if element in self else None

    def remove(self, HeapElement element not None) -> bool:
        """Remove an element; return whether it was there. Never runs user code."""
        return element in self and self.take_out(element)

    def __contains__(self, element) -> bool:
        cdef Py_ssize_t place
        if not isinstance(element, HeapElement):
            return False
        place = (<HeapElement>element).heap_place
        return 0 < place <= self.count and self.entries[place - 1].element is <PyObject*>element

    def __len__(self) -> int:
        return self.count

    cdef int require_some(self, str operation) except -1:
        if self.count == 0:
            raise IndexError(f"{operation}() of an empty heap; check its len() first")
        return 0

    cdef int64_t insert(self, HeapElement element, int64_t key, int64_t tie, int64_t arrival) except -1:
        if self.count == self.room:
            self.make_room()
        if arrival < 0:
            arrival = self.arrivals
            self.arrivals += 1
        incref(<PyObject*>element)
        self.entries[self.count] = HeapEntry(key, tie, arrival, <PyObject*>element)
        self.count += 1
        self.sift_up(self.count - 1)
        return arrival

    cdef HeapElement take_first(self):
        cdef HeapElement first = <HeapElement>self.entries[0].element
        self.take_out(first)
        return first

    cdef bint take_out(self, HeapElement element) noexcept:
        cdef Py_ssize_t place = element.heap_place - 1
        cdef HeapElement moved
        if place < 0:
            return False
        self.count -= 1
        element.heap_place = 0
        if place != self.count:
            moved = <HeapElement>self.entries[self.count].element
            self.put(place, &self.entries[self.count])
            self.sift_up(place)  # one of the two does nothing
            self.sift_down(moved.heap_place - 1)
        decref(<PyObject*>element)  # the caller has a reference, so nothing is freed here
        return True

    cdef void sift_up(self, Py_ssize_t place) noexcept:
        cdef HeapEntry entry = self.entries[place]
        cdef Py_ssize_t parent
        while place > 0:
            parent = (place - 1) // CHILDREN
            if not comes_before(&entry, &self.entries[parent]):
                break
            self.put(place, &self.entries[parent])
            place = parent
        self.put(place, &entry)

    cdef void sift_down(self, Py_ssize_t place) noexcept:
        cdef HeapEntry entry = self.entries[place]
        cdef Py_ssize_t first, child, best
        while True:
            first = CHILDREN * place + 1
            if first >= self.count:
                break
            best = first
            for child in range(first + 1, min(first + CHILDREN, self.count)):
                if comes_before(&self.entries[child], &self.entries[best]):
                    best = child
            if not comes_before(&self.entries[best], &entry):
                break
            self.put(place, &self.entries[best])
            place = best
        self.put(place, &entry)

    cdef void put(self, Py_ssize_t place, const HeapEntry* entry) noexcept:
        """Write an entry; the old one is, or will be, in another place: references only move."""
        self.entries[place] = entry[0]
        (<HeapElement>entry.element).heap_place = place + 1

    cdef void release_all(self) noexcept:
        """Remove all elements. Runs user code (finalizers) after the last change."""
        cdef HeapEntry* entries = self.entries
        cdef Py_ssize_t count = self.count
        cdef Py_ssize_t place
        self.entries = NULL
        self.room = self.count = 0
        for place in range(count):
            (<HeapElement>entries[place].element).heap_place = 0
        for place in range(count):
            decref(entries[place].element)
        PyMem_Free(entries)

    cdef int make_room(self) except -1:
        cdef Py_ssize_t room = 2 * self.room if self.room else FIRST_ROOM
        cdef HeapEntry* grown = <HeapEntry*>PyMem_Realloc(self.entries, room * sizeof(HeapEntry))
        if grown is NULL:
            raise MemoryError(f"no memory for {room} entries of a heap")
        self.entries = grown
        self.room = room
        return 0


# The collector sees the elements through these.
cdef traverseproc _cython_traverse = (<PyTypeObject*>StableHeap).tp_traverse
cdef inquiry _cython_clear = (<PyTypeObject*>StableHeap).tp_clear


cdef int _traverse(PyObject* self, visitproc visit, void* argument) noexcept:
    cdef Py_ssize_t place
    cdef int stop = _cython_traverse(self, visit, argument)
    for place in range((<StableHeap>self).count):
        if stop:
            break
        stop = visit((<StableHeap>self).entries[place].element, argument)
    return stop


cdef int _clear(PyObject* self) noexcept:
    (<StableHeap>self).release_all()
    return _cython_clear(self)


(<PyTypeObject*>StableHeap).tp_traverse = _traverse
(<PyTypeObject*>StableHeap).tp_clear = _clear
