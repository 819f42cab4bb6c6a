"""Functions that run in the workers of an executor: threads, processes or interpreters."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from reactivestreams.arguments import checked_callable, not_callable
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StreamCancelledError

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["ExecutorTasks", "checked_executor", "executor_tasks"]


class Ended(Protocol):
    """What is called with the result of a call, or with the error that ended it."""

    def __call__(self, result: Any, error: BaseException | None) -> object:
        """Note how a call ended, in any thread."""


class ExecutorTasks:
    """Run functions in the workers of an executor.

    Args:
        executor: The executor.
        is_owned: Whether it ends with the stream.

    Threads: any.
    """

    def __init__(self, executor: Executor, *, is_owned: bool) -> None:
        self._executor = executor
        self._is_owned = is_owned

    def call(self, function: Callable[[], object]) -> None:
        """Call a function here: any thread may begin and cancel calls."""
        function()

    def spawn(self, function: Callable[..., Any], *arguments: Any, ended: Ended) -> Callable[[], object]:
        """Begin a call of a function; return a function that cancels it, if it has not begun in a worker.

        Args:
            function: The function.
            arguments: Its arguments.
            ended: Called when the call has ended, in a thread of the executor, or here; with a StreamCancelledError if
                it was cancelled.
        """
        try:
            future = self._executor.submit(function, *arguments)
        except Exception as error:
            self._explain(error)
            raise
        future.add_done_callback(partial(self._end, ended))
        return future.cancel

    def _end(self, ended: Ended, future: Future[Any]) -> None:
        if future.cancelled():
            ended(None, StreamCancelledError("a call of the stream was cancelled, by other code or with its executor"))
            return
        error = future.exception()
        if error is None:
            ended(future.result(), None)
        else:
            self._explain(error)
            ended(None, error)

    def _explain(self, error: BaseException) -> None:
        """Add a note to an error of the executor that says what to do, once."""
        note = self._remedy(error)
        if note is not None and note not in getattr(error, "__notes__", ()):
            error.add_note(note)

    def _remedy(self, error: BaseException) -> str | None:
        if isinstance(error, BrokenExecutor):
            return (
                f"{self._executor!r} has lost a worker and runs nothing more: look for what ended it, such as too "
                f"little memory; to go on with another one, pass a function that makes the executor, and add retry()"
            )
        if type(error) is RuntimeError and "after" in str(error) and "shutdown" in str(error):
            return f"{self._executor!r} was shut down: do that after the end of the stream, or pass a function for it"
        if _has_processes(self._executor) and "pickle" in str(error):
            return "elements and results are pickled on their way to another process and back; pass on what can be"
        return None

    def close(self) -> None:
        """Have an executor end that was made for the stream; calls that have begun end by themselves."""
        if self._is_owned:
            self._executor.shutdown(wait=False, cancel_futures=True)


def checked_executor(
    executor: object, function: Callable[[Any], Any], chunk: int, *, operator: str
) -> Executor | Callable[[], Executor]:
    """Return an executor, or a function that makes one, or raise.

    Args:
        executor: The argument.
        function: What its workers are to call.
        chunk: With how many elements at once.
        operator: Whose argument it is.

    Raises:
        ArgumentTypeError: It is neither, or its workers are processes and the function cannot be pickled.
        ArgumentError: Its workers are interpreters, which get one element at once.
    """
    if not _makes_one(executor):
        known = cast("Executor", executor)
        _check_work(known, function, chunk, operator)
        return known
    if hasattr(executor, "__await__"):
        raise not_callable(executor, operator, "executor")
    if not callable(executor):
        raise ArgumentTypeError(
            f"{operator}(executor) needs an executor, got {executor!r} ({type(executor).__name__}); pass one of "
            f"concurrent.futures, such as ThreadPoolExecutor(4), or a function that makes one"
        )
    return checked_callable(cast("Callable[[], Executor]", executor), operator=operator, name="executor")


def executor_tasks(
    executor: Executor | Callable[[], Executor], function: Callable[[Any], Any], chunk: int, *, who: str
) -> ExecutorTasks:
    """Return the `ExecutorTasks` of an executor, or of one that is made now, for arguments that were checked.

    Raises:
        ArgumentTypeError: The function has made something else, or as for `checked_executor`.
        ArgumentError: As for `checked_executor`.
    """
    if not _makes_one(executor):
        return ExecutorTasks(cast("Executor", executor), is_owned=False)
    made = cast("Callable[[], Executor]", executor)()
    if _makes_one(made) or not hasattr(made, "shutdown"):
        raise ArgumentTypeError(
            f"{who}(executor): the function {executor!r} has to return an executor, but returned {made!r} "
            f"({type(made).__name__}); return e.g. ThreadPoolExecutor(4)"
        )
    tasks = ExecutorTasks(made, is_owned=True)
    try:
        _check_work(made, function, chunk, who)
    except BaseException:
        tasks.close()
        raise
    return tasks


def _makes_one(executor: object) -> bool:
    """Return whether this makes an executor; a class of executors has `submit`, too."""
    return isinstance(executor, type) or not callable(getattr(executor, "submit", None))


def _check_work(executor: Executor, function: Callable[[Any], Any], chunk: int, operator: str) -> None:
    """Raise if the workers of an executor cannot get the function, or several elements at once."""
    if _has_processes(executor):
        from multiprocessing.reduction import ForkingPickler

        try:
            ForkingPickler.dumps(function)
        except Exception as error:
            raise ArgumentTypeError(
                f"{operator}(function) cannot send {function!r} to the processes of {executor!r}, since it cannot be "
                f"pickled: {error}; define it with def at the top of a module, or use a ThreadPoolExecutor"
            ) from error
    if chunk != 1 and _is_pool(executor, "interpreter", "InterpreterPoolExecutor"):
        raise ArgumentError(
            f"{operator}(chunk) needs 1 for {executor!r}, got {chunk}: this package cannot be imported in its "
            f"interpreters; give them lists of elements, made by buffer(), or use a ProcessPoolExecutor"
        )


def _has_processes(executor: object) -> bool:
    return _is_pool(executor, "process", "ProcessPoolExecutor")


def _is_pool(executor: object, module: str, name: str) -> bool:
    """Return whether this is a pool of a module, which is loaded if there is one of its pools."""
    loaded = sys.modules.get(f"concurrent.futures.{module}")
    return loaded is not None and isinstance(executor, getattr(loaded, name))
