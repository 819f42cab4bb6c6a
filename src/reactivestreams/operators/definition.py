"""What a class must say of an operator."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar, cast, get_args

from reactivestreams.arguments import checked_count, checked_timeout
from reactivestreams.errors import ArgumentError

T = TypeVar("T")
"""The type of the elements that come to an operator."""

U = TypeVar("U")
"""A type that the arguments of an operator state."""

if TYPE_CHECKING:

    class Checked(tuple[Any, ...], Generic[U]):
        """The checked parameters of an operator that passes on elements of a type."""

else:
    Checked = tuple

Recovery = Literal["exact", "skips", "restarts", "none"]
"""What a source does behind a recovery, when the state of its stream was saved and is loaded by a later run.

`exact`: it goes on with the element behind the last one that was delivered. `skips`: it begins anew and drops as many
elements as were delivered, which is right where it gives the same ones each time. `restarts`: it begins anew, and what
was delivered before comes again. `none`: what it gave is not given again, nor what would have come meanwhile.
"""


def checked_recovery(recovery: object, *, operator: str, default: Recovery) -> Recovery:
    """Return what a user states of a source's recovery, the default for None.

    Raises:
        ArgumentError: It is no recovery.
    """
    if recovery is None:
        return default
    if recovery not in get_args(Recovery):
        raise ArgumentError(
            f"{operator}(recovery) must be one of {', '.join(get_args(Recovery))}, got {recovery!r}; 'skips' is right "
            f"where the same elements come each time, 'exact' where it goes on by itself behind what it gave"
        )
    return cast("Recovery", recovery)


def written_recovery(recovery: Recovery | None = None) -> str:
    """Return the argument `recovery` as one would write it behind others; empty: it was not stated."""
    return "" if recovery is None else f", recovery={recovery!r}"


def checked_bound(max_elements: object, *, operator: str) -> int | None:
    """Return how many elements an operator may hold, from 1, or None for no bound, or raise as `checked_count` does."""
    if max_elements is None:
        return None
    return checked_count(max_elements, operator=operator, name="max_elements", at_least=1)


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

    serializable: ClassVar[bool] = True
    """Whether it means the same in another process; an operator bound to a thread of this one does not."""

    @classmethod
    def serializable_with(cls, parameters: tuple[Any, ...]) -> bool:
        """Return whether it means the same in another process with these parameters."""
        return cls.serializable

    node_parameters: ClassVar[tuple[str, ...]] = ()
    """Names of the parameters in the description's node, where these are not the arguments of the method."""

    recovery: ClassVar[Recovery | None] = None
    """Of a source, what it does behind a recovery where its parameters do not say otherwise; None: it is no source."""

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery | None:
        """Return what a source with these parameters does behind a recovery; None: it is no source."""
        return cls.recovery

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it; overridden where parameters have names or defaults.

        Args:
            parameters: Those of the description's node.
            show: Returns the text of one of them.
        """
        return f"{cls.method}({', '.join(map(show, parameters))})"


class FoldingDefinition(OperatorDefinition):
    """Base of the definitions of operators with one result for a whole stream.

    On a pipeline the method is the operator. On a stream it is the terminal operation, which runs the stream.
    """

    stateful = True

    if_empty: ClassVar[str] = ""
    """What to do where a stream completes without the element that is needed: the remedy in the message."""

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it: without the arguments that have their default."""
        from inspect import Parameter, signature

        given: list[str] = []
        arguments = signature(cls.parameters).parameters.values()  # type: ignore[attr-defined]  # each definition has it
        for argument, value in zip(arguments, parameters, strict=True):
            if value is not argument.default:
                is_named = argument.kind is Parameter.KEYWORD_ONLY or argument.default is not Parameter.empty
                given.append(f"{argument.name}={show(value)}" if is_named else show(value))
        return f"{cls.method}({', '.join(given)})"

    @classmethod
    def result_of(cls, stream: Any, parameters: tuple[Any, ...], timeout_seconds: float | None) -> Any:
        """Run a stream and return the result.

        A definition for which an end makes it faster has besides a class method `run(stream, timeout_seconds, ...)`,
        which takes the arguments of `parameters` and checks them as that does. The terminal operation calls it instead.
        """
        from rs_core.ends.blocking import FirstEnd

        end: FirstEnd[Any] = FirstEnd(stream._then(cls, parameters), cls.method)
        return end.wait(timeout_seconds=checked_timeout(timeout_seconds, operator=cls.method))
