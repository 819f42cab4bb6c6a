"""The interface of a node of a running subscription."""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable
from typing import Any

from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["Operator", "UnaryOperator"]

_METHODS = ("subscribe", "set_context", "start", "accept", "dispose")


@structural
class Operator(OperatorSubscription, PlainInterface, metaclass=ABCMeta):
    """A node of a tree. A host calls these methods in this order, each once.

    1. `subscribe()`: make the inputs. 2. `set_context(context)`. 3. Load state, if the run continues an earlier one.
    4. `start()`: signals are sent. 5. `dispose()`, which may be called at any time, also before and inside the others.

    A class conforms by its members. Every stage does: `rs_core.Stage`, `PythonStage` and what derives from them.

    Example:
        >>> from rs_core.operators.python_operator import PythonStage
        >>> issubclass(PythonStage, Operator), issubclass(PythonStage, UnaryOperator)
        (True, True)
    """

    __slots__ = ()

    @property
    @abstractmethod
    def inputs(self) -> Iterable[OperatorSubscription]:
        """The upstream subscriptions in a fixed order; empty before `subscribe`, kept after `dispose`.

        Their number and order are the same when state is loaded as they were when it was saved.
        """

    @abstractmethod
    def subscribe(self) -> None:
        """Make the inputs, once. Nothing is sent."""

    @abstractmethod
    def set_context(self, context: Any, /) -> None:
        """Store the context of the host: scheduler, environment, settings."""

    @abstractmethod
    def start(self) -> None:
        """Start, once. A node that is disposed, also in the state that it was loaded from, does not start."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, *_METHODS, attributes=["inputs"]) if cls is Operator else NotImplemented


@structural
class UnaryOperator(Operator, PlainInterface, metaclass=ABCMeta):
    """A node with at most one input."""

    __slots__ = ()

    @property
    @abstractmethod
    def input(self) -> OperatorSubscription:
        """The upstream subscription; before `subscribe`, and for a source, a subscription that does nothing."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        attributes = ["inputs", "input"]
        return has_methods(candidate, *_METHODS, attributes=attributes) if cls is UnaryOperator else NotImplemented
