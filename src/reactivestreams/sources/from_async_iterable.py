"""from_async_iterable: send the elements of an asynchronous iterable."""

from collections.abc import AsyncIterable, Callable
from typing import TYPE_CHECKING, Any, ClassVar

from reactivestreams.arguments import checked_count, checked_loop
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import (
    Checked,
    OperatorDefinition,
    Recovery,
    U,
    checked_recovery,
    written_recovery,
)
from reactivestreams.sources.async_reader import AsyncReader
from rs_core.sources.async_iterable import AsyncSource

if TYPE_CHECKING:
    from reactivestreams.schedulers.loop_tasks import Loop

DEFAULT_PREFETCH = 32
"""By default, how many elements may be read and not yet passed on."""


class FromAsyncIterable(OperatorDefinition):
    """Send the elements of an asynchronous iterable, such as a generator; a task of an event loop reads it.

    Args:
        iterable: Has `__aiter__()`; each subscription iterates it again. An iterator, such as a generator, can be read
            by only one.
        prefetch: How many elements may be read and not yet passed on, from 1 to 2**24.
        loop: The asyncio event loop of the reading task, or the token of a trio run; None: the loop that runs in the
            thread that subscribes.
        recovery: How a stream recovered from saved state reads the iterable, if not in the default way; see Recovery.

    Demand: as many elements as requested are read, but never more than `prefetch` at a time.
    Errors: an exception of the iterable is passed on after the elements before it. WrongEventLoopError if there is no
        loop.
    State: the elements that were read and not passed on; with `recovery="skips"` the number of elements passed on,
        because the iterable yields the others again. Version 1.0.0.0.
    Recovery: `restarts`: a recovered stream reads the iterable from its start; `none` for an iterator, such as a
        generator. So a tree with this source can only be saved with `allow_restart=True`. Pass `recovery="skips"` if a
        new iteration yields the same elements: as many as were passed on are skipped. Pass `recovery="exact"` if a new
        iteration continues after the elements that it has yielded.
    Threads: the iterable is read in the loop's thread; cancelling the stream cancels the reading task, which awaits the
        iterator's `aclose()`.
    Rules: §1.1, §3.4, §3.5.

    Example:
        >>> import asyncio
        >>> from reactivestreams import Stream
        >>> async def countdown():
        ...     for number in range(3, 0, -1):
        ...         yield number
        >>> async def main():
        ...     return await Stream.from_async_iterable(countdown()).to_list_async()
        >>> asyncio.run(main())
        [3, 2, 1]
    """

    id = "rx://sources/from_async_iterable"
    method = "from_async_iterable"
    serializable = False
    recovery: ClassVar[Recovery | None] = "restarts"

    @staticmethod
    def parameters(
        iterable: AsyncIterable[U],
        *,
        prefetch: int = DEFAULT_PREFETCH,
        loop: "Loop | None" = None,
        recovery: Recovery | None = None,
    ) -> Checked[U]:
        """Return the checked parameters."""
        if not hasattr(iterable, "__aiter__"):
            remedy = "call the function" if callable(iterable) else "use from_iterable for an ordinary iterable"
            raise ArgumentTypeError(
                f"from_async_iterable(iterable) needs an asynchronous iterable, got {iterable!r} "
                f"({type(iterable).__name__}); {remedy}"
            )
        return Checked(
            (
                AsyncReader(iterable, checked_loop(loop, operator="from_async_iterable")),
                checked_count(prefetch, operator="from_async_iterable", name="prefetch", at_least=1, at_most=2**24),
                checked_recovery(recovery, operator="from_async_iterable", default=_default_recovery(iterable)),
            )
        )

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return the given recovery, or the default for the iterable."""
        return parameters[2]  # type: ignore[no-any-return]

    @staticmethod
    def stage(reader: AsyncReader, prefetch: int, recovery: Recovery) -> AsyncSource:
        """Return a new live stage."""
        return AsyncSource(reader, prefetch, False, recovery == "skips")

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        reader, prefetch, recovery = parameters
        parts = [show(reader.iterable)]
        parts += [] if prefetch == DEFAULT_PREFETCH else [f"prefetch={prefetch}"]
        parts += [] if reader.loop is None else [f"loop={reader.loop!r}"]
        is_default = recovery == _default_recovery(reader.iterable)
        return f"from_async_iterable({', '.join(parts)}{written_recovery(None if is_default else recovery)})"


def _default_recovery(iterable: object) -> Recovery:
    return "none" if hasattr(iterable, "__anext__") else "restarts"
