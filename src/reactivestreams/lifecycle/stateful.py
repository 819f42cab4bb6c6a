"""The interface of nodes with state."""

from abc import ABCMeta

from reactivestreams.lifecycle.operator import Operator
from reactivestreams.spec.structure import PlainInterface, structural
from reactivestreams.state import Stateful

__all__ = ["StatefulOperator"]


@structural
class StatefulOperator(Operator, Stateful, PlainInterface, metaclass=ABCMeta):
    """A node whose state can be saved and loaded; it is loaded between `set_context` and `start`."""

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        verdict = Operator.__subclasshook__(candidate) if cls is StatefulOperator else NotImplemented
        return Stateful.__subclasshook__(candidate) if verdict is True else verdict
