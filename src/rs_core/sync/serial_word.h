/* The word that serializes the work of many threads, without any of them waiting for another.

   Roles
       holder     the one thread that has the token: it does the work, its own and that of the others
       others     write their work to other fields, then mark the word and leave: the holder sees the mark before it
                  releases the token
   Users: stream/subscription.pyx (drains), emitter.pyx and multicaster.pyx (deliver). The header of each says what its
   token guards; each has further bits of its own.

   Invariants
       I1  At most one thread has the token: it is taken by setting RS_SERIAL_TOKEN while it is not set.
       I2  Writes before a mark are seen by the current holder or by the thread that marked: a holder releases the token
           by a compare-and-swap that fails if RS_SERIAL_MISSED was set since it was cleared (try_release), or checks
           again after it has released it (release_token).
       I3  A final bit keeps all other threads away permanently: `final` of set_or_acquire().

   Ordering, for all users. The function's name is the transition, the table gives its order:
       try_acquire, try_acquire_idle     acquire   pairs with the release of the previous holder: the writes to the
                                                   fields that the token guards are visible
       acquire_or_mark                   acq_rel   the same; and releases this thread's writes to the one that clears
                                                   MISSED
       set_or_acquire                    seq_cst   the same; and it stays after this thread's writes to other words,
                                                   such as the demand: one half of a store-buffer pair
       clear_missed                      seq_cst   the other half: later reads are not older than the mark
       try_release, try_release_from,
       release_token, clear_release      release   pairs with the acquires
       clear_acquire                     acquire   like clear_missed, for a bit of the user
       mark_missed, set_relaxed          relaxed   a note of the holder to itself, or a bit that publishes nothing else
   A plain load of the word is a hint, except the load after an addition of demand (seq_cst, subscription.pyx).

   Progress: all are lock-free; a compare-and-swap is retried only because another thread's transition succeeded, or
   spuriously on processors with load-linked. No thread waits for the holder.
   Reuse: the word contains only bits, and a transition depends only on the bits that it compares: ABA is harmless.
   Source: the work-in-progress counter of RxJava and Reactor, reduced to one bit (MISSED) beside the other bits.
   The models in tests/interleavings take bits and transitions from serial_word.py there; tests/native/test_serial_word.py
   compares each with the function below on all states, and explores the drain and the delivery with the functions
   themselves.

   The log. A debug build (RS_SERIAL_LOG, set by the profile) records the last transitions of all words while
   rs_core.debug_checks.set_serial_log() has switched it on; serial_log() there returns them, the oldest first: the
   address of the word, the name of the transition, the word before and after, the thread. A refused transition has the
   unchanged word. The old value in a line equals the new value in the previous line of the same word; otherwise the
   word was changed without these functions. CONTRIBUTING.md shows a log. */
#ifndef RS_CORE_SERIAL_WORD_H
#define RS_CORE_SERIAL_WORD_H
#include "gil_word.h"

#include <cstdint>

enum : uint32_t {
    RS_SERIAL_TOKEN = 1,  /* a thread has the token */
    RS_SERIAL_MISSED = 2, /* there is new work since the holder's last check */
};

/* The results of set_or_acquire(). */
enum { RS_SERIAL_FINAL = 0, RS_SERIAL_MARKED = 1, RS_SERIAL_ACQUIRED = 2 };

enum { RS_SERIAL_LOG_RECORDS = 4096 };

struct RsSerialRecord {
    const void *word;
    const char *transition;
    uint32_t before, after;
    unsigned long thread;
};

struct RsSerialLog {
    bool is_on;
    uint64_t written; /* in total; the last RS_SERIAL_LOG_RECORDS are stored */
    RsSerialRecord records[RS_SERIAL_LOG_RECORDS];
};

#ifdef RS_SERIAL_LOG
/* This module's pointer to the log of debug_checks.pyx, or NULL until it was connected. Requires: GIL; without one,
   lines of threads that write at the same moment may be mixed up, but nothing else can happen. */
static RsSerialLog *rs_serial_log = NULL;

static inline void rs_serial_connect(RsSerialLog *log) { rs_serial_log = log; }

static inline void rs_serial_note(const void *word, const char *transition, uint32_t before, uint32_t after) {
    RsSerialLog *log = rs_serial_log;
    if (log == NULL || !log->is_on) return;
    log->records[log->written++ % RS_SERIAL_LOG_RECORDS] = {word, transition, before, after, PyThread_get_thread_ident()};
}
#else
static inline void rs_serial_connect(RsSerialLog *) {}
static inline void rs_serial_note(const void *, const char *, uint32_t, uint32_t) {}
#endif

/* Take the token if it is free, whatever other bits are set. */
template <typename Word> static inline bool rs_serial_try_acquire(Word &word) {
    uint32_t seen = word.load(std::memory_order_relaxed);
    while (!(seen & RS_SERIAL_TOKEN))
        /* acquire: pairs with the release of the previous holder */
        if (word.compare_exchange_weak(
                seen, seen | RS_SERIAL_TOKEN, std::memory_order_acquire, std::memory_order_relaxed)) {
            rs_serial_note(&word, "try_acquire", seen, seen | RS_SERIAL_TOKEN);
            return true;
        }
    rs_serial_note(&word, "try_acquire", seen, seen);
    return false;
}

/* Take the token if no bit is set. */
template <typename Word> static inline bool rs_serial_try_acquire_idle(Word &word) {
    uint32_t seen = 0;
    /* acquire: as in try_acquire */
    bool is_taken = word.compare_exchange_strong(
        seen, RS_SERIAL_TOKEN, std::memory_order_acquire, std::memory_order_relaxed);
    rs_serial_note(&word, "try_acquire_idle", seen, is_taken ? RS_SERIAL_TOKEN : seen);
    return is_taken;
}

