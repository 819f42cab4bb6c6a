"""key_by(...).aggregate: send aggregates of each key when the key ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition
from reactivestreams.operators.keyed.folds import FoldStage, checked_aggregates
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from reactivestreams.operators.transforming.map import Map
from rs_core.operators.keyed import Aggregates, KeyedFoldStage


class KeyedAggregate(KeyedMethod, OperatorDefinition):
    """Send a dict with the key and aggregates when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Args:
        aggregates: For each entry its kind, `"count"`, `"sum"`, `"min"`, `"max"`, `"mean"`, `"first"` or `"last"`, or a
            pair of the kind and a function that returns the value of an element. None counts as no value.

    Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: for each key the accumulators; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).aggregate(words="count", last=("max", str.upper)).to_list()
        [{'key': 'a', 'words': 3, 'last': 'ASP'}, {'key': 'b', 'words': 2, 'last': 'BEE'}]
    """

    id = "rx://operators/keyed_aggregate"
    method = "key_by().aggregate"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "aggregates", "max_keys")
    stateful = True
    keyed = True

    @staticmethod
    def parameters(**aggregates: Any) -> Checked[dict[str, Any]]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        fold = checked_aggregates(aggregates)
        chain = (Lift, (FoldStage, fold, fold.seed)), (Map, (fold.result,))
        return Checked((chain, "record", (fold,)))

    @staticmethod
    def stage(key: Callable[[Any], Any], fold: Aggregates, max_keys: int) -> KeyedFoldStage:
        """Return a new live stage."""
        return KeyedFoldStage(DEFAULT_PREFETCH, key, fold, fold.seed, fold.record, max_keys)
