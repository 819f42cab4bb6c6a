"""A pipeline whose elements carry the number of the row that caused them.

An operator such as flat_map reads ahead, so the cause of an element need not be the row that was read last. A numbered
pipeline processes pairs of a row's number and an element, and its functions are wrapped.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any

from reactivestreams.operators import (
    Buffer,
    BufferUntil,
    BufferWhile,
    Cast,
    Distinct,
    DistinctUntilChanged,
    Do,
    Enumerate,
    Expand,
    Filter,
    FilterBatches,
    FilterIndexed,
    Finally,
    FlatMap,
    Handle,
    IgnoreElements,
    Keyed,
    KeyedAggregate,
    KeyedBuffer,
    KeyedCount,
    KeyedDistinct,
    KeyedReduce,
    KeyedScan,
    KeyedTake,
    Map,
    MapBatches,
    MapIndexed,
    MapNotNone,
    OfType,
    Pairwise,
    Pluck,
    PluckAttr,
    Project,
    Scan,
    Skip,
    SkipUntil,
    SkipWhile,
    Sliding,
    SplitWhen,
    Starmap,
    Take,
    TakeUntil,
    TakeWhile,
    WithColumns,
)
from reactivestreams.operators.filtering.cast import not_of_type
from reactivestreams.stream import Operator, Pipeline, pipeline

__all__ = [
    "NO_ROW",
    "Pair",
    "checking",
    "first_outside",
    "first_unnumbered",
    "needs_numbers",
    "number_in",
    "numbered",
    "read_ahead",
    "rewritten",
    "selecting",
    "spreading",
    "unchanged",
]

Pair = tuple[int, Any]
"""The number of a row in its partition, and an element that it caused."""

NO_ROW = -1
"""The number in the seed of a fold, which no row caused."""

Wrappers = Mapping[type, Callable[[Operator], list[Operator]]]
"""For each operator definition, the function that returns the replacement of an operator."""


def rewritten(described: Pipeline[Any, Any], wrappers: Wrappers) -> Pipeline[Any, Any]:
    """Return a pipeline in which each operator is replaced; the replacements keep its line in the user's code."""
    chain = pipeline()
    for operator in described.operators:
        for wrapped in wrappers[operator.definition](operator):
            chain = chain._add(wrapped)
    return chain


def first_outside(described: Pipeline[Any, Any], wrappers: Wrappers) -> Operator | None:
    """Return the first operator that `rewritten` cannot replace, or None."""
    return next((operator for operator in described.operators if operator.definition not in wrappers), None)


