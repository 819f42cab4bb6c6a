"""What brings elements into an engine: the interface that users implement, and the node that hosts it."""

from collections import deque
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from reactivestreams.engine.errors import IngressGapError
from reactivestreams.engine.hosting import Host
from reactivestreams.engine.statistics import Figures
from reactivestreams.guarantees import Guarantee, PartGuarantee
from reactivestreams.lifecycle import StatefulNode
from reactivestreams.schedulers import YieldableItemProcessingTask, YieldToken
from reactivestreams.state import StateReader, StateWriter, Version
from reactivestreams.subjects import BroadcastSubject, lockstep
from rs_core.demand import Demand
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DEFAULT_POLL_INTERVAL", "MAX_RETRY_INTERVAL", "READ_BATCH", "Ingress", "IngressNode"]

READ_BATCH = 128
"""How many elements are read at a time at most."""

DEFAULT_POLL_INTERVAL = timedelta(milliseconds=100)
"""After how long an ingress that had nothing is read again, unless it calls `wake`."""

MAX_RETRY_INTERVAL = timedelta(seconds=60)
"""After how long at most an ingress whose `read` raised is read again."""


@refuses_deferred_hooks("and give back what has arrived; an asynchronous source pushes into a PushInput")
class Ingress:
    """Bring elements of the outside world into an engine, exactly once each; documented as a base.

    It can give again what it gave, from any position that was not acknowledged: a file, a table, a partition of a log.
    What cannot do that is pushed into a `PushInput`, whose elements are stored first.

    Positions are numbers of elements: the first element has 1, and each following one has one more; a gap ends the
    ingress with `IngressGapError`. Beside them an ingress may keep a bookmark, any value that state can hold, by which
    it finds its place again, such as an offset in bytes.

    Threads: `open`, `read` and `close` are called by the engine's scheduler, or while that is held; `acknowledge` by
    the thread that stores checkpoints, perhaps beside `read`.

    Example:
        >>> class Numbers(Ingress):
        ...     def open(self, position, bookmark):
        ...         self.position = position
        ...
        ...     def read(self, max_elements):
        ...         first = self.position + 1
        ...         self.position += max_elements
        ...         return [(number, number) for number in range(first, self.position + 1)]
        >>> numbers = Numbers()
        >>> numbers.open(0, None)
        >>> numbers.read(2), numbers.read(1)
        ([(1, 1), (2, 2)], [(3, 3)])
    """

    poll_interval: timedelta = DEFAULT_POLL_INTERVAL

    guarantee: PartGuarantee = PartGuarantee(
        "ingress", Guarantee.EXACTLY_ONCE, "it is read again from the last position that a checkpoint contains"
    )
    """What it guarantees when the process dies; a subclass that cannot read again states less, with the reason."""

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after a position.

        Args:
            position: Of the last element that counts as read; 0 at the beginning.
            bookmark: What `bookmark` was after that element; None at the beginning.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define open(position, bookmark)")

    def read(self, max_elements: int) -> Sequence[tuple[int, Any]] | None:
        """Return the next elements with their positions, without waiting for any.

        Where it raises, the ingress is closed and opened again at the last position after a while, longer each time;
        `IngressGapError` is final.

        Returns:
            `max_elements` at most; empty: there are none now; None: there will be no more.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define read(max_elements)")

    @property
    def bookmark(self) -> Any:
        """Where it is, after what `read` returned last; None by default."""
        return None

    def acknowledge(self, position: int) -> None:
        """Forget what was read up to a position: a checkpoint is stored that contains it. Idempotent."""

    def close(self) -> None:
        """Release the resources of this process. Idempotent."""

    def wake(self) -> None:
        """Have `read` called soon, because there are elements; a subclass calls this, in any thread.

        Does nothing before the engine has started it.
        """
        host = getattr(self, "_ingress_host", None)
        if host is not None:
            host.wake()


class IngressNode(StatefulNode):
    """Hosts an ingress: reads what its subject may pass on, and saves how far it came.

    State: the last position, the bookmark, what was read and not passed on, and whether it has ended.
    """

    name = "rx://engine/ingress"

    def __init__(self, ingress: Ingress, host: Host) -> None:
        self.ingress = ingress
        self.subject: BroadcastSubject[Any] = BroadcastSubject(policy=lockstep(capacity=READ_BATCH))
        self.position: int = 0
        self.bookmark: Any = None
        self.has_ended: bool = False
        self.last_error: Exception | None = None
        self._host = host
        self._waiting: deque[Any] = deque()
        self._demand = Demand()
        self._may_read = True
        self._failures = 0
        self._is_open = False
        self._saved_position = 0

    # --- the life cycle ---------------------------------------------------------------------------------------------

    def on_start(self) -> None:
        """Open the ingress, and begin to read."""
        self.ingress.open(self.position, self.bookmark)
        self._is_open = True
        self.ingress.acknowledge(self.position)  # perhaps once more
        self.context.scheduler.schedule(YieldableItemProcessingTask(self, batch_size=READ_BATCH))
        vars(self.ingress)["_ingress_host"] = self
        self.subject.on_subscribe(self)
        if self.has_ended:
            self.subject.on_complete()

    def on_dispose(self) -> None:
        """Close the ingress."""
        self.unload()
        self.subject.dispose()

    def unload(self) -> None:
        """Close the ingress, whose state remains."""
        vars(self.ingress).pop("_ingress_host", None)
        if self._is_open:
            self._is_open = False
            self.ingress.close()

    # --- the subscription of the subject ----------------------------------------------------------------------------

    def request(self, n: int) -> None:
        """Let n more elements be passed on."""
        self._demand.add(n)
        self._wake_task()

    def cancel(self) -> None:
        """Pass nothing on any more."""
        self._demand.cancel()

    def figures(self) -> Figures:
        """Return its numbers."""
        behind = self.position - self._saved_position
        return Figures(self.position, self._demand.value, len(self._waiting), READ_BATCH, behind)

    # --- reading ----------------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Read soon; any thread."""
        self._may_read = True
        self._wake_task()

    def _wake_task(self) -> None:
        if not self.is_disposed:
            self.context.scheduler.recalculate_priority()

    @property
    def item_count(self) -> int:
        """1 if there is something to do."""
        return int(
            self._demand.value > 0 and not self.has_ended and self._is_open and (self._may_read or bool(self._waiting))
        )

    def process(self, batch_size: int, yield_token: YieldToken) -> None:
        """Read, and pass on what is requested, until asked to yield."""
        if not self._waiting:
            self._read(min(batch_size, self._demand.value))
        if self._waiting:
            self.mark_changed()
            self.subject.core.accept_from(self._waiting, self._demand, self.context.scheduler.node)
        if self.has_ended and not self._waiting:
            self.subject.on_complete()

    def _read(self, most: int) -> None:
        self._may_read = False  # before the read, so that a wake beside it counts
        try:
            if self._failures:  # nobody knows where it stands
                self.ingress.close()
                self.ingress.open(self.position, self.bookmark)
            found = self.ingress.read(most)
            elements = self._checked(found)
        except IngressGapError:
            raise
        except Exception as error:
            self.last_error = error
            self._failures += 1
            self._host.report("ingress", error)
            longest = MAX_RETRY_INTERVAL // self.ingress.poll_interval
            self._look_again(self.ingress.poll_interval * min(2 ** min(self._failures, 30), max(1, longest)))
            return
        self._failures = 0
        if found is None:
            self.has_ended = True
            self.mark_changed()
        elif not elements:
            self._look_again(self.ingress.poll_interval)
        else:
            self._may_read = True
            self._waiting.extend(elements)
            self.position += len(elements)
            self.bookmark = self.ingress.bookmark
            self.mark_changed()

    def _checked(self, found: Sequence[tuple[int, Any]] | None) -> list[Any]:
        elements: list[Any] = []
        for position, element in found or ():
            expected = self.position + len(elements) + 1
            if position != expected:
                raise IngressGapError(
                    f"{self.ingress!r} gave position {position!r} after {expected - 1}; positions follow each other, "
                    f"else elements are lost or come twice: number the elements by one each"
                )
            elements.append(element)
        return elements

    def _look_again(self, delay: timedelta) -> None:
        self.context.scheduler.schedule(self.wake, due=delay)

    # --- state --------------------------------------------------------------------------------------------------------

    def save_fields(self, writer: StateWriter) -> None:
        """Write how far it came."""
        writer.write(self.position)
        writer.write(self.bookmark)
        writer.write(list(self._waiting))
        writer.write(self.has_ended)
        self._saved_position = self.position

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read how far it came."""
        self.position = self._saved_position = reader.read_count()
        self.bookmark = reader.read()
        self._waiting = deque(reader.read(list))
        self.has_ended = reader.read(bool)

    def was_stored(self) -> None:
        """Acknowledge what was saved, which is stored now."""
        if self._is_open:
            self.ingress.acknowledge(self._saved_position)
