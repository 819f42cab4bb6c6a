"""do: call functions for signals that pass."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import DoStage

NAMES = ("on_next", "on_error", "on_complete", "on_subscribe", "on_request", "on_cancel", "on_finally")


class Do(OperatorDefinition):
    """Call a function for each signal of a kind and pass the signal on unchanged.

    Args:
        on_next: Called with each element before it is passed on, or None.
        on_error: Called with the error before it is passed on, or None.
        on_complete: Called without arguments before the completion is passed on, or None.
        on_subscribe: Called without arguments when the stream is started, also from a saved state: before any signal,
            but after what the subscriber requested in its own `on_subscribe`; or None.
        on_request: Called with the number of elements that is requested here, before that is passed on upstream, or
            None. A request without limit is 2**63 - 1.
        on_cancel: Called without arguments after a cancellation: by the subscriber, or by an operator below that
            fails or has enough; or None.
        on_finally: Called without arguments once when the stream is over, as by `finally_`; or None.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of `on_next`, `on_error` or `on_complete` takes the place of the
        signal it was called for; one of `on_subscribe` or `on_request` ends the stream; one of `on_cancel` or
        `on_finally` goes to the hook for dropped signals.
    State: none but whether it is disposed, in which case a stream that loads the state calls neither `on_cancel` nor
        `on_finally` again; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream; `on_subscribe` in the one that starts it,
        `on_request` in the one that requests, `on_cancel` and `on_finally` in the one that cancels if nobody drains.
    Rules: §1.3, §1.7, §3.15, §3.16.
    Elsewhere: Reactor `doOnNext`, `doOnError`, `doOnComplete`, `doOnSubscribe`, `doOnRequest`, `doOnCancel`; RxJava
        `doOnNext`, `doOnError`, `doOnComplete`, `doOnSubscribe`, `doOnRequest`, `doOnCancel`; reactivex `do_action`.

    Example:
        >>> from reactivestreams import Stream
        >>> seen = []
        >>> Stream.just(1, 2).do(on_next=seen.append, on_complete=lambda: seen.append("end")).run()
        >>> seen
        [1, 2, 'end']
    """

    id = "rx://operators/do"
    method = "do"
    stage = DoStage

    @staticmethod
    def parameters(
        on_next: Callable[[T], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        on_subscribe: Callable[[], object] | None = None,
        on_request: Callable[[int], object] | None = None,
        on_cancel: Callable[[], object] | None = None,
        on_finally: Callable[[], object] | None = None,
    ) -> Checked[T]:
        """Return the checked parameters."""
        given_all = (on_next, on_error, on_complete, on_subscribe, on_request, on_cancel, on_finally)
        functions = dict(zip(NAMES, given_all, strict=True))
        given = {name: function for name, function in functions.items() if function is not None}
        if not given:
            raise ArgumentError("do() needs at least one function; pass on_next=, on_error= or another one")
        for name, function in given.items():
            checked_callable(function, operator="do", name=name)
        return Checked(given_all)
