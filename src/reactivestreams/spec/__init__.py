"""The specification: the four interfaces of Reactive Streams, one per file, and its 43 rules as data in `rules`.

A class conforms by its methods alone: `isinstance(obj, Publisher)` checks whether the class of `obj` has the methods of
a publisher, not whether it derives from this one. Deriving is possible too, also from several interfaces and together
with other abstract classes, and makes no demands on the constructor. For type checkers the interfaces are protocols.
"""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.spec.processor": ("Processor",),
        "reactivestreams.spec.publisher": ("Publisher",),
        "reactivestreams.spec.rules": ("MAX_DEMAND",),
        "reactivestreams.spec.subscriber": ("Subscriber",),
        "reactivestreams.spec.subscription": ("Subscription",),
    },
)
