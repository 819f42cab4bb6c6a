# The atomic types and the memory orders that the core uses: the only cimport of libcpp.atomic.
# Every operation on them spells out its order; a bare load() or store(x) would be sequentially
# consistent and is refused by tests/architecture.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.atomic cimport atomic, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from libcpp.atomic cimport memory_order_release, memory_order_seq_cst

ctypedef atomic[int64_t] atomic_int64
ctypedef atomic[uint32_t] atomic_uint32
ctypedef atomic[uint64_t] atomic_uint64
