"""What a class must say of an operator."""

from collections.abc import Callable
from typing import Any, ClassVar


class OperatorDefinition:
    """Base of the classes that document operators and sources; they are named, not instantiated.

    A definition is the part of an operator that a description can carry: its id, how its parameters are checked and
    which stage runs it. The parameters themselves stand in the description's node.
    """

    id: ClassVar[str]
    """The id that stands in front of the operator's saved state and in errors."""

    method: ClassVar[str]
    """The name of the fluent method."""

    stage: Any  # not a ClassVar: for pyright a static method, which many have in its place, is none
    """Called with the parameters, returns a new live stage."""

    stateful: ClassVar[bool] = False
    """Whether what it does with an element depends on earlier ones."""

    keyed: ClassVar[bool] = False
    """Whether it keeps one state for each key, so that elements of different keys may be handled apart."""

    movable: ClassVar[bool] = True
    """Whether it means the same in another process; an operator bound to a thread of this one does not."""

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it; overridden where parameters have names or defaults.

        Args:
            parameters: Those of the description's node.
            show: Returns the text of one of them.
        """
        return f"{cls.method}({', '.join(map(show, parameters))})"
