"""The sources, one per file: each class documents it, checks its parameters and names the stage that runs it."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.sources.amb": ("Amb",),
        "reactivestreams.sources.create": ("Create",),
        "reactivestreams.sources.defer": ("Defer",),
        "reactivestreams.sources.empty": ("Empty",),
        "reactivestreams.sources.error": ("Error",),
        "reactivestreams.sources.from_async_iterable": ("FromAsyncIterable",),
        "reactivestreams.sources.from_callable": ("FromCallable",),
        "reactivestreams.sources.from_future": ("FromFuture",),
        "reactivestreams.sources.from_iterable": ("FromIterable",),
        "reactivestreams.sources.from_publisher": ("FromPublisher",),
        "reactivestreams.sources.from_queue": ("FromQueue",),
        "reactivestreams.sources.generate": ("Generate",),
        "reactivestreams.sources.interval": ("Interval",),
        "reactivestreams.sources.never": ("Never",),
        "reactivestreams.sources.range": ("Range",),
        "reactivestreams.sources.repeat_value": ("RepeatValue",),
        "reactivestreams.sources.timer": ("Timer",),
        "reactivestreams.sources.using": ("Using",),
        "reactivestreams.sources.when_all": ("WhenAll",),
    },
)
