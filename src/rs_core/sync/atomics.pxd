# The atomic types and the memory orders of the core: the only cimport of libcpp.atomic. Words that are changed only
# while the GIL is held are gil_ words (gil_word.h): plain with a GIL, atomic without one. Every operation on them
# spells out its order; a bare load() or store(x) would be sequentially consistent and is refused by tests/architecture.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from libcpp.atomic cimport memory_order_release, memory_order_seq_cst

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

ctypedef atomic[int64_t] atomic_int64
ctypedef atomic[uint32_t] atomic_uint32
ctypedef atomic[uint64_t] atomic_uint64

cdef extern from "sync/gil_word.h":  # not nogil, on purpose
    cppclass gil_word "RsGilWord"[T]:
        T load(memory_order) noexcept
        void store(T, memory_order) noexcept
        T exchange(T, memory_order) noexcept
        T fetch_add(T, memory_order) noexcept
        T fetch_sub(T, memory_order) noexcept
        T fetch_or(T, memory_order) noexcept
        T fetch_and(T, memory_order) noexcept
        bint compare_exchange_weak(T&, T, memory_order, memory_order) noexcept
        bint compare_exchange_strong(T&, T, memory_order, memory_order) noexcept

ctypedef gil_word[int64_t] gil_int64
ctypedef gil_word[uint32_t] gil_uint32
ctypedef gil_word[uint64_t] gil_uint64
