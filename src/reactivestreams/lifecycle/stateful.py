"""What a node is that can be saved and loaded."""

from abc import ABCMeta

from reactivestreams.lifecycle.operator import Operator
from reactivestreams.spec.structure import PlainInterface, structural
from reactivestreams.state import Stateful

__all__ = ["StatefulOperator"]


@structural
class StatefulOperator(Operator, Stateful, PlainInterface, metaclass=ABCMeta):
    """Be a node whose state can be saved and loaded; state comes between `set_context` and `start`."""

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        verdict = Operator.__subclasshook__(candidate) if cls is StatefulOperator else NotImplemented
        return Stateful.__subclasshook__(candidate) if verdict is True else verdict
