"""Combinators: one stream from several, given as arguments, in one list, or as one stream of streams.

Each uses an operator of `Stream` or a source with several inputs; this module only builds descriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.operators.combining.combine_latest import CombineLatest
from reactivestreams.operators.combining.concat_with import ConcatWith
from reactivestreams.operators.combining.inputs import described, described_all, no_source
from reactivestreams.operators.combining.merge_with import MergeWith
from reactivestreams.operators.combining.zip_with import ZipWith
from reactivestreams.operators.folding.to_list import ToList
from reactivestreams.operators.transforming.concat_map import ConcatMap
from reactivestreams.operators.transforming.flat_map import FlatMap
from reactivestreams.sources.amb import Amb
from reactivestreams.sources.empty import Empty
from reactivestreams.sources.when_all import WhenAll
from rs_core.stream.description import Description, new_head

if TYPE_CHECKING:
    from reactivestreams.stream.stream import Stream

Join = Callable[[type["Stream[Any]"], tuple[Description, ...]], "Stream[Any]"]
"""Makes a stream from the descriptions of one or more sources."""


def concatenated(kind: type[Stream[Any]], sources: tuple[object, ...]) -> Stream[Any]:
    """Return the stream of all sources, one after the other."""
    given = _given(sources, "concat")
    if isinstance(given, Description):
        return _added(_head(kind, given), ConcatMap, ConcatMap.parameters(partial(_source, "concat")))
    return _joined(kind, given, _concat)


def merged(kind: type[Stream[Any]], sources: tuple[object, ...], prefetch: int, concurrency: int) -> Stream[Any]:
    """Return the stream of all sources' elements in the order of their arrival."""
    parameters = FlatMap.parameters(partial(_source, "merge"), concurrency=concurrency, prefetch=prefetch)
    given = _given(sources, "merge")
    if isinstance(given, Description):
        return _added(_head(kind, given), FlatMap, parameters)
    return _joined(kind, given, partial(_operator, MergeWith, prefetch))


def zipped(kind: type[Stream[Any]], sources: tuple[object, ...], prefetch: int) -> Stream[Any]:
    """Return the stream of tuples of the n-th elements."""
    return _of_all(kind, sources, "zip", partial(_operator, ZipWith, ZipWith.parameters(prefetch=prefetch)[1]))


def latest(kind: type[Stream[Any]], sources: tuple[object, ...], prefetch: int) -> Stream[Any]:
    """Return the stream of tuples of the latest elements."""
    checked = CombineLatest.parameters(prefetch=prefetch)[1]
    return _of_all(kind, sources, "combine_latest", partial(_operator, CombineLatest, checked))


def first_to_signal(kind: type[Stream[Any]], sources: tuple[object, ...], prefetch: int) -> Stream[Any]:
    """Return the stream of the source that signals first."""
    return _of_all(kind, sources, "amb", partial(_source_of_several, Amb, Amb.parameters(prefetch=prefetch)[1]))


def last_of_all(kind: type[Stream[Any]], sources: tuple[object, ...], prefetch: int) -> Stream[Any]:
    """Return the stream of one tuple of the last elements."""
    return _of_all(
        kind, sources, "when_all", partial(_source_of_several, WhenAll, WhenAll.parameters(prefetch=prefetch)[1])
    )


def _given(sources: tuple[object, ...], method: str) -> tuple[Description, ...] | Description:
    """Return the descriptions of the sources, or the description of one stream of sources."""
    if len(sources) == 1:
        (only,) = sources
        if not isinstance(only, list | tuple):
            return described(only, where=f"{method}(sources)")
        sources = tuple(cast("list[object] | tuple[object, ...]", only))
    return described_all(sources, operator=method)


def _of_all(kind: type[Stream[Any]], sources: tuple[object, ...], method: str, join: Join) -> Stream[Any]:
    given = _given(sources, method)
    if not isinstance(given, Description):
        return _joined(kind, given, join)
    whole: tuple[Any, ...] = cast("Any", ToList.parameters())
    together = _added(_head(kind, given), ToList, whole)
    return _added(together, ConcatMap, ConcatMap.parameters(partial(_of_list, kind, method, join)))


def _of_list(kind: type[Stream[Any]], method: str, join: Join, sources: list[object]) -> Stream[Any]:
    return _joined(kind, described_all(sources, operator=method), join)


def _joined(kind: type[Stream[Any]], sources: tuple[Description, ...], join: Join) -> Stream[Any]:
    return join(kind, sources) if sources else cast("Stream[Any]", new_head(kind, Empty))


def _concat(kind: type[Stream[Any]], sources: tuple[Description, ...]) -> Stream[Any]:
    first, *others = sources
    head = _head(kind, first)
    return _added(head, ConcatWith, tuple(others)) if others else head


def _operator(definition: Any, prefetch: int, kind: type[Stream[Any]], sources: tuple[Description, ...]) -> Stream[Any]:
    first, *others = sources
    return _added(_head(kind, first), definition, (tuple(others), prefetch))


def _source_of_several(
    definition: Any, prefetch: int, kind: type[Stream[Any]], sources: tuple[Description, ...]
) -> Stream[Any]:
    return cast("Stream[Any]", new_head(kind, definition, (sources, prefetch)))


def _head(kind: type[Stream[Any]], source: Description) -> Stream[Any]:
    """Return a description with the methods of a stream."""
    head: Any = source if isinstance(source, Subscribable) else new_head(kind, source.definition, source.parameters)
    return cast("Stream[Any]", head)


def _added(stream: Any, definition: Any, parameters: tuple[Any, ...]) -> Stream[Any]:
    return cast("Stream[Any]", stream._then(definition, parameters))


def _source(method: str, source: Any) -> Any:
    """Return an element of a stream of sources; refuse what is not a source with an error that names the method."""
    if callable(getattr(source, "subscribe", None)) or hasattr(source, "__iter__") or hasattr(source, "__aiter__"):
        return source
    raise no_source(source, f"{method}(sources) with one argument takes a stream of sources, each of which")
