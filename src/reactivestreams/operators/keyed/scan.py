"""key_by(...).scan: pass on a running fold of each key."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.scan import Scan
from rs_core.operators.keyed import KeyedScanStage


class KeyedScan(KeyedMethod, OperatorDefinition):
    """Fold the elements of each key into its own accumulator and pass it on after each element.

    Args:
        function: Called with the accumulator of the key and the element; returns the next accumulator.
        seed: The first accumulator of every key; use an immutable one.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: the keys with their accumulators; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `scan`; RxJava `groupBy` and `scan`; reactivex `group_by` and `scan`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp")
        >>> words.key_by(lambda word: word[0]).scan(lambda count, word: count + 1, 0).to_list()
        [1, 1, 2]
    """

    id = "rx://operators/keyed_scan"
    method = "key_by().scan"
    stage = KeyedScanStage
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "function", "seed", "max_keys")
    stateful = True
    keyed = True

    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[U]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        checked_callable(function, operator="key_by().scan", name="function")
        return Checked((((Scan, (function, seed)),), "plain", (function, seed)))
