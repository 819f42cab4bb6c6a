"""using: open a resource for each subscription, and close it after the stream."""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, S, U
from reactivestreams.sources.error import failing
from rs_core.operators.sequence import UsingStage
from rs_core.stream.description import Description


class Using(OperatorDefinition):
    """Open a resource for each subscription, send the elements of a stream that works with it, and close it.

    The resource is closed once: before the stream's completion or error is passed on, when the stream is cancelled, or
        when no stream could be made. Resources of the stream itself, such as a generator, are closed first. If the
        stream runs in another thread, a cancellation closes the resource without waiting for the element that is being
        produced there.

    Args:
        resource_factory: Called without arguments when the stream is subscribed; returns the resource.
        stream_factory: Called with the resource; returns a stream, a publisher, an iterable or an asynchronous
            iterable.
        close: Called with the resource, once. Without it the resource must be a context manager: the stream is made
            with the result of entering it, and it is exited with the error of the stream, if any. If it suppresses the
            error, the stream completes.

    Demand: the outstanding demand is requested from the stream, at most 128 elements at a time.
    Errors: an exception of one of the factories becomes `on_error`, after `on_subscribe`. An exception of `close`
        becomes `on_error` if the stream completed; after an error or a cancellation it goes to the hook for dropped
        signals.
    State: the buffered elements of the stream, whose nodes are part of the tree; the resource is not saved but opened
        again; version
        1.0.0.0.
    Recovery: `exact`, provided that the factories make an equal stream again; the source of that stream states its own.
    Threads: the factories are called in the thread that subscribes, `close` in the thread that ends or cancels the
        stream.
    Rules: §1.4, §1.9, §3.12, §3.13.

    Example:
        >>> import io
        >>> from reactivestreams import Stream
        >>> text = io.StringIO("one,two")
        >>> Stream.using(lambda: text, lambda file: file.read().split(",")).to_list()
        ['one', 'two']
        >>> text.closed
        True
    """

    id = "rx://sources/using"
    method = "using"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(
        resource_factory: Callable[[], S],
        stream_factory: Callable[[Any], Source[U]],
        close: Callable[[S], object] | None = None,
    ) -> Checked[U]:
        """Return the checked parameters."""
        if close is not None:
            checked_callable(close, operator="using", name="close")
        checked_callable(resource_factory, operator="using", name="resource_factory")
        checked_callable(stream_factory, operator="using", name="stream_factory")
        return Checked((resource_factory, stream_factory, close))

    @staticmethod
    def stage(
        resource_factory: Callable[[], Any],
        stream_factory: Callable[[Any], Source[Any]],
        close: Callable[[Any], object] | None,
    ) -> UsingStage:
        """Return a new live stage."""
        return UsingStage(DEFAULT_PREFETCH, _Resource(resource_factory, stream_factory, close), failing)


class _Resource:
    """The resource of one subscription."""

    def __init__(
        self,
        resource_factory: Callable[[], Any],
        stream_factory: Callable[[Any], Source[Any]],
        close: Callable[[Any], object] | None,
    ) -> None:
        self._resource_factory = resource_factory
        self._stream_factory = stream_factory
        self._close = close
        self._leave: Callable[..., object] | None = None  # called like __exit__

    def open(self) -> Description:
        """Open the resource and make the stream."""
        resource = self._resource_factory()
        if self._close is None:
            leave = _method(resource, "__exit__")
            resource = _method(resource, "__enter__")()
            self._leave = leave
        else:
            self._leave = _closing(self._close, resource)
        try:
            return described(self._stream_factory(resource), where="using(stream_factory): what it returns")
        except Exception:
            raise  # the stream fails, and that closes the resource
        except BaseException:
            self.close(None)
            raise

    def close(self, error: Exception | None) -> bool:
        """Close the resource if it was opened; return whether the error is suppressed."""
        leave, self._leave = self._leave, None
        if leave is None:
            return False
        if error is None:
            leave(None, None, None)
            return False
        return bool(leave(type(error), error, error.__traceback__))


def _closing(close: Callable[[Any], object], resource: Any) -> Callable[..., None]:
    def leave(*_error: object) -> None:
        close(resource)

    return leave


def _method(resource: Any, name: str) -> Callable[..., Any]:
    """Return a method of a context manager, looked up in the class like `with` does."""
    kind = cast("type[object]", type(resource))
    function: Callable[..., Any] | None = getattr(kind, name, None)
    if function is None:
        remedy = "pass close; use an object that has only __aenter__ in an asynchronous generator"
        raise ArgumentTypeError(
            f"using(resource_factory) without close has to return a context manager, got {resource!r} "
            f"({type(resource).__name__}) without {name}; {remedy}"
        )
    return lambda *arguments: function(resource, *arguments)
