"""What takes part in saved state beside the format's own types: registered classes, and exceptions by their kind."""

import builtins
import dataclasses
import enum

cimport cython
from libc.stdint cimport int64_t

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.errors import ArgumentError, ArgumentTypeError, ReactiveStreamsError, RecoveredError, StateError

__all__ = ["StateKind"]

cdef object _Flag = enum.Flag, _Enum = enum.Enum

cdef int64_t _HIGHEST_VERSION = 2**31 - 1
cdef object _LEAST_CROWDED_HASH = 2**60


def _exception_classes():
    """Return the exceptions that are made anew from their message alone, by their kind."""
    # Those that need more than a message, or that this release of Python does not have, load as RecoveredError.
    special = (ExceptionGroup, SyntaxError, UnicodeError, Warning)
    found = {
        name: kind
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, special)
        and kind.__name__ == name  # not another name of the same class, such as IOError
    }
    ours = [ReactiveStreamsError]
    for kind in ours:  # grows on the way, down to the last subclass
        ours += [each for each in kind.__subclasses__() if each.__module__ == ReactiveStreamsError.__module__]
    return found | {f"reactivestreams.errors.{kind.__name__}": kind for kind in ours if kind is not RecoveredError}


cdef dict _CLASS_OF_KIND = _exception_classes()
cdef dict _KIND_OF_CLASS = {kind: name for name, kind in _CLASS_OF_KIND.items()}


@cython.final
cdef class StateKind:
    """A class whose values may be saved, under a name and a version; made by registering it.

    Args:
        kind: A dataclass, an enumeration or an exception.
        name: What the saved state calls it: not its place in the program, which may change.
        version: Of what is saved of it, from 1; raise it when fields or members change.
        migrate: Called with an older version and what was saved then, returns what would be saved now.

    Raises:
        ArgumentTypeError: The class is none of the three, or another argument has the wrong type.
        ArgumentError: The name is empty or that of a known exception, the version is out of bounds, or a member of a
            flag is negative.
    """

    def __init__(self, kind, *, name, version, migrate):
        if type(name) is not str:
            raise ArgumentTypeError(f"name needs a str, got {type(name).__name__}; pass the name for saved state")
        if not name or name in _CLASS_OF_KIND:
            raise ArgumentError(
                f"{name!r} cannot be the name of {kind!r} in saved state: it is "
                f"{'that of a known exception' if name else 'empty'}; pass one of your own, such as 'shop/order'"
            )
        if type(version) is not int:
            raise ArgumentTypeError(f"version needs an int, got {version!r}; pass a number from 1")
        if not 1 <= version <= _HIGHEST_VERSION:
            raise ArgumentError(f"version needs 1 to {_HIGHEST_VERSION}, got {version}; begin with 1 and count up")
        if migrate is not None and not callable(migrate):
            raise ArgumentTypeError(
                f"migrate needs a callable, got {migrate!r}; pass a function of an old version and its content"
            )
        if migrate is not None:
            refuse_deferred(migrate, "migrate", "load what it needs before, and pass a plain function")
        self.kind = kind
        self.name = name
        self.version = version
        self.migrate = migrate
        self.category = _category(kind)
        if self.category == ERROR and (version != 1 or migrate is not None):
            raise ArgumentError(
                f"{kind!r} is an exception: its message, rule and notes are saved, which have no versions; "
                f"register it with its name alone"
            )
        if self.category == FLAG:
            self.flag_bits = _flag_bits(kind)
        self.fields = ()
        if self.category == DATACLASS:
            self.fields = tuple([field.name for field in dataclasses.fields(kind)])
        self.field_headings = tuple([_sized(field) for field in self.fields])
        tag = TAG_OBJECT if self.category == DATACLASS else TAG_ENUM
        self.heading = bytes([tag]) + _sized(name) + _varint(version)
        if self.category == DATACLASS:
            self.heading += _varint(len(self.fields))

    cdef object member(self, object content):
        """Return the member of an enumeration that was saved as `content`, or None. Runs a flag's own `_missing_`."""
        if self.category == ENUM:
            member = self.kind.__members__.get(content) if type(content) is str else None
            return member if member is not None and member._name_ == content else None
        if type(content) is not int or not self.has_bits(content):
            return None
        try:
            member = self.kind(content)
        except Exception:
            return None
        return member if type(member) is self.kind and member._value_ == content else None

    cdef bint has_bits(self, object number) except -1:
        """Return whether members of a flag have all the bits of a number.

        Asked before the class is called, since enum keeps what it makes of a number for the life of the process.
        """
        return number >= 0 and not number & ~self.flag_bits

    def __repr__(self):
        return f"StateKind({self.kind.__qualname__}, name={self.name!r}, version={self.version})"


