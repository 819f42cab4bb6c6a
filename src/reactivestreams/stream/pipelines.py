"""A description without a source: the same operators, to run here, in the engine or on Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.stream.operator_methods import PipelineMethods
from rs_core.stream.description import Assembly, new_head

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from reactivestreams.stream.keyed import KeyedPipeline
    from reactivestreams.stream.windowed import TimedPipeline

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a description."""

    definition: type[OperatorDefinition]
    parameters: tuple[Any, ...]
    assembly: Assembly

    def __str__(self) -> str:
        return f"{self.definition.id} assembled at {self.assembly}"


class _Inlet(OperatorDefinition):
    """The first node of every pipeline, in place of a source."""

    id = "rx://sources/inlet"
    method = "inlet"

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call that there would be if it had a method."""
        return f"{cls.method}()"


class Pipeline(PipelineMethods[A, T]):
    """A chain of operators without a source: an immutable value.

    `Stream.through(pipeline)` runs it here, `reactivestreams.spark.apply(pipeline, frame)` runs it on Spark.

    Example:
        >>> from reactivestreams import Stream, pipeline
        >>> doubled = pipeline().map(lambda element: element * 2).filter(lambda element: element > 2)
        >>> Stream.range(4).through(doubled).to_list()
        [4, 6]
    """

    __slots__ = ()

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The operators in the order in which an element passes them."""
        return tuple(Operator(node.definition, node.parameters, node.assembly) for node in self.nodes()[1:])

    def slice(self, start: int, stop: int | None = None) -> Pipeline[Any, Any]:
        """Return the pipeline of the operators from index `start` up to, but excluding, index `stop`."""
        return _chain(self.operators[start:stop])

    def through(self, other: Pipeline[T, U] | Callable[[Pipeline[A, T]], Pipeline[A, U]]) -> Pipeline[A, U]:
        """Return this pipeline followed by another one, or the result of a function of this pipeline.

        Args:
            other: A pipeline; or a function, which is called at once with this pipeline and returns a pipeline.

        Raises:
            ArgumentTypeError: The argument is neither, or the function did not return a Pipeline.
        """
        if not isinstance(other, Pipeline):
            return cast("Pipeline[A, U]", applied(other, self, Pipeline))
        return cast("Pipeline[A, U]", _chain((*self.operators, *other.operators)))

    def key_by(self, key: Callable[[T], object], *, max_keys: int = 1_000_000) -> KeyedPipeline[A, T]:
        """Use one state per key in the next operator."""
        from reactivestreams.stream.keyed import KeyedPipeline

        return KeyedPipeline(self, key, max_keys)

    def with_timestamps(
        self, timestamp: Callable[[T], object], *, max_lateness: float | timedelta = 0
    ) -> TimedPipeline[A, T]:
        """State when the elements happened; see `Stream.with_timestamps`."""
        from reactivestreams.stream.windowed import TimedPipeline

        return TimedPipeline(self, timestamp, max_lateness)

    @classmethod
    def _missing_name(cls, name: str, /) -> AttributeError:
        from reactivestreams.stream.missing_names import missing_name

        return missing_name(cls, name)

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import chain_text

        return chain_text("pipeline()", self.nodes()[1:])

    def _repr_html_(self) -> str:
        from reactivestreams.stream.presentation import chain_html

        return chain_html("Pipeline", self.nodes()[1:])


def applied(function: Any, subject: Any, kind: type[Any]) -> Any:
    """Return the result of the function that was passed to `through`.

    Raises:
        ArgumentTypeError: It is not a function, or it does not return the kind of object that it received.
    """
    if not callable(function):
        raise ArgumentTypeError(
            f"through(pipeline) needs a Pipeline or a function, got {function!r} ({type(function).__name__}); begin "
            f"with pipeline(), or pass a function from a {kind.__name__} to a {kind.__name__}"
        )
    made = checked_callable(function, operator="through", name="function")(subject)
    if not isinstance(made, kind):
        raise ArgumentTypeError(
            f"through(function): {function!r} has to return a {kind.__name__}, and returned {made!r:.200} "
            f"({type(made).__name__}); return what the operators that it adds return"
        )
    return made


def _chain(operators: tuple[Operator, ...]) -> Pipeline[Any, Any]:
    chain = pipeline()
    for operator in operators:
        chain = chain._add(operator)  # pyright: ignore[reportPrivateUsage]  # pipelines are built with it
    return chain


def pipeline() -> Pipeline[Any, Any]:
    """Return an empty pipeline, to which operators are added by its methods.

    Example:
        >>> from reactivestreams import pipeline
        >>> pipeline().skip(1).take(2)
        pipeline().skip(1).take(2)
    """
    empty: Pipeline[Any, Any] = new_head(Pipeline, _Inlet)
    return empty
