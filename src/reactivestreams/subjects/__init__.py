"""Subjects: producers push elements in, and each subscriber receives them by its own demand."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.subjects.broadcast": ("BroadcastSubject", "SimpleSubject"),
        "reactivestreams.subjects.converting_subject": ("Conversion", "ConvertingSubject"),
        "reactivestreams.subjects.errors": ("SubjectDisposedError", "SubjectSealedError", "SubjectTypeError"),
        "reactivestreams.subjects.grouped_subject": ("GroupedSubject",),
        "reactivestreams.subjects.multi_subject": ("MultiSubject",),
        "reactivestreams.subjects.policy": ("SubjectPolicy", "buffer", "drop_slow", "error_slow", "lockstep"),
        "reactivestreams.subjects.replay": ("ReplaySubject",),
        "reactivestreams.subjects.typed_view": ("DynamicSubject", "typed_subject"),
        "reactivestreams.subjects.unicast": ("UnicastSubject",),
        "reactivestreams.subjects.untyped_subject": (
            "StatefulUntypedSubject",
            "TypedView",
            "UntypedSubject",
            "VersionedUntypedSubject",
        ),
        "rs_core.multicaster": ("OfferResult",),
    },
)
