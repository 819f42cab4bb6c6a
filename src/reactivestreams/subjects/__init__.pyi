from reactivestreams.subjects.broadcast import BroadcastSubject, SimpleSubject
from reactivestreams.subjects.converting_subject import Conversion, ConvertingSubject
from reactivestreams.subjects.errors import SubjectDisposedError, SubjectSealedError, SubjectTypeError
from reactivestreams.subjects.grouped_subject import GroupedSubject
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.policy import SubjectPolicy, buffer, drop_slow, error_slow, lockstep
from reactivestreams.subjects.replay import ReplaySubject
from reactivestreams.subjects.typed_view import DynamicSubject, typed_subject
from reactivestreams.subjects.unicast import UnicastSubject
from reactivestreams.subjects.untyped_subject import (
    StatefulUntypedSubject,
    TypedView,
    UntypedSubject,
    VersionedUntypedSubject,
)
from rs_core.multicaster import OfferResult

__all__ = [
    "BroadcastSubject",
    "Conversion",
    "ConvertingSubject",
    "DynamicSubject",
    "GroupedSubject",
    "MultiSubject",
    "OfferResult",
    "ReplaySubject",
    "SimpleSubject",
    "StatefulUntypedSubject",
    "SubjectDisposedError",
    "SubjectPolicy",
    "SubjectSealedError",
    "SubjectTypeError",
    "TypedView",
    "UnicastSubject",
    "UntypedSubject",
    "VersionedUntypedSubject",
    "buffer",
    "drop_slow",
    "error_slow",
    "lockstep",
    "typed_subject",
]
