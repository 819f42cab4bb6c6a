"""checkpoint: say in a note on an error where it came by."""

from __future__ import annotations

from functools import partial

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.dropped import dropped
from rs_core.operators.element import DoStage


def _add_note(text: str, error: Exception) -> None:
    note = f"passed the checkpoint {text!r}"
    try:
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
    except Exception as trouble:  # an exception class may refuse notes; the error itself matters more
        dropped("note", trouble, origin=f"checkpoint({text!r})")


class Checkpoint(OperatorDefinition):
    """Add a note to the error of the stream above, and pass everything on unchanged.

    The traceback of an error that came through several streams then says which, in the words of who wrote them. To save
    the state of a stream is another thing, which engines do.

    Args:
        text: What is above, such as "orders of the shop".

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on, with the note; one that an exception class refuses goes to the hook for dropped
        signals.
    State: none; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.4.
    Elsewhere: Reactor `checkpoint`; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> try:
        ...     Stream.just(0).map(lambda n: 1 // n).checkpoint("shares of the total").run()
        ... except ZeroDivisionError as error:
        ...     print(error.__notes__[-1])
        passed the checkpoint 'shares of the total'
    """

    id = "rx://operators/checkpoint"
    method = "checkpoint"

    @staticmethod
    def parameters(text: str) -> Checked[T]:
        """Return the checked parameters."""
        if not isinstance(text, str):
            raise ArgumentTypeError(
                f"checkpoint(text) needs a string, got {text!r} ({type(text).__name__}); say what is above, such as "
                f"checkpoint('orders of the shop')"
            )
        return Checked((text,))

    @staticmethod
    def stage(text: str) -> DoStage:
        """Return a new live stage."""
        return DoStage(on_error=partial(_add_note, text))