/* Set MISSED, and take the token if it is free; return the old word: the token was free if it is not set there. */
template <typename Word> static inline uint32_t rs_serial_acquire_or_mark(Word &word) {
    /* acq_rel: acquire as in try_acquire; release pairs with clear_missed */
    uint32_t before = word.fetch_or(RS_SERIAL_TOKEN | RS_SERIAL_MISSED, std::memory_order_acq_rel);
    rs_serial_note(&word, "acquire_or_mark", before, before | RS_SERIAL_TOKEN | RS_SERIAL_MISSED);
    return before;
}

/* Set bits and MISSED, and take the token if it is free and no bit of `blocked` is set then. If a bit of `final` is set
   nothing happens (I3). Returns RS_SERIAL_FINAL, _MARKED or _ACQUIRED. */
template <typename Word>
static inline int rs_serial_set_or_acquire(Word &word, uint32_t bits, uint32_t blocked, uint32_t final) {
    uint32_t seen = word.load(std::memory_order_relaxed);
    for (;;) {
        if (seen & final) {
            rs_serial_note(&word, "set_or_acquire", seen, seen);
            return RS_SERIAL_FINAL;
        }
        bool takes = !((seen | bits) & (RS_SERIAL_TOKEN | blocked));
        uint32_t wanted = seen | bits | RS_SERIAL_MISSED | (takes ? RS_SERIAL_TOKEN : 0);
        /* seq_cst: as acquire_or_mark, and it stays after this thread's writes to other words, such as the demand */
        if (word.compare_exchange_weak(seen, wanted, std::memory_order_seq_cst, std::memory_order_relaxed)) {
            rs_serial_note(&word, "set_or_acquire", seen, wanted);
            return takes ? RS_SERIAL_ACQUIRED : RS_SERIAL_MARKED;
        }
    }
}

/* For the holder: clear MISSED, before the new work is read; return the old word. */
template <typename Word> static inline uint32_t rs_serial_clear_missed(Word &word) {
    /* seq_cst: pairs with the functions that mark; later reads are not older than the mark */
    uint32_t before = word.fetch_and(~(uint32_t)RS_SERIAL_MISSED, std::memory_order_seq_cst);
    rs_serial_note(&word, "clear_missed", before, before & ~(uint32_t)RS_SERIAL_MISSED);
    return before;
}

/* For the holder: stop with work left, and check again later. */
template <typename Word> static inline void rs_serial_mark_missed(Word &word) {
    uint32_t before = word.fetch_or(RS_SERIAL_MISSED, std::memory_order_relaxed);
    rs_serial_note(&word, "mark_missed", before, before | RS_SERIAL_MISSED);
}

/* Release the token unless a bit of `unless` is set; the other bits stay. */
template <typename Word> static inline bool rs_serial_try_release(Word &word, uint32_t unless) {
    uint32_t seen = word.load(std::memory_order_relaxed);
    while (!(seen & unless))
        /* release: pairs with the acquire of the next holder */
        if (word.compare_exchange_weak(
                seen, seen & ~(uint32_t)RS_SERIAL_TOKEN, std::memory_order_release, std::memory_order_relaxed)) {
            rs_serial_note(&word, "try_release", seen, seen & ~(uint32_t)RS_SERIAL_TOKEN);
            return true;
        }
    rs_serial_note(&word, "try_release", seen, seen);
    return false;
}

/* Release the token if the word is still `seen`; else set `seen` to the word. */
template <typename Word> static inline bool rs_serial_try_release_from(Word &word, uint32_t &seen) {
    uint32_t wanted = seen & ~(uint32_t)RS_SERIAL_TOKEN;
    /* release: as in try_release */
    bool is_released = word.compare_exchange_strong(
        seen, wanted, std::memory_order_release, std::memory_order_relaxed);
    rs_serial_note(&word, "try_release_from", seen, is_released ? wanted : seen);
    return is_released;
}

/* Release the token unconditionally; return the old word. */
template <typename Word> static inline uint32_t rs_serial_release_token(Word &word) {
    /* release: as in try_release */
    uint32_t before = word.fetch_and(~(uint32_t)RS_SERIAL_TOKEN, std::memory_order_release);
    rs_serial_note(&word, "release_token", before, before & ~(uint32_t)RS_SERIAL_TOKEN);
    return before;
}

/* Set bits of the user, which publish nothing else. */
template <typename Word> static inline void rs_serial_set_relaxed(Word &word, uint32_t bits) {
    uint32_t before = word.fetch_or(bits, std::memory_order_relaxed);
    rs_serial_note(&word, "set_relaxed", before, before | bits);
}

/* Clear bits of the user; the next holder sees this thread's writes. Returns the old word. */
template <typename Word> static inline uint32_t rs_serial_clear_release(Word &word, uint32_t bits) {
    /* release: pairs with the acquire of the thread that takes the token next, or clears MISSED */
    uint32_t before = word.fetch_and(~bits, std::memory_order_release);
    rs_serial_note(&word, "clear_release", before, before & ~bits);
    return before;
}

/* For the holder: clear bits of the user; the writes before the remaining bits are visible. Returns the old word. */
template <typename Word> static inline uint32_t rs_serial_clear_acquire(Word &word, uint32_t bits) {
    /* acquire: pairs with the functions that mark */
    uint32_t before = word.fetch_and(~bits, std::memory_order_acquire);
    rs_serial_note(&word, "clear_acquire", before, before & ~bits);
    return before;
}
#endif
