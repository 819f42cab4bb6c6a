"""key_by(...).scan: pass on a running fold of each key."""

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import OperatorDefinition
from rs_core.operators.fold import KeyedScanStage

DEFAULT_MAX_KEYS = 1_000_000
"""How many keys a keyed operator holds unless it is told otherwise; the next key ends the stream with an error."""


class KeyedScan(OperatorDefinition):
    """Fold the elements of each key into an accumulator of its own and pass it on after each element.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        function: Called with the accumulator of the key and the element; returns the next accumulator.
        seed: The first accumulator of every key; use an immutable one.
        max_keys: How many keys may be held; one more ends the stream with CapacityError.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of one of the functions, or a key too many, cancels the upstream and
        becomes `on_error`.
    State: the keys with their accumulators; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.3, §1.4.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp")
        >>> words.key_by(lambda word: word[0]).scan(lambda count, word: count + 1, 0).to_list()
        [1, 1, 2]
    """

    id = "rx://operators/keyed_scan"
    method = "key_by().scan"
    stage = KeyedScanStage
    stateful = True
    keyed = True

    @staticmethod
    def parameters(
        key: Callable[[Any], Any], function: Callable[[Any, Any], Any], seed: object, max_keys: int
    ) -> tuple[Callable[[Any], Any], Callable[[Any, Any], Any], object, int]:
        """Return the checked parameters."""
        return (
            checked_callable(key, operator="key_by", name="key"),
            checked_callable(function, operator="key_by().scan", name="function"),
            seed,
            checked_count(max_keys, operator="key_by", name="max_keys", at_least=1),
        )

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        key, function, seed, max_keys = parameters
        limit = "" if max_keys == DEFAULT_MAX_KEYS else f", max_keys={max_keys}"
        return f"key_by({show(key)}{limit}).scan({show(function)}, {show(seed)})"
