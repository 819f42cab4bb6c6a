"""key_by(...).aggregate: send aggregates of each key when the key ends."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.definition import Checked
from reactivestreams.operators.keyed.folds import FoldStage, checked_aggregates
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from reactivestreams.operators.transforming.map import Map


class KeyedAggregate(KeyedMethod):
    """Send a dict with the key and aggregates when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Args:
        aggregates: For each entry its kind, `"count"`, `"sum"`, `"min"`, `"max"`, `"mean"`, `"first"` or `"last"`, or a
            pair of the kind and a function that returns the value of an element. None counts as no value.

    Demand: n requested are n keys that end; elements are requested one by one until these are there.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: for each key the accumulators; version 1.1.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).aggregate(words="count", last=("max", str.upper)).to_list()
        [{'key': 'a', 'words': 3, 'last': 'ASP'}, {'key': 'b', 'words': 2, 'last': 'BEE'}]
    """

    method = "key_by().aggregate"

    @staticmethod
    def parameters(**aggregates: Any) -> Checked[dict[str, Any]]:
        """Return the operators of each key, how results go out, and the arguments to show."""
        fold = checked_aggregates(aggregates)
        chain = (Lift, (FoldStage, fold, fold.seed)), (Map, (fold.result,))
        return Checked((chain, "record", tuple(aggregates)))