def numbered(described: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return the pipeline that processes pairs as the given one processes elements.

    Each function is called with the same arguments in the same order.
    """
    return rewritten(described, WRAPPERS)


def first_unnumbered(described: Pipeline[Any, Any]) -> Operator | None:
    """Return the first operator that cannot be numbered, or None."""
    return first_outside(described, WRAPPERS)


def needs_numbers(described: Pipeline[Any, Any]) -> bool:
    """Return whether an operator may read ahead."""
    return any(operator.definition not in IN_STEP for operator in described.operators)


def read_ahead(described: Pipeline[Any, Any]) -> int:
    """Return how many elements the operators may have read and not yet processed."""
    ahead = 0
    for operator in described.operators:
        if operator.definition in (FlatMap, Expand):
            ahead += operator.parameters[1] + 1
        if operator.definition is Expand:
            ahead += operator.parameters[3]
    return ahead


def number_in(error: BaseException) -> int | None:
    """Return the number of the row for which a function raised, or None."""
    trace: TracebackType | None = error.__traceback__
    found = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == __file__ and "pair" in trace.tb_frame.f_locals:
            found = trace.tb_frame.f_locals["pair"][0]
        trace = trace.tb_next
    return found


def of_element(function: Callable[[Any], Any]) -> Callable[[Pair], Any]:
    """Return a function that calls another one with the element of a pair."""

    def call(pair: Pair) -> Any:
        return function(pair[1])

    return call


def mapping(function: Callable[[Any], Any]) -> Callable[[Pair], Pair]:
    """Return a function that replaces the element of a pair."""

    def call(pair: Pair) -> Pair:
        return pair[0], function(pair[1])

    return call


def choosing(function: Callable[[Any], Any]) -> Callable[[Pair], Pair | None]:
    """Return a function that replaces the element of a pair, and gives None where there is no other."""

    def call(pair: Pair) -> Pair | None:
        result = function(pair[1])
        return None if result is None else (pair[0], result)

    return call


def expanding(function: Callable[[Any], Iterable[Any]]) -> Callable[[Pair], Iterator[Pair]]:
    """Return a function that expands the element of a pair into pairs."""

    def call(pair: Pair) -> Iterator[Pair]:
        for part in function(pair[1]):
            yield pair[0], part

    return call


def folding(function: Callable[[Any, Any], Any]) -> Callable[[Pair, Pair], Pair]:
    """Return a function that folds the elements of pairs and takes the number of the newest."""

    def call(state: Pair, pair: Pair) -> Pair:
        return pair[0], function(state[1], pair[1])

    return call


def spreading(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a function of an element that calls a function with its parts."""

    def call(parts: Any) -> Any:
        return function(*parts)

    return call


def counted(numbered_pair: tuple[int, Pair]) -> Pair:
    """Return the pair of an element with its count; the row's number stays outside."""
    count, (number, element) = numbered_pair
    return number, (count, element)


def joined(pairs: list[Pair] | tuple[Pair, ...]) -> Pair:
    """Return the pair of neighbors that were joined: the last of their pairs caused it."""
    return pairs[-1][0], type(pairs)(element for _, element in pairs)


def with_parameters(operator: Operator, *parameters: Any) -> list[Operator]:
    """Return an operator with other parameters and the same line in the user's code."""
    return [Operator(operator.definition, parameters, operator.assembly)]


def wrapped_map(operator: Operator) -> list[Operator]:
    """Wrap map."""
    return with_parameters(operator, mapping(operator.parameters[0]))


def wrapped_map_not_none(operator: Operator) -> list[Operator]:
    """Wrap map_not_none."""
    return with_parameters(operator, choosing(operator.parameters[0]))


def wrapped_predicate(operator: Operator) -> list[Operator]:
    """Wrap an operator whose first parameter is a predicate, and which passes elements on as they are."""
    predicate, *others = operator.parameters
    return with_parameters(operator, of_element(predicate), *others)


def selecting(operator: Operator) -> Operator:
    """Return the filter that does the same as of_type."""
    return Operator(Filter, (partial(is_of_type, operator.parameters[0]),), operator.assembly)


def checking(operator: Operator) -> Operator:
    """Return the map that does the same as cast."""
    return Operator(Map, (partial(of_type_only, operator.parameters[0]),), operator.assembly)


def is_of_type(kind: Any, element: Any) -> bool:
    """Tell whether an element is of a type."""
    return isinstance(element, kind)


def of_type_only(kind: Any, element: Any) -> Any:
    """Return an element of a type."""
    if not isinstance(element, kind):
        raise not_of_type(kind, element)
    return element


def wrapped_of_type(operator: Operator) -> list[Operator]:
    """Wrap of_type."""
    return wrapped_predicate(selecting(operator))


def wrapped_cast(operator: Operator) -> list[Operator]:
    """Wrap cast."""
    return wrapped_map(checking(operator))


class NumberedSink:
    """The sink of `handle` for elements that are pairs: makes a pair of what is emitted."""

    def __init__(self, number: int, sink: Any) -> None:
        self._number = number
        self._sink = sink
        self.complete: Callable[[], None] = sink.complete
        self.fail: Callable[[Exception], None] = sink.fail

    def emit(self, element: Any, /) -> None:
        """Pass an element on with the number of the row that caused it."""
        self._sink.emit((self._number, element))


def handling(function: Callable[[Any, Any], object]) -> Callable[[Pair, Any], object]:
    """Return a function of a pair and a sink."""

    def call(pair: Pair, sink: Any) -> object:
        return function(pair[1], NumberedSink(pair[0], sink))

    return call


def wrapped_handle(operator: Operator) -> list[Operator]:
    """Wrap handle."""
    return with_parameters(operator, handling(operator.parameters[0]))


def wrapped_map_indexed(operator: Operator) -> list[Operator]:
    """Wrap map_indexed."""
    function = operator.parameters[0]

    def call(pair: Pair, index: int) -> Pair:
        return pair[0], function(pair[1], index)

    return with_parameters(operator, call)


def wrapped_filter_indexed(operator: Operator) -> list[Operator]:
    """Wrap filter_indexed."""
    predicate = operator.parameters[0]

    def call(pair: Pair, index: int) -> Any:
        return predicate(pair[1], index)

    return with_parameters(operator, call)


def wrapped_distinct(operator: Operator) -> list[Operator]:
    """Wrap an operator whose first parameter returns the key of an element, or is None for the element itself."""
    key, *others = operator.parameters
    return with_parameters(operator, element_of if key is None else of_element(key), *others)


def element_of(pair: Pair) -> Any:
    """Return the element of a pair."""
    return pair[1]


def wrapped_flat_map(operator: Operator) -> list[Operator]:
    """Wrap flat_map or expand."""
    function, *others = operator.parameters
    return with_parameters(operator, expanding(function), *others)


def wrapped_do(operator: Operator) -> list[Operator]:
    """Wrap do: only its first function takes elements."""
    on_next, *others = operator.parameters
    return with_parameters(operator, None if on_next is None else of_element(on_next), *others)


def wrapped_scan(operator: Operator) -> list[Operator]:
    """Wrap scan; without a seed the first pair is passed on as it is."""
    function, seed = operator.parameters
    return with_parameters(operator, folding(function), seed if seed is ... else (NO_ROW, seed))


def wrapped_keyed_scan(operator: Operator) -> list[Operator]:
    """Wrap a scan for each key."""
    key, function, seed, max_keys = operator.parameters
    return with_parameters(operator, of_element(key), folding(function), (NO_ROW, seed), max_keys)


def wrapped_neighbors(operator: Operator) -> list[Operator]:
    """Wrap an operator that joins neighbors: its lists or tuples of pairs become pairs of lists or tuples."""
    return [operator, Operator(Map, (joined,), operator.assembly)]


def wrapped_starmap(operator: Operator) -> list[Operator]:
    """Wrap starmap."""
    return [Operator(Map, (mapping(spreading(operator.parameters[0])),), operator.assembly)]


def wrapped_enumerate(operator: Operator) -> list[Operator]:
    """Wrap enumerate: its counts of pairs become pairs of counts."""
    return [operator, Operator(Map, (counted,), operator.assembly)]


def wrapped_split_when(operator: Operator) -> list[Operator]:
    """Wrap split_when: its predicate looks at the elements, its lists of pairs become pairs of lists."""
    predicate, *others = operator.parameters

    def is_split(before: Pair, pair: Pair) -> Any:
        return predicate(before[1], pair[1])

    return [*with_parameters(operator, is_split, *others), Operator(Map, (joined,), operator.assembly)]


def wrapped_marks(operator: Operator) -> list[Operator]:
    """Wrap an operator whose lists a predicate of one element ends: its lists of pairs become pairs of lists."""
    return [*wrapped_predicate(operator), Operator(Map, (joined,), operator.assembly)]


def unchanged(operator: Operator) -> list[Operator]:
    """Return an operator whose result does not depend on elements."""
    return [operator]


WRAPPERS: dict[type, Callable[[Operator], list[Operator]]] = {
    Map: wrapped_map,
    MapNotNone: wrapped_map_not_none,
    Filter: wrapped_predicate,
    TakeWhile: wrapped_predicate,
    SkipWhile: wrapped_predicate,
    TakeUntil: wrapped_predicate,  # with another stream it cannot be sent to another process
    SkipUntil: wrapped_predicate,
    Distinct: wrapped_distinct,
    DistinctUntilChanged: wrapped_distinct,
    FlatMap: wrapped_flat_map,
    Expand: wrapped_flat_map,
    Do: wrapped_do,
    Scan: wrapped_scan,
    KeyedScan: wrapped_keyed_scan,
    Starmap: wrapped_starmap,
    Pluck: wrapped_map,
    PluckAttr: wrapped_map,
    Enumerate: wrapped_enumerate,
    Buffer: wrapped_neighbors,
    Sliding: wrapped_neighbors,
    Pairwise: wrapped_neighbors,
    SplitWhen: wrapped_split_when,
    BufferUntil: wrapped_marks,
    BufferWhile: wrapped_marks,
    MapBatches: wrapped_map,
    FilterBatches: wrapped_map,
    Project: wrapped_map,
    WithColumns: wrapped_map,
    OfType: wrapped_of_type,
    Cast: wrapped_cast,
    Handle: wrapped_handle,
    IgnoreElements: unchanged,
    MapIndexed: wrapped_map_indexed,
    FilterIndexed: wrapped_filter_indexed,
    Take: unchanged,
    Skip: unchanged,
    Finally: unchanged,
}
KEYED = frozenset({Keyed, KeyedAggregate, KeyedBuffer, KeyedCount, KeyedDistinct, KeyedReduce, KeyedTake})
"""Keyed operators that are not numbered, besides KeyedScan, which is."""

IN_STEP = (frozenset(WRAPPERS) | KEYED) - {FlatMap, Expand}
"""Operators that request an element only after they have passed on all results of the one before."""
