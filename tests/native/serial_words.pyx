# The transitions of the word of serial_word.h, each on a word of its own: what it returns, and the word after.

from libc.stdint cimport uint32_t

cimport rs_core.sync.serial_word as compiled
from rs_core.sync.atomics cimport gil_uint32, memory_order_relaxed

TOKEN = compiled.TOKEN
MISSED = compiled.MISSED
FINAL = compiled.FINAL
MARKED = compiled.MARKED
ACQUIRED = compiled.ACQUIRED


cdef class Word:
    cdef gil_uint32 word

    def __cinit__(self, uint32_t value):
        self.word.store(value, memory_order_relaxed)

    cdef uint32_t value(self):
        return self.word.load(memory_order_relaxed)


def try_acquire(uint32_t value):
    cdef Word at = Word(value)
    result = bool(compiled.try_acquire(at.word))
    return result, at.value()


def try_acquire_idle(uint32_t value):
    cdef Word at = Word(value)
    result = bool(compiled.try_acquire_idle(at.word))
    return result, at.value()


def acquire_or_mark(uint32_t value):
    cdef Word at = Word(value)
    result = compiled.acquire_or_mark(at.word)
    return result, at.value()


def set_or_acquire(uint32_t value, uint32_t bits, uint32_t blocked, uint32_t final):
    cdef Word at = Word(value)
    result = compiled.set_or_acquire(at.word, bits, blocked, final)
    return result, at.value()


def clear_missed(uint32_t value):
    cdef Word at = Word(value)
    result = compiled.clear_missed(at.word)
    return result, at.value()


def mark_missed(uint32_t value):
    cdef Word at = Word(value)
    compiled.mark_missed(at.word)
    return None, at.value()


def try_release(uint32_t value, uint32_t unless):
    cdef Word at = Word(value)
    result = bool(compiled.try_release(at.word, unless))
    return result, at.value()


def try_release_from(uint32_t value, uint32_t seen):
    cdef Word at = Word(value)
    result = bool(compiled.try_release_from(at.word, seen))
    assert seen == value, "a refusal tells what the word is"
    return result, at.value()


def release_token(uint32_t value):
    cdef Word at = Word(value)
    result = compiled.release_token(at.word)
    return result, at.value()


def set_relaxed(uint32_t value, uint32_t bits):
    cdef Word at = Word(value)
    compiled.set_relaxed(at.word, bits)
    return None, at.value()


def clear_release(uint32_t value, uint32_t bits):
    cdef Word at = Word(value)
    result = compiled.clear_release(at.word, bits)
    return result, at.value()


def clear_acquire(uint32_t value, uint32_t bits):
    cdef Word at = Word(value)
    result = compiled.clear_acquire(at.word, bits)
    return result, at.value()
