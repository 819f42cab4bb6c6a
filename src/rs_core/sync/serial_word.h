/* The word by which many threads do one thing at a time, without waiting for each other.

   Roles
       holder     the one thread that has the token: it does the work, its own and what others ask for
       others     write what there is to do, then mark the word and go: the holder sees the mark before it gives the token up
   Users: stream/subscription.pyx (who drains), emitter.pyx and multicaster.pyx (who delivers). Each says in its header what
   its token guards, and has bits of its own beside the two here.

   Invariants
       I1  At most one thread has the token: it is taken by setting RS_SERIAL_TOKEN where it is not set.
       I2  What was written before a mark is seen by the present holder or by who marked: a holder gives the token up by a
           compare-and-swap that fails if RS_SERIAL_MISSED has come since it was cleared (try_release), or looks after it
           has given it up (release_token).
       I3  A bit that says "never again" keeps all others away for good: `final` of set_or_acquire().

   Ordering, once for all users. The function's name says which transition it is, the table which order it has:
       try_acquire, try_acquire_idle     acquire   pairs with the release of whoever gave the token up: the fields that the
                                                   token guards travel with it
       acquire_or_mark                   acq_rel   the same; and releases what this thread wrote to who clears MISSED
       set_or_acquire                    seq_cst   the same; and it stays after what this thread wrote to other
                                                   words, such as the demand: one half of a store-buffer pair
       clear_missed                      seq_cst   the other half: what is read next is not older than the mark
       try_release, try_release_from,
       release_token, clear_release      release   pairs with the acquires
       clear_acquire                     acquire   as clear_missed, for a bit beside it
       mark_missed, set_relaxed          relaxed   a note of the holder to itself, or a bit that says nothing but itself
   A plain load of the word is a hint, but for the load after an addition of demand (seq_cst, subscription.pyx).

   Progress: all are lock-free; a compare-and-swap is tried again only because another thread's transition succeeded, or
   spuriously on processors with load-linked. Nobody waits for the holder.
   Reuse: the word holds nothing but bits, and a transition depends on the bits alone that it compares: ABA is harmless.
   Source: the work-in-progress counter of RxJava and Reactor, reduced to one bit (MISSED) beside the other bits.
   The models in tests/interleavings take bits and transitions from serial_word.py there; tests/native/test_serial_word.py
   compares each with the function below on all states, and explores the drain and the delivery with the functions
   themselves.

   The log. A debug build (RS_SERIAL_LOG, set by the profile) notes the last transitions of all words, while it is switched on
   by rs_core.debug_checks.set_serial_log(); serial_log() there returns them, the oldest first: the address of the word, the
   name of the transition, the word before and after, the thread. A transition that was refused is there with the word as
   it was. What a line says the word was before is what the line before it, of the same word, says it was after; where that
   is not so, somebody changed the word by other means. CONTRIBUTING.md shows one. */
#ifndef RS_CORE_SERIAL_WORD_H
#define RS_CORE_SERIAL_WORD_H
#include "gil_word.h"

#include <cstdint>

enum : uint32_t {
    RS_SERIAL_TOKEN = 1,  /* somebody has the token */
    RS_SERIAL_MISSED = 2, /* something came since the holder last looked */
};

/* What became of set_or_acquire(). */
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
    uint64_t written; /* ever; the last RS_SERIAL_LOG_RECORDS are there */
    RsSerialRecord records[RS_SERIAL_LOG_RECORDS];
};

#ifdef RS_SERIAL_LOG
/* Of this module: the log of debug_checks.pyx, or NULL until it was connected. Requires: GIL; without one, lines of threads
   that write at the same moment may be mixed up, and that is all. */
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

/* Take the token if it is free, whatever other bits stand. */
template <typename Word> static inline bool rs_serial_try_acquire(Word &word) {
    uint32_t seen = word.load(std::memory_order_relaxed);
    while (!(seen & RS_SERIAL_TOKEN))
        /* acquire: pairs with the release of who gave the token up */
        if (word.compare_exchange_weak(
                seen, seen | RS_SERIAL_TOKEN, std::memory_order_acquire, std::memory_order_relaxed)) {
            rs_serial_note(&word, "try_acquire", seen, seen | RS_SERIAL_TOKEN);
            return true;
        }
    rs_serial_note(&word, "try_acquire", seen, seen);
    return false;
}

/* Take the token if no bit stands at all. */
template <typename Word> static inline bool rs_serial_try_acquire_idle(Word &word) {
    uint32_t seen = 0;
    /* acquire: as in try_acquire */
    bool is_taken = word.compare_exchange_strong(
        seen, RS_SERIAL_TOKEN, std::memory_order_acquire, std::memory_order_relaxed);
    rs_serial_note(&word, "try_acquire_idle", seen, is_taken ? RS_SERIAL_TOKEN : seen);
    return is_taken;
}

