"""The node that hosts a subject, so that it is saved and recovered like everything else."""

from typing import Any, cast

from reactivestreams.engine.statistics import Figures
from reactivestreams.errors import StateError
from reactivestreams.lifecycle import StatefulNode
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.state import StateReader, StateWriter, Version
from reactivestreams.subjects import ConvertingSubject
from reactivestreams.subjects.in_memory_subject import InMemorySubject

__all__ = ["SubjectNode"]


class SubjectNode(StatefulNode):
    """Hosts a subject: a subscriber of the query whose elements go into it, and the upstream of the subject.

    It stands between the two, since a query may be deleted and another one take its place, with the demand that is
    left.

    Args:
        subject: The subject.
        conversions: What converts its elements for uses of other types, or None.

    State: that of the subject.
    """

    name = "rx://engine/subject"

    def __init__(self, subject: InMemorySubject[Any], conversions: ConvertingSubject | None = None) -> None:
        self.subject = subject
        self.conversions: ConvertingSubject | None = conversions
        self.writer_id: str | None = None
        """The id of the query whose elements go into it."""
        self._token: int | None = None
        self._writer: Any = None
        self._demand = 0
        self._passed = 0
        self._is_attached = False

    def on_start(self) -> None:
        """Become the upstream of the subject."""
        self._attach()

    def _attach(self) -> None:
        self._is_attached = True
        self._demand = 0
        self.subject.on_subscribe(self)

    # --- the subscription of the subject ----------------------------------------------------------------------------

    def request(self, n: int) -> None:
        """Request elements of the query, or of the one that will come."""
        self._demand = min(MAX_DEMAND, self._demand + n)
        if self._writer is not None:
            self._writer.request(n)

    def cancel(self) -> None:
        """Cancel the query: the subject takes nothing any more."""
        self._is_attached = False
        self._demand = 0
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.cancel()

    def figures(self) -> Figures:
        """Return its numbers."""
        return Figures(elements=self._passed, demand=self._demand)

    # --- the subscriber of the query --------------------------------------------------------------------------------

    def on_subscribe(self, subscription: Any, /) -> None:
        """Take the subscription of the query, unless there is one or the subject has ended."""
        if self._writer is None and not self._is_attached:
            self._attach()  # it forgets ends, or cancels this again
        if self._writer is not None or not self._is_attached:
            subscription.cancel()  # §2.5
            return
        self._writer = subscription
        if self._demand:
            subscription.request(self._demand)

    def on_next(self, element: Any, /) -> None:
        """Pass an element on."""
        if self._demand != MAX_DEMAND:
            self._demand -= 1
        self._passed += 1
        self.subject.on_next(element)

    def on_error(self, error: Exception, /) -> None:
        """Pass an error on."""
        self.forget_writer()
        self._is_attached = False
        self.subject.on_error(error)

    def on_complete(self) -> None:
        """Pass the completion on."""
        self.forget_writer()
        self._is_attached = False
        self.subject.on_complete()

    def forget_writer(self) -> None:
        """Let another query take the place of the one that has ended or was deleted."""
        self._writer = None

    # --- state --------------------------------------------------------------------------------------------------------

    @property
    def state_changed(self) -> bool:
        """Whether it has state that is not yet stored."""
        return super().state_changed or self.subject.state_changed

    def save_fields(self, writer: StateWriter) -> None:
        """Write the state of the subject."""
        writer.write(self.subject.name)
        writer.write(self.subject.version)
        with writer.create_child() as child:
            self._token = self.subject.save_state(child)

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read the state of the subject."""
        saved_name = reader.read(str)
        saved_version = cast("Version", reader.read(tuple))
        if saved_name != self.subject.name:
            raise StateError(
                f"the state is that of {saved_name!r}, and the factory made {self.subject.name!r}; "
                f"make the same subject"
            )
        with reader.create_child() as child:
            self.subject.load_state(child, saved_version)

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot was stored."""
        super().on_state_saved(generation)
        self.subject.on_state_saved(self._token)

    def on_dispose(self) -> None:
        """Dispose the subject."""
        self.subject.dispose()
