"""Random chains of operators, each beside what the model says of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from reactivestreams import Stream
from reactivestreams.schedulers import ImmediateScheduler
from tests.models import stream_model as model
from tests.rs_core.deep_chains import Ask, PassOn

HERE = ImmediateScheduler()


@dataclass(frozen=True)
class Link:
    """An operator of the stream, and of the model; shown by the call that adds it."""

    call: str
    add: Callable[[Stream[Any]], Stream[Any]]
    of: Callable[[model.Sent], model.Sent]
    with_prefetch: Callable[[int], "Link"] | None = None

    def __repr__(self) -> str:
        return self.call


def failing_map(one_of: int) -> Link:
    function = model.failing_at(one_of)
    return Link(f"map(failing_at({one_of}))", lambda s: s.map(function), lambda sent: model.mapped(sent, function))


def filtering(one_of: int) -> Link:
    keeps = model.keeps(one_of)
    return Link(f"filter(keeps({one_of}))", lambda s: s.filter(keeps), lambda sent: model.filtered(sent, keeps))


def taking(count: int) -> Link:
    return Link(f"take({count})", lambda s: s.take(count), lambda sent: model.taken(sent, count))


def skipping(count: int) -> Link:
    return Link(f"skip({count})", lambda s: s.skip(count), lambda sent: model.skipped(sent, count))


def buffering(count: int) -> Link:
    return Link(f"buffer({count})", lambda s: s.buffer(count), lambda sent: model.buffered(sent, count))


def flattening(most: int, prefetch: int) -> Link:
    repeated = model.repeated(most)
    return Link(
        f"flat_map(repeated({most}), prefetch={prefetch})",
        lambda s: s.flat_map(repeated, prefetch=prefetch),
        lambda sent: model.flattened(sent, repeated),
        lambda other: flattening(most, other),
    )


def crossing(prefetch: int) -> Link:
    return Link(
        f"observe_on(prefetch={prefetch})", lambda s: s.observe_on(HERE, prefetch=prefetch), lambda sent: sent, crossing
    )


SCAN = Link("scan()", lambda s: s.scan(model.counted, (0, None)), model.scanned)
KEYED_SCAN = Link(
    "key_by().scan()", lambda s: s.key_by(model.key_of).scan(model.counted, (0, None)), model.scanned_by_key
)
DO = Link("do()", lambda s: s.do(on_next=repr, on_error=repr, on_complete=dict), lambda sent: sent)
LIFT = Link("lift(PassOn)", lambda s: s.lift(PassOn), lambda sent: sent)
LIFT_OWN = Link("lift(Ask)", lambda s: s.lift(Ask), lambda sent: sent)

small = st.integers(1, 5)
steady_links = st.one_of(
    st.builds(filtering, small),
    st.builds(taking, st.integers(0, 12)),
    st.builds(skipping, st.integers(0, 6)),
    st.builds(buffering, small),
    st.builds(flattening, small, small),
    st.builds(crossing, small),
    st.sampled_from([SCAN, KEYED_SCAN, DO, LIFT, LIFT_OWN]),
)
links = st.one_of(steady_links, st.builds(failing_map, st.integers(2, 9)))


class Failing:
    """An iterable that fails behind its last element, each time it is read."""

    def __init__(self, elements: list[int], error: str) -> None:
        self.elements = elements
        self.error = error

    def __iter__(self) -> Iterator[int]:
        yield from self.elements
        raise model.ModelError(self.error)

    def __repr__(self) -> str:
        return f"Failing({self.elements!r}, {self.error!r})"


class Reread:
    """An iterable that has to be asked whether there is more."""

    def __init__(self, elements: list[int]) -> None:
        self.elements = elements

    def __iter__(self) -> Iterator[int]:
        yield from self.elements

    def __repr__(self) -> str:
        return f"Reread({self.elements!r})"


@dataclass(frozen=True)
class Chain:
    """A stream and what it has to send."""

    stream: Stream[Any]
    sent: model.Sent

    def through(self, link: Link) -> "Chain":
        return Chain(link.add(self.stream), link.of(self.sent))


def chain_of(source: tuple[str, list[int]], chain_links: list[Link]) -> Chain:
    kind, elements = source
    sent = model.Sent(elements)
    match kind:
        case "list":
            stream: Stream[Any] = Stream.from_iterable(elements)
        case "generator":
            stream = Stream.from_iterable(Reread(elements))
        case "range":
            stream, sent = Stream.range(len(elements)), model.Sent(list(range(len(elements))))
        case "publisher":
            stream = Stream.from_publisher(Stream.from_iterable(elements), prefetch=3)
        case "failing":
            stream, sent = Stream.from_iterable(Failing(elements, "source")), model.Sent(elements, "source")
        case _:
            raise ValueError(kind)
    chain = Chain(stream, sent)
    for link in chain_links:
        chain = chain.through(link)
    return chain


element_lists = st.lists(st.integers(-50, 50), max_size=24)
sources = st.tuples(st.sampled_from(["list", "generator", "range", "publisher", "failing"]), element_lists)
replayable_sources = st.tuples(st.sampled_from(["list", "generator", "range", "failing"]), element_lists)
chains = st.builds(chain_of, sources, st.lists(links, max_size=6))