cdef Category _category(object kind) except *:
    if not isinstance(kind, type):
        raise ArgumentTypeError(f"{kind!r} is no class; register a dataclass, an enumeration or an exception")
    if issubclass(kind, _Enum):
        return FLAG if issubclass(kind, _Flag) else ENUM
    if issubclass(kind, Exception):
        return ERROR
    # A dataclass by inheritance only may have more than its fields.
    if "__dataclass_fields__" not in vars(kind):
        raise ArgumentTypeError(
            f"{kind!r} is neither a dataclass nor an enumeration nor an exception; save what its values consist of, or "
            f"make it a dataclass"
        )
    try:
        object.__new__(kind)  # as it is made when it is loaded
    except TypeError as error:
        raise ArgumentTypeError(
            f"{kind!r} cannot be made from its fields alone ({error}); register a dataclass that can, and convert"
        ) from error
    return DATACLASS


cdef object _flag_bits(object kind):
    bits = 0
    for member in kind.__members__.values():
        number = int(member._value_)
        if number < 0:
            raise ArgumentError(
                f"{kind!r} cannot be saved: its member {member._name_} is {number}, which has bits without end; give "
                f"it the bits that it stands for"
            )
        bits |= number
    return bits


cdef bytes _varint(int64_t number):
    cdef bytearray encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


cdef bytes _sized(str text):
    encoded = text.encode("utf-8", "surrogatepass")
    return _varint(len(encoded)) + encoded


cdef str error_kind(object error):
    """Return by which name an exception that was not registered is saved."""
    kind = type(error)
    if kind is RecoveredError:
        return str(error.kind)
    return _KIND_OF_CLASS.get(kind) or f"{kind.__module__}.{kind.__qualname__}"


cdef object error_class(str kind):
    """Return the class of a kind of exception, or None where it is not known."""
    return _CLASS_OF_KIND.get(kind)


cdef str error_message(object error):
    """Return what an exception says, so that one made of it says the same again. Runs user code: its `__str__`."""
    arguments = error.args
    if len(arguments) == 1 and type(arguments[0]) is str:
        return arguments[0]
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__qualname__} without a working str>"


cdef int exceeds_equal_hashes(list keys, Py_ssize_t most) except -1:
    """Return whether more than so many keys have the same hash. May run user code: `__hash__` of registered classes."""
    cdef Py_ssize_t at
    cdef list hashes = []
    if len(keys) <= most:
        return False
    for key in keys:
        kind = type(key)
        if kind is str or kind is bytes:  # salted: nobody can foresee them
            continue
        if kind is int and -_LEAST_CROWDED_HASH < key < _LEAST_CROWDED_HASH:  # an int is its own hash up to 2**61 - 2
            continue
        hashes.append(hash(key))
    hashes.sort()
    for at in range(most, len(hashes)):
        if hashes[at] == hashes[at - most]:
            return True
    return False


cdef str record_text(int64_t index, object name, object path):
    """Return whose record it is, as errors show it."""
    where = str(path)
    return f"record {index} ({name or 'the end of the stream'}{f' at {where}' if where else ''})"


cdef object overlap_error(str done, str act):
    """Return the error for a second one who wants to write or to read, such as `overlap_error("written", "write")`."""
    return StateError(
        f"saved state is {done} by two at once: another thread, or code that is called from inside of a {act}; "
        f"let one at a time {act}"
    )
