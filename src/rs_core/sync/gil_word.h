/* A word that several threads change, in types whose code holds the GIL because it calls Python.

   Requires: GIL, where there is one. It is released only while Python code runs or a thread waits, never between the
   load and the store of one operation here; so a plain word is as atomic as std::atomic and costs no locked bus cycle,
   and the lock itself orders the writes of its holders. The order that an operation names applies to the other form:
   free-threaded builds, and builds with RS_ATOMIC_WORDS (debug, thread sanitizer), use std::atomic, so the argument
   next to each operation is also tested with real atomics.

   Objects that may be used without the GIL (Demand, the rings, everything declared nogil) always use std::atomic. */
#ifndef RS_CORE_GIL_WORD_H
#define RS_CORE_GIL_WORD_H
#include <Python.h>

#include <atomic>

#if defined(Py_GIL_DISABLED) || defined(RS_ATOMIC_WORDS)

template <typename T> using RsGilWord = std::atomic<T>;

#else

template <typename T> class RsGilWord {
    T word;

  public:
    T load(std::memory_order) const { return word; }
    void store(T desired, std::memory_order) { word = desired; }
    T exchange(T desired, std::memory_order) {
        T before = word;
        word = desired;
        return before;
    }
    T fetch_add(T more, std::memory_order order) { return exchange(word + more, order); }
    T fetch_sub(T less, std::memory_order order) { return exchange(word - less, order); }
    T fetch_or(T bits, std::memory_order order) { return exchange(word | bits, order); }
    T fetch_and(T bits, std::memory_order order) { return exchange(word & bits, order); }
    bool compare_exchange_strong(T &expected, T desired, std::memory_order, std::memory_order) {
        if (word != expected) {
            expected = word;
            return false;
        }
        word = desired;
        return true;
    }
    bool compare_exchange_weak(T &expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }
};

#endif
#endif
