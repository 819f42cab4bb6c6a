/* A word that several threads change, inside types whose code runs with the GIL held because it calls Python.

   Requires: GIL, where there is one. It is released only while Python code runs or a thread waits, never between the
   load and the store of one operation here; so a plain word is as atomic as std::atomic and costs no locked bus cycle,
   and the lock itself orders what its holders write. The order that an operation names counts in the other form:
   free-threaded builds, and builds with RS_ATOMIC_WORDS (debug, thread sanitizer), take std::atomic, so that the argument
   beside each operation is tested with real atomics too.

   What may be used without the GIL (Demand, the rings, what is declared nogil) is std::atomic always. */
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
