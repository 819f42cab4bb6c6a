# Whether running streams are checked for signals that break the rules.

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass


cdef extern from "sync/serial_word.h":
    ctypedef struct SerialRecord "RsSerialRecord":
        const void* word
        const char* transition
        unsigned int before, after
        unsigned long thread

    ctypedef struct SerialLog "RsSerialLog":
        bint is_on
        unsigned long long written
        SerialRecord* records


cdef bint checks_are_on() noexcept
cdef SerialLog* log_of_words() noexcept   # modules write the transitions of their words to it (sync/serial_word.h)