/* Set MISSED, and take the token if it is free; return the word before: the token was free if it is not in there. */
template <typename Word> static inline uint32_t rs_serial_acquire_or_mark(Word &word) {
    /* acq_rel: acquire as in try_acquire; release pairs with clear_missed */
    uint32_t before = word.fetch_or(RS_SERIAL_TOKEN | RS_SERIAL_MISSED, std::memory_order_acq_rel);
    rs_serial_note(&word, "acquire_or_mark", before, before | RS_SERIAL_TOKEN | RS_SERIAL_MISSED);
    return before;
}

/* Set bits and MISSED, and take the token if it is free and no bit of `blocked` stands then. Where a bit of `final` stands
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
        /* seq_cst: as acquire_or_mark, and it stays after what this thread wrote to another word, such as the demand */
        if (word.compare_exchange_weak(seen, wanted, std::memory_order_seq_cst, std::memory_order_relaxed)) {
            rs_serial_note(&word, "set_or_acquire", seen, wanted);
            return takes ? RS_SERIAL_ACQUIRED : RS_SERIAL_MARKED;
        }
    }
}

/* The holder looks: clear MISSED, before what it stands for is read; return the word before. */
template <typename Word> static inline uint32_t rs_serial_clear_missed(Word &word) {
    /* seq_cst: pairs with those that mark; what is read next is not older than the mark */
    uint32_t before = word.fetch_and(~(uint32_t)RS_SERIAL_MISSED, std::memory_order_seq_cst);
    rs_serial_note(&word, "clear_missed", before, before & ~(uint32_t)RS_SERIAL_MISSED);
    return before;
}

/* The holder stops with work left, and will look again. */
template <typename Word> static inline void rs_serial_mark_missed(Word &word) {
    uint32_t before = word.fetch_or(RS_SERIAL_MISSED, std::memory_order_relaxed);
    rs_serial_note(&word, "mark_missed", before, before | RS_SERIAL_MISSED);
}

/* Give the token up unless a bit of `unless` has come; the other bits stay. */
template <typename Word> static inline bool rs_serial_try_release(Word &word, uint32_t unless) {
    uint32_t seen = word.load(std::memory_order_relaxed);
    while (!(seen & unless))
        /* release: pairs with the acquire of who takes the token next */
        if (word.compare_exchange_weak(
                seen, seen & ~(uint32_t)RS_SERIAL_TOKEN, std::memory_order_release, std::memory_order_relaxed)) {
            rs_serial_note(&word, "try_release", seen, seen & ~(uint32_t)RS_SERIAL_TOKEN);
            return true;
        }
    rs_serial_note(&word, "try_release", seen, seen);
    return false;
}

/* Give the token up if the word is still as it was seen; else `seen` becomes what it is. */
template <typename Word> static inline bool rs_serial_try_release_from(Word &word, uint32_t &seen) {
    uint32_t wanted = seen & ~(uint32_t)RS_SERIAL_TOKEN;
    /* release: as in try_release */
    bool is_released = word.compare_exchange_strong(
        seen, wanted, std::memory_order_release, std::memory_order_relaxed);
    rs_serial_note(&word, "try_release_from", seen, is_released ? wanted : seen);
    return is_released;
}

/* Give the token up, whatever has come; return the word before. */
template <typename Word> static inline uint32_t rs_serial_release_token(Word &word) {
    /* release: as in try_release */
    uint32_t before = word.fetch_and(~(uint32_t)RS_SERIAL_TOKEN, std::memory_order_release);
    rs_serial_note(&word, "release_token", before, before & ~(uint32_t)RS_SERIAL_TOKEN);
    return before;
}

/* Set bits of the user, which say nothing but themselves. */
template <typename Word> static inline void rs_serial_set_relaxed(Word &word, uint32_t bits) {
    uint32_t before = word.fetch_or(bits, std::memory_order_relaxed);
    rs_serial_note(&word, "set_relaxed", before, before | bits);
}

/* Clear bits of the user; what this thread wrote is seen by who takes the token next. Returns the word before. */
template <typename Word> static inline uint32_t rs_serial_clear_release(Word &word, uint32_t bits) {
    /* release: pairs with the acquire of who takes the token next, or clears MISSED */
    uint32_t before = word.fetch_and(~bits, std::memory_order_release);
    rs_serial_note(&word, "clear_release", before, before & ~bits);
    return before;
}

/* The holder clears bits of the user; what came with the bits that stand is seen. Returns the word before. */
template <typename Word> static inline uint32_t rs_serial_clear_acquire(Word &word, uint32_t bits) {
    /* acquire: pairs with those that mark */
    uint32_t before = word.fetch_and(~bits, std::memory_order_acquire);
    rs_serial_note(&word, "clear_acquire", before, before & ~bits);
    return before;
}
#endif
