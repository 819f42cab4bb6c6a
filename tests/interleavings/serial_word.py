"""The transitions of the word by which many threads do one thing at a time: rs_core/sync/serial_word.h, one step each.

The models take bits and transitions from here. tests/native/test_serial_word.py compares each of them with the compiled
one, on all states, and has the explorations run with the compiled ones in their place.

Each takes the word and returns its result and the word after.
"""

TOKEN, MISSED = 1, 2
FINAL, MARKED, ACQUIRED = 0, 1, 2

ALL_BUT_TOKEN = 0xFFFFFFFF & ~TOKEN


def try_acquire(word: int) -> tuple[bool, int]:
    return not word & TOKEN, word | TOKEN


def try_acquire_idle(word: int) -> tuple[bool, int]:
    return (True, TOKEN) if word == 0 else (False, word)


def acquire_or_mark(word: int) -> tuple[int, int]:
    return word, word | TOKEN | MISSED


def set_or_acquire(word: int, bits: int, blocked: int, final: int) -> tuple[int, int]:
    if word & final:
        return FINAL, word
    if (word | bits) & (TOKEN | blocked):
        return MARKED, word | bits | MISSED
    return ACQUIRED, word | bits | MISSED | TOKEN


def clear_missed(word: int) -> tuple[int, int]:
    return word, word & ~MISSED


def mark_missed(word: int) -> tuple[None, int]:
    return None, word | MISSED


def try_release(word: int, unless: int) -> tuple[bool, int]:
    return (False, word) if word & unless else (True, word & ~TOKEN)


def try_release_from(word: int, seen: int) -> tuple[bool, int]:
    return (True, word & ~TOKEN) if word == seen else (False, word)


def release_token(word: int) -> tuple[int, int]:
    return word, word & ~TOKEN


def set_relaxed(word: int, bits: int) -> tuple[None, int]:
    return None, word | bits


def clear_release(word: int, bits: int) -> tuple[int, int]:
    return word, word & ~bits


def clear_acquire(word: int, bits: int) -> tuple[int, int]:
    return word, word & ~bits
