"""What a host provides to the operators of a subscription."""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.lifecycle.environment import ExecutionEnvironment
from reactivestreams.lifecycle.trace import OperatorTrace
from reactivestreams.spec.structure import PlainInterface, has_methods, structural
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["ContextScheduler", "DefaultOperatorContext", "OperatorContext"]


class ContextScheduler(Protocol):
    """The part of a scheduler that the life cycle needs; `reactivestreams.schedulers.Scheduler` has it and more."""

    def schedule(self, task: Any, /) -> object:
        """Schedule a task."""


_PROPERTIES = ("instance_id", "scheduler", "reactive_service", "trace", "execution_environment")


@structural
class OperatorContext(PlainInterface, metaclass=ABCMeta):
    """Provide objects that operators must not make themselves: threads, clocks, settings, other artifacts.

    All nodes of a tree get the same object, between `subscribe` and the loading of state.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def instance_id(self) -> str:
        """The id of the artifact that owns the operators, such as the URI of a query."""

    @property
    @abstractmethod
    def scheduler(self) -> ContextScheduler:
        """The scheduler for all asynchronous work, with the clock."""

    @property
    @abstractmethod
    def reactive_service(self) -> Any:
        """The host's client interface, for operators that make artifacts, or None."""

    @property
    @abstractmethod
    def trace(self) -> OperatorTrace | None:
        """The logger; `context.trace.at(node)` names the operator. None means no messages."""

    @property
    @abstractmethod
    def execution_environment(self) -> ExecutionEnvironment | None:
        """The other artifacts of the host, or None."""

    @abstractmethod
    def try_get_element(self, element_id: str, /) -> tuple[bool, Any]:
        """Return whether the host has a setting or a service with an id, and its value."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return (
            has_methods(candidate, "try_get_element", attributes=_PROPERTIES)
            if cls is OperatorContext
            else NotImplemented
        )


@refuses_deferred_hooks("and await before the context is made")
class DefaultOperatorContext(OperatorContext):
    """Hold the objects that a program provides to the operators of one subscription; documented as a base.

    Args:
        instance_id: The id of the operators' owner, not empty.
        scheduler: The scheduler on which they run.
        reactive_service: The host's client interface, or None.
        trace: Their logger; by default a logger that names the instance.
        execution_environment: The other artifacts of the host, or None.
        elements: Settings and services by their ids, such as limits of operators.

    Raises:
        ArgumentTypeError: The id is not a text, or the scheduler is not a scheduler.
        ArgumentError: The id is empty.

    Threads: immutable, so any.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> context = DefaultOperatorContext(
        ...     "rx://queries/flights", ImmediateScheduler(), elements={"rx://operators/buffer/settings/max_count": 100}
        ... )
        >>> context.try_get_element("rx://operators/buffer/settings/max_count"), context.try_get_element("rx://other")
        ((True, 100), (False, None))
    """

    def __init__(
        self,
        instance_id: str,
        scheduler: ContextScheduler,
        *,
        reactive_service: Any = None,
        trace: OperatorTrace | None = None,
        execution_environment: ExecutionEnvironment | None = None,
        elements: Mapping[str, object] | None = None,
    ) -> None:
        if not isinstance(instance_id, str):
            raise ArgumentTypeError(
                f"DefaultOperatorContext(instance_id) needs a text, got {instance_id!r} "
                f"({type(instance_id).__name__}); pass the id of what owns the operators, such as a URI"
            )
        if not instance_id:
            raise ArgumentError(
                "DefaultOperatorContext(instance_id) needs a text that is not empty, got ''; "
                "pass the id of what owns the operators, such as a URI"
            )
        if not callable(getattr(scheduler, "schedule", None)):
            raise ArgumentTypeError(
                f"DefaultOperatorContext(scheduler) needs a scheduler, got {scheduler!r} "
                f"({type(scheduler).__name__}); pass e.g. ImmediateScheduler()"
            )
        self._instance_id = instance_id
        self._scheduler = scheduler
        self._reactive_service = reactive_service
        self._trace = trace
        self._execution_environment = execution_environment
        self._elements = dict(elements or {})

    @property
    def instance_id(self) -> str:
        """The id of the artifact that owns the operators."""
        return self._instance_id

    @property
    def scheduler(self) -> ContextScheduler:
        """The scheduler for all asynchronous work."""
        return self._scheduler

    @property
    def reactive_service(self) -> Any:
        """The host's client interface, or None."""
        return self._reactive_service

    @property
    def trace(self) -> OperatorTrace:
        """The logger."""
        if self._trace is None:  # few operators log, and threads that make one at a time make the same
            self._trace = OperatorTrace(self._instance_id)
        return self._trace

    @property
    def execution_environment(self) -> ExecutionEnvironment | None:
        """The other artifacts of the host, or None."""
        return self._execution_environment

    def try_get_element(self, element_id: str, /) -> tuple[bool, Any]:
        """Return whether there is a setting or a service under an id, and that, or None."""
        return element_id in self._elements, self._elements.get(element_id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._instance_id!r}, {self._scheduler!r})"


class ContextOn(OperatorContext):
    """The context of a host, or of none, as operators have it that run on another scheduler.

    Args:
        context: The host's context, or None.
        scheduler: The scheduler of the operators; None: signals pass in the call that brings them.
    """

    def __init__(self, context: OperatorContext | None, scheduler: Any) -> None:
        self._context = context
        self._scheduler = scheduler

    @property
    def instance_id(self) -> str:
        """The id of the artifact that owns the operators; empty without a host."""
        return "" if self._context is None else self._context.instance_id

    @property
    def scheduler(self) -> Any:
        """The other scheduler."""
        return self._scheduler

    @property
    def reactive_service(self) -> Any:
        """The host's client interface, or None."""
        return None if self._context is None else self._context.reactive_service

    @property
    def trace(self) -> OperatorTrace | None:
        """The logger, or None."""
        return None if self._context is None else self._context.trace

    @property
    def execution_environment(self) -> ExecutionEnvironment | None:
        """The other artifacts of the host, or None."""
        return None if self._context is None else self._context.execution_environment

    def try_get_element(self, element_id: str, /) -> tuple[bool, Any]:
        """Return whether the host has a setting or a service with an id, and its value."""
        return (False, None) if self._context is None else self._context.try_get_element(element_id)
