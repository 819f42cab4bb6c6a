"""Definitions of operators: their ids, parameters and stages."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast, get_args

from reactivestreams.arguments import checked_count, checked_timeout
from reactivestreams.errors import ArgumentError

T = TypeVar("T")
"""The type of an operator's input elements."""

U = TypeVar("U")
"""A type that the arguments of an operator define."""

S = TypeVar("S")
"""The type of what a source has for itself, such as a state or a resource."""

if TYPE_CHECKING:

    class Checked(tuple[Any, ...], Generic[U]):
        """The checked parameters of an operator that passes on elements of a type."""

else:
    Checked = tuple

Recovery = Literal["exact", "skips", "restarts", "none"]
"""What a source does after a recovery, when the state of its stream was saved and is loaded by a later run.

`exact`: it continues with the element after the last delivered one. `skips`: it starts again and drops as many elements
as were delivered, which is right if it sends the same elements each time. `restarts`: it starts again, and delivered
elements are repeated. `none`: neither delivered elements nor those in between are sent again.
"""


def checked_recovery(recovery: object, *, operator: str, default: Recovery) -> Recovery:
    """Return a source's recovery as declared by the user, or the default for None.

    Raises:
        ArgumentError: The value is not a recovery.
    """
    if recovery is None:
        return default
    if recovery not in get_args(Recovery):
        raise ArgumentError(
            f"{operator}(recovery) must be one of {', '.join(get_args(Recovery))}, got {recovery!r}; pass 'skips' if "
            f"the source sends the same elements each time, 'exact' if it continues after the last one itself"
        )
    return cast("Recovery", recovery)


def written_recovery(recovery: Recovery | None = None) -> str:
    """Return the argument `recovery` as text after other arguments; empty if it was not passed."""
    return "" if recovery is None else f", recovery={recovery!r}"


def checked_bound(max_elements: object, *, operator: str) -> int | None:
    """Return how many elements an operator may hold, from 1, or None for no bound; raise like `checked_count`."""
    if max_elements is None:
        return None
    return checked_count(max_elements, operator=operator, name="max_elements", at_least=1)


class OperatorDefinition:
    """Base of the classes that document operators and sources; they are named, not instantiated.

    A definition is the constant part of an operator: its id, the check of its parameters, and its stage. The parameters
    are in the description's node.
    """

    id: ClassVar[str]
    """The id in the operator's saved state and in errors."""

    method: ClassVar[str]
    """The name of the fluent method."""

    stage: Any  # not a ClassVar: for pyright a static method, which many have in its place, is none
    """Called with the parameters; returns a new stage."""

    stateful: ClassVar[bool] = False
    """Whether its result for an element depends on earlier elements."""

    keyed: ClassVar[bool] = False
    """Whether it has one state per key, so that elements of different keys may be processed separately."""

    has_keys: ClassVar[bool] = False
    """Whether it finds keys or elements by their hash, as all that is `keyed` does."""

    serializable: ClassVar[bool] = True
    """Whether it works in another process; what is about the threads, clock or demand of this one does not."""

    @classmethod
    def serializable_with(cls, parameters: tuple[Any, ...]) -> bool:
        """Return whether it means the same in another process with these parameters."""
        return cls.serializable

    node_parameters: ClassVar[tuple[str, ...]] = ()
    """Names of the parameters in the description's node, if they differ from the arguments of the method."""

    recovery: ClassVar[Recovery | None] = None
    """The default recovery of a source; None for operators."""

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery | None:
        """Return the recovery of a source with these parameters; None for operators."""
        return cls.recovery

    @classmethod
    def parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the parameters in the description's node, in their order there."""
        from inspect import signature

        if cls.node_parameters:
            return cls.node_parameters
        try:
            return tuple(signature(cls.stage).parameters)
        except ValueError:  # a compiled stage, which has no signature, takes the arguments as they are
            return tuple(signature(cls.parameters).parameters)  # type: ignore[attr-defined]  # each definition has it

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it, without arguments that have their default.

        Overridden if the parameters in the node are not the arguments.

        Args:
            parameters: The parameters of the description's node.
            show: Returns the text of one of them.
        """
        from inspect import Parameter, signature

        values = dict(zip(cls.parameter_names(), parameters, strict=False))  # some nodes leave out the last
        given: list[str] = []
        by_name = False  # since an argument before it is left out
        for argument in signature(getattr(cls, "parameters", cls.stage)).parameters.values():
            value: Any = values.get(argument.name, argument.default)
            if argument.kind is Parameter.VAR_POSITIONAL:
                sources: list[Any] = [*value] if isinstance(value, tuple) else [value]
                given += map(show, sources)
            elif value is argument.default or (type(value) is type(argument.default) and value == argument.default):
                by_name = True
            else:
                is_named = by_name or argument.kind is Parameter.KEYWORD_ONLY
                given.append(f"{argument.name}={show(value)}" if is_named else show(value))
        return f"{cls.method}({', '.join(given)})"


class FoldingDefinition(OperatorDefinition):
    """Base of the definitions of operators with one result for a whole stream.

    On a pipeline the method is the operator; on a stream it is the terminal operation, which runs the stream.
    """

    stateful = True

    if_empty: ClassVar[str] = ""
    """The remedy in the message for a stream that completes without the needed element."""

    @classmethod
    def result_of(cls, stream: Any, parameters: tuple[Any, ...], timeout_seconds: float | None) -> Any:
        """Run a stream and return the result.

        A definition with a faster terminal operation also has a class method `run(stream, timeout_seconds, ...)`, which
        takes and checks the arguments of `parameters`. The terminal operation calls it instead.
        """
        from rs_core.ends.blocking import FirstEnd

        end: FirstEnd[Any] = FirstEnd(stream._then(cls, parameters), cls.method)
        return end.wait(timeout_seconds=checked_timeout(timeout_seconds, operator=cls.method))
