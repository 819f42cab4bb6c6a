"""A priority queue from which anything can be removed, and in which equals keep their order.

Roles: who has the heap calls, one thread at a time; a lock is the caller's business.

Invariants
    I1  entries[i] and elements[i] belong together, and elements[i].heap_place == i + 1.
    I2  No entry comes before its parent, which is that at (i - 1) // 4: keys are compared, then ties, then arrivals.
    I3  Between the first and the last write no object is made or freed, so no user code runs in between. An element
        that is taken out is handed to the caller, who lets go of it.

Source: d-ary heaps (Johnson 1975), with d = 4: half the levels of a binary heap, and children side by side in memory.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from types import GenericAlias

from rs_core.errors import ArgumentError

__all__ = ["HeapElement", "StableHeap"]

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(list items, Py_ssize_t place) noexcept   # borrowed
    void set_item "PyList_SET_ITEM"(list items, Py_ssize_t place, PyObject* stolen) noexcept

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
    """Something that can be in a heap, in one at a time; to be subclassed."""


cdef class StableHeap:
    """Elements in the order of their keys; those with equal keys in the order in which they came.

    Example:
        >>> heap = StableHeap()
        >>> late, soon = HeapElement(), HeapElement()
        >>> heap.push(late, 7), heap.push(soon, 3)
        (0, 1)
        >>> heap.pop() is soon, heap.remove(late), len(heap)
        (True, True, 0)
    """

    def __cinit__(self):
        self.elements = []

    def __dealloc__(self):
        PyMem_Free(self.entries)

    @classmethod
    def __class_getitem__(cls, item, /):
        """Return `StableHeap[element_type]`, for annotations."""
        return GenericAlias(cls, item)

    def push(self, HeapElement element not None, int64_t key, *, arrival=None) -> int:
        """Add an element, or move it. Never runs user code.

        Args:
            element: What to add; one that is in this heap already gets the new key and arrival. It must be in no other.
            key: Its place, an integer of 64 bits: the lowest comes first.
            arrival: Its place among equal keys, as an earlier `push` returned it; None behind all of them.

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
        return self.elements[0]

    def peek_key(self) -> int:
        """Return the key of the first element. Never runs user code.

        Raises:
            IndexError: The heap is empty.
        """
        self.require_some("peek_key")
        return self.entries[0].key

    def key_of(self, HeapElement element not None):
        """Return the key of an element; None: it is not here. Never runs user code."""
        return self.entries[element.heap_place - 1].key if element in self else None

    def remove(self, HeapElement element not None) -> bool:
        """Remove an element; return whether it was there. Never runs user code."""
        return element in self and self.take_out(element)

    def __contains__(self, element) -> bool:
        cdef Py_ssize_t place
        if not isinstance(element, HeapElement):
            return False
        place = (<HeapElement>element).heap_place
        return 0 < place <= len(self.elements) and self.elements[place - 1] is element

    def __len__(self) -> int:
        return len(self.elements)

    cdef int require_some(self, str operation) except -1:
        if len(self.elements) == 0:
            raise IndexError(f"{operation}() of an empty heap; look at its len() first")
        return 0

    cdef int64_t insert(self, HeapElement element, int64_t key, int64_t tie, int64_t arrival) except -1:
        cdef Py_ssize_t place = len(self.elements)
        if place == self.room:
            self.make_room()
        if arrival < 0:
            arrival = self.arrivals
            self.arrivals += 1
        self.elements.append(element)
        self.entries[place] = HeapEntry(key, tie, arrival)
        element.heap_place = place + 1
        self.sift_up(place)
        return arrival

    cdef HeapElement take_first(self):
        cdef HeapElement first = <HeapElement>self.elements[0]
        self.take_out(first)
        return first

    cdef bint take_out(self, HeapElement element) except -1:
        cdef Py_ssize_t place = element.heap_place - 1
        cdef Py_ssize_t last = len(self.elements) - 1
        cdef HeapElement moved
        if place < 0:
            return False
        element.heap_place = 0
        moved = <HeapElement>self.elements.pop()
        if place != last:
            self.elements[place] = moved  # the caller holds `element`, so this is not its end
            self.entries[place] = self.entries[last]
            moved.heap_place = place + 1
            self.sift_up(place)  # one of the two has nothing to do
            self.sift_down(moved.heap_place - 1)
        return True

    cdef void sift_up(self, Py_ssize_t place) noexcept:
        cdef HeapEntry entry = self.entries[place]
        cdef PyObject* element = PyList_GET_ITEM(self.elements, place)
        cdef Py_ssize_t parent
        while place > 0:
            parent = (place - 1) // CHILDREN
            if not comes_before(&entry, &self.entries[parent]):
                break
            self.put(place, &self.entries[parent], PyList_GET_ITEM(self.elements, parent))
            place = parent
        self.put(place, &entry, element)

    cdef void sift_down(self, Py_ssize_t place) noexcept:
        cdef HeapEntry entry = self.entries[place]
        cdef PyObject* element = PyList_GET_ITEM(self.elements, place)
        cdef Py_ssize_t count = len(self.elements)
        cdef Py_ssize_t first, child, best
        while True:
            first = CHILDREN * place + 1
            if first >= count:
                break
            best = first
            for child in range(first + 1, min(first + CHILDREN, count)):
                if comes_before(&self.entries[child], &self.entries[best]):
                    best = child
            if not comes_before(&self.entries[best], &entry):
                break
            self.put(place, &self.entries[best], PyList_GET_ITEM(self.elements, best))
            place = best
        self.put(place, &entry, element)

    cdef void put(self, Py_ssize_t place, HeapEntry* entry, PyObject* element) noexcept:
        """Write a place; what was there is, or will be, in another one: the list's references only change places."""
        self.entries[place] = entry[0]
        set_item(self.elements, place, element)
        (<HeapElement>element).heap_place = place + 1

    cdef int make_room(self) except -1:
        cdef Py_ssize_t room = 2 * self.room if self.room else FIRST_ROOM
        cdef HeapEntry* grown = <HeapEntry*>PyMem_Realloc(self.entries, room * sizeof(HeapEntry))
        if grown is NULL:
            raise MemoryError(f"no memory for {room} entries of a heap")
        self.entries = grown
        self.room = room
        return 0
