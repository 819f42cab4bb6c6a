"""The operators as methods of `Stream` and `Pipeline`.

Written by ci/generate_operators.py from the definitions in reactivestreams.operators; change those.
"""

# What `_then` returns is of the caller's kind, so its element type is stated by each method.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reactivestreams import operators
from reactivestreams.arguments import MAX_COUNT
from reactivestreams.operators.filtering.filter import Filter
from reactivestreams.operators.filtering.skip import Skip
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.transforming.map import Map
from rs_core.stream.description import Description

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Hashable, Iterable
    from concurrent.futures import Executor
    from datetime import datetime, timedelta

    import pyarrow as pa
    import pyarrow.compute as pc

    from reactivestreams.arguments import Kept
    from reactivestreams.metrics import Metrics
    from reactivestreams.notifications import Notification
    from reactivestreams.operators.combining.inputs import Source
    from reactivestreams.operators.folding.collector import Collector
    from reactivestreams.operators.recovering.retry_policy import RetryPolicy
    from reactivestreams.schedulers import Scheduler
    from reactivestreams.schedulers.loop_tasks import Loop
    from reactivestreams.stream.grouped import GroupedStream
    from reactivestreams.stream.parallel import ParallelStream
    from reactivestreams.stream.pipelines import Pipeline
    from reactivestreams.stream.stream import Stream
    from rs_core.operators.element import HandleSink
    from rs_core.operators.python_operator import PythonStage
    from rs_core.queues.overflow_policy import OverflowPolicy

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


