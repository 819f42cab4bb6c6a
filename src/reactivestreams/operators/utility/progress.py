"""progress: show how far a stream has come."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import DoStage, PassedCount


class Progress(OperatorDefinition):
    """Show on the terminal, or below the cell of a notebook, how many elements have passed while the stream runs.

    Shown are a bar, the elements, their rate since the start, the elapsed time, and at the end, to stay, the outcome:
    `done`, `failed` or `cancelled`. On a terminal it is drawn on standard error, with bars if rich is installed, as it
    is with `pip install "reactive-streams-core[cli]"`, and as a line every two seconds if not. Where standard error is
    no terminal, as in a pipe, a log file or a test, nothing is shown.

    Args:
        name: What is shown beside the bar; of more than 40 characters the first ones.
        total: How many elements are expected, from 1, for a bar that fills; None: it only shows that the stream runs.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on. What the display raises ends the display alone, and goes to the hook for dropped
        signals.
    State: none; a stream that loads its state counts from 0; version 1.0.0.0.
    Threads: an element is counted in the thread that drains. A thread that runs only while there is something to show
        draws all streams of the process four times a second, 32 at most at the same time; further ones are not shown.
    Rules: §1.3, §3.16.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(1000).progress("numbers", total=1000).sum()
        499500
    """

    id = "rx://operators/progress"
    method = "progress"
    serializable = False  # it is shown where the stream was started

    @staticmethod
    def parameters(name: str, *, total: int | None = None) -> Checked[T]:
        """Return the checked parameters."""
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"progress(name) needs a text to show, got {name!r} ({type(name).__name__}); pass a string such as "
                f"'orders', and the number of elements as total="
            )
        if total is not None:
            total = checked_count(total, operator="progress", name="total", at_least=1)
        return Checked((name, total))

    @staticmethod
    def stage(name: str, total: int | None) -> DoStage:
        """Return a new live stage."""
        from reactivestreams.drawing.progress import StreamProgress  # loaded by the programs that show something

        passed = PassedCount()
        shown = StreamProgress(name, total, lambda: passed.value)
        return DoStage(passed.add, shown.on_error, shown.on_complete, shown.on_subscribe, on_finally=shown.on_finally)
