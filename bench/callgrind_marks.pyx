"""Tells callgrind what to count: nothing of this runs any other way than under valgrind, where it costs nothing."""

cdef extern from *:
    """
    #include <valgrind/callgrind.h>

    static inline int rs_is_counting(void) { return RUNNING_ON_VALGRIND != 0; }
    static inline void rs_start_counting(void) { CALLGRIND_START_INSTRUMENTATION; }
    static inline void rs_zero_counts(void) { CALLGRIND_ZERO_STATS; }
    static inline void rs_dump_counts(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
    """
    bint rs_is_counting() noexcept
    void rs_start_counting() noexcept
    void rs_zero_counts() noexcept
    void rs_dump_counts(const char* name) noexcept


def is_counting() -> bool:
    """Whether this process runs under valgrind."""
    return rs_is_counting()


def start() -> None:
    """Begin to count; before that the process runs ten times as fast."""
    rs_start_counting()


def count(str name, run) -> None:
    """Count the instructions of one call, and write them under a name."""
    marked = name.encode()
    rs_zero_counts()
    run()
    rs_dump_counts(marked)
