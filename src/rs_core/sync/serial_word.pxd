# The word that serializes the work of many threads: a token, MISSED, and bits of its user. serial_word.h has the roles,
# the invariants and the memory order of each transition.

from libc.stdint cimport uint32_t

from rs_core.debug_checks cimport SerialLog
from rs_core.sync.atomics cimport gil_uint32

cdef extern from "sync/serial_word.h":
    enum:
        TOKEN "RS_SERIAL_TOKEN"      # a thread has the token
        MISSED "RS_SERIAL_MISSED"    # there is new work since the holder's last check

    enum:                            # the results of set_or_acquire()
        FINAL "RS_SERIAL_FINAL"      # nothing was done: a final bit was set
        MARKED "RS_SERIAL_MARKED"    # the thread that has the token, or unblocks it, will see it
        ACQUIRED "RS_SERIAL_ACQUIRED"   # this thread has the token

    bint try_acquire "rs_serial_try_acquire"(gil_uint32& word) noexcept
    bint try_acquire_idle "rs_serial_try_acquire_idle"(gil_uint32& word) noexcept
    uint32_t acquire_or_mark "rs_serial_acquire_or_mark"(gil_uint32& word) noexcept
    int set_or_acquire "rs_serial_set_or_acquire"(
        gil_uint32& word, uint32_t bits, uint32_t blocked, uint32_t final
    ) noexcept
    uint32_t clear_missed "rs_serial_clear_missed"(gil_uint32& word) noexcept
    void mark_missed "rs_serial_mark_missed"(gil_uint32& word) noexcept
    bint try_release "rs_serial_try_release"(gil_uint32& word, uint32_t unless) noexcept
    bint try_release_from "rs_serial_try_release_from"(gil_uint32& word, uint32_t& seen) noexcept
    uint32_t release_token "rs_serial_release_token"(gil_uint32& word) noexcept
    void set_relaxed "rs_serial_set_relaxed"(gil_uint32& word, uint32_t bits) noexcept
    uint32_t clear_release "rs_serial_clear_release"(gil_uint32& word, uint32_t bits) noexcept
    uint32_t clear_acquire "rs_serial_clear_acquire"(gil_uint32& word, uint32_t bits) noexcept

    void connect_log "rs_serial_connect"(SerialLog* log) noexcept   # for this module; if there is a log
