"""The operator of the methods of `key_by`: separate operators for each key."""

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.operators.keyed.stage import KeyedStage, TimedKeyedStage
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.stream.description import Description

DEFAULT_MAX_KEYS = 1_000_000
"""Default maximum number of keys of a keyed operator; one more ends the stream with an error."""

RESULT_FORMS = ("plain", "pair", "record")


class Keyed(OperatorDefinition):
    """Pass each element to the operators of its key, and pass on their results.

    It runs `through`, which has any pipeline, and with `expire_after` all methods of `key_by`: these differ only in the
    operators of a key. Keys end where the input completes, in the order of their first elements, and when they expire.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        chain: The operators of every key, as a pipeline; None is not allowed as an element inside it.
        max_keys: Maximum number of keys; one more ends the stream with CapacityError.
        expiry: After how long without elements a key ends, or None.
        results: The form of results: `"plain"`, `"pair"` (key, result) or `"record"`, a dict with the entry "key".
        call: Name and parameters of the method, for the text of the description.

    Demand: n requested are n results; elements are requested one by one until these are there. More results of one
        element, up to `MAX_RESULTS_WAITING`, wait for demand.
    Errors: upstream's are passed on; an exception of a function, or too many keys, cancels the upstream and becomes
        `on_error`.
    State: for each key the records of its operators, and elements that wait for the watermark; version 1.1.0.0. The
        operators of `LIVE_CHAINS` keys are running, the others are stored as bytes.
    Threads: the functions run in the thread that drains the stream; the operators of a key get the context of the
        host without its scheduler.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy`, `transform` and `flatMap`; RxJava `groupBy`, `compose` and `flatMap`; reactivex
        `group_by`, `pipe` and `flat_map`.

    Example:
        >>> from reactivestreams import Stream, pipeline
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> by_letter = words.key_by(lambda word: word[0])
        >>> by_letter.through(pipeline().skip(1).map(str.upper)).to_list()
        ['ASP', 'BAT', 'APE']
        >>> by_letter.count().to_list()
        [('a', 3), ('b', 2)]
        >>> by_letter.buffer(2).to_list()
        [['ant', 'asp'], ['bee', 'bat'], ['ape']]
    """

    id = "rx://operators/keyed"
    method = "key_by().through"
    stateful = True
    keyed = True

    @staticmethod
    def parameters(
        key: Callable[[Any], Any],
        chain: Description,
        max_keys: int,
        expiry: Expiry | None,
        results: str,
        call: tuple[str, tuple[Any, ...]],
    ) -> tuple[Any, ...]:
        """Return the checked parameters."""
        for node in chain.nodes()[1:]:
            if not node.definition.serializable_with(node.parameters):
                raise ArgumentError(
                    f"operator {node.definition.method}, built at {node.assembly}, cannot be used inside "
                    f"key_by().{call[0]}: it signals in other threads, but the operators of a key run in the thread "
                    "of the whole stream; put it before or after key_by"
                )
        if results not in RESULT_FORMS:
            raise ArgumentError(f"results must be one of {', '.join(RESULT_FORMS)}, got {results!r}; take one of them")
        return (key, chain, max_keys, expiry, results, call)

    @staticmethod
    def stage(
        key: Any, chain: Description, max_keys: int, expiry: Expiry | None, results: str, call: object
    ) -> KeyedStage:
        """Return a new stage."""
        if expiry is None or expiry.event_time is not None:
            return KeyedStage(key, chain, max_keys, expiry, results)
        stage = TimedKeyedStage(key, chain, max_keys, expiry, results)
        stage._give_clock(scheduler_for_delays, checked_duration)
        return stage

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        key, _, max_keys, expiry, _, (name, arguments) = parameters
        return written_call(name, arguments, key, max_keys, expiry, show)


def written_call(
    name: str,
    arguments: tuple[Any, ...],
    key: Callable[[Any], Any],
    max_keys: int,
    expiry: Expiry | None,
    show: Callable[[object], str],
) -> str:
    """Return the call of a method of `key_by` as one would write it."""
    limit = "" if max_keys == DEFAULT_MAX_KEYS else f", max_keys={max_keys}"
    over = "" if expiry is None else f".expire_after({expiry.idle / 1_000_000:g})"
    return f"key_by({show(key)}{limit}){over}.{name}({', '.join(map(show, arguments))})"


class KeyedMethod:
    """Base of the classes that document the methods of `key_by`; they are named, not instantiated.

    `parameters` checks the arguments of the method and returns the operators of each key, as a pipeline or a tuple of
    pairs of a definition and its parameters; the form of results, as for `Keyed`; and the checked arguments.

    A method that is also an `OperatorDefinition` has a compiled stage, which runs where keys do not expire. Its
    parameters are the function of the key, the checked arguments, and the maximum number of keys.
    """

    method: ClassVar[str]
    """The name of the method, after `key_by().`."""

    @classmethod
    def node(
        cls,
        key: Callable[[Any], Any],
        max_keys: int,
        expiry: Expiry | None,
        chain: Description,
        results: str,
        arguments: tuple[Any, ...],
    ) -> tuple[type[OperatorDefinition], tuple[Any, ...]]:
        """Return the definition and the parameters of the node that the method adds to a description."""
        if expiry is None and issubclass(cls, OperatorDefinition):
            return cls, (key, *arguments, max_keys)
        call = (cls.method_name(), cls.shown(arguments))
        return Keyed, Keyed.parameters(key, chain, max_keys, expiry, results, call)

    @classmethod
    def method_name(cls) -> str:
        """Return the name of the method without `key_by().`."""
        return cls.method.removeprefix("key_by().")

    @classmethod
    def shown(cls, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return which of the checked arguments the text of the description shows."""
        return arguments

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        key, *arguments, max_keys = parameters
        return written_call(cls.method_name(), cls.shown(tuple(arguments)), key, max_keys, None, show)