class OperatorMethods(Description, Generic[T]):
    """The methods that add an operator; each returns a new description and leaves this one as it is."""

    # Operators whose argument is checked in line are loaded with the stream, the others when they are used.

    __slots__ = ()

    def buffer(self, count: int, skip: int | None = None) -> Stream[list[T]]:
        """Pass on lists of `count` neighboring elements; those at the end may be shorter.

        Args:
            count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.
            skip: After how many elements the next list begins, from 1. Less than `count`: lists overlap; more: elements
                between them are left out; None: as many as `count`, so that each element is in one list.

        Demand: n lists requested are n * count elements requested upstream, and one more for each that is left out. Where
            lists overlap, as many as they need, at most 128 at a time. Of these, those that are open at the completion go
            out one after the other, each for a request.
        Errors: upstream's are passed on; the elements of the lists that are not full are given up.
        State: the elements of the lists that are not full, how many are still left out before the next one, and where lists
            overlap what waits of the input; version 1.1.0.0. Loaded ones count for the first request, and a completion
            waits for that.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `buffer`; RxJava `buffer`; reactivex `buffer_with_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).buffer(2).to_list()
            [[0, 1], [2, 3], [4]]
            >>> Stream.range(5).buffer(3, 2).to_list()
            [[0, 1, 2], [2, 3, 4], [4]]
            >>> Stream.range(5).buffer(1, 3).to_list()
            [[0], [3]]
        """
        return self._then(operators.Buffer, operators.Buffer.parameters(count, skip))

    def buffer_toggle(
        self,
        openings: Source[U],
        closing: Callable[[U], Source[object]],
        *,
        max_elements: int = 1000000,
        max_lists: int = 1024,
        prefetch: int = 128,
    ) -> Stream[list[T]]:
        """Pass on a list for each element of another stream: of what comes from there on, until a third stream ends it.

        Several lists may be open at a time, and each gets every element. What comes while none is open is dropped. When the
        upstream completes, the open lists go out in the order in which they were opened, also empty ones; when the openings
        have, the stream completes with the last open list.

        Args:
            openings: A stream, a publisher, an iterable or an asynchronous iterable; each of its elements opens a list.
            closing: Called with that element; returns one, too, whose first element or completion ends the list.
            max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`. While one is full, no more elements
                are taken, until that list ends.
            max_lists: The most lists that are open at a time, from 1 to 2**24; one more ends the stream with CapacityError.
            prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.

        Demand: `prefetch` of each input at the start, whatever is requested; replenished when 75 % were taken. A list that
            has ended and is not requested holds up all inputs until it is; what came meanwhile is taken then, the openings
            first and the ends of lists last.
        Errors: the first error of an input, also of one that `closing` returned, and an exception of `closing` cancel all
            others; the open lists are given up.
        State: what waits of each input, which are over; the lists that wait to be requested; of each open list the
            elements, the element that opened it and the state of the stream that ends it. `closing` is called again with
            that element when it is loaded. Version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.4, §1.5, §1.7.
        Elsewhere: Reactor `bufferWhen`; RxJava `buffer` of openings; reactivex `buffer_toggle`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import SimpleSubject
            >>> numbers, doors, ends = SimpleSubject(), SimpleSubject(), SimpleSubject()
            >>> lists = []
            >>> stream = Stream.from_publisher(numbers).buffer_toggle(doors, lambda door: Stream.from_publisher(ends))
            >>> running = stream.subscribe(on_next=lists.append)
            >>> for subject, element in ((numbers, 1), (doors, "open"), (numbers, 2), (numbers, 3), (ends, "shut")):
            ...     subject.on_next(element)
            >>> lists
            [[2, 3]]
        """
        return self._then(operators.BufferToggle, operators.BufferToggle.parameters(openings, closing, max_elements=max_elements, max_lists=max_lists, prefetch=prefetch))

    def buffer_until(self, predicate: Callable[[T], object], *, max_elements: int = 1000000) -> Stream[list[T]]:
        """Pass on lists of neighboring elements, each of which ends with an element for which a predicate is true.

        Args:
            predicate: Called with each element; true: it is the last of its list.
            max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
                CapacityError.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
            for each element that ends no list. So what is left at the completion was requested, and goes out with it.
        Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
            element more than the bound, cancels the upstream and becomes `on_error`.
        State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5.
        Elsewhere: Reactor `bufferUntil`; RxJava none; reactivex none. more_itertools has `split_after`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("a", "b.", "c.", "d").buffer_until(lambda word: word.endswith(".")).to_list()
            [['a', 'b.'], ['c.'], ['d']]
        """
        return self._then(operators.BufferUntil, operators.BufferUntil.parameters(predicate, max_elements=max_elements))

    def buffer_when(
        self, boundary: Source[Any], *, max_elements: int = 1000000, prefetch: int = 128
    ) -> Stream[list[T]]:
        """Pass on a list whenever another stream has an element: of the elements since the one before, perhaps none.

        When one of both completes, the elements that are in the list go out, if there are any, and the stream completes.

        Args:
            boundary: A stream, a publisher, an iterable or an asynchronous iterable; its elements themselves are dropped.
            max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`. A full list waits for the boundary,
                and this stream with it.
            prefetch: How many elements of each input may be requested and not yet be taken, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken. Without demand nothing is taken: a
            boundary that comes meanwhile ends a list when that is requested.
        Errors: the first error of an input cancels the other; the list that is being filled is given up.
        State: what waits of each input, which are over, and the elements of the list; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.5, §1.7.
        Elsewhere: Reactor `buffer` of a publisher; RxJava `buffer` of a publisher; reactivex `buffer`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import SimpleSubject
            >>> numbers, ticks = SimpleSubject(), SimpleSubject()
            >>> lists = []
            >>> running = Stream.from_publisher(numbers).buffer_when(ticks).subscribe(on_next=lists.append)
            >>> for push in (lambda: numbers.on_next(1), lambda: numbers.on_next(2), lambda: ticks.on_next("tick")):
            ...     push()
            >>> lists
            [[1, 2]]
        """
        return self._then(operators.BufferWhen, operators.BufferWhen.parameters(boundary, max_elements=max_elements, prefetch=prefetch))

    def buffer_while(self, predicate: Callable[[T], object], *, max_elements: int = 1000000) -> Stream[list[T]]:
        """Pass on lists of neighboring elements for which a predicate is true; the others end a list, and are dropped.

        There are no empty lists: of two such elements in a row the second ends nothing.

        Args:
            predicate: Called with each element; false: it ends the list, and is in none.
            max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
                CapacityError.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
            for each element that ends no list. So what is left at the completion was requested, and goes out with it.
        Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
            element more than the bound, cancels the upstream and becomes `on_error`.
        State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5.
        Elsewhere: Reactor `bufferWhile`; RxJava none; reactivex none. more_itertools has `split_at`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 0, 0, 3).buffer_while(bool).to_list()
            [[1, 2], [3]]
        """
        return self._then(operators.BufferWhile, operators.BufferWhile.parameters(predicate, max_elements=max_elements))

    def concat_map(self, function: Callable[[T], Source[U]], *, prefetch: int = 32) -> Stream[U]:
        """Pass on the elements of what a function returns for each element, one stream after the other.

        Args:
            function: As for `flat_map`.
            prefetch: As for `flat_map`.

        Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
            were taken. The function is called where there is demand and the stream before is over.
        Errors: upstream's comes after the streams of all elements before it; else as for `flat_map`.
        State: as for `flat_map`; version 1.1.0.0.
        Threads: the function and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `concatMap`; RxJava `concatMap`; reactivex `concat_map`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).concat_map(lambda n: Stream.range(3).map(lambda m: (n, m))).to_list()
            [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
        """
        return self._then(operators.ConcatMap, operators.ConcatMap.parameters(function, prefetch=prefetch))

    def enumerate(self, start: int = 0) -> Stream[tuple[int, T]]:
        """Pass on tuples of a number, which counts up, and the element.

        Args:
            start: The number of the first element, from -`MAX_START` to `MAX_START`.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on.
        State: the number of the next element; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1.
        Elsewhere: Reactor `index`; RxJava none; reactivex `map_indexed`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("a", "b").enumerate(1).to_list()
            [(1, 'a'), (2, 'b')]
        """
        return self._then(operators.Enumerate, operators.Enumerate.parameters(start))

    def exhaust_map(
        self, function: Callable[[T], Source[U]], *, on_drop: Callable[[T], object] | None = None, prefetch: int = 32
    ) -> Stream[U]:
        """Pass on the elements of what a function returns for an element; drop the elements that come while that runs.

        Args:
            function: Called with each element that is not dropped; returns an iterable, a stream, a publisher or an
                asynchronous iterable.
            on_drop: Called with each element that is dropped, or None. How many were, the stage counts in `dropped`.
            prefetch: How many elements may be requested upstream and not yet be taken, and of a stream and not yet be
                passed on, from 1 to 2**24.

        Demand: upstream's elements are taken as they come, without demand; `prefetch` are requested at a time. What was
            requested and not yet delivered is requested of the stream that runs. A stream that waits for demand runs still:
            where upstream has all its elements at hand, those that come meanwhile are dropped.
        Errors: that of upstream or of the stream that runs cancels the other and is passed on; an exception of a function
            becomes `on_error`, and so does an ArgumentTypeError where `function` returns nothing of the kind.
        State: how many elements were dropped, the element whose stream runs, with the state of that stream, and what waits
            of both; the function must return an equal one again for this element. Version 1.0.0.0.
        Threads: the functions and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor none; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> missed = []
            >>> clicks = Stream.just("save", "save again")
            >>> saving = clicks.exhaust_map(lambda click: Stream.never().start_with(click), on_drop=missed.append)
            >>> run = saving.subscribe(on_next=print)
            save
            >>> missed
            ['save again']
            >>> run.cancel()
        """
        return self._then(operators.ExhaustMap, operators.ExhaustMap.parameters(function, on_drop=on_drop, prefetch=prefetch))

    def expand(
        self, function: Callable[[T], Source[T]], *, concurrency: int = 1, max_waiting: int = 65536, prefetch: int = 32
    ) -> Stream[T]:
        """Pass on each element, then the elements of what a function returns for it, for each of those again, and so on.

        A tree comes level by level: the elements of upstream, as far as they are at hand, then those that the function
        returned for them, in order. With a `concurrency` above 1, elements of one level may come before the rest of the one
        above.

        Args:
            function: Called with each element that was passed on; returns its children as an iterable, a stream, a
                publisher or an asynchronous iterable; () where it has none.
            concurrency: How many streams of children may run at the same time, from 1 to 2**24.
            max_waiting: How many elements that were passed on may wait for a call of the function, from 1 to 2**24.
            prefetch: How many elements may be requested of each stream, and upstream, and not yet be passed on, from 1 to
                2**24.

        Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
            were taken. The function is called while there is demand, nothing waits of upstream and fewer than `concurrency`
            streams run.
        Errors: the first error of upstream or of a stream comes after its elements and cancels all others; a CapacityError
            where more than `max_waiting` elements wait; an exception of the function becomes `on_error`, and so does an
            ArgumentTypeError where it returns nothing of the kind.
        State: the elements that wait for a call, the elements whose streams run, with the state of these streams, and what
            waits of all; the function must return equal ones again for them. Version 1.0.0.0.
        Threads: the function and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `expand`; RxJava none; reactivex `expand`.

        Example:
            >>> from reactivestreams import Stream
            >>> children = {"root": ["a", "b"], "a": ["c"], "b": ["d", "e"]}
            >>> Stream.just("root").expand(lambda name: children.get(name, ())).to_list()
            ['root', 'a', 'b', 'c', 'd', 'e']
        """
        return self._then(operators.Expand, operators.Expand.parameters(function, concurrency=concurrency, max_waiting=max_waiting, prefetch=prefetch))

    def flat_map(self, function: Callable[[T], Source[U]], *, concurrency: int = 32, prefetch: int = 32) -> Stream[U]:
        """Pass on the elements of what a function returns for each element: an iterable, a stream or another publisher.

        Streams run beside each other, and their elements come as they come. Iterables are read one after the other, where
        the stream is drained.

        Args:
            function: Called with each element; returns an iterable, a stream, a publisher or an asynchronous iterable.
            concurrency: How many streams may run at the same time, from 1 to 2**24.
            prefetch: How many elements may be requested of each of them, and upstream, and not yet be passed on, from 1 to
                2**24.

        Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
            were taken. The function is called while there is demand, fewer than `concurrency` streams run, and no iterable
            is being read.
        Errors: that of a stream comes after its elements and cancels all others, that of upstream comes after the iterable
            that is being read and cancels the streams; an exception of the function or of an iterable cancels everything
            and becomes `on_error`, and so does an
            ArgumentTypeError where the function returns nothing of the kind.
        State: the queues, the element whose iterable is being read and how many of its elements were passed on, the
            elements whose streams run, with the state of these streams; the function must return equal ones again for them.
            Version 1.1.0.0, reads 1.0.0.0.
        Threads: the function and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `flatMap`; RxJava `flatMap`; reactivex `flat_map`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("ab", "c").flat_map(list).to_list()
            ['a', 'b', 'c']
            >>> Stream.just(2, 3).flat_map(lambda n: Stream.range(n).map(lambda m: n * m)).to_list()
            [0, 2, 0, 3, 6]
        """
        return self._then(operators.FlatMap, operators.FlatMap.parameters(function, concurrency=concurrency, prefetch=prefetch))

    def flat_map_ordered(
        self, function: Callable[[T], Source[U]], *, concurrency: int = 32, prefetch: int = 32
    ) -> Stream[U]:
        """Pass on the elements of what a function returns for each element: streams run beside each other, in order.

        The elements of a stream come after all those of the streams before it; what comes earlier waits, `prefetch`
        elements of each stream at most.

        Args:
            function: As for `flat_map`.
            concurrency: As for `flat_map`.
            prefetch: As for `flat_map`.

        Demand: as for `flat_map`.
        Errors: upstream's comes after the streams of all elements before it, that of a stream when it is its turn; else
            as for `flat_map`.
        State: as for `flat_map`; version 1.1.0.0.
        Threads: the function and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `flatMapSequential`; RxJava `concatMapEager`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).flat_map_ordered(lambda n: Stream.just(n, -n).map(str)).to_list()
            ['1', '-1', '2', '-2']
        """
        return self._then(operators.FlatMapOrdered, operators.FlatMapOrdered.parameters(function, concurrency=concurrency, prefetch=prefetch))

    def group_by(
        self, key: Callable[[T], U], *, prefetch: int = 128, max_groups: int = 4096
    ) -> Stream[GroupedStream[U, T]]:
        """Pass on a stream for each key, which sends the elements of that key; `.key` of it is the key.

        Use `key_by` where each key only needs operators of its own: it needs no subscriptions, and saves its state.
        `group_by` is for groups that are streams, such as those that are consumed in threads of their own.

        An element waits in the queue of its group until it is requested. One for a queue that is full waits, too, and with
        it everything that comes after it: so all groups have to be consumed at a time. `flat_map` does so with up to
        `concurrency` of them. A group whose stream is dropped or cancelled stays closed: its other elements are dropped.
        All groups end with the input.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            prefetch: How many elements may wait in each queue, and may be requested upstream and not yet be in one, from 1
                to 2**24.
            max_groups: How many groups there may be, from 1, those that are closed included; one more ends the stream with
                CapacityError.

        Demand: from the first request on, `prefetch` requested upstream, replenished when 75 % of them are in the queues;
            groups that were not requested wait.
        Errors: upstream's, one of the function, and one group too many go to all groups, after what waits in them, and to
            the subscriber. WouldDeadlockError, with the key, where a queue is full and nobody can make room: its group
            waits for a place in `flat_map` whose streams all wait for elements of other groups, or the thread that iterates
            over the groups waits for an element of one. Where these streams have queues, as behind `observe_on`, so that
            another thread might help, or where a thread waits for the end of groups that nobody consumes, a RuntimeWarning
            names the group instead.
        State: the groups, with what waits of each. What holds a group below, such as `flat_map`, refers to it; it calls its
            function again with it when it is loaded. A group that a subscriber has outside of the saved tree is refused.
        Threads: the function runs in the thread that drains the stream. Each group may be consumed in a thread of its own.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor `groupBy`; RxJava `groupBy`; reactivex `group_by`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat")
            >>> words.group_by(lambda word: word[0]).flat_map(lambda group: group.map(lambda w: (group.key, w))).to_list()
            [('a', 'ant'), ('a', 'asp'), ('b', 'bee'), ('b', 'bat')]
        """
        return self._then(operators.GroupBy, operators.GroupBy.parameters(key, prefetch=prefetch, max_groups=max_groups))

    def group_by_until(
        self,
        key: Callable[[T], U],
        until: Callable[[U], Source[object]],
        *,
        prefetch: int = 128,
        max_groups: int = 4096,
    ) -> Stream[GroupedStream[U, T]]:
        """Pass on a stream for each key as `group_by` does, and end it when another stream signals.

        The next element of the key begins a new group, with a stream of its own, also where the one before was dropped or
        cancelled.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            until: Called with the key of each new group; returns a stream, publisher or iterable, whose first element or
                completion ends the group. It is subscribed to after the first element of the group was taken, and runs as
                the stream does: on a scheduler in a turn of its own, before which more elements may join the group.
            prefetch: How many elements may wait in each queue, and may be requested upstream and not yet be in one, from 1
                to 2**24.
            max_groups: How many groups there may be at a time, from 1; one more ends the stream with CapacityError. As many
                may wait to be requested, also if they have ended.

        Demand: as for `group_by`; nothing is taken in while `max_groups` groups wait to be requested.
        Errors: as for `group_by`; those of `until` and of what it returned, too, go to all groups and to the subscriber.
        State: as for `group_by`; what waits of the streams that end groups, for which `until` is called again when it is
            loaded.
        Threads: as for `group_by`; `until` runs where `key` does.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor none; RxJava none; reactivex `group_by_until`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat")
            >>> alone = words.group_by_until(lambda word: word[0], lambda key: [key] if key == "a" else Stream.never())
            >>> alone.flat_map(lambda group: group.buffer(9)).to_list()
            [['ant'], ['bee', 'bat'], ['asp']]
        """
        return self._then(operators.GroupByUntil, operators.GroupByUntil.parameters(key, until, prefetch=prefetch, max_groups=max_groups))

    def handle(self, function: Callable[[T, HandleSink[U]], object]) -> Stream[U]:
        """Call a function with each element and a sink, and pass on what it sends there: one element at most, or the end.

        The sink has `emit(element)`, `complete()` and `fail(error)`. What the function sends goes out when it returns:
        first the element, then the end. Where it sends nothing, the element is dropped. A sink is good until the function
        returns; a second element, or a signal behind the end, is refused with an exception in the function.

        Args:
            function: Called with each element and the sink; what it returns is ignored.

        Demand: n requested are n requested upstream; an element for which nothing is sent gives its demand back.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`, and what
            it has sent for this element is dropped; so does, behind that element, the one that it passes to `fail`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5, §1.7.
        Elsewhere: Reactor `handle`; RxJava `mapOptional`, then `takeUntil`; reactivex `map`, then `filter`.

        Example:
            >>> from reactivestreams import Stream
            >>> def numbers_to_the_dot(text, sink):
            ...     if text == ".":
            ...         sink.complete()
            ...     elif text.isdigit():
            ...         sink.emit(int(text))
            >>> Stream.just("1", "x", "2", ".", "3").handle(numbers_to_the_dot).to_list()
            [1, 2]
        """
        return self._then(operators.Handle, operators.Handle.parameters(function))

    def lift(self, stage_class: type[PythonStage[T, U]], *parameters: object) -> Stream[U]:
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
        return self._then(operators.Lift, operators.Lift.parameters(stage_class, *parameters))

    def map(self, function: Callable[[T], U]) -> Stream[U]:
        """Pass on what a function returns for each element.

        Args:
            function: Called with each element.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: Reactor `map`; RxJava `map`; reactivex `map`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 3).map(lambda element: element * 10).to_list()
            [10, 20, 30]
        """
        return self._then_call(Map, function)

    def map_async(
        self,
        function: Callable[[T], Awaitable[U]],
        *,
        concurrency: int = 16,
        ordered: bool = True,
        loop: Loop | None = None,
    ) -> Stream[U]:
        """Pass on what a coroutine function returns for each element; several calls run at once, in an event loop.

        Args:
            function: A coroutine function, called with each element in the thread of the event loop.
            concurrency: How many calls may run, or wait to be passed on, at once, from 1 to 65,536.
            ordered: Whether results are passed on in the order of the elements; else as they come.
            loop: The asyncio event loop that runs the calls, or the token of a trio run; None: the one that runs where the
                stream is subscribed.

        Demand: no more calls are begun than results are requested; `concurrency` elements are requested upstream at the
            start, and again when 75 % of them were taken.
        Errors: upstream's come behind the results; an exception of a call, where its result would have come, cancels the
            upstream and all other calls and becomes `on_error`. WrongEventLoopError where there is no loop.
        State: the elements whose results were not passed on; for them the function is called again. Version 1.0.0.0.
        Threads: calls run in the loop's thread; results go on in it, or in the thread that requests.
        Rules: §1.1, §1.3, §3.4, §3.5.
        Elsewhere: Reactor `flatMapSequential` of a `Mono`, and `flatMap` for `ordered=False`; RxJava `concatMapEager`, and
            `flatMapSingle` for `ordered=False`; reactivex `flat_map`.

        Example:
            >>> import asyncio
            >>> from reactivestreams import Stream
            >>> async def fetch(number):
            ...     await asyncio.sleep(0.001)
            ...     return number * 2
            >>> async def main():
            ...     return await Stream.range(5).map_async(fetch, concurrency=3).to_list_async()
            >>> asyncio.run(main())
            [0, 2, 4, 6, 8]
        """
        return self._then(operators.MapAsync, operators.MapAsync.parameters(function, concurrency=concurrency, ordered=ordered, loop=loop))

    def map_in_executor(
        self,
        function: Callable[[T], U],
        executor: Executor | Callable[[], Executor],
        *,
        concurrency: int = 16,
        ordered: bool = True,
        chunk: int = 1,
    ) -> Stream[U]:
        """Pass on what a function returns for each element; several calls run at once, in the workers of an executor.

        Args:
            function: Called with each element in a worker: a thread, a process or an interpreter. For processes it has to
                be one that can be pickled, as functions of a module can.
            executor: A `concurrent.futures.Executor`, which stays its owner's; or a function without parameters that makes
                one for each subscription, which is shut down when the stream ends.
            concurrency: How many calls may run, or wait to be passed on, at once, from 1 to 65,536. The executor says how
                many of them have a worker.
            ordered: Whether results are passed on in the order of the elements; else as they come.
            chunk: How many elements a call gets, from 1; fewer only where no other call runs, and for the last elements.
                A call costs the way to a process and back, so many short ones belong into one. `concurrency` times `chunk`
                is 2**24 at most. Interpreters get one at a time.

        Demand: no more elements are given to calls than results are requested; `concurrency` times `chunk` elements are
            requested upstream at the start, and again when 75 % of them were taken.
        Errors: upstream's come behind the results; an exception of a call, where its result would have come, cancels the
            upstream and all calls that have not begun, and becomes `on_error`. So does a lost worker: BrokenExecutor. An
            exception of a call that still runs when the stream has ended goes to the hook for dropped signals.
        State: the elements whose results were not passed on; for them the function is called again. Version 1.0.0.0.
        Threads: calls run in the executor. Results go on in a task of the host's scheduler; without a host on the asyncio
            loop that runs where the stream is subscribed, or else on a scheduler that such streams share. `observe_on`
            takes them elsewhere. So a pool that forks its processes forks one with threads: with Python before 3.14 on
            Linux, give it `mp_context=multiprocessing.get_context("forkserver")`.
        Rules: §1.1, §1.3, §3.4, §3.5.
        Elsewhere: Reactor `flatMapSequential` of a `Mono` with `subscribeOn`, and `flatMap` for `ordered=False`; RxJava
            `concatMapEager`, and `flatMapSingle` for `ordered=False`; reactivex `flat_map`.

        Example:
            >>> from concurrent.futures import ThreadPoolExecutor
            >>> from reactivestreams import Stream
            >>> with ThreadPoolExecutor(4) as pool:
            ...     Stream.just("a", "b", "c").map_in_executor(str.upper, pool).to_list()
            ['A', 'B', 'C']
        """
        return self._then(operators.MapInExecutor, operators.MapInExecutor.parameters(function, executor, concurrency=concurrency, ordered=ordered, chunk=chunk))

    def map_indexed(self, function: Callable[[T, int], U]) -> Stream[U]:
        """Pass on what a function returns for each element and its index.

        Args:
            function: Called with each element and its index, the first of which is 0.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
        State: the next index; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `index`, then `map`; RxJava none; reactivex `map_indexed`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("a", "b").map_indexed(lambda element, index: (index, element)).to_list()
            [(0, 'a'), (1, 'b')]
        """
        return self._then(operators.MapIndexed, operators.MapIndexed.parameters(function))

    def map_not_none(self, function: Callable[[T], U | None]) -> Stream[U]:
        """Pass on what a function returns for each element, where it is not None.

        Args:
            function: Called with each element; where it returns None, nothing passes for the element.

        Demand: n requested are n requested upstream; an element for which nothing passes gives its demand back.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §2.13.
        Elsewhere: Reactor `mapNotNull`; RxJava `mapOptional`, whose function returns an `Optional`; reactivex `map`, then
            `filter`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("b", "x", "a").map_not_none({"a": 1, "b": 2}.get).to_list()
            [2, 1]
        """
        return self._then(operators.MapNotNone, operators.MapNotNone.parameters(function))

    def pairwise(self) -> Stream[tuple[T, T]]:
        """Pass on each element in a tuple with the one before it; nothing for the first one.

        Demand: n requested are n requested upstream, and one more for the first element.
        Errors: upstream's are passed on.
        State: the last element, and whether there was one; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1.
        Elsewhere: Reactor none; RxJava none; reactivex `pairwise`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 4, 9).pairwise().map(lambda pair: pair[1] - pair[0]).to_list()
            [3, 5]
        """
        return self._then(operators.Pairwise, operators.Pairwise.parameters())

    def pluck(self, *keys: object) -> Stream[Any]:
        """Pass on the item of each element at a key or an index, or a tuple of several: `element[key]`.

        Attributes are what `pluck_attr` passes on.

        Args:
            keys: One key or several: of mappings, or indexes of sequences. For one the item is passed on as it is.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an element without the item cancels the upstream and its KeyError, IndexError or
            TypeError becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor none; RxJava none; reactivex `pluck`, with one key.

        Example:
            >>> from reactivestreams import Stream
            >>> rows = Stream.just({"id": 1, "name": "a", "size": 3}, {"id": 2, "name": "b", "size": 5})
            >>> rows.pluck("name").to_list()
            ['a', 'b']
            >>> rows.pluck("id", "size").to_list()
            [(1, 3), (2, 5)]
        """
        return self._then(operators.Pluck, operators.Pluck.parameters(*keys))

    def pluck_attr(self, *names: str) -> Stream[Any]:
        """Pass on an attribute of each element, or a tuple of several: `element.name`.

        Items of mappings and sequences are what `pluck` passes on.

        Args:
            names: One name or several; "owner.name" is the attribute of an attribute. For one its value is passed on as it
                is.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an element without the attribute cancels the upstream and its AttributeError
            becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream; a property runs in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor none; RxJava none; reactivex `pluck_attr`, with one name.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1 + 2j, 3 - 1j).pluck_attr("imag").to_list()
            [2.0, -1.0]
            >>> Stream.just(range(3), range(1, 9, 2)).pluck_attr("start", "step").to_list()
            [(0, 1), (1, 2)]
        """
        return self._then(operators.PluckAttr, operators.PluckAttr.parameters(*names))

    def scan(self, function: Callable[[Any, Any], Any], seed: Any = ...) -> Stream[Any]:
        """Fold the elements into an accumulator and pass it on after each; the seed itself is not passed on.

        Without a seed the first element is the first accumulator, and is passed on as it is.

        Args:
            function: Called with the accumulator and an element; returns the next accumulator.
            seed: The first accumulator. Every subscription starts from this very object, so use an immutable one. Without
                it the first element is the first accumulator.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
        State: whether there is no accumulator yet, and the accumulator; version 1.1.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor `scan`; RxJava `scan`; reactivex `scan`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 3).scan(lambda total, element: total + element, 0).to_list()
            [1, 3, 6]
            >>> Stream.just(3, 1, 4).scan(max).to_list()
            [3, 3, 4]
        """
        return self._then(operators.Scan, operators.Scan.parameters(function, seed))

    def sliding(self, size: int, step: int = 1) -> Stream[tuple[T, ...]]:
        """Pass on tuples of `size` neighboring elements, each of which begins `step` elements behind the one before.

        Elements at the end that fill no tuple are given up, as are those between tuples where `step` is more than `size`.
        `buffer(size, step)` passes on lists instead, also those at the end that are not full.

        Args:
            size: Elements in a tuple, from 1 to `MAX_BUFFER_ELEMENTS`.
            step: After how many elements the next tuple begins, from 1.

        Demand: n requested are n requested upstream, and one more for each element that completes no tuple.
        Errors: upstream's are passed on.
        State: the elements of the tuples that are not full, and how many are left out before the next; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1.
        Elsewhere: Reactor none; RxJava none; reactivex none. more_itertools has `sliding_window`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).sliding(3).to_list()
            [(0, 1, 2), (1, 2, 3), (2, 3, 4)]
            >>> Stream.range(5).sliding(2, 2).to_list()
            [(0, 1), (2, 3)]
        """
        return self._then(operators.Sliding, operators.Sliding.parameters(size, step))

    def sorted(
        self, key: Callable[[T], Any] | None = None, *, reverse: bool = False, max_elements: int = 1000000
    ) -> Stream[T]:
        """Pass on all elements in their order when the upstream has completed; equal ones in that in which they came.

        Args:
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            reverse: Whether the greatest one comes first.
            max_elements: How many elements may come, from 1 to `MAX_SORTED`; one more ends the stream with CapacityError.

        Demand: the first request is one for all elements upstream; n requested are n passed on, once they are sorted.
        Errors: upstream's are passed on, and the elements given up; an exception of the function or of a comparison, or
            one element more than the bound, becomes `on_error`.
        State: the elements that were not passed on; version 1.0.0.0.
        Threads: the function and the comparisons run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `sort`; RxJava `sorted`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("bee", "ant", "hornet").sorted(key=len, reverse=True).to_list()
            ['hornet', 'bee', 'ant']
        """
        return self._then(operators.Sorted, operators.Sorted.parameters(key, reverse=reverse, max_elements=max_elements))

    def split_when(self, predicate: Callable[[T, T], object], *, max_elements: int = 1000000) -> Stream[list[T]]:
        """Pass on lists of neighboring elements; a new one begins where a predicate of an element and the next is true.

        Args:
            predicate: Called with each element and the next one; true: the next one begins a list.
            max_elements: The most elements of a list, from 1 to `MAX_BUFFER_ELEMENTS`; one more ends the stream with
                CapacityError.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time, and one more
            for each element that ends no list. The last list goes out at the completion, for a request of its own.
        Errors: upstream's are passed on, and the elements of the list given up; an exception of the predicate, or one
            element more than the bound, cancels the upstream and becomes `on_error`.
        State: what waits of the input, and the elements of the list that is being filled; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.5.
        Elsewhere: Reactor `bufferUntilChanged`; RxJava none; reactivex none. more_itertools has
            `split_when`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 5, 6, 4).split_when(lambda one, following: following != one + 1).to_list()
            [[1, 2], [5, 6], [4]]
        """
        return self._then(operators.SplitWhen, operators.SplitWhen.parameters(predicate, max_elements=max_elements))

    def starmap(self, function: Callable[..., U]) -> Stream[U]:
        """Pass on what a function returns that is called with the parts of each element as its arguments.

        Args:
            function: Called with the parts of each element, which is a tuple or another iterable.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`, and so
            does an ArgumentTypeError for an element that has no parts.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: Reactor none; RxJava none; reactivex `starmap`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just((2, 3), (10, 2)).starmap(pow).to_list()
            [8, 100]
        """
        return self._then(operators.Starmap, operators.Starmap.parameters(function))

    def switch_map(self, function: Callable[[T], Source[U]], *, prefetch: int = 32) -> Stream[U]:
        """Pass on the elements of what a function returns for the newest element: each new element cancels what runs.

        Args:
            function: Called with each element; returns an iterable, a stream, a publisher or an asynchronous iterable.
            prefetch: How many elements may be requested upstream and not yet be taken, and of a stream and not yet be
                passed on, from 1 to 2**24.

        Demand: upstream's elements are taken as they come, without demand; `prefetch` are requested at a time. What was
            requested and not yet delivered is requested of the stream that runs. Where upstream has all its elements at
            hand, the streams but the last one pass on no more than was requested before.
        Errors: that of upstream or of the stream that runs cancels the other and is passed on; one of a stream that was
            cancelled goes to the hook for dropped signals; an exception of the function becomes `on_error`, and so does an
            ArgumentTypeError where the function returns nothing of the kind.
        State: the element whose stream runs, with the state of that stream, and what waits of both; the function must
            return an equal one again for this element. Version 1.0.0.0.
        Threads: the function and the iterables run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `switchMap`; RxJava `switchMap`; reactivex `flat_map_latest`.

        Example:
            >>> from reactivestreams import Stream
            >>> quotes = Stream.just("a", "b").switch_map(lambda name: Stream.just(name).concat_with(Stream.never()))
            >>> quotes.take(2).to_list()
            ['a', 'b']
        """
        return self._then(operators.SwitchMap, operators.SwitchMap.parameters(function, prefetch=prefetch))

    def window(
        self, count: int, skip: int | None = None, *, prefetch: int = 128, max_windows: int = 4096
    ) -> Stream[GroupedStream[int, T]]:
        """Pass on a stream for each `count` neighboring elements, a window; the last ones may be shorter.

        Use `buffer` where lists will do: it needs no subscriptions, and saves its state. A window passes with its first
        element, and what subscribes to it gets the elements as they come; its `.key` is its number, from 0.

        An element waits in the queue of its window until it is requested. One for a queue that is full waits, too, and with
        it everything that comes after it: so windows that overlap have to be consumed at a time, as `flat_map` does with up
        to `concurrency` of them, or `prefetch` has to be `count`. A window whose stream is dropped or cancelled is closed:
        its other elements are dropped.

        Args:
            count: Elements in a window, from 1 to `MAX_BUFFER_ELEMENTS`.
            skip: After how many elements the next window begins, from 1. Less than `count`: windows overlap; more: elements
                between them are left out; None: as many as `count`, so that each element is in one window.
            prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
                in one, from 1 to 2**24.
            max_windows: How many windows may be open at a time, and how many may wait to be requested, from 1. While so
                many wait, nothing more is taken.

        Demand: from the first request on, `prefetch` requested upstream, replenished when 75 % of them are in the queues;
            windows that were not requested wait.
        Errors: upstream's go to all open windows, after what waits in them, and to the subscriber; a stream of windows that
            is cancelled ends the open ones with StateError. ArgumentError where more than `max_windows` would be open.
            WouldDeadlockError, with the number, or a RuntimeWarning, where a queue is full and nobody can make room, as for
            `group_by`.
        State: as for `group_by`: the windows, with what waits of each.
        Threads: the thread that drains the stream. Each window may be consumed in a thread of its own.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor `window`; RxJava `window`; reactivex `window_with_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).window(2).concat_map(lambda window: window.map(lambda n: (window.key, n))).to_list()
            [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)]
        """
        return self._then(operators.Window, operators.Window.parameters(count, skip, prefetch=prefetch, max_windows=max_windows))

    def window_toggle(
        self,
        openings: Source[U],
        closing: Callable[[U], Source[object]],
        *,
        prefetch: int = 128,
        max_windows: int = 4096,
    ) -> Stream[GroupedStream[int, T]]:
        """Pass on a stream, a window, for each element of another stream: of what comes then, until a third one ends it.

        A window passes when it is opened. Several may be open at a time, and each gets every element, so they have to be
        consumed at a time, as `flat_map` does. What comes while none is open is dropped. When the upstream completes, the
        open windows end; when the openings have, the stream completes with the end of the last open window. So the lists of
        its windows are those of `buffer_toggle`.

        Args:
            openings: A stream, a publisher, an iterable or an asynchronous iterable; each of its elements opens a window.
            closing: Called with that element; returns one, too, whose first element or completion ends the window.
            prefetch: How many elements may wait in the queue of each window, and may be requested of each input and not yet
                be taken, from 1 to 2**24.
            max_windows: How many windows may be open at a time, and how many may wait to be requested, from 1. While so
                many wait, nothing more is taken; one more open one ends the stream with CapacityError.

        Demand: from the first request on, `prefetch` requested of each input, replenished when 75 % of them were taken.
            Windows that were not requested wait. An element for a queue that is full holds up all inputs.
        Errors: those of all inputs, and an exception of `closing`, go to the open windows, after what waits in them, and to
            the subscriber; else as for `window`.
        State: as for `group_by`; what waits of the streams that end windows, for which `closing` is called again when it
            is loaded.
        Threads: the thread that drains the stream, or that of the input that brings an element. Each window may be consumed
            in a thread of its own.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor `windowWhen`; RxJava `window` of openings; reactivex `window_toggle`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import SimpleSubject
            >>> numbers, doors, ends = SimpleSubject(), SimpleSubject(), SimpleSubject()
            >>> windows = Stream.from_publisher(numbers).window_toggle(doors, lambda door: Stream.from_publisher(ends))
            >>> largest = []
            >>> running = windows.flat_map(lambda window: window.scan(max, 0)).subscribe(on_next=largest.append)
            >>> for subject, element in ((numbers, 9), (doors, "open"), (numbers, 2), (numbers, 3), (ends, "shut")):
            ...     subject.on_next(element)
            >>> largest
            [2, 3]
        """
        return self._then(operators.WindowToggle, operators.WindowToggle.parameters(openings, closing, prefetch=prefetch, max_windows=max_windows))

    def window_until(
        self, predicate: Callable[[T], object], *, prefetch: int = 128, max_windows: int = 4096
    ) -> Stream[GroupedStream[int, T]]:
        """Pass on a stream, a window, for neighboring elements, each of which ends with one for which a predicate is true.

        A window passes with its first element, before it is known which one is its last; so it may be of any length, while
        the lists of `buffer_until` are bounded. The completion of the upstream ends the open window.

        Args:
            predicate: Called with each element, before it is in a window; true: it is the last of its window.
            prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
                in one, from 1 to 2**24.
            max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

        Demand: as for `window`.
        Errors: as for `window`; an exception of the predicate cancels the upstream, and goes to the open window and to the
            subscriber.
        State: as for `group_by`: the window, with what waits of it.
        Threads: the predicate runs in the thread that drains the stream. Each window may be consumed in a thread of its
            own.
        Rules: §1.1, §1.3, §1.5, §1.10.
        Elsewhere: Reactor `windowUntil`; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> lines = Stream.just("a", "b.", "c.", "d")
            >>> sentences = lines.window_until(lambda line: line.endswith("."))
            >>> sentences.concat_map(lambda window: window.map(lambda line: (window.key, line))).to_list()
            [(0, 'a'), (0, 'b.'), (1, 'c.'), (2, 'd')]
        """
        return self._then(operators.WindowUntil, operators.WindowUntil.parameters(predicate, prefetch=prefetch, max_windows=max_windows))

    def window_when(
        self, boundary: Source[object], *, prefetch: int = 128, max_windows: int = 4096
    ) -> Stream[GroupedStream[int, T]]:
        """Pass on a stream, a window, for the elements between two elements of another stream.

        A window passes with its first element, and ends when the other stream has one; if that has one while no window is
        open, an empty window passes. So the lists of its windows are those of `buffer_when`. When one of both inputs
        completes, the open window ends, and the stream completes.

        Args:
            boundary: A stream, a publisher, an iterable or an asynchronous iterable; its elements themselves are dropped.
            prefetch: How many elements may wait in the queue of each window, and may be requested of each input and not yet
                be taken, from 1 to 2**24.
            max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

        Demand: from the first request on, `prefetch` requested of each input, replenished when 75 % of them were taken.
            Windows that were not requested wait.
        Errors: those of both inputs go to the open window, after what waits in it, and to the subscriber; else as for
            `window`.
        State: as for `group_by`: the window, with what waits of it.
        Threads: the thread that drains the stream, or that of the input that brings an element. Each window may be consumed
            in a thread of its own.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor `window` of a publisher; RxJava `window` of a publisher; reactivex `window`, `window_when`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import SimpleSubject
            >>> numbers, ticks = SimpleSubject(), SimpleSubject()
            >>> windows = Stream.from_publisher(numbers).window_when(ticks)
            >>> sums = []
            >>> running = windows.flat_map(lambda window: window.scan(max, 0)).subscribe(on_next=sums.append)
            >>> for subject, element in ((numbers, 3), (numbers, 1), (ticks, "tick"), (numbers, 2)):
            ...     subject.on_next(element)
            >>> sums
            [3, 3, 2]
        """
        return self._then(operators.WindowWhen, operators.WindowWhen.parameters(boundary, prefetch=prefetch, max_windows=max_windows))

    def cast(self, kind: Any) -> Stream[Any]:
        """Pass on the elements as they are, and fail at the first that is not of a type; nothing is converted.

        Args:
            kind: A class, a tuple of classes, or a union of them, as `isinstance` takes it.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an element of another type cancels the upstream and becomes `on_error` with an
            ArgumentTypeError, which is a TypeError and names the element.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `cast`; RxJava `cast`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).cast(int).to_list()
            [1, 2]
        """
        return self._then(operators.Cast, operators.Cast.parameters(kind))

    def distinct(self, key: Callable[[T], Hashable] | None = None, *, max_keys: int = 1000000) -> Stream[T]:
        """Pass on the elements whose key has not come before, and drop the others.

        Args:
            key: Called with each element; returns its key, which must be hashable. None: the element is the key.
            max_keys: How many keys may be known, from 1; one more ends the stream with CapacityError.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on; an exception of the function, a key that cannot be hashed, or one more than the
            bound, cancels the upstream and becomes `on_error`.
        State: the keys that have come; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `distinct`; RxJava `distinct`; reactivex `distinct`, elsewhere unique by key.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(2, 1, 2, 3, 1).distinct().to_list()
            [2, 1, 3]
            >>> Stream.just("ant", "bee", "asp").distinct(lambda word: word[0]).to_list()
            ['ant', 'bee']
        """
        return self._then(operators.Distinct, operators.Distinct.parameters(key, max_keys=max_keys))

    def distinct_until_changed(
        self, key: Callable[[T], U] | None = None, *, comparer: Callable[[U, U], object] | None = None
    ) -> Stream[T]:
        """Pass on the first element, and each whose key differs from that of the last one that passed.

        Args:
            key: Called with each element; returns its key. None: the element is the key.
            comparer: Called with the key of the last element that passed and with the new one; its result counts by its
                truth, and says whether they are the same. None: they are the same where one is the other or `==` says so.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on; an exception of one of the functions, or of the comparison, cancels the upstream
            and becomes `on_error`.
        State: the key of the last element that passed, and whether there is one; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `distinctUntilChanged`; RxJava `distinctUntilChanged`; reactivex `distinct_until_changed`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(2, 3, 3, 2, 2, 1, 2).distinct_until_changed().to_list()
            [2, 3, 2, 1, 2]
            >>> close = lambda last, new: abs(new - last) < 5
            >>> Stream.just(20, 22, 24, 26, 27).distinct_until_changed(comparer=close).to_list()
            [20, 26]
        """
        return self._then(operators.DistinctUntilChanged, operators.DistinctUntilChanged.parameters(key, comparer=comparer))

    def filter(self, predicate: Callable[[T], object]) -> Stream[T]:
        """Pass on the elements for which a predicate is true.

        Args:
            predicate: Called with each element; its result counts by its truth.

        Demand: n requested are n requested upstream; an element that does not pass gives its demand back.
        Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
            upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.4, §2.13.
        Elsewhere: Reactor `filter`; RxJava `filter`; reactivex `filter`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(6).filter(lambda element: element % 2).to_list()
            [1, 3, 5]
        """
        return self._then_call(Filter, predicate)

    def filter_indexed(self, predicate: Callable[[T, int], object]) -> Stream[T]:
        """Pass on the elements for which a predicate of them and their index is true.

        Args:
            predicate: Called with each element and its index, the first of which is 0; its result counts by its truth.

        Demand: n requested are n requested upstream; an element that does not pass gives its demand back.
        Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
            upstream and becomes `on_error`.
        State: the next index; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `index`, then `filter`; RxJava none; reactivex `filter_indexed`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("a", "b", "c").filter_indexed(lambda element, index: index % 2 == 0).to_list()
            ['a', 'c']
        """
        return self._then(operators.FilterIndexed, operators.FilterIndexed.parameters(predicate))

    def ignore_elements(self) -> Stream[T]:
        """Drop all elements and pass on the end.

        Demand: all elements are requested upstream at the start; what is requested changes nothing.
        Errors: upstream's are passed on.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `ignoreElements`; RxJava `ignoreElements`; reactivex `ignore_elements`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).ignore_elements().to_list()
            []
        """
        return self._then(operators.IgnoreElements, operators.IgnoreElements.parameters())

    def of_type(self, kind: Any) -> Stream[Any]:
        """Pass on the elements of a type, and drop the others.

        Args:
            kind: A class, a tuple of classes, or a union of them, as `isinstance` takes it.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on; an exception of the class, where it says itself what its instances are, cancels
            the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `ofType`; RxJava `ofType`; reactivex `filter`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, "a", 2).of_type(int).to_list()
            [1, 2]
        """
        return self._then(operators.OfType, operators.OfType.parameters(kind))

    def skip(self, count: int) -> Stream[T]:
        """Drop the first `count` elements and pass on the others.

        Args:
            count: How many elements to drop; 0 drops none.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on.
        State: how many elements are still to be dropped; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1.
        Elsewhere: Reactor `skip`; RxJava `skip`; reactivex `skip`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).skip(3).to_list()
            [3, 4]
        """
        return self._then(Skip, (count,) if type(count) is int and 0 <= count <= MAX_COUNT else Skip.parameters(count))

    def skip_last(self, count: int) -> Stream[T]:
        """Drop the last `count` elements: each passes when so many others have come after it.

        Args:
            count: How many elements to drop, from 0 to `MAX_SKIP_LAST`; so many are held.

        Demand: n requested are n requested upstream, and `count` more in all.
        Errors: upstream's are passed on, and the elements given up.
        State: the elements that are held; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `skipLast`; RxJava `skipLast`; reactivex `skip_last`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).skip_last(2).to_list()
            [0, 1, 2]
        """
        return self._then(operators.SkipLast, operators.SkipLast.parameters(count))

    def skip_until(self, until: Callable[[T], object] | Source[object]) -> Stream[T]:
        """Drop elements until a predicate is true, or until another stream sends an element; then pass on all.

        The element for which the predicate is true is the first one that passes. Another stream that completes without an
        element lets nothing pass; the end of the upstream is passed on.

        Args:
            until: A predicate, which is called with each element until one passes, and whose result counts by its truth;
                or a stream, a publisher, an iterable or an asynchronous iterable.

        Demand: n requested are n requested upstream, with another stream at most 128 at a time; a dropped element gives
            its demand back. Of another stream one element is requested at the start; then it is cancelled.
        Errors: upstream's are passed on, and until elements pass those of the other stream, which cancel the upstream; an
            exception of the predicate, or of the truth of its result, cancels the upstream and becomes `on_error`.
        State: whether elements pass, and with another stream what waits of both; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream; with another stream, signals run in the thread
            that requests, or in that of the input that brings one.
        Rules: §1.1, §1.3, §2.13.
        Elsewhere: Reactor `skipUntil`, and `skipUntilOther` for another stream; RxJava `skipUntil`, and `skipWhile` for a
            predicate; reactivex `skip_until`, and `skip_while` for a predicate.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(6).skip_until(lambda element: element == 3).to_list()
            [3, 4, 5]
            >>> Stream.range(3).skip_until(Stream.just("now")).to_list()
            [0, 1, 2]
        """
        return self._then(operators.SkipUntil, operators.SkipUntil.parameters(until))

    def skip_while(self, predicate: Callable[[T], object]) -> Stream[T]:
        """Drop elements as long as a predicate is true, then pass on that one for which it is false and all others.

        Args:
            predicate: Called with each element until one passes, and never after that; its result counts by its truth.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
            upstream and becomes `on_error`.
        State: whether elements pass; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §2.13.
        Elsewhere: Reactor `skipWhile`; RxJava `skipWhile`; reactivex `skip_while`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 3, 1).skip_while(lambda element: element < 3).to_list()
            [3, 1]
        """
        return self._then(operators.SkipWhile, operators.SkipWhile.parameters(predicate))

    def take(self, count: int) -> Stream[T]:
        """Pass on the first `count` elements, then cancel the upstream and complete.

        Args:
            count: How many elements may pass; 0 completes at once and never subscribes upstream.

        Demand: n requested are n requested upstream, but never more than what is still to pass.
        Errors: upstream's are passed on.
        State: how many elements are still to pass; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.5, §2.6, §3.17.
        Elsewhere: Reactor `take`; RxJava `take`; reactivex `take`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).take(3).to_list()
            [0, 1, 2]
        """
        return self._then(Take, (count,) if type(count) is int and 0 <= count <= MAX_COUNT else Take.parameters(count))

    def take_last(self, count: int) -> Stream[T]:
        """Pass on the last `count` elements when the upstream has completed.

        Args:
            count: How many elements pass, from 0 to `MAX_TAKE_LAST`; so many are held.

        Demand: the first request is one for all elements upstream; n requested are n passed on, once that has completed.
            A count of 0 requests all elements at the start.
        Errors: upstream's are passed on, and the elements given up.
        State: the elements that are held; version 1.0.0.0.
        Threads: the elements are passed on in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `takeLast`; RxJava `takeLast`; reactivex `take_last`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).take_last(2).to_list()
            [3, 4]
        """
        return self._then(operators.TakeLast, operators.TakeLast.parameters(count))

    def take_until(self, until: Callable[[T], object] | Source[object]) -> Stream[T]:
        """Pass on elements until a predicate is true, or until another stream sends an element; then cancel and complete.

        The element for which the predicate is true is the last one that passes. Another stream that completes without an
        element changes nothing.

        Args:
            until: A predicate, which is called with each element before it passes, and whose result counts by its truth;
                or a stream, a publisher, an iterable or an asynchronous iterable.

        Demand: n requested are n requested upstream, with another stream at most 128 at a time; of that one element is
            requested at the start.
        Errors: upstream's and those of the other stream are passed on and cancel the other one; an exception of the
            predicate, or of the truth of its result, cancels the upstream and becomes `on_error`.
        State: with a predicate none but whether it is disposed; with another stream what waits of both, and whether it has
            sent; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream; with another stream, signals run in the thread
            that requests, or in that of the input that brings one.
        Rules: §1.1, §1.3, §1.5, §2.13.
        Elsewhere: Reactor `takeUntil`, and `takeUntilOther` for another stream; RxJava `takeUntil`; reactivex `take_until`,
            and `take_while` for a predicate.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).take_until(lambda element: element == 3).to_list()
            [0, 1, 2, 3]
            >>> Stream.range(10**9).take_until(Stream.just("now")).to_list()
            []
        """
        return self._then(operators.TakeUntil, operators.TakeUntil.parameters(until))

    def take_while(self, predicate: Callable[[T], object], *, inclusive: bool = False) -> Stream[T]:
        """Pass on elements as long as a predicate is true, then cancel the upstream and complete.

        Args:
            predicate: Called with each element; its result counts by its truth.
            inclusive: Whether the first element for which it is false passes, too.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the predicate, or of the truth of its result, cancels the
            upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.5, §2.13.
        Elsewhere: Reactor `takeWhile`; RxJava `takeWhile`; reactivex `take_while`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).take_while(lambda element: element < 3).to_list()
            [0, 1, 2]
        """
        return self._then(operators.TakeWhile, operators.TakeWhile.parameters(predicate, inclusive=inclusive))

    def append(self, *values: U) -> Stream[T | U]:
        """Pass on the elements of the stream, then the values.

        Args:
            values: What comes last, one element each.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; the values
            wait for demand.
        Errors: upstream's are passed on, without the values.
        State: what waits of the upstream, or how many values were passed on; version 1.0.0.0.
        Threads: as upstream; the values are passed on in the thread that drains the stream.
        Rules: §1.1.
        Elsewhere: Reactor `concatWithValues`; RxJava `concatWith`; reactivex `concat`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).append(3, 4).to_list()
            [1, 2, 3, 4]
        """
        return self._then(operators.Append, operators.Append.parameters(*values))

    def combine_latest(self, *sources: Source[U], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Pass on a tuple of the latest elements of this stream and of others for each element of one of them.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken. An element is taken where its
            tuple is requested.
        Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
            dropped.
            An input that completes without an element completes the stream.
        State: what waits of each input, which are over, and the latest element of each; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor `combineLatest`; RxJava `combineLatest`; reactivex `combine_latest`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1).combine_latest(["a"]).to_list()
            [(1, 'a')]
        """
        return self._then(operators.CombineLatest, operators.CombineLatest.parameters(*sources, prefetch=prefetch))

    def compress(self, selectors: Source[Any], *, prefetch: int = 128) -> Stream[T]:
        """Pass on each element beside which a second stream has a true element; complete when one of both has no more.

        Args:
            selectors: A stream, a publisher, an iterable or an asynchronous iterable.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
        Errors: the first error of an input comes after its elements and cancels the other; an exception of a selector's
            `__bool__` cancels both and becomes `on_error`.
        State: what waits of each input, and which are over; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor none; RxJava none; reactivex none. itertools has `compress`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.from_iterable("abcd").compress([1, 0, 1]).to_list()
            ['a', 'c']
        """
        return self._then(operators.Compress, operators.Compress.parameters(selectors, prefetch=prefetch))

    def concat_with(self, *sources: Source[U]) -> Stream[T | U]:
        """Pass on the elements of the stream, then those of each source, one after the other.

        Args:
            sources: Streams, publishers, iterables or asynchronous iterables; each is subscribed to when the one before has
                completed.

        Demand: what was requested and not yet delivered is requested of the input at hand, at most 128 elements at a time.
        Errors: the error of an input is passed on; the sources behind it are never subscribed to.
        State: which input is active, and what waits of it; version 1.0.0.0.
        Threads: each source as it sends; the elements are passed on in the thread that drains the stream.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor `concatWith`; RxJava `concatWith`; reactivex `concat`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).concat_with([3], Stream.range(2)).to_list()
            [1, 2, 3, 0, 1]
        """
        return self._then(operators.ConcatWith, operators.ConcatWith.parameters(*sources))

    def intersperse(self, separator: T) -> Stream[T]:
        """Pass on a separator between any two elements; none before the first one and none behind the last.

        Args:
            separator: What goes out between two elements: each time this very object.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time. A separator
            goes out when the element behind it has come, which then waits for a request of its own.
        Errors: upstream's come behind the element that waits.
        State: what waits of the input, the element that waits behind a separator, and whether there was one before; version
            1.0.0.0.
        Threads: as upstream.
        Rules: §1.1.
        Elsewhere: Reactor none; RxJava none; reactivex none. more_itertools has `intersperse`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("a", "b", "c").intersperse("-").to_list()
            ['a', '-', 'b', '-', 'c']
        """
        return self._then(operators.Intersperse, operators.Intersperse.parameters(separator))

    def merge_sorted(
        self, *sources: Source[T], key: Callable[[T], Any] | None = None, prefetch: int = 128
    ) -> Stream[T]:
        """Pass on the elements of this stream and of others, each time the least of those that come next.

        Where each input is sorted, so is the result. Of equal elements that of the earlier input comes first.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables, each in ascending order.
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken. An element is passed on when the
            next one, or the end, of each input has come.
        Errors: the first error of an input comes when its next element is needed, cancels the others and drops what waits
            of them; an exception of `key` or of a comparison does the same.
        State: what waits of each input, and which are over; version 1.0.0.0. `key` is called again for what comes next.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor `mergeComparingWith`; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 4, 9).merge_sorted([2, 3, 10], Stream.just(5)).to_list()
            [1, 2, 3, 4, 5, 9, 10]
        """
        return self._then(operators.MergeSorted, operators.MergeSorted.parameters(*sources, key=key, prefetch=prefetch))

    def merge_with(self, *sources: Source[T], prefetch: int = 128) -> Stream[T]:
        """Pass on the elements of this stream and of others as they come; complete when all have.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
        Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
            dropped.
        State: what waits of each input, and which are over; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor `mergeWith`; RxJava `mergeWith`; reactivex `merge`.

        Example:
            >>> from reactivestreams import Stream
            >>> sorted(Stream.range(3).merge_with([10, 11], Stream.just(20)).to_list())
            [0, 1, 2, 10, 11, 20]
        """
        return self._then(operators.MergeWith, operators.MergeWith.parameters(*sources, prefetch=prefetch))

    def start_with(self, *values: U) -> Stream[T | U]:
        """Pass on the values, then the elements of the stream.

        Args:
            values: What comes first, one element each.

        Demand: nothing is requested upstream before the values were passed on; then what is left of n, at most 128 elements
            at a time.
        Errors: upstream's are passed on, behind the values.
        State: how many values were passed on, and what waits of the upstream; version 1.0.0.0.
        Threads: as upstream; the values are passed on in the thread that drains the stream.
        Rules: §1.1.
        Elsewhere: Reactor `startWith`; RxJava `startWithArray`; reactivex `start_with`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(3, 4).start_with(1, 2).to_list()
            [1, 2, 3, 4]
        """
        return self._then(operators.StartWith, operators.StartWith.parameters(*values))

    def then(self, source: Source[U]) -> Stream[U]:
        """Ignore the elements of the stream; when it completes, pass on those of a source.

        Args:
            source: A stream, a publisher, an iterable or an asynchronous iterable.

        Demand: upstream's elements are requested at the start, 128 at a time, without demand; the source's as they are
            requested, at most 128 at a time.
        Errors: upstream's are passed on, and the source is not used; then those of the source.
        State: whether upstream has completed, and what waits of the source; version 1.0.0.0.
        Threads: as upstream; the source begins in the thread that drains the stream.
        Rules: §1.1.
        Elsewhere: Reactor `thenMany`; RxJava `Completable.andThen`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> written = []
            >>> Stream.just("a", "b").do(on_next=written.append).then(["done"]).to_list()
            ['done']
            >>> written
            ['a', 'b']
        """
        return self._then(operators.Then, operators.Then.parameters(source))

    def with_latest_from(self, *sources: Source[U], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Pass on each element in a tuple with the latest elements of others; drop it where one of them has none yet.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken. Elements of the others are
            taken as they come.
        Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
            dropped.
            An other input that completes without an element completes the stream.
        State: what waits of each input, which are over, and the latest element of each; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor `withLatestFrom`; RxJava `withLatestFrom`; reactivex `with_latest_from`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).with_latest_from(Stream.never()).merge_with([(0, 0)]).take(1).to_list()
            [(0, 0)]
        """
        return self._then(operators.WithLatestFrom, operators.WithLatestFrom.parameters(*sources, prefetch=prefetch))

    def zip_longest(self, *sources: Source[U], filling: object = None, prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Pass on tuples of the n-th elements of this stream and of others; complete when all have no more.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables.
            filling: What stands for the elements of streams that are over.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
        Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
            dropped.
        State: what waits of each input, and which are over; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor none; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).zip_longest("ab", filling="-").to_list()
            [(0, 'a'), (1, 'b'), (2, '-')]
        """
        return self._then(operators.ZipLongest, operators.ZipLongest.parameters(*sources, filling=filling, prefetch=prefetch))

    def zip_with(self, *sources: Source[U], prefetch: int = 128) -> Stream[tuple[Any, ...]]:
        """Pass on tuples of the n-th elements of this stream and of others; complete when one of them has no more.

        Args:
            sources: Streams, publishers, iterables, asynchronous iterables.
            prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

        Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
        Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
            dropped.
        State: what waits of each input, and which are over; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element.
        Rules: §1.1, §1.3, §1.7, §2.7.
        Elsewhere: Reactor `zipWith`; RxJava `zipWith`; reactivex `zip`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).zip_with("ab").to_list()
            [(0, 'a'), (1, 'b')]
        """
        return self._then(operators.ZipWith, operators.ZipWith.parameters(*sources, prefetch=prefetch))

    def cycle(self, times: int | None = None, *, max_elements: int | None = 1000000) -> Stream[T]:
        """Pass on the elements and keep them, then pass on what was kept, again and again.

        The stream runs once, while `repeat` runs it again each time and keeps nothing.

        Args:
            times: How often each element goes out, 1 or more; None: until the subscriber cancels.
            max_elements: How many elements may be kept, from 1; one more ends the stream with CapacityError. None: without
                a bound.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; after the
            completion nothing.
        Errors: upstream's are passed on; one element more than the bound cancels the upstream and becomes `on_error`.
        State: what waits of the input, the elements that were kept, and the place among them; version 1.0.0.0.
        Threads: as upstream; what was kept goes out in the thread that requests.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `cache` and `repeat`; RxJava `cache` and `repeat`; reactivex none. itertools has `cycle`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.from_iterable(iter("ab")).cycle().take(5).to_list()
            ['a', 'b', 'a', 'b', 'a']
            >>> Stream.just(1, 2).cycle(2).to_list()
            [1, 2, 1, 2]
        """
        return self._then(operators.Cycle, operators.Cycle.parameters(times, max_elements=max_elements))

    def default_if_empty(self, value: U) -> Stream[T | U]:
        """Pass on the elements of the stream, or a value if it completes without one.

        Args:
            value: The element to pass on instead of none.

        Demand: n requested are n requested upstream, at most 128 at a time; the value waits for demand.
        Errors: upstream's are passed on, without the value.
        State: how many elements have passed, and what waits of the upstream; version 1.0.0.0.
        Threads: as upstream; the value is passed on in the thread that drains the stream.
        Rules: §1.1.
        Elsewhere: Reactor `defaultIfEmpty`; RxJava `defaultIfEmpty`; reactivex `default_if_empty`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.empty().default_if_empty(7).to_list()
            [7]
        """
        return self._then(operators.DefaultIfEmpty, operators.DefaultIfEmpty.parameters(value))

    def on_error_continue(self, report: Callable[[Exception, Any], object]) -> Stream[T]:
        """Leave out an element for which the function of an operator above raises; report it, and go on with the next one.

        It reaches up to the source, or to the next `on_error_continue`. These operators take part: `map`, `starmap`,
        `filter`, `scan`, `do` with `on_next`, and `flat_map`, `concat_map` and `flat_map_ordered` with the call of their
        function. All else ends the stream as ever: an error of the source, of an iterable or a stream that `flat_map` runs,
        and of all other operators. An operator inside of the stream that a function returns, and the other inputs of one
        that joins streams, are not reached.

        Args:
            report: Called with the exception, which names the operator in a note, and the element.

        Demand: n requested are n requested upstream; an element that is left out gives its demand back.
        Errors: upstream's are passed on; an exception of `report` ends the stream.
        State: none but whether it is disposed; version 1.0.0.0. `scan` keeps the accumulator that it had before.
        Threads: `report` runs where the function of the operator did; above an `observe_on` that is another thread than
            below, so that two calls may run at the same time.
        Rules: §1.4, §2.13.
        Elsewhere: Reactor `onErrorContinue`; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> bad = []
            >>> numbers = Stream.just("1", "x", "3").map(int).on_error_continue(lambda error, text: bad.append(text))
            >>> numbers.to_list(), bad
            ([1, 3], ['x'])
        """
        return self._then(operators.OnErrorContinue, operators.OnErrorContinue.parameters(report))

    def on_error_map(self, function: Callable[[Exception], Exception]) -> Stream[T]:
        """Pass on the elements of the stream; where it fails, signal the error that a function returns for its own.

        Args:
            function: Called with the error; returns the exception to signal instead, which gets the error as its cause
                unless it has one.

        Demand: n requested are n requested upstream.
        Errors: what the function returns takes the place of upstream's, and so does an exception of the function; an
            ArgumentTypeError, where it returns no exception.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.4.
        Elsewhere: Reactor `onErrorMap`; RxJava `onErrorResumeNext`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> stream = Stream.error(KeyError("port")).on_error_map(lambda error: ValueError("no port"))
            >>> stream.on_error_resume(lambda error: [repr(error)]).to_list()
            ["ValueError('no port')"]
        """
        return self._then(operators.OnErrorMap, operators.OnErrorMap.parameters(function))

    def on_error_resume(self, source: Source[U] | Callable[[Exception], Source[U]]) -> Stream[T | U]:
        """Pass on the elements of the stream; where it fails, those of a source instead of the error.

        Args:
            source: A stream, a publisher, an iterable or an asynchronous iterable; or a function that is called with the
                error and returns one. The function is called again when a saved state is loaded.

        Demand: what was requested and not yet delivered is requested of the input at hand, at most 128 elements at a time.
        Errors: upstream's is not passed on; the source's is, and so is an exception of the function, with upstream's error
            as its context.
        State: which input is active, upstream's error, and what waits of the input; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §1.4.
        Elsewhere: Reactor `onErrorResume`; RxJava `onErrorResumeNext`; reactivex `catch`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 0).map(lambda n: 1 // n).on_error_resume(lambda error: [repr(error)]).to_list()
            [1, "ZeroDivisionError('integer division or modulo by zero')"]
        """
        return self._then(operators.OnErrorResume, operators.OnErrorResume.parameters(source))

    def on_error_return(self, value: U) -> Stream[T | U]:
        """Pass on the elements of the stream; where it fails, a value, then complete.

        Args:
            value: The element to pass on instead of the error.

        Demand: what was requested and not yet delivered is requested upstream, at most 128 elements at a time; the value
            waits for demand.
        Errors: upstream's is not passed on.
        State: upstream's error, and what waits of the upstream; version 1.0.0.0.
        Threads: as upstream; the value is passed on in the thread that drains the stream.
        Rules: §1.1, §1.4.
        Elsewhere: Reactor `onErrorReturn`; RxJava `onErrorReturnItem`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(2, 0).map(lambda n: 1 // n).on_error_return(-1).to_list()
            [0, -1]
        """
        return self._then(operators.OnErrorReturn, operators.OnErrorReturn.parameters(value))

    def repeat(self, count: int | None = None) -> Stream[T]:
        """Pass on the elements of the stream, subscribe to it anew when it completes, and so on.

        Args:
            count: How often the stream runs, 1 or more; None is for ever, until the subscriber cancels.

        Demand: what was requested and not yet delivered is requested of the run at hand, at most 128 elements at a time.
        Errors: upstream's are passed on and end the repetition.
        State: how many runs have ended, and what waits of the present one; version 1.0.0.0.
        Threads: as upstream; each run begins in the thread that drains the stream.
        Rules: §1.1, §1.10.
        Elsewhere: Reactor `repeat`, which counts the runs behind the first; RxJava `repeat`; reactivex `repeat`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).repeat(2).to_list()
            [1, 2, 1, 2]
        """
        return self._then(operators.Repeat, operators.Repeat.parameters(count))

    def repeat_when(self, function: Callable[[Any], Source[Any]]) -> Stream[T]:
        """Pass on the elements of the stream, and run it again when it completes, as soon as another stream says so.

        Args:
            function: Called once, when the stream completes for the first time, with a stream of how many elements each run
                passed on, which may be subscribed to once; returns the control: a stream, a publisher or an iterable. Each
                of its elements, whatever it is, begins a run.

        Demand: what was requested and not yet delivered is requested of the run at hand, at most 128 elements at a time. Of
            the control one element is requested for each completion.
        Errors: upstream's are passed on and end the repetition; the stream fails with an error of the control; it completes
            when the control has completed and no run is left; an exception of the function becomes `on_error`.
        State: how many runs have ended, whether the control is waited for, its state and that of the present run; version
            1.0.0.0. The function is called again for a loaded state.
        Threads: the function runs, and each run begins, in the thread that drains the stream.
        Rules: §1.1, §1.10.
        Elsewhere: Reactor `repeatWhen`; RxJava `repeatWhen`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2).repeat_when(lambda counts: counts.take(2)).to_list()
            [1, 2, 1, 2, 1, 2]
        """
        return self._then(operators.RepeatWhen, operators.RepeatWhen.parameters(function))

    def retry(
        self,
        times: int | RetryPolicy | Any | None = None,
        *,
        when: Callable[[Exception], object] | None = None,
        for_ever: bool = False,
    ) -> Stream[T]:
        """Pass on the elements of the stream, and subscribe to it anew when it fails.

        Elements that came before the error are not taken back: those of the next attempt come after them.

        Args:
            times: How many further attempts there may be, 1 or more; or a `RetryPolicy` with delays, jitter and a budget;
                or anything with the callables `stop`, `wait` and `retry` of tenacity, such as its `Retrying`, of which
                these three are used.
            when: Called with the error; what it returns is true if another attempt may follow. None is for any error. It
                goes with a number or `for_ever`; a policy has one of its own.
            for_ever: True sets no limit to the attempts, in place of `times`.

        Demand: what was requested and not yet delivered is requested of the attempt at hand, at most 128 elements at a
            time.
        Errors: that of the last attempt is passed on, and so is one for which the policy has no further attempt; an
            exception of a function of the policy takes its place, with it as the context. A SchedulerDisposedError, where
            the scheduler is disposed while an attempt waits.
        State: how many attempts have failed, what the policy counts, when the next attempt begins and the last error if it
            waits, and what waits of the present one; version 1.1.0.0, reads 1.0.0.0. Jitter is drawn anew.
        Threads: functions of the policy run, and each attempt begins, in the thread that drains the stream. Delays are
            waited for on the scheduler of the host; without a host on the asyncio loop that runs in this thread, or else on
            a scheduler that such streams share, in whose thread the attempt begins then.
        Rules: §1.1, §1.4, §1.10.
        Elsewhere: Reactor `retry`, `retryWhen`; RxJava `retry`; reactivex `retry`.

        Example:
            >>> from reactivestreams import Stream
            >>> answers = iter([0, 0, 5])
            >>> Stream.just(10).map(lambda n: n // next(answers)).retry(2).to_list()
            [2]
        """
        return self._then(operators.Retry, operators.Retry.parameters(times, when=when, for_ever=for_ever))

    def retry_when(self, function: Callable[[Any], Source[Any]]) -> Stream[T]:
        """Pass on the elements of the stream, and run it again when it fails, as soon as another stream says so.

        Args:
            function: Called once, when the stream fails for the first time, with the stream of its errors, which may be
                subscribed to once; returns the control: a stream, a publisher or an iterable. Each of its elements,
                whatever it is, begins an attempt.

        Demand: what was requested and not yet delivered is requested of the attempt at hand, at most 128 elements at a
            time. Of the control one element is requested for each error.
        Errors: the stream fails with an error of the control; it completes when the control has completed and no attempt
            runs; an exception of the function takes the place of the stream's, with it as the context.
        State: how many attempts have failed, whether the control is waited for, its state and that of the present attempt;
            version 1.0.0.0. The function is called again for a loaded state.
        Threads: the function runs, and each attempt begins, in the thread that drains the stream.
        Rules: §1.1, §1.4, §1.10.
        Elsewhere: Reactor `retryWhen`; RxJava `retryWhen`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> answers = iter([0, 0, 5])
            >>> Stream.just(10).map(lambda n: n // next(answers)).retry_when(lambda errors: errors.take(3)).to_list()
            [2]
        """
        return self._then(operators.RetryWhen, operators.RetryWhen.parameters(function))

    def switch_if_empty(self, source: Source[U]) -> Stream[T | U]:
        """Pass on the elements of the stream, or those of a source if it completes without one.

        Args:
            source: A stream, a publisher, an iterable or an asynchronous iterable; it is subscribed to only when needed.

        Demand: n requested are n requested of the input at hand, at most 128 at a time.
        Errors: upstream's are passed on, and those of the source; the source does not take the place of an error.
        State: which input is active, and what waits of it; version 1.0.0.0.
        Threads: the source as it sends; the elements are passed on in the thread that drains the stream.
        Rules: §1.1.
        Elsewhere: Reactor `switchIfEmpty`; RxJava `switchIfEmpty`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.empty().switch_if_empty(Stream.range(3)).to_list()
            [0, 1, 2]
        """
        return self._then(operators.SwitchIfEmpty, operators.SwitchIfEmpty.parameters(source))

    def audit(self, duration: float | timedelta) -> Stream[T]:
        """Pass on the latest element when a time is over that began with the first one after the last that was passed on.

        Args:
            duration: The time, in seconds or as a timedelta, 0 or more.

        Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
            element that is due waits until it is requested, or until the next one is due, which takes its place.
        Errors: upstream's are passed on at once; what waits is dropped.
        State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
            that has passed when the state is loaded has come.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor none; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(20.5, 20.7, 20.6).audit(0.05).to_list()
            [20.6]
        """
        return self._then(operators.Audit, operators.Audit.parameters(duration))

    def buffer_timeout(self, count: int, duration: float | timedelta) -> Stream[list[T]]:
        """Pass on lists of neighboring elements: when a list is full, or a time after its first element came.

        Args:
            count: Elements in a full list, from 1 to `MAX_BUFFER_ELEMENTS`.
            duration: The time, in seconds or as a timedelta, 0 or more.

        Demand: the elements of one list are requested, at most 256 at a time, whatever is requested. A list that is due and
            not requested is filled up meanwhile, and then no more is requested upstream.
        Errors: upstream's come after a list that is full; the elements of one that is not are given up.
        State: the elements of that list, when it is due, and what waits of the upstream; version 1.0.0.0. A time that has
            passed when the state is loaded has come.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §1.5.
        Elsewhere: Reactor `bufferTimeout`; RxJava `buffer` with a time; reactivex `buffer_with_time_or_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).buffer_timeout(2, 60).to_list()
            [[0, 1], [2, 3], [4]]
        """
        return self._then(operators.BufferTimeout, operators.BufferTimeout.parameters(count, duration))

    def debounce(self, duration: float | timedelta | Callable[[T], Source[object]]) -> Stream[T]:
        """Pass on an element when no other one came for a time after it; the last one when the upstream completes.

        Args:
            duration: The time, in seconds or as a timedelta, 0 or more. Or a function that is called with each element and
                returns a stream, a publisher, an iterable or an asynchronous iterable: the time is over when that has an
                element or completes, and it is cancelled when another element comes before.

        Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
            element that is due waits until it is requested, or until the next one is due, which takes its place.
        Errors: upstream's are passed on at once, and those of the stream of the latest element; what waits is dropped. An
            exception of the function becomes `on_error`, and so does an ArgumentTypeError where it returns no such thing.
        State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
            that has passed when the state is loaded has come. With a function, the state of the stream that runs in place
            of the time; the function must return an equal one again for the latest element.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor `sampleTimeout`; RxJava `debounce`, `throttleWithTimeout`; reactivex
            `debounce`, `throttle_with_timeout`, `throttle_with_mapper`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("r", "re", "rea").debounce(0.05).to_list()
            ['rea']
            >>> Stream.just("r", "re", "rea.").debounce(lambda text: () if "." in text else Stream.timer(60)).to_list()
            ['rea.']
        """
        return self._then(operators.Debounce, operators.Debounce.parameters(duration))

    def delay(self, duration: float | timedelta, *, prefetch: int = 128) -> Stream[T]:
        """Pass on each element, and the end, a time after it came.

        Args:
            duration: The time, in seconds or as a timedelta, 0 or more.
            prefetch: How many elements may be requested and not yet be passed on, from 1 to 2**24. No more than these go
                on in the duration: raise it for a faster stream.

        Demand: upstream's elements are requested at the start, `prefetch` at a time. An element whose time has come waits
            until it is requested.
        Errors: upstream's are passed on after the elements before them, and as late as these.
        State: the elements that wait, when each goes on, and when the end does; version 1.0.0.0. A time that has passed
            when the state is loaded has come.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor `delayElements`; RxJava `delay`; reactivex `delay`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).delay(0.001).to_list()
            [0, 1, 2]
        """
        return self._then(operators.Delay, operators.Delay.parameters(duration, prefetch=prefetch))

    def delay_subscription(self, delay: float | timedelta | datetime | Source[object]) -> Stream[T]:
        """Begin the stream above after a time, or when another stream has completed.

        Args:
            delay: The time from the start on, in seconds or as a timedelta, 0 or more; an aware datetime; or a stream, a
                publisher, an iterable or an asynchronous iterable, whose elements are dropped and whose completion counts.

        Demand: that of the stream above, at most 128 elements at a time.
        Errors: those of both are passed on; after an error of the other one the stream above is not begun.
        State: whether the stream above was begun, what waits of it, and when it begins; version 1.0.0.0. A time that has
            passed when the state is loaded has come.
        Threads: the stream above is subscribed to on the scheduler of the host when the time has come.
        Rules: §1.1, §1.9.
        Elsewhere: Reactor `delaySubscription`; RxJava `delaySubscription`; reactivex `delay_subscription`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).delay_subscription(0.001).to_list()
            [0, 1, 2]
        """
        return self._then(operators.DelaySubscription, operators.DelaySubscription.parameters(delay))

    def delay_until(self, function: Callable[[T], Source[object]], *, prefetch: int = 32) -> Stream[T]:
        """Pass on each element when the stream that a function returns for it has completed; its elements are dropped.

        The elements keep their order: the function is called with the next one when the one before was passed on.

        Args:
            function: Called with each element; returns a stream, a publisher, an iterable or an asynchronous iterable. An
                empty one, such as `()`, delays nothing.
            prefetch: How many elements may be requested upstream and not yet be taken, and of a stream, from 1 to 2**24.

        Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
            were taken. The function is called where there is demand.
        Errors: upstream's comes after the elements before it; that of a stream cancels upstream and gives up its element;
            an exception of the function becomes `on_error`, and so does an ArgumentTypeError where it returns nothing of
            the kind.
        State: the element that is delayed, with the state of its stream, and what waits of the upstream; the function must
            return an equal one again for this element. Version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4, §2.7.
        Elsewhere: Reactor `delayUntil`; RxJava `delay` with a selector, out of order; reactivex `delay_with_mapper`, out of
            order.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(3, 1, 2).delay_until(lambda number: Stream.timer(number / 1000)).to_list()
            [3, 1, 2]
        """
        return self._then(operators.DelayUntil, operators.DelayUntil.parameters(function, prefetch=prefetch))

    def rate_limit(self, count: int, per: float | timedelta, *, burst: int | None = None) -> Stream[T]:
        """Pass on no more elements than a time permits, for a service that refuses more: a token bucket.

        Each element takes a token. The bucket holds `burst` tokens, is full at the start, and is filled evenly, with
        `count` in each `per`. So in no span of time do more pass than `burst` and those that it brings: after a pause,
        `burst` at once. A service that permits n in any `per` never gets more if `count` and `burst` add up to n.

        Args:
            count: How many tokens come in `per`, from 1 to 2**24.
            per: The time, in seconds or as a timedelta, above 0.
            burst: How many tokens the bucket holds, from 1 to 2**24; None: `count`. With 1 elements are evenly spaced, but
                the time that the upstream takes for one adds to the distance, since a full bucket gets no more tokens.

        Demand: as many elements are requested upstream as there are tokens and are requested, at most 256 at a time; none
            waits here.
        Errors: upstream's are passed on at once.
        State: the tokens in the bucket and when they were, and what waits of the upstream; version 1.0.0.0. The time until
            the state is loaded brings tokens, too.
        Threads: signals run in the thread that requests or that brings an element; what waited for a token, on the
            scheduler of the host.
        Rules: §1.1, §1.3, §2.7.
        Elsewhere: Reactor `delayElements` with a time for each; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(4).rate_limit(2, 0.01).to_list()
            [0, 1, 2, 3]
        """
        return self._then(operators.RateLimit, operators.RateLimit.parameters(count, per, burst=burst))

    def sample(self, sampler: float | timedelta | Source[object]) -> Stream[T]:
        """Pass on the latest element whenever a period is over, if one came since the last that was passed on.

        The completion of the upstream is passed on at the next moment, after the latest element. The completion of the
        sampler is a moment, too; after it, that of the upstream is.

        Args:
            sampler: The period, in seconds or as a timedelta, more than 0; or a stream, a publisher, an iterable or an
                asynchronous iterable, whose elements are the moments.

        Demand: the elements of both are requested at the start and again and again, whatever is requested. An element that
            is due waits until it is requested, or until the next one is due, which takes its place.
        Errors: those of both are passed on at once; what waits is dropped.
        State: the latest element, an element that was due and not requested, whether the upstream has completed, and the
            state of the sampler; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings an element; a period runs on
            the scheduler of the host.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor `sample`; RxJava `sample`, `throttleLast`; reactivex `sample`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(20.5, 20.7, 20.6).sample(0.01).to_list()
            [20.6]
        """
        return self._then(operators.Sample, operators.Sample.parameters(sampler))

    def skip_for(self, duration: float | timedelta) -> Stream[T]:
        """Drop elements until a time is over, then pass on all.

        Args:
            duration: The time from the start on, in seconds or as a timedelta, 0 or more.

        Demand: n requested are n requested upstream, at most 128 at a time; a dropped element gives its demand back.
        Errors: upstream's are passed on.
        State: when the time is over, whether it is, and what waits of the upstream; version 1.0.0.0. A time that has passed
            when the state is loaded is over.
        Threads: signals run in the thread that requests, or on the scheduler of the host when the time is over.
        Rules: §1.1, §1.3, §1.5.
        Elsewhere: Reactor `skip` with a duration; RxJava `skip` with a time; reactivex `skip_with_time`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).skip_for(60).to_list()
            []
        """
        return self._then(operators.SkipFor, operators.SkipFor.parameters(duration))

    def take_for(self, duration: float | timedelta) -> Stream[T]:
        """Pass on elements until a time is over, then cancel and complete.

        Args:
            duration: The time from the start on, in seconds or as a timedelta, 0 or more.

        Demand: n requested are n requested upstream, at most 128 at a time.
        Errors: upstream's are passed on.
        State: when the time is over, whether it is, and what waits of the upstream; version 1.0.0.0. A time that has passed
            when the state is loaded is over.
        Threads: signals run in the thread that requests, or on the scheduler of the host when the time is over.
        Rules: §1.1, §1.3, §1.5.
        Elsewhere: Reactor `take` with a duration; RxJava `take` with a time; reactivex `take_with_time`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**12).take_for(0).to_list()
            []
        """
        return self._then(operators.TakeFor, operators.TakeFor.parameters(duration))

    def throttle_first(self, duration: float | timedelta) -> Stream[T]:
        """Pass on an element, and drop those that come within a time after it.

        Args:
            duration: The time, in seconds or as a timedelta, 0 or more.

        Demand: n requested are n requested upstream; a dropped element gives its demand back.
        Errors: upstream's are passed on.
        State: until when elements are dropped; version 1.0.0.0.
        Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
        Rules: §1.1.
        Elsewhere: Reactor `sampleFirst`; RxJava `throttleFirst`; reactivex `throttle_first`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("click", "click", "click").throttle_first(60).to_list()
            ['click']
        """
        return self._then(operators.ThrottleFirst, operators.ThrottleFirst.parameters(duration))

    def throttle_latest(self, duration: float | timedelta) -> Stream[T]:
        """Pass on an element at once, then at most one in each time, the latest; the last one when the upstream completes.

        Args:
            duration: The time, in seconds or as a timedelta, 0 or more.

        Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
            element that is due waits until it is requested, or until the next one is due, which takes its place.
        Errors: upstream's are passed on at once; what waits is dropped.
        State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
            that has passed when the state is loaded has come.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Rules: §1.1, §1.3.
        Elsewhere: Reactor none; RxJava `throttleLatest`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(1000).throttle_latest(60).to_list()
            [0, 999]
        """
        return self._then(operators.ThrottleLatest, operators.ThrottleLatest.parameters(duration))

    def time_interval(self) -> Stream[tuple[timedelta, T]]:
        """Pass on tuples of the time since the element before, a timedelta, and the element.

        Of the first element it is the time since the start.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on.
        State: when the last element came; version 1.0.0.0.
        Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
        Rules: §1.1.
        Elsewhere: Reactor `elapsed`; RxJava `timeInterval`; reactivex `time_interval`.

        Example:
            >>> from datetime import timedelta
            >>> from reactivestreams import Stream
            >>> waited, word = Stream.just("tea").delay(0.001).time_interval().first()
            >>> waited >= timedelta(milliseconds=1), word
            (True, 'tea')
        """
        return self._then(operators.TimeInterval, operators.TimeInterval.parameters())

    def timeout(
        self,
        between: float | timedelta | None = None,
        *,
        first: float | timedelta | None = None,
        fallback: Source[U] | None = None,
    ) -> Stream[T | U]:
        """Fail with a TimeoutError, or go on with another stream, when a requested element takes too long.

        The time runs from the request, or from the element before if more are requested: while nobody requests an element,
        none is late.

        Args:
            between: How long an element may take, in seconds or as a timedelta; None: as long as it likes.
            first: How long the first one may take, if that is another time; None: as `between`.
            fallback: A stream, a publisher, an iterable or an asynchronous iterable, whose elements follow instead of the
                error. It may take as long as it likes.

        Demand: n requested are n requested upstream, at most 128 at a time; then of the fallback.
        Errors: upstream's are passed on; TimeoutError if no fallback is given.
        State: whether an element came, whether the fallback runs, and what waits of that or of the upstream; version
            1.0.0.0. The time begins again when the state is loaded.
        Threads: signals run in the thread that requests or that brings an element; those of a time that is over, on the
            scheduler of the host.
        Rules: §1.1, §1.3, §2.7, §3.12.
        Elsewhere: Reactor `timeout`; RxJava `timeout`; reactivex `timeout`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.never().timeout(0.01, fallback=["nothing came"]).to_list()
            ['nothing came']
        """
        return self._then(operators.Timeout, operators.Timeout.parameters(between, first=first, fallback=fallback))

    def timestamp(self) -> Stream[tuple[datetime, T]]:
        """Pass on tuples of the time at which an element came, an aware datetime, and the element.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
        Rules: §1.1.
        Elsewhere: Reactor `timestamp`; RxJava `timestamp`; reactivex `timestamp`.

        Example:
            >>> from reactivestreams import Stream
            >>> when, word = Stream.just("tea").timestamp().first()
            >>> when.tzinfo is not None, word
            (True, 'tea')
        """
        return self._then(operators.Timestamp, operators.Timestamp.parameters())

    def window_timeout(
        self, count: int, duration: float | timedelta, *, prefetch: int = 128, max_windows: int = 4096
    ) -> Stream[GroupedStream[int, T]]:
        """Pass on a stream, a window, for neighboring elements; it ends when it is full, or a time after its first element.

        Args:
            count: Elements in a full window, from 1 to `MAX_BUFFER_ELEMENTS`.
            duration: The time, in seconds or as a timedelta, 0 or more.
            prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
                in one, from 1 to 2**24.
            max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

        Demand: as for `window`.
        Errors: as for `window`; those of the scheduler, too.
        State: as for `group_by`: the window, with what waits of it, and when it ends.
        Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
            Each window may be consumed in a thread of its own.
        Rules: §1.1, §1.3, §1.10.
        Elsewhere: Reactor `windowTimeout`; RxJava `window` with a time; reactivex `window_with_time_or_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).window_timeout(2, 60).concat_map(lambda window: window.buffer(9)).to_list()
            [[0, 1], [2, 3], [4]]
        """
        return self._then(operators.WindowTimeout, operators.WindowTimeout.parameters(count, duration, prefetch=prefetch, max_windows=max_windows))

    def limit_rate(self, high: int, low: int | None = None) -> Stream[T]:
        """Request elements in portions, however many are requested at a time.

        Args:
            high: How many elements are requested at the start, and held at most, from 1 to 2**24.
            low: How many are requested again together, when so many were passed on, from 1 to `high`; None: 75 % of `high`.

        Demand: as above, also if more or fewer are requested.
        Errors: upstream's come after the elements that wait.
        State: the elements that wait, and the end of the upstream if that is behind them; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor `limitRate`; RxJava `rebatchRequests`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(6).do(on_request=lambda n: print("requested", n)).limit_rate(4, 2)
            >>> numbers.sum()
            requested 4
            requested 2
            requested 2
            15
        """
        return self._then(operators.LimitRate, operators.LimitRate.parameters(high, low))

    def limit_weight(self, max_weight: int, weigh: Callable[[T], int]) -> Stream[T]:
        """Read ahead of demand until the elements that wait have a weight, such as a number of bytes.

        Use it where elements differ in size, so that no number of elements bounds the memory. What weighs an element is
        known when it has come: so one is requested at a time, and what waits and is outstanding exceeds the limit by one
        element at most. Operators below that read ahead themselves hold elements in addition; give them a small `prefetch`.

        Args:
            max_weight: The weight of waiting elements at which nothing more is requested, from 1 to 2**60.
            weigh: Called once with each element; returns its weight, an integer of 1 or more, such as `len` for bytes.

        Demand: one element at the start, and another one when it has come, whatever is requested, while those that wait
            weigh less than `max_weight`. An element that weighs more than that passes, too.
        Errors: upstream's come after the elements that wait. An exception of `weigh`, or ArgumentError where it returns no
            integer of 1 or more, ends the stream at once.
        State: the elements that wait, with their weights; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor none; RxJava none; reactivex none. Akka and Pekko have `batchWeighted`.

        Example:
            >>> from reactivestreams import Stream
            >>> pages = Stream.just(b"12345678", b"123", b"12", b"1").do(lambda page: print("read", page))
            >>> for page in pages.limit_weight(4, len).iterate(prefetch=1):
            ...     print("took", page)
            read b'12345678'
            read b'123'
            read b'12'
            took b'12345678'
            read b'1'
            took b'123'
            took b'12'
            took b'1'
        """
        return self._then(operators.LimitWeight, operators.LimitWeight.parameters(max_weight, weigh))

    def on_backpressure_batch(self, limit: int) -> Stream[list[T]]:
        """Pass on lists of the elements that came since the last one was requested.

        A subscriber that keeps up gets lists of one element, a slow one longer lists. None is dropped.

        Args:
            limit: Elements in a list at most, from 1 to `MAX_BUFFER_ELEMENTS`.

        Demand: the elements of one list are requested, at most 128 at a time, whatever is requested; while a full list
            waits, no more are.
        Errors: upstream's come after the list that waits.
        State: the list that waits; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor none; RxJava none; reactivex none. Akka and Pekko have `batch`.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(5).on_backpressure_batch(3)
            >>> list(numbers.iterate(prefetch=1))
            [[0, 1, 2], [3, 4]]
        """
        return self._then(operators.OnBackpressureBatch, operators.OnBackpressureBatch.parameters(limit))

    def on_backpressure_buffer(
        self,
        capacity: int = 1024,
        policy: OverflowPolicy | str = 'error',
        *,
        on_dropped: Callable[[T], object] | None = None,
    ) -> Stream[T]:
        """Take all elements as they come, and let those wait that nobody has requested.

        Args:
            capacity: How many elements wait, from 1 to 2**24; 1 with `latest`.
            policy: What becomes of one more: `error` ends the stream with CapacityError after those that wait,
                `drop_newest` drops it, `drop_oldest` drops the oldest that waits, `latest` the only one that waits.
            on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

        Raises:
            ArgumentError: The policy is `block`: an operator cannot make its upstream wait except by requesting nothing, as
                `limit_rate` and `observe_on` do.

        Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
            operator below that requests in portions has requested no more than its portion while a source sends all at
            once: give it a `prefetch` that is large enough, or this operator a capacity.
        Errors: upstream's come after the elements that wait. An error that `on_dropped` raises ends the stream at once.
        State: the elements that wait, and whether there was one too many; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor `onBackpressureBuffer`; RxJava `onBackpressureBuffer`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(9).on_backpressure_buffer(3, "drop_oldest", on_dropped=lambda number: None)
            >>> list(numbers.iterate(prefetch=1))  # all come before the first request
            [6, 7, 8]
        """
        return self._then(operators.OnBackpressureBuffer, operators.OnBackpressureBuffer.parameters(capacity, policy, on_dropped=on_dropped))

    def on_backpressure_drop(self, *, on_dropped: Callable[[T], object] | None = None) -> Stream[T]:
        """Drop elements that nobody has requested.

        Args:
            on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

        Demand: as for `on_backpressure_buffer`.
        Errors: upstream's are passed on. An error that `on_dropped` raises ends the stream.
        State: what waits of the upstream; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor `onBackpressureDrop`; RxJava `onBackpressureDrop`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> lost = []
            >>> numbers = Stream.range(4).on_backpressure_drop(on_dropped=lost.append)
            >>> list(numbers.iterate(prefetch=1)), lost  # all come before the first request
            ([], [0, 1, 2, 3])
        """
        return self._then(operators.OnBackpressureDrop, operators.OnBackpressureDrop.parameters(on_dropped=on_dropped))

    def on_backpressure_error(self) -> Stream[T]:
        """Fail with CapacityError if an element comes that nobody has requested.

        Demand: as for `on_backpressure_buffer`.
        Errors: upstream's are passed on; CapacityError as above.
        State: what waits of the upstream; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor `onBackpressureError`; RxJava `onBackpressureDrop` with a function that raises; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).on_backpressure_error().to_list()
            [0, 1, 2]
        """
        return self._then(operators.OnBackpressureError, operators.OnBackpressureError.parameters())

    def on_backpressure_latest(self, *, on_dropped: Callable[[T], object] | None = None) -> Stream[T]:
        """Let the latest element wait if nobody has requested it, and drop the one before.

        Args:
            on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

        Demand: as for `on_backpressure_buffer`.
        Errors: upstream's come after the element that waits. An error that `on_dropped` raises ends the stream at once.
        State: the element that waits; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor `onBackpressureLatest`; RxJava `onBackpressureLatest`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(9).on_backpressure_latest(on_dropped=lambda number: None)
            >>> list(numbers.iterate(prefetch=1))  # all come before the first request
            [8]
        """
        return self._then(operators.OnBackpressureLatest, operators.OnBackpressureLatest.parameters(on_dropped=on_dropped))

    def on_backpressure_reduce(self, function: Callable[[T, T], T]) -> Stream[T]:
        """Make one of the elements that nobody has requested, and let it wait.

        Args:
            function: Called with the element that waits and the next one; returns what waits instead.

        Demand: as for `on_backpressure_buffer`.
        Errors: upstream's come after the element that waits. An error that the function raises ends the stream at once.
        State: the element that waits; version 1.0.0.0.
        Threads: signals run in the thread that requests or that brings an element.
        Rules: §1.1, §1.3, §3.12.
        Elsewhere: Reactor none; RxJava `onBackpressureReduce`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> numbers = Stream.range(5).on_backpressure_reduce(lambda total, number: total + number)
            >>> list(numbers.iterate(prefetch=1))  # all come before the first request
            [10]
        """
        return self._then(operators.OnBackpressureReduce, operators.OnBackpressureReduce.parameters(function))

    def pause_while(self, pauser: Source[object], *, prefetch: int = 128) -> Stream[T]:
        """Request no elements while the latest element of another stream, the pauser, is true.

        At the start the stream runs. An element of the pauser that is true pauses it, one that is false lets it go on, and
        so does the completion of the pauser, after which nobody could. What was requested before a pause still comes and
        passes: so nothing is dropped, and nothing waits here. The end of the upstream passes during a pause, too.

        A source that sends without demand, such as a timer, is not paused by this: put an `on_backpressure` operator before
        it, which says what becomes of the elements meanwhile.

        Args:
            pauser: A stream, a publisher, an iterable or an asynchronous iterable, whose elements count by their truth.
            prefetch: How many elements may be requested upstream and not yet have come, from 1 to 2**24: so many may come
                after a pause began. What the pauser says at the start is heard after the first request.

        Demand: n requested are n requested upstream, at most `prefetch` at a time, and none during a pause. Of the pauser
            128, or `prefetch` if that is more, are requested at the start, replenished when 75 % were taken.
        Errors: those of both are passed on at once, and cancel the other one; an exception of the truth of an element of
            the pauser cancels both and becomes `on_error`.
        State: whether it is paused, and what waits of both inputs; version 1.0.0.0.
        Threads: signals run in the thread that requests, or in that of the input that brings one.
        Rules: §1.1, §1.3, §3.8.
        Elsewhere: Reactor none; RxJava none; reactivex none. RxJava2Extensions has `valve`, which holds elements.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.subjects import SimpleSubject
            >>> busy = SimpleSubject()
            >>> numbers = Stream.range(9).pause_while(busy, prefetch=2)
            >>> came = []
            >>> running = numbers.subscribe(on_next=lambda n: (came.append(n), busy.on_next(n == 3)))
            >>> came
            [0, 1, 2, 3]
            >>> busy.on_next(False)
            >>> came
            [0, 1, 2, 3, 4, 5, 6, 7, 8]
        """
        return self._then(operators.PauseWhile, operators.PauseWhile.parameters(pauser, prefetch=prefetch))

    def checkpoint(self, text: str) -> Stream[T]:
        """Add a note to the error of the stream above, and pass everything on unchanged.

        The traceback of an error that came through several streams then says which, in the words of who wrote them. To save
        the state of a stream is another thing, which engines do.

        Args:
            text: What is above, such as "orders of the shop".

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on, with the note; one that an exception class refuses goes to the hook for dropped
            signals.
        State: none; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.4.
        Elsewhere: Reactor `checkpoint`; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> try:
            ...     Stream.just(0).map(lambda n: 1 // n).checkpoint("shares of the total").run()
            ... except ZeroDivisionError as error:
            ...     print(error.__notes__[-1])
            passed the checkpoint 'shares of the total'
        """
        return self._then(operators.Checkpoint, operators.Checkpoint.parameters(text))

    def dematerialize(self) -> Stream[Any]:
        """Pass on the element of each `OnNext`; complete at an `OnComplete`, fail at an `OnError`, and cancel upstream.

        Demand: n requested are n requested upstream.
        Errors: that of an `OnError` and that of upstream are passed on; an ArgumentTypeError where an element is no
            notification.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.4, §1.7.
        Elsewhere: Reactor `dematerialize`; RxJava `dematerialize`; reactivex `dematerialize`.

        Example:
            >>> from reactivestreams import OnComplete, OnNext, Stream
            >>> Stream.just(OnNext(1), OnComplete(), OnNext(2)).dematerialize().to_list()
            [1]
        """
        return self._then(operators.Dematerialize, operators.Dematerialize.parameters())

    def do(
        self,
        on_next: Callable[[T], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        on_subscribe: Callable[[], object] | None = None,
        on_request: Callable[[int], object] | None = None,
        on_cancel: Callable[[], object] | None = None,
        on_finally: Callable[[], object] | None = None,
    ) -> Stream[T]:
        """Call a function for each signal of a kind and pass the signal on unchanged.

        Args:
            on_next: Called with each element before it is passed on, or None.
            on_error: Called with the error before it is passed on, or None.
            on_complete: Called without arguments before the completion is passed on, or None.
            on_subscribe: Called without arguments when the stream is started, also from a saved state: before any signal,
                but after what the subscriber requested in its own `on_subscribe`; or None.
            on_request: Called with the number of elements that is requested here, before that is passed on upstream, or
                None. A request without limit is 2**63 - 1.
            on_cancel: Called without arguments after a cancellation: by the subscriber, or by an operator below that
                fails or has enough; or None.
            on_finally: Called without arguments once when the stream is over, as by `finally_`; or None.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of `on_next`, `on_error` or `on_complete` takes the place of the
            signal it was called for; one of `on_subscribe` or `on_request` ends the stream; one of `on_cancel` or
            `on_finally` goes to the hook for dropped signals.
        State: none but whether it is disposed, in which case a stream that loads the state calls neither `on_cancel` nor
            `on_finally` again; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream; `on_subscribe` in the one that starts it,
            `on_request` in the one that requests, `on_cancel` and `on_finally` in the one that cancels if nobody drains.
        Rules: §1.3, §1.7, §3.15, §3.16.
        Elsewhere: Reactor `doOnNext`, `doOnError`, `doOnComplete`, `doOnSubscribe`, `doOnRequest`, `doOnCancel`; RxJava
            `doOnNext`, `doOnError`, `doOnComplete`, `doOnSubscribe`, `doOnRequest`, `doOnCancel`; reactivex `do_action`.

        Example:
            >>> from reactivestreams import Stream
            >>> seen = []
            >>> Stream.just(1, 2).do(on_next=seen.append, on_complete=lambda: seen.append("end")).run()
            >>> seen
            [1, 2, 'end']
        """
        return self._then(operators.Do, operators.Do.parameters(on_next, on_error=on_error, on_complete=on_complete, on_subscribe=on_subscribe, on_request=on_request, on_cancel=on_cancel, on_finally=on_finally))

    def finally_(self, action: Callable[[], object]) -> Stream[T]:
        """Call a function once after the completion, the error or the cancellation of the stream.

        Args:
            action: Called without arguments when the signal has been passed on, or the stream was cancelled.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of the function goes to the hook for dropped signals.
        State: none but whether it is disposed, in which case a stream that loads the state does not call the function
            again; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream, or in the one that cancels it if nobody does.
        Rules: §1.7, §3.15.
        Elsewhere: Reactor `doFinally`; RxJava `doFinally`; reactivex `finally_action`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**12).finally_(lambda: print("closed")).take(2).to_list()
            closed
            [0, 1]
        """
        return self._then(operators.Finally, operators.Finally.parameters(action))

    def log(self, name: str = 'reactivestreams.log', *, level: int = 20, max_per_second: int | None = 100) -> Stream[T]:
        """Write each signal that passes to a logger of the standard library, and pass it on unchanged.

        A line has the number of the run, counted over the process, the signal, and how many elements have passed:
        `run 1: on_next(5), element 1`.

        Args:
            name: The logger's name, under which its level and handlers are configured.
            level: The level of all lines but those of errors, which have `logging.ERROR`; from 0, else `logging.INFO`, 20.
            max_per_second: How many elements, and how many requests, are written in a second, from 1; None: all. The others
                are counted, and their number is written before the next line of their kind and before the end.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on; an exception of a handler goes to the hook for dropped signals. The text of an
            element is its `repr`, of which the middle is left out if it is long.
        State: none; the numbers begin anew in a stream that loads its state; version 1.0.0.0.
        Threads: lines are written in the thread of their signal, by the real clock. What passes while a handler of such a
            logger runs in the same thread is not written, so that a handler may run such a stream.
        Rules: §1.3, §3.16.
        Elsewhere: Reactor `log`; RxJava none; reactivex none.

        Example:
            >>> import logging, sys
            >>> logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s", level=logging.INFO, force=True)
            >>> from reactivestreams import Stream
            >>> Stream.just("pear").log("fruits").run()  # doctest: +ELLIPSIS
            fruits run ...: request(unlimited)
            fruits run ...: on_subscribe
            fruits run ...: on_next('pear'), element 1
            fruits run ...: on_complete after 1 element
            >>> logging.basicConfig(force=True)
        """
        return self._then(operators.Log, operators.Log.parameters(name, level=level, max_per_second=max_per_second))

    def materialize(self) -> Stream[Notification]:
        """Pass on an `OnNext` for each element, an `OnComplete` or an `OnError` for the end, then complete.

        They are frozen dataclasses, and may be part of saved state.

        Demand: n requested are n requested upstream, at most 128 at a time; what stands for the end waits for demand.
        Errors: upstream's becomes an element.
        State: what ended upstream, and what waits of it; version 1.0.0.0. Of an error the message and the notes are saved;
            one whose class is neither built in nor registered is loaded as a `RecoveredError`.
        Threads: as upstream; the last element is passed on in the thread that drains the stream.
        Rules: §1.1, §1.4.
        Elsewhere: Reactor `materialize`; RxJava `materialize`; reactivex `materialize`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 0).map(lambda n: 1 // n).materialize().to_list()
            [on_next(1), on_error(ZeroDivisionError('integer division or modulo by zero'))]
        """
        return self._then(operators.Materialize, operators.Materialize.parameters())

    def observe_on(self, scheduler: Scheduler, *, prefetch: int = 1024) -> Stream[T]:
        """Pass signals on in the threads of a scheduler; the place where a stream changes thread.

        Args:
            scheduler: Runs the tasks that pass elements on.
            prefetch: How many elements may be requested upstream and not yet passed on, from 1 to 2**24. Fewer cost more
                wake-ups, more cost memory.

        Demand: `prefetch` requested upstream at the start; replenished when 75 % of them were passed on.
        Errors: upstream's come behind the elements that are still queued.
        State: the queue, and the end of the upstream if that is behind it; version 1.0.0.0.
        Threads: everything below runs as tasks of the scheduler, in a copy of the context variables of the thread that
            subscribed. At most one task waits at a time, however many elements come.
        Rules: §1.3, §2.2, §3.4.
        Elsewhere: Reactor `publishOn`; RxJava `observeOn`; reactivex `observe_on`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.schedulers import WorkerScheduler
            >>> import threading
            >>> with WorkerScheduler(name="worker") as worker:
            ...     Stream.range(3).observe_on(worker).map(lambda _: threading.current_thread().name).first()
            'worker'
        """
        return self._then(operators.ObserveOn, operators.ObserveOn.parameters(scheduler, prefetch=prefetch))

    def parallel(self, n: int, *, prefetch: int = 128) -> ParallelStream[T]:
        """Run the same operators on several rails at a time, and join what the rails send.

        `parallel(n)` returns a `ParallelStream`. `run_on(pool)` says which threads run the rails, then come the operators
        of each rail, `map`, `filter` and others, and `sequential()` joins the rails to a stream again. Nothing runs before.
        The elements go to the rails in turn; one that has no room is left out. With `sequential(ordered=True)` the results
        come in the order of their elements. On an interpreter without a GIL, functions in Python run on several cores at a
        time; with a GIL it is for functions that release it. Without `run_on` the rails run in one thread, one after the
        other.

        Args:
            n: How many rails, from 1 to 1024.
            prefetch: How many elements may be requested upstream and not yet handed out, and how many results of each rail
                may wait to be requested, from 1; `n` times `prefetch` is at most 2**24. `run_on(prefetch=)` says how many
                may wait in front of the operators of each rail.

        Demand: `prefetch` requested upstream at the start; replenished when 75 % of them were handed out. So at most
            `prefetch` and, for each rail, `prefetch` and that of `run_on` were requested and not passed on.
        Errors: an error of a rail cancels the others and the upstream, and goes on at once; in order, after the results of
            older elements. Upstream's comes after what the rails made of the elements before it.
        State: what waits in front of, in and behind the rails, and which rail is next; version 1.0.0.0. The operators of
            each rail save theirs.
        Threads: the operators of a rail run as tasks of the scheduler, those of different rails at the same time. Signals
            go on in the thread of one of the rails, one at a time; `observe_on` takes them elsewhere. The upstream is run
            by these threads, too, one at a time.
        Rules: §1.1, §1.3, §1.7, §3.4, §3.5.
        Elsewhere: Reactor `parallel`; RxJava `parallel`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.schedulers import WorkerPool
            >>> with WorkerPool(workers=2) as pool:
            ...     rails = Stream.range(6).parallel(2).run_on(pool).map(lambda number: number * number)
            ...     rails.sequential(ordered=True).to_list()
            [0, 1, 4, 9, 16, 25]
        """
        from reactivestreams.stream.parallel import opened

        return opened(self, operators.Parallel.parameters(n, prefetch=prefetch))

    def progress(self, name: str, *, total: int | None = None) -> Stream[T]:
        """Show on the terminal, or below the cell of a notebook, how many elements have passed while the stream runs.

        Shown are a bar, the elements, their rate since the start, the elapsed time, and at the end, to stay, the outcome:
        `done`, `failed` or `cancelled`. On a terminal it is drawn on standard error, with bars if rich is installed, as it
        is with `pip install "reactive-streams-core[cli]"`, and as a line every two seconds if not. Where standard error is
        no terminal, as in a pipe, a log file or a test, nothing is shown.

        Args:
            name: What is shown beside the bar; of more than 40 characters the first ones.
            total: How many elements are expected, from 1, for a bar that fills; None: it only shows that the stream runs.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on. What the display raises ends the display alone, and goes to the hook for dropped
            signals.
        State: none; a stream that loads its state counts from 0; version 1.0.0.0.
        Threads: an element is counted in the thread that drains. A thread that runs only while there is something to show
            draws all streams of the process four times a second, 32 at most at the same time; further ones are not shown.
        Rules: §1.3, §3.16.
        Elsewhere: none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(1000).progress("numbers", total=1000).sum()
            499500
        """
        return self._then(operators.Progress, operators.Progress.parameters(name, total=total))

    def recorded(self, path: str | os.PathLike[str], *, max_bytes: int = 67108864, keep: Kept = 'oldest') -> Stream[T]:
        """Write all signals that pass here, and the requests, to a file, and pass them on unchanged.

        `reactivestreams.testing.replay`, and the command `replay`, run what is below here again from that record, in
        virtual time: the same elements, at the same times, with the same requests of the end; as often as one likes, up to
        the element before the one that fails. So it belongs next to the source, or after operators that are not replayed,
        such as `map_async`.

        Each subscription replaces the file when it starts; of several at a time it is that which has started last. What is
        not yet written, at most 64 KiB, is lost if the process is killed. What to do when the record is full is a choice:
        operators with state can be replayed only from the beginning; what happened last is what one looks for in a stream
        that runs for long.

        Args:
            path: The file, a path. With `keep="newest"` also a file with `.1` behind that name, the part before it.
            max_bytes: How large the record may become, from 65,536 to 1,073,741,824; by default 64 MiB. An integer takes
                two bytes and more, and three for the time.
            keep: What a full record keeps: `"oldest"`, so that it ends there, and the stream goes on; or `"newest"`, in two
                files of half the size, of which the older one is replaced: the last half at least.

        Demand: n requested are n requested upstream.
        Errors: upstream's are recorded and passed on. An element that cannot be part of saved state is a StateTypeError, a
            file that cannot be made an ArgumentError; both cancel the upstream. A file that cannot be written to any more
            is closed, the error goes to the hook for dropped signals, and the stream goes on.
        State: none; a stream that loads its state begins a record that says so, and cannot be replayed; version 1.0.0.0.
        Threads: as upstream; the file is written in the thread of the signals, 64 KiB at a time.
        Rules: §1.3, §3.16.
        Elsewhere: none.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> from reactivestreams import Stream
            >>> from reactivestreams.testing import replay
            >>> folder = tempfile.TemporaryDirectory()
            >>> numbers = Stream.just(1, 2, 3).recorded(Path(folder.name, "numbers.rsr")).map(lambda n: n * n)
            >>> numbers.to_list()
            [1, 4, 9]
            >>> replay(Path(folder.name, "numbers.rsr"), numbers, to=3).results
            [1, 4]
            >>> folder.cleanup()
        """
        return self._then(operators.Recorded, operators.Recorded.parameters(path, max_bytes=max_bytes, keep=keep))

    def subscribe_on(self, scheduler: Scheduler) -> Stream[T]:
        """Subscribe to the stream above in the threads of a scheduler, and have its source run there.

        For a source that blocks, such as a file or a driver without asyncio, so that the thread that subscribes and the one
        that requests are not held up. `observe_on` moves what is below it; this moves what is above it, so its place
        matters little, and of several the one next to the source counts for the source.

        Args:
            scheduler: Runs the tasks in which the source and the operators up to the next `observe_on` run.

        Demand: as requested, at most 128 elements at a time; a request is passed on in a task of the scheduler.
        Errors: passed on; that of a scheduler that takes no tasks any more ends the stream.
        State: what waits of the stream above, and its state; version 1.0.0.0.
        Threads: all of the stream above is made, runs and signals as tasks of the scheduler, at most one at a time, in a
            copy of the context variables of the thread that subscribed; what waits there waits on this scheduler.
        Rules: §1.3, §1.9, §3.4.
        Elsewhere: Reactor `subscribeOn`; RxJava `subscribeOn`; reactivex `subscribe_on`.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.schedulers import WorkerScheduler
            >>> import threading
            >>> def name_of_thread():
            ...     return threading.current_thread().name
            >>> with WorkerScheduler(name="worker") as worker:
            ...     Stream.from_callable(name_of_thread).subscribe_on(worker).first()
            'worker'
        """
        return self._then(operators.SubscribeOn, operators.SubscribeOn.parameters(scheduler))

    def tap(self, metrics: Metrics, *, name: str) -> Stream[T]:
        """Count the elements and requests that pass, time what lies between them, and report each run to metrics.

        The stream only counts: what it reports is a `TappedRun`, once when a run starts and once when it ends, and whoever
        wants its numbers reads them meanwhile. An element costs some 2 ns, a request two looks at the clock. Put it where
        the numbers are wanted: before an operator they are those of its input.

        Args:
            metrics: To whom: `OpenTelemetryMetrics()`, `MemoryMetrics()` in tests and at a prompt, or your own class; see
                `reactivestreams.metrics.Metrics`.
            name: Under which name; choose few, since each is a series of its own for as long as the program runs.

        Demand: n requested are n requested upstream.
        Errors: upstream's are counted and passed on. What the metrics raise goes to the hook for dropped signals; a run
            whose start they refused is not reported to them again.
        State: none; a stream that loads its state is a new run, which counts from 0; version 1.0.0.0.
        Threads: as upstream; metrics are called where the stream starts, and in the thread of its end.
        Rules: §1.3, §3.16.
        Elsewhere: Reactor `tap`; RxJava none; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.metrics import MemoryMetrics
            >>> metrics = MemoryMetrics()
            >>> Stream.range(1000).tap(metrics, name="numbers").filter(lambda n: n % 2).count()
            500
            >>> metrics["numbers"]
            <TappedRun 'numbers': 1000 elements, completed>
        """
        return self._then(operators.Tap, operators.Tap.parameters(metrics, name=name))

    def filter_batches(self, predicate: pc.Expression | Callable[[pa.RecordBatch], object]) -> Stream[pa.RecordBatch]:
        """Pass on each Arrow batch with only those of its rows for which a condition is true; a null counts as false.

        A batch of which no row is left is passed on without rows.

        Args:
            predicate: An expression of `pyarrow.compute` over the batch's columns, or a function that is called with each
                batch and returns an Arrow array of as many booleans as the batch has rows.

        Raises:
            ArgumentTypeError: When the stream is built: the predicate is neither an expression nor a function, or is a
                coroutine function.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
            `ArgumentTypeError` for an element that is no batch and for a result that is no array of booleans,
            `ArgumentError` for a result of another length and for a column that the batch does not have or has twice,
            PyArrow's own exception where types do not fit or a value cannot be computed, and one of the function.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the condition is computed in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: none.

        Example:
            >>> import pyarrow as pa, pyarrow.compute as pc
            >>> from reactivestreams import Stream
            >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "delay": [7, -3]})
            >>> Stream.just(flights).filter_batches(pc.field("delay") > 0).first().to_pylist()
            [{'id': 1, 'delay': 7}]
        """
        return self._then(operators.FilterBatches, operators.FilterBatches.parameters(predicate))

    def map_batches(self, function: Callable[[pa.RecordBatch], object]) -> Stream[pa.RecordBatch]:
        """Pass on the Arrow batch that a function returns for each Arrow batch.

        Args:
            function: Called with each `pyarrow.RecordBatch`; returns one, with the same columns and rows or others. A
                `pyarrow.Table`, as grouping and joining give, and what has `to_arrow()`, as the DataFrame of polars, become
                one batch.

        Raises:
            ArgumentTypeError: When the stream is built: the argument is no function, or a coroutine function.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
            `ArgumentTypeError` for an element or a result that is no batch, and an exception of the function.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: none.

        Example:
            >>> import pyarrow as pa
            >>> from reactivestreams import Stream
            >>> numbers = pa.RecordBatch.from_pydict({"number": [3, 1, 2]})
            >>> Stream.just(numbers).map_batches(lambda batch: batch.sort_by("number")).first().to_pylist()
            [{'number': 1}, {'number': 2}, {'number': 3}]
            >>> names = pa.table({"number": [1, 2], "name": ["one", "two"]})
            >>> join = lambda batch: pa.Table.from_batches([batch]).join(names, "number", join_type="inner")
            >>> sorted(Stream.just(numbers).map_batches(join).first()["name"].to_pylist())
            ['one', 'two']
        """
        return self._then(operators.MapBatches, operators.MapBatches.parameters(function))

    def project(self, /, *names: str, **computed: pc.Expression) -> Stream[pa.RecordBatch]:
        """Pass on a batch of the named columns, then the computed ones, for each Arrow batch.

        Args:
            names: Columns that are kept, in this order.
            computed: New columns: by their name an expression of `pyarrow.compute` over the batch's columns.

        Raises:
            ArgumentError: When the stream is built: no column is named, or one twice.
            ArgumentTypeError: When the stream is built: a name is no text, or a computed column no expression.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
            `ArgumentTypeError` for an element that is no batch, `ArgumentError` for a column that the batch does not have
            or has twice, and PyArrow's own exception where types do not fit or a value cannot be computed.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the columns are computed in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: none.

        Example:
            >>> import pyarrow as pa, pyarrow.compute as pc
            >>> from reactivestreams import Stream
            >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "miles": [300, 90], "hours": [2, 1]})
            >>> Stream.just(flights).project("id", speed=pc.field("miles") / pc.field("hours")).first().to_pylist()
            [{'id': 1, 'speed': 150}, {'id': 2, 'speed': 90}]
        """
        return self._then(operators.Project, operators.Project.parameters(*names, **computed))

    def with_columns(self, /, **computed: pc.Expression) -> Stream[pa.RecordBatch]:
        """Pass on each Arrow batch with computed columns, which take the place of those of the same name.

        All expressions see the columns as they came in, also those that another one of them replaces.

        Args:
            computed: By the name of its column an expression of `pyarrow.compute` over the batch's columns.

        Raises:
            ArgumentError: When the stream is built: no column is given.
            ArgumentTypeError: When the stream is built: a column is no expression.

        Demand: n requested are n requested upstream.
        Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
            `ArgumentTypeError` for an element that is no batch, `ArgumentError` for a column that an expression names and
            the batch does not have, or that is named or replaced and the batch has twice, and PyArrow's own exception
            where types do not fit or a value cannot be computed.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the columns are computed in the thread that drains the stream.
        Rules: §1.3, §1.4, §2.13.
        Elsewhere: none.

        Example:
            >>> import pyarrow as pa, pyarrow.compute as pc
            >>> from reactivestreams import Stream
            >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "delay": [7, -3]})
            >>> Stream.just(flights).with_columns(late=pc.field("delay") > 0).first().to_pylist()
            [{'id': 1, 'delay': 7, 'late': True}, {'id': 2, 'delay': -3, 'late': False}]
        """
        return self._then(operators.WithColumns, operators.WithColumns.parameters(**computed))

    def _add(self, operator: Any) -> Any:
        return self._then(operator.definition, operator.parameters, operator.assembly)


class PipelineMethods(OperatorMethods[T], Generic[A, T]):
    """The same methods. For type checkers, who read the stub, they return pipelines."""

    __slots__ = ()

    def all(self, predicate: Callable[[T], object]) -> Pipeline[A, bool]:
        """Say whether a predicate is true for every element; it is for none, too.

        Args:
            predicate: Called with each element until the result is known; what it returns counts as true or false.

        Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
            cancelled, as soon as it is known.
        Errors: upstream's are passed on; an exception of the predicate cancels the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `all`; RxJava `all`; reactivex `all`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).all(lambda number: number < 3)
            False
        """
        return self._then(operators.AllMatch, operators.AllMatch.parameters(predicate))

    def any(self, predicate: Callable[[T], object] | None = None) -> Pipeline[A, bool]:
        """Say whether a predicate is true for an element; without one, whether there is an element.

        Args:
            predicate: Called with each element until the result is known; what it returns counts as true or
                false. None: it is true for each element, also where that counts as false, unlike in the built-in `any`.

        Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
            cancelled, as soon as it is known.
        Errors: upstream's are passed on; an exception of the predicate cancels the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the predicate runs in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `any`, `hasElements`; RxJava `any`; reactivex `some`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).any(lambda number: number > 3)
            True
        """
        return self._then(operators.AnyMatch, operators.AnyMatch.parameters(predicate))

    def average(self, *, default: Any = ...) -> Pipeline[A, Any]:
        """Divide the sum of the elements by their number.

        Args:
            default: The result where there is no element; without it that is an EmptyStreamError.

        Raises:
            EmptyStreamError: There was no element, and no default.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of the addition or division cancels the upstream and becomes
            `on_error`.
        State: the number of elements and their sum; version 1.0.0.0.
        Threads: the addition runs in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `MathFlux.averageDouble`; RxJava none; reactivex `average`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just(1, 2, 6).average()
            3.0
        """
        return self._then(operators.Average, operators.Average.parameters(default=default))

    def collect(self, collector: Collector[T, Any, U]) -> Pipeline[A, U]:
        """Put the elements into a container that a collector makes, fills and finishes.

        Args:
            collector: Its three functions make the container, put an element into it, and make the result of it.

        Raises:
            ArgumentTypeError: The argument is no Collector.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of a function, or an accumulator that returns another container,
            cancels the upstream and becomes `on_error`.
        State: whether there is a container, and the container, which a snapshot has to know; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `collect`; RxJava `collect`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> from collections import Counter
            >>> from reactivestreams import Collector
            >>> letters = Collector(Counter, Counter.update, lambda counter: counter.most_common(1))
            >>> Stream.just("bee", "ant", "beetle").collect(letters)
            [('e', 5)]
        """
        return self._then(operators.Collect, operators.Collect.parameters(collector))

    def contains(self, value: object) -> Pipeline[A, bool]:
        """Say whether an element is a value, or equal to it.

        Args:
            value: What elements are compared with.

        Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
            cancelled, as soon as it is known.
        Errors: upstream's are passed on; an exception of a comparison cancels the upstream and becomes `on_error`.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: the comparisons run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `hasElement`; RxJava `contains`; reactivex `contains`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).contains(3)
            True
        """
        return self._then(operators.Contains, operators.Contains.parameters(value))

    def count(self) -> Pipeline[A, int]:
        """Count the elements.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on.
        State: the count; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `count`; RxJava `count`; reactivex `count`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).filter(lambda number: number % 2 == 0).count()
            3
        """
        return self._then(operators.Count, operators.Count.parameters())

    def element_at(self, index: int) -> Pipeline[A, T]:
        """Pass on the element at a position, then cancel the upstream and complete.

        Args:
            index: The position of the element, counted from 0.

        Raises:
            EmptyStreamError: There was no such element.

        Demand: one requested is index + 1 elements requested upstream, which is cancelled when the last of them comes.
        Errors: upstream's are passed on; a stream that completes without the element ends with
            EmptyStreamError.
        State: how many elements came before it; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `elementAt`; RxJava `elementAtOrError`; reactivex `element_at`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).element_at(3)
            3
        """
        return self._then(operators.ElementAt, operators.ElementAt.parameters(index))

    def element_at_or_default(self, index: int, default: Any = None) -> Pipeline[A, Any]:
        """Pass on the element at a position, or a default where there are fewer.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            index: The position of the element, counted from 0.
            default: The result where there is no such element.

        Demand: one requested is index + 1 elements requested upstream, which is cancelled when the last of them comes.
        Errors: upstream's are passed on.
        State: how many elements came before it; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `elementAt`; RxJava `elementAt`; reactivex `element_at_or_default`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(2).element_at_or_default(3, -1)
            -1
        """
        return self._then(operators.ElementAtOrDefault, operators.ElementAtOrDefault.parameters(index, default))

    def first(self) -> Pipeline[A, T]:
        """Pass on the first element, then cancel the upstream and complete.

        Raises:
            EmptyStreamError: There was no such element.

        Demand: one requested is one element requested upstream, which is cancelled when it comes.
        Errors: upstream's are passed on; a stream that completes without the element ends with
            EmptyStreamError.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `next`; RxJava `firstOrError`; reactivex `first`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).first()
            0
        """
        return self._then(operators.First, operators.First.parameters())

    def first_or_default(self, default: Any = None) -> Pipeline[A, Any]:
        """Pass on the first element, or a default where there is none.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.

        Demand: one requested is one element requested upstream, which is cancelled when it comes.
        Errors: upstream's are passed on.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `next` and `defaultIfEmpty`; RxJava `first`; reactivex `first_or_default`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(0).first_or_default(7)
            7
        """
        return self._then(operators.FirstOrDefault, operators.FirstOrDefault.parameters(default))

    def is_empty(self) -> Pipeline[A, bool]:
        """Say whether there is no element.

        Demand: one requested is one element requested upstream, which is cancelled when it comes.
        Errors: upstream's are passed on.
        State: none but whether it is disposed; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `hasElements`; RxJava `isEmpty`; reactivex `is_empty`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(10**9).is_empty()
            False
        """
        return self._then(operators.IsEmpty, operators.IsEmpty.parameters())

    def last(self) -> Pipeline[A, T]:
        """Pass on the last element when the upstream has completed.

        Raises:
            EmptyStreamError: There was no such element.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; a stream that completes without the element ends with
            EmptyStreamError.
        State: whether there was an element, and the last one; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `last`; RxJava `lastOrError`; reactivex `last`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).last()
            4
        """
        return self._then(operators.Last, operators.Last.parameters())

    def last_or_default(self, default: Any = None) -> Pipeline[A, Any]:
        """Pass on the last element, or a default where there is none.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on.
        State: whether there was an element, and the last one; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `last`; RxJava `last`; reactivex `last_or_default`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(0).last_or_default(7)
            7
        """
        return self._then(operators.LastOrDefault, operators.LastOrDefault.parameters(default))

    def max(self, key: Callable[[T], Any] | None = None, *, default: Any = ...) -> Pipeline[A, Any]:
        """Find the greatest element; of those that are equal, the first.

        Args:
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            default: The result where there is no element; without it that is an EmptyStreamError.

        Raises:
            EmptyStreamError: There was no element, and no default.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of the function or of a comparison cancels the upstream
            and becomes `on_error`.
        State: whether there was an element, the one found so far and its key; version 1.0.0.0.
        Threads: the function and the comparisons run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `MathFlux.max`; RxJava none; reactivex `max`, `max_by`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("bee", "ant", "hornet").max(key=len)
            'hornet'
        """
        return self._then(operators.Max, operators.Max.parameters(key, default=default))

    def min(self, key: Callable[[T], Any] | None = None, *, default: Any = ...) -> Pipeline[A, Any]:
        """Find the least element; of those that are equal, the first.

        Args:
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            default: The result where there is no element; without it that is an EmptyStreamError.

        Raises:
            EmptyStreamError: There was no element, and no default.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of the function or of a comparison cancels the upstream
            and becomes `on_error`.
        State: whether there was an element, the one found so far and its key; version 1.0.0.0.
        Threads: the function and the comparisons run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `MathFlux.min`; RxJava none; reactivex `min`, `min_by`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("bee", "ant", "hornet").min(key=len)
            'bee'
        """
        return self._then(operators.Min, operators.Min.parameters(key, default=default))

    def reduce(self, function: Callable[[Any, Any], Any], seed: Any = ...) -> Pipeline[A, Any]:
        """Fold the elements into one value.

        Args:
            function: Called with the accumulator and an element; returns the next accumulator.
            seed: The first accumulator, and the result where there is no element. Every subscription starts from this very
                object, so use an immutable one. Without it the first element is the first accumulator.

        Raises:
            EmptyStreamError: There was no element, and no seed.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of the function cancels the upstream and becomes `on_error`.
        State: whether there is an accumulator, and the accumulator; version 1.0.0.0.
        Threads: the function runs in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `reduce`; RxJava `reduce`; reactivex `reduce`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(1, 6).reduce(lambda product, number: product * number, 1)
            120
        """
        return self._then(operators.Reduce, operators.Reduce.parameters(function, seed))

    def sequence_equal(self, iterable: Iterable[Any]) -> Pipeline[A, bool]:
        """Say whether the elements are those of an iterable, in the same order.

        Args:
            iterable: What the elements are compared with; every subscription iterates it anew, so an iterator is refused.

        Raises:
            ArgumentTypeError: The argument cannot be iterated.
            ArgumentError: It is an iterator.

        Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
            cancelled, as soon as it is known.
        Errors: upstream's are passed on; an exception of a comparison or of the iterable cancels the upstream and
            becomes `on_error`.
        State: how many elements were equal; version 1.0.0.0.
        Threads: the comparisons and the iterable run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `Mono.sequenceEqual`; RxJava `sequenceEqual`; reactivex `sequence_equal`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).sequence_equal([0, 1, 2])
            True
        """
        return self._then(operators.SequenceEqual, operators.SequenceEqual.parameters(iterable))

    def single(self) -> Pipeline[A, T]:
        """Pass on the only element, and fail where there are more.

        Raises:
            EmptyStreamError: There was no such element.
            MoreThanOneElementError: There was another element.

        Demand: one requested is two elements requested upstream, as the second one is an error.
        Errors: upstream's are passed on; a second element cancels the upstream and becomes MoreThanOneElementError; a
            stream that completes without the element ends with
            EmptyStreamError.
        State: whether there was an element, and the element; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `single`; RxJava `singleOrError`; reactivex `single`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("one").single()
            'one'
        """
        return self._then(operators.Single, operators.Single.parameters())

    def single_or_default(self, default: Any = None) -> Pipeline[A, Any]:
        """Pass on the only element, or a default where there is none, and fail where there are more.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.

        Raises:
            MoreThanOneElementError: There was another element.

        Demand: one requested is two elements requested upstream, as the second one is an error.
        Errors: upstream's are passed on; a second element cancels the upstream and becomes MoreThanOneElementError.
        State: whether there was an element, and the element; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `single`; RxJava `single`; reactivex `single_or_default`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(0).single_or_default(7)
            7
        """
        return self._then(operators.SingleOrDefault, operators.SingleOrDefault.parameters(default))

    def sum(self, start: Any = 0) -> Pipeline[A, Any]:
        """Add the elements up.

        Args:
            start: What the first element is added to, and the result where there is none.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of the addition cancels the upstream and becomes `on_error`.
        State: the sum; version 1.0.0.0.
        Threads: the addition runs in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `MathFlux.sumLong`; RxJava none; reactivex `sum`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(5).sum()
            10
        """
        return self._then(operators.Sum, operators.Sum.parameters(start))

    def to_dict(
        self, key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Pipeline[A, Any]:
        """Collect the elements in a dict by their key; of several with the same key the last one stays.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            value: Called with each element; returns what stands in its place. None: the elements themselves.
            max_elements: How many keys may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of a function, a key that cannot be hashed, or one more than the
            bound, cancels the upstream and becomes `on_error`.
        State: the dict; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `collectMap`; RxJava `toMap`; reactivex `to_dict`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("ant", "bee", "asp").to_dict(lambda word: word[0])
            {'a': 'asp', 'b': 'bee'}
        """
        return self._then(operators.ToDict, operators.ToDict.parameters(key, value, max_elements=max_elements))

    def to_list(self, *, max_elements: int | None = None) -> Pipeline[A, list[T]]:
        """Collect the elements in a list.

        Args:
            max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; one element more than the bound cancels the upstream and becomes `on_error`.
        State: the list; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `collectList`; RxJava `toList`; reactivex `to_list`.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.range(3).to_list()
            [0, 1, 2]
        """
        return self._then(operators.ToList, operators.ToList.parameters(max_elements=max_elements))

    def to_lookup(
        self, key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Pipeline[A, Any]:
        """Collect the elements in a dict of lists by their key, in the order in which they came.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            value: Called with each element; returns what stands in its place. None: the elements themselves.
            max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an exception of a function, a key that cannot be hashed, or one more than the
            bound, cancels the upstream and becomes `on_error`.
        State: the dict; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `collectMultimap`; RxJava `toMultimap`; reactivex none.

        Example:
            >>> from reactivestreams import Stream
            >>> Stream.just("ant", "bee", "asp").to_lookup(lambda word: word[0])
            {'a': ['ant', 'asp'], 'b': ['bee']}
        """
        return self._then(operators.ToLookup, operators.ToLookup.parameters(key, value, max_elements=max_elements))

    def to_set(self, *, max_elements: int | None = None) -> Pipeline[A, set[T]]:
        """Collect the elements in a set.

        Args:
            max_elements: How many different elements may come, from 1; one more ends the stream with CapacityError. None:
                without a bound.

        Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
        Errors: upstream's are passed on; an element that cannot be hashed, or one more than the bound, cancels the
            upstream and becomes `on_error`.
        State: the set; version 1.0.0.0.
        Threads: as upstream.
        Rules: §1.1, §1.5.
        Elsewhere: Reactor `collect`; RxJava `collect`; reactivex `to_set`.

        Example:
            >>> from reactivestreams import Stream
            >>> sorted(Stream.just("ant", "bee", "ant").to_set())
            ['ant', 'bee']
        """
        return self._then(operators.ToSet, operators.ToSet.parameters(max_elements=max_elements))
