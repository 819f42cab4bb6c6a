"""lift: put an operator of one's own into a stream."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.stream.subscription import Stage

if TYPE_CHECKING:
    from rs_core.operators.python_operator import PythonStage


class Lift(OperatorDefinition):
    """Put an operator that was written as a subclass of `PythonStage`, or in Cython of `Stage`, into a stream.

    Args:
        stage_class: The subclass; every subscription makes an instance of it. Type checkers know the elements of those
            in Python; a compiled one is best put behind a function that names its types.
        parameters: What the instances are made with.

    Demand: the operator's own rule, see `PythonStage`; in Cython what its `translate` says.
    Errors: upstream's go to the operator; an exception of its hooks cancels the upstream and becomes `on_error`.
    State: what the operator saves, under its own name and version.
    Threads: its hooks run in the thread that drains the stream.
    Rules: §4.1, §4.2.
    Elsewhere: Reactor `handle`, `Operators.lift`; RxJava `lift`; reactivex a function on observables.

    Example:
        >>> from reactivestreams import Stream
        >>> from rs_core.operators.python_operator import PythonStage
        >>> class Twice(PythonStage):
        ...     name = "example/twice"
        ...     demand = "own"
        ...
        ...     def on_request(self, n):
        ...         self.request_upstream(n)
        ...
        ...     def on_next(self, element):
        ...         self.emit(element)
        ...         self.emit(element)
        >>> Stream.just(1, 2).lift(Twice).to_list()
        [1, 1, 2, 2]
    """

    id = "rx://operators/lift"
    method = "lift"
    stateful = True

    @staticmethod
    def parameters(stage_class: type[PythonStage[T, U]], *parameters: object) -> Checked[U]:
        """Return the checked parameters, with which the class can be called as far as its signature says."""
        checked: Any = stage_class
        if isinstance(checked, type) and issubclass(checked, Stage) and checked is not Stage:
            _check_arguments(checked, parameters)
            return Checked((stage_class, *parameters))
        raise ArgumentTypeError(
            f"lift(stage_class) needs a subclass of PythonStage, or a compiled one of Stage, got {stage_class!r} "
            f"({type(stage_class).__name__}); pass the class and its parameters, not an instance"
        )

    @staticmethod
    def stage(stage_class: Callable[..., Stage], *parameters: object) -> Stage:
        """Return a new live stage."""
        stage = stage_class(*parameters)
        if getattr(stage_class, "scheduled_hooks", ()):
            from reactivestreams.durations import checked_duration
            from reactivestreams.schedulers.delays import scheduler_for_delays

            cast("PythonStage[Any, Any]", stage)._give_clock(scheduler_for_delays, checked_duration)
        return stage

    @classmethod
    def serializable_with(cls, parameters: tuple[Any, ...]) -> bool:
        """Return whether it means the same in another process: not if it runs its hooks by the clock of this one."""
        return not getattr(parameters[0], "scheduled_hooks", ())


def _check_arguments(stage_class: Any, parameters: tuple[object, ...]) -> None:
    """Refuse parameters with which every subscription would fail to make its stage."""
    try:
        wanted = inspect.signature(stage_class)
    except (TypeError, ValueError):  # a compiled class without a signature
        return
    try:
        wanted.bind(*parameters)
    except TypeError as error:
        raise ArgumentTypeError(
            f"lift({stage_class.__name__}, *parameters) cannot make a {stage_class.__name__}{wanted} with "
            f"{parameters!r:.200}: {error}; pass its parameters after the class"
        ) from error
