"""What a node of a running subscription is to those who visit it."""

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable
from typing import Any

from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["Operator", "UnaryOperator"]

_METHODS = ("subscribe", "set_context", "start", "accept", "dispose")


@structural
class Operator(OperatorSubscription, PlainInterface, metaclass=ABCMeta):
    """Be a node: what a host does with it, in this order, each once.

    1. `subscribe()`: make the inputs. 2. `set_context(context)`. 3. Load state, where a run continues an earlier one.
    4. `start()`. Then signals flow. 5. `dispose()`, which may come at any time, also before and inside of the others.

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
        """Make the inputs, once; nothing flows."""

    @abstractmethod
    def set_context(self, context: Any, /) -> None:
        """Take what the host provides: scheduler, environment, settings."""

    @abstractmethod
    def start(self) -> None:
        """Begin, once. A node that is disposed, here or in the state it was loaded from, does not begin."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, *_METHODS, attributes=["inputs"]) if cls is Operator else NotImplemented


@structural
class UnaryOperator(Operator, PlainInterface, metaclass=ABCMeta):
    """Be a node with one input at most."""

    __slots__ = ()

    @property
    @abstractmethod
    def input(self) -> OperatorSubscription:
        """The upstream subscription; before `subscribe`, and at a source, one that does nothing."""

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        attributes = ["inputs", "input"]
        return has_methods(candidate, *_METHODS, attributes=attributes) if cls is UnaryOperator else NotImplemented
