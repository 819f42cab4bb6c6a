"""The subscriber that `Stream.subscribe` builds from functions."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, TypeVar

from reactivestreams.arguments import MAX_PREFETCH, checked_callable, checked_count
from rs_core.authors.subscriber import BaseSubscriber
from rs_core.ends.subscriber import SubscriberStage

if TYPE_CHECKING:
    from collections.abc import Callable

    from rs_core.stream.description import Description

T = TypeVar("T")

DEFAULT_PREFETCH = 128
"""The default prefetch for functions."""


class CallbackSubscriber(BaseSubscriber[T]):
    """Call a function for each signal, and replenish a prefetch window.

    Args:
        stream: The stream, whose text is part of this one's.
        on_next: Called with each element; None: elements are discarded.
        on_error: Called with the error, and with what `on_next` raises; None passes it to the hook for dropped signals.
        on_complete: Called without arguments.
        prefetch: How many elements to request in advance, replenished at 75 %.
    """

    def __init__(
        self,
        stream: Description,
        on_next: Callable[[T], object] | None,
        on_error: Callable[[Exception], object] | None,
        on_complete: Callable[[], object] | None,
        prefetch: int,
    ) -> None:
        for name, function in (("on_next", on_next), ("on_error", on_error), ("on_complete", on_complete)):
            if function is not None:
                checked_callable(function, operator="subscribe", name=name)
        self._next_function = on_next
        self._error_function = on_error
        self._complete_function = on_complete
        self._prefetch = checked_count(
            prefetch, operator="subscribe", name="prefetch", at_least=1, at_most=MAX_PREFETCH
        )
        self._replenish_at = prefetch - prefetch // 4
        self._taken = 0  # since the last request
        self._stream = stream
        self._run: SubscriberStage | None = None  # until the end, so that a notebook can show it

    def start(self) -> None:
        """Start the stream."""
        self._run = handle = SubscriberStage(self._stream, self)
        handle.initialize()

    def hook_on_subscribe(self) -> None:
        """Request the first window."""
        self.request(self._prefetch)

    def hook_on_next(self, element: T) -> None:
        """Call the function, and replenish the window at 75 %."""
        if self._next_function is not None:
            self._next_function(element)
        self._taken += 1
        if self._taken == self._replenish_at:
            self._taken = 0
            self.request(self._replenish_at)

    def hook_on_error(self, error: Exception) -> None:
        """Call the function, or pass the error to the hook for dropped signals."""
        self._run = None
        if self._error_function is None:
            super().hook_on_error(error)
        else:
            self._error_function(error)

    def hook_on_complete(self) -> None:
        """Call the function."""
        self._run = None
        if self._complete_function is not None:
            self._complete_function()

    def hook_on_cancel(self) -> None:
        """Let the run go."""
        self._run = None

    def __repr__(self) -> str:
        return f"<{'subscription' if self._run is not None else 'ended subscription'} to {self._stream!r}>"

    def _repr_html_(self) -> str:
        run = self._run
        return f"<pre>{escape(repr(self))}</pre>" if run is None else run._repr_html_()
