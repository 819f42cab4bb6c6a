# The methods of what `key_by` of a stream or a pipeline returns.
#
# Written by ci/generate_operators.py from the definitions in reactivestreams.operators; change those.

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from reactivestreams.stream.pipelines import Pipeline
from reactivestreams.stream.stream import Stream
from rs_core.operators.python_operator import PythonStage

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")

class KeyedStreamMethods(Generic[T]):
    def aggregate(self, /, **aggregates: Any) -> Stream[dict[str, Any]]:
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
    def buffer(self, count: int) -> Stream[list[T]]:
        """Pass on lists of `count` consecutive elements of a key; the last list may be shorter.

        Args:
            count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.

        Demand: n lists requested are n elements requested, at most 128 at a time, and more until these lists are there.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key the elements of the list that is being filled; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `buffer`; RxJava `groupBy` and `buffer`; reactivex `group_by` and
            `buffer_with_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).buffer(2).to_list()
            [['ant', 'asp'], ['bee', 'bat'], ['ape']]
        """
    def count(self) -> Stream[tuple[Any, int]]:
        """Send (key, number of its elements) when the key ends.

        Keys end when the input completes, in the order of their first elements, and after `expire_after`.

        Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key the count; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `count`; RxJava `groupBy` and `count`; reactivex `group_by` and `count`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).count().to_list()
            [('a', 3), ('b', 2)]
        """
    def distinct(self, selector: Callable[[T], object] | None = None, *, max_values: int = 1000000) -> Stream[T]:
        """Pass on the first element of each key and value of the selector, and drop the others.

        Args:
            selector: Returns the value of an element, which must be hashable; None: the element is the value.
            max_values: Maximum number of values of a key; one more ends the stream with CapacityError.

        Demand: n requested are n requested upstream, and one more for each element that is dropped.
        Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
            becomes `on_error`.
        State: for each key its values; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `distinct`; RxJava `groupBy` and `distinct`; reactivex `group_by` and `distinct`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).distinct(len).to_list()
            ['ant', 'bee']
        """
    def reduce(self, function: Callable[[U, T], U], seed: U) -> Stream[tuple[Any, U]]:
        """Send (key, fold of its elements) when the key ends.

        Keys end when the input completes, in the order of their first elements, and after `expire_after`.

        Args:
            function: Called with the accumulator of the key and the element; returns the next accumulator.
            seed: The first accumulator of every key; use an immutable one.

        Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
        Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
            becomes `on_error`.
        State: for each key the accumulator; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `reduce`; RxJava `groupBy` and `reduce`; reactivex `group_by` and `reduce`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).reduce(lambda total, word: total + len(word), 0).to_list()
            [('a', 9), ('b', 6)]
        """
    def scan(self, function: Callable[[U, T], U], seed: U) -> Stream[U]:
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
    def take(self, count: int) -> Stream[T]:
        """Pass on the first `count` elements of each key, and drop its others.

        Args:
            count: How many elements of a key may pass.

        Demand: n requested are n requested upstream, and one more for each element that is dropped.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key how many of its elements have passed; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `take`; RxJava `groupBy` and `take`; reactivex `group_by` and `take`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).take(1).to_list()
            ['ant', 'bee']
        """
    def through(self, chain: Pipeline[T, U] | type[PythonStage[T, U]]) -> Stream[U]:
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

class KeyedPipelineMethods(Generic[A, T]):
    def aggregate(self, /, **aggregates: Any) -> Pipeline[A, dict[str, Any]]:
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
    def buffer(self, count: int) -> Pipeline[A, list[T]]:
        """Pass on lists of `count` consecutive elements of a key; the last list may be shorter.

        Args:
            count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.

        Demand: n lists requested are n elements requested, at most 128 at a time, and more until these lists are there.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key the elements of the list that is being filled; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `buffer`; RxJava `groupBy` and `buffer`; reactivex `group_by` and
            `buffer_with_count`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).buffer(2).to_list()
            [['ant', 'asp'], ['bee', 'bat'], ['ape']]
        """
    def count(self) -> Pipeline[A, tuple[Any, int]]:
        """Send (key, number of its elements) when the key ends.

        Keys end when the input completes, in the order of their first elements, and after `expire_after`.

        Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key the count; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `count`; RxJava `groupBy` and `count`; reactivex `group_by` and `count`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).count().to_list()
            [('a', 3), ('b', 2)]
        """
    def distinct(self, selector: Callable[[T], object] | None = None, *, max_values: int = 1000000) -> Pipeline[A, T]:
        """Pass on the first element of each key and value of the selector, and drop the others.

        Args:
            selector: Returns the value of an element, which must be hashable; None: the element is the value.
            max_values: Maximum number of values of a key; one more ends the stream with CapacityError.

        Demand: n requested are n requested upstream, and one more for each element that is dropped.
        Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
            becomes `on_error`.
        State: for each key its values; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `distinct`; RxJava `groupBy` and `distinct`; reactivex `group_by` and `distinct`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).distinct(len).to_list()
            ['ant', 'bee']
        """
    def reduce(self, function: Callable[[U, T], U], seed: U) -> Pipeline[A, tuple[Any, U]]:
        """Send (key, fold of its elements) when the key ends.

        Keys end when the input completes, in the order of their first elements, and after `expire_after`.

        Args:
            function: Called with the accumulator of the key and the element; returns the next accumulator.
            seed: The first accumulator of every key; use an immutable one.

        Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
        Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
            becomes `on_error`.
        State: for each key the accumulator; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.1, §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `reduce`; RxJava `groupBy` and `reduce`; reactivex `group_by` and `reduce`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).reduce(lambda total, word: total + len(word), 0).to_list()
            [('a', 9), ('b', 6)]
        """
    def scan(self, function: Callable[[U, T], U], seed: U) -> Pipeline[A, U]:
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
    def take(self, count: int) -> Pipeline[A, T]:
        """Pass on the first `count` elements of each key, and drop its others.

        Args:
            count: How many elements of a key may pass.

        Demand: n requested are n requested upstream, and one more for each element that is dropped.
        Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
            and becomes `on_error`.
        State: for each key how many of its elements have passed; version 1.0.0.0.
        Threads: the functions run in the thread that drains the stream.
        Rules: §1.3, §1.4.
        Elsewhere: Reactor `groupBy` and `take`; RxJava `groupBy` and `take`; reactivex `group_by` and `take`.

        Example:
            >>> from reactivestreams import Stream
            >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
            >>> words.key_by(lambda word: word[0]).take(1).to_list()
            ['ant', 'bee']
        """
    def through(self, chain: Pipeline[T, U] | type[PythonStage[T, U]]) -> Pipeline[A, U]:
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
