/* The arithmetic of demand on a word: atomic, or under the GIL (gil_word.h). demand.pxd holds roles, invariants and ordering. */
#ifndef RS_CORE_DEMAND_WORD_H
#define RS_CORE_DEMAND_WORD_H
#include <atomic>
#include <cstdint>

/* Add n (n > 0), saturating; return the value before. */
template <typename Word> static inline int64_t rs_demand_add(Word &demand, int64_t n) {
    int64_t current = demand.load(std::memory_order_relaxed);
    for (;;) {
        /* I2. A saturated add must still be one half of the Dekker pair, but nothing was added that could be missed:
           the drainer of an unbounded or cancelled stream reads no demand. */
        if (current == INT64_MAX || current == INT64_MIN) return current;
        int64_t added = n > INT64_MAX - current ? INT64_MAX : current + n;
        /* seq_cst: pairs with the drainer's read after it cleared MISSED; otherwise the request is lost */
        if (demand.compare_exchange_weak(current, added, std::memory_order_seq_cst, std::memory_order_relaxed))
            return current;
    }
}

/* Subtract n delivered elements (0 <= n <= the value that this thread read, I3); return the rest. */
template <typename Word> static inline int64_t rs_demand_take(Word &demand, int64_t n) {
    int64_t current = demand.load(std::memory_order_relaxed);
    for (;;) {
        if (current == INT64_MAX || current == INT64_MIN) return current; /* I2 */
        /* relaxed: the drainer's own bookkeeping; the CAS with which it goes idle publishes it */
        if (demand.compare_exchange_weak(current, current - n, std::memory_order_relaxed, std::memory_order_relaxed))
            return current - n;
    }
}

/* Take n or what there is, if less; return how many were taken: n when unbounded, 0 when cancelled. */
template <typename Word> static inline int64_t rs_demand_take_up_to(Word &demand, int64_t n) {
    int64_t current = demand.load(std::memory_order_relaxed);
    for (;;) {
        if (current == INT64_MAX) return n; /* I2 */
        int64_t taken = n < current ? n : current;
        if (taken <= 0) return 0; /* nothing there, or cancelled: INT64_MIN is below every n */
        /* acquire: pairs with the seq_cst add; who takes a demand sees what its requester wrote before */
        if (demand.compare_exchange_weak(
                current, current - taken, std::memory_order_acquire, std::memory_order_relaxed))
            return taken;
    }
}

/* Make the demand CANCELLED for good; return whether this call did it. */
template <typename Word> static inline bool rs_demand_cancel(Word &demand) {
    /* release: what this thread wrote before is seen by who reads CANCELLED with acquire or exchanges it
       acquire: pairs with the release of an earlier cancel, so that the second canceller sees the first one's writes */
    return demand.exchange(INT64_MIN, std::memory_order_acq_rel) != INT64_MIN;
}
#endif
