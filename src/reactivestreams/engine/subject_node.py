"""The node that hosts a subject, so that it is saved and recovered like everything else."""

from typing import Any, cast

from reactivestreams.errors import StateError
from reactivestreams.lifecycle import StatefulNode
from reactivestreams.state import StateReader, StateWriter, Version
from reactivestreams.subjects.in_memory_subject import InMemorySubject

__all__ = ["SubjectNode"]


class SubjectNode(StatefulNode):
    """Hosts a subject. State: that of the subject."""

    name = "rx://engine/subject"

    def __init__(self, subject: InMemorySubject[Any]) -> None:
        self.subject = subject
        self.writer_id: str | None = None
        """The id of the query whose elements go into it."""
        self._token: int | None = None

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
