"""key_by(...).through: a separate pipeline for each key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, T, U
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from rs_core.operators.python_operator import PythonStage
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from reactivestreams.stream.pipelines import Pipeline


class KeyedThrough(KeyedMethod):
    """Give each key its own pipeline or operator, and pass on the results.

    Args:
        chain: The pipeline, or a subclass of `PythonStage`; None is not allowed as an element inside it. Its operators
            run in the thread of the whole stream, and none of them may signal in another one.

    Demand: n requested are n results; elements are requested one by one until these are there. More results of one
        element, up to `MAX_RESULTS_WAITING`, wait for demand.
    Errors: upstream's are passed on; an exception of a function of the pipeline or of the key, or a key too many,
        cancels the upstream and becomes `on_error`.
    State: for each key the records of its operators; version 1.1.0.0.
    Threads: the functions run in the thread that drains the stream; the operators of a key get the context of the
        host without its scheduler.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy`, `transform` and `flatMap`; RxJava `groupBy`, `compose` and `flatMap`; reactivex
        `group_by`, `pipe` and `flat_map`.

    Example:
        >>> from reactivestreams import Stream, pipeline
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).through(pipeline().skip(1).map(str.upper)).to_list()
        ['ASP', 'BAT', 'APE']
    """

    method = "key_by().through"

    @staticmethod
    def parameters(chain: Pipeline[T, U] | type[PythonStage[T, U]]) -> Checked[U]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        given: Any = chain
        if isinstance(given, type) and issubclass(given, PythonStage):
            return Checked((((Lift, (given,)),), "plain", (given,)))
        if not isinstance(given, Description):
            raise ArgumentTypeError(
                f"key_by().through(pipeline) needs a Pipeline or a subclass of PythonStage, got {chain!r} "
                f"({type(chain).__name__}); begin with pipeline()"
            )
        return Checked((given, "plain", (given,)))
