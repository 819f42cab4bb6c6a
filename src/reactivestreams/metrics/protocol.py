"""What the operator `tap` calls."""

from typing import Protocol

from rs_core.operators.tap import TappedRun

__all__ = ["Metrics"]


class Metrics(Protocol):
    """Whom the operator `tap` tells that a run has started and that it has ended.

    Nobody is called for an element, a request or a tick: a `TappedRun` is read by whoever wants its numbers, at any
    time, in any thread. Both methods are called by the stream, in its thread, so they have to return at once: what may
    take long, such as sending something over a network, belongs into a thread of its own. Several runs may call them at
    the same time. What they raise goes to the hook for dropped signals, and the stream goes on.

    Example:
        >>> from reactivestreams import Stream
        >>> class Printed:
        ...     def run_started(self, run, /):
        ...         print(run.name, "starts")
        ...
        ...     def run_ended(self, run, error, /):
        ...         print(run.name, run.outcome, run.elements, error)
        >>> Stream.just(1, 0).tap(Printed(), name="numbers").to_list()
        numbers starts
        numbers completed 2 None
        [1, 0]
    """

    def run_started(self, run: TappedRun, /) -> object:
        """Take note of a run; before its first element. What holds it does not keep the stream alive."""

    def run_ended(self, run: TappedRun, error: BaseException | None, /) -> object:
        """Take note of how a run has ended: `run.outcome`, and the error of one that has failed.

        It is called before the stream below gets the end. A run that is abandoned while it runs does not end.
        """
