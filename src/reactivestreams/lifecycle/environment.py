"""The other artifacts of a host, which higher-order operators look up."""

import threading
from abc import ABC, abstractmethod
from typing import Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle.errors import ArtifactKindError, ArtifactNotReadyError, UnknownArtifactError
from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec.structure import has_methods
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["ExecutionEnvironment", "LocalExecutionEnvironment"]


@refuses_deferred_hooks("and await before it is called")
class ExecutionEnvironment(ABC):
    """Find subjects and subscriptions of the same host by their ids; documented as a base.

    A host defines `find_artifact`; this class does the checks.
    """

    __slots__ = ("__weakref__",)

    @abstractmethod
    def find_artifact(self, artifact_id: str) -> tuple[bool, object]:
        """Return whether an id is registered, and its artifact; None if it does not exist yet."""

    def get_subject(self, artifact_id: str, *, accepts: Any = object, sends: Any = object) -> Any:
        """Return the subject under an id, bound to the types of this use.

        Args:
            artifact_id: The id.
            accepts: The type of the elements that this use pushes: a class, or what the subject has conversions for.
            sends: The type of the elements that this use gets.

        Returns:
            What `to_typed(accepts, sends)` of the subject returns; the subject itself where it has no such method, or
            no type is passed.

        Raises:
            UnknownArtifactError: The id is not registered.
            ArtifactKindError: The artifact has another kind.
            ArtifactNotReadyError: The artifact does not exist yet.
        """
        artifact = self._find_ready(artifact_id, "get_subject")
        if not _is_subject(type(artifact)):
            raise _another_kind(artifact_id, artifact, "get_subject", "no subject")
        to_typed: Any = getattr(artifact, "to_typed", None)
        if to_typed is None or (accepts is object and sends is object):
            return artifact
        return to_typed(accepts, sends)

    def get_subscription(self, artifact_id: str) -> OperatorSubscription:
        """Return the subscription under an id.

        Raises:
            UnknownArtifactError: The id is not registered.
            ArtifactKindError: The artifact has another kind.
            ArtifactNotReadyError: The artifact does not exist yet.
        """
        artifact = self._find_ready(artifact_id, "get_subscription")
        if isinstance(artifact, OperatorSubscription) and not _is_subject(type(artifact)):
            return artifact
        raise _another_kind(artifact_id, artifact, "get_subscription", "no subscription")

    def _find_ready(self, artifact_id: str, call: str) -> object:
        if not isinstance(artifact_id, str):
            raise ArgumentTypeError(
                f"{call}(artifact_id) needs a text, got {artifact_id!r} ({type(artifact_id).__name__}); pass an id"
            )
        is_known, artifact = self.find_artifact(artifact_id)
        if not is_known:
            raise UnknownArtifactError(
                f"{call}({artifact_id!r}): nothing is registered under this id; "
                f"look at its spelling, and register what is to be found"
            )
        if artifact is None:
            raise ArtifactNotReadyError(
                f"{call}({artifact_id!r}): this is registered and was not made yet; ask for it when it has started"
            )
        return artifact


class LocalExecutionEnvironment(ExecutionEnvironment):
    """Store artifacts in a table: for hosts of a single process, and for tests.

    Threads: any.

    Example:
        >>> from reactivestreams.lifecycle import NOP
        >>> environment = LocalExecutionEnvironment()
        >>> environment.register("rx://queries/flights", NOP)
        >>> environment.get_subscription("rx://queries/flights")
        NOP
    """

    __slots__ = ("_artifacts", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._artifacts: dict[str, object] = {}

    def find_artifact(self, artifact_id: str) -> tuple[bool, object]:
        """Return whether an id is registered, and its artifact."""
        with self._lock:
            return artifact_id in self._artifacts, self._artifacts.get(artifact_id)

    def register(self, artifact_id: str, artifact: object | None = None) -> None:
        """Register an artifact, or with None only its id; then register it again when it exists.

        Raises:
            ArgumentError: The id already has an artifact.
        """
        with self._lock:
            present = self._artifacts.get(artifact_id)
            if present is None:
                self._artifacts[artifact_id] = artifact
        if present is not None:
            raise ArgumentError(
                f"register({artifact_id!r}): {present!r} is registered under this id; unregister it, or take another id"
            )

    def unregister(self, artifact_id: str) -> None:
        """Remove an id without disposing its artifact. Unknown ids are ignored."""
        with self._lock:
            self._artifacts.pop(artifact_id, None)


def _is_subject(kind: type) -> bool:
    """Return whether a class has the methods of a typed or untyped subject."""
    typed = has_methods(kind, "create_observer", "subscribe", "dispose")
    untyped = has_methods(kind, "get_observer", "get_observable", "dispose")
    return typed is True or untyped is True


def _another_kind(artifact_id: str, artifact: object, call: str, what: str) -> ArtifactKindError:
    return ArtifactKindError(
        f"{call}({artifact_id!r}): {artifact!r} ({type(artifact).__name__}) is registered under this id, {what}; "
        f"ask for it with the method of its kind"
    )
