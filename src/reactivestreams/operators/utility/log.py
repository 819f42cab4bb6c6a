"""log: write the signals that pass to a logger."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.inspection.signal_log import SignalLog
from rs_core.operators.element import DoStage

DEFAULT_NAME = "reactivestreams.log"


class Log(OperatorDefinition):
    """Write each signal that passes to a logger of the standard library, and pass it on unchanged.

    A line has the number of the run, counted over the process, the signal, and how many elements have passed:
    `run 1: on_next(5), element 1`.

    Args:
        name: The logger's name, under which its level and handlers are configured.
        level: The level of all lines but those of errors, which have `logging.ERROR`; from 0, else `logging.INFO`, 20.
        max_per_second: How many elements, and how many requests, are written in a second, from 1; None: all. The others
            are counted, and their number is written before the next line of their kind and before the end.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of a handler goes to the hook for dropped signals. The text of an
        element is its `repr`, of which the middle is left out if it is long.
    State: none; the numbers begin anew in a stream that loads its state; version 1.0.0.0.
    Threads: lines are written in the thread of their signal, by the real clock. What passes while a handler of such a
        logger runs in the same thread is not written, so that a handler may run such a stream.
    Rules: §1.3, §3.16.
    Elsewhere: Reactor `log`; RxJava none; reactivex none.

    Example:
        >>> import logging, sys
        >>> logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s", level=logging.INFO, force=True)
        >>> from reactivestreams import Stream
        >>> Stream.just("pear").log("fruits").run()  # doctest: +ELLIPSIS
        fruits run ...: request(unlimited)
        fruits run ...: on_subscribe
        fruits run ...: on_next('pear'), element 1
        fruits run ...: on_complete after 1 element
        >>> logging.basicConfig(force=True)
    """

    id = "rx://operators/log"
    method = "log"

    @staticmethod
    def parameters(name: str = DEFAULT_NAME, *, level: int = 20, max_per_second: int | None = 100) -> Checked[T]:
        """Return the checked parameters."""
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"log(name) needs the name of a logger, got {name!r} ({type(name).__name__}); pass a string such as "
                f"'orders', and give its logger handlers and a level with logging"
            )
        level = checked_count(level, operator="log", name="level", at_least=0)
        if max_per_second is not None:
            max_per_second = checked_count(max_per_second, operator="log", name="max_per_second", at_least=1)
        return Checked((name, level, max_per_second))

    @staticmethod
    def stage(name: str, level: int, max_per_second: int | None) -> DoStage:
        """Return a new live stage."""
        log = SignalLog(name, level, max_per_second)
        return DoStage(log.on_next, log.on_error, log.on_complete, log.on_subscribe, log.on_request, log.on_cancel)
