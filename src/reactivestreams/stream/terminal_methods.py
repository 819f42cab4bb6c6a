"""The operators with one result as methods of `Stream`, which run it: terminal operations.

Written by ci/generate_operators.py from the definitions in reactivestreams.operators; change those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from reactivestreams import operators
from reactivestreams.operators.folding.first import First
from reactivestreams.operators.folding.reduce import Reduce
from reactivestreams.operators.folding.to_list import ToList
from reactivestreams.stream.operator_methods import OperatorMethods

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from reactivestreams.operators.folding.collector import Collector

T = TypeVar("T")
U = TypeVar("U")


class TerminalMethods(OperatorMethods[T]):
    """The terminal operations with one result, each followed by its twin that is awaited."""

    # Operators that name an end of their own are loaded with the stream, the others when they are used.

    __slots__ = ()

    _awaited_result: Any

    def all(self, predicate: Callable[[T], object], *, timeout_seconds: float | None = None) -> bool:
        """Say whether a predicate is true for every element; it is for none, too.

        Args:
            predicate: Called with each element until the result is known; what it returns counts as true or false.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.AllMatch.result_of(self, operators.AllMatch.parameters(predicate), timeout_seconds)

    def all_async(self, predicate: Callable[[T], object]) -> Coroutine[Any, Any, bool]:
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
        return self._awaited_result(self._then(operators.AllMatch, operators.AllMatch.parameters(predicate)))

    def any(self, predicate: Callable[[T], object] | None = None, *, timeout_seconds: float | None = None) -> bool:
        """Say whether a predicate is true for an element; without one, whether there is an element.

        Args:
            predicate: Called with each element until the result is known; what it returns counts as true or
                false. None: it is true for each element, also where that counts as false, unlike in the built-in `any`.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.AnyMatch.result_of(self, operators.AnyMatch.parameters(predicate), timeout_seconds)

    def any_async(self, predicate: Callable[[T], object] | None = None) -> Coroutine[Any, Any, bool]:
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
        return self._awaited_result(self._then(operators.AnyMatch, operators.AnyMatch.parameters(predicate)))

    def average(self, *, default: Any = ..., timeout_seconds: float | None = None) -> Any:
        """Divide the sum of the elements by their number.

        Args:
            default: The result where there is no element; without it that is an EmptyStreamError.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Average.result_of(self, operators.Average.parameters(default=default), timeout_seconds)

    def average_async(self, *, default: Any = ...) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.Average, operators.Average.parameters(default=default)))

    def collect(self, collector: Collector[T, Any, U], *, timeout_seconds: float | None = None) -> U:
        """Put the elements into a container that a collector makes, fills and finishes.

        Args:
            collector: Its three functions make the container, put an element into it, and make the result of it.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Collect.result_of(self, operators.Collect.parameters(collector), timeout_seconds)

    def collect_async(self, collector: Collector[T, Any, U]) -> Coroutine[Any, Any, U]:
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
        return self._awaited_result(self._then(operators.Collect, operators.Collect.parameters(collector)))

    def contains(self, value: object, *, timeout_seconds: float | None = None) -> bool:
        """Say whether an element is a value, or equal to it.

        Args:
            value: What elements are compared with.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Contains.result_of(self, operators.Contains.parameters(value), timeout_seconds)

    def contains_async(self, value: object) -> Coroutine[Any, Any, bool]:
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
        return self._awaited_result(self._then(operators.Contains, operators.Contains.parameters(value)))

    def count(self, *, timeout_seconds: float | None = None) -> int:
        """Count the elements.

        Args:
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Count.result_of(self, operators.Count.parameters(), timeout_seconds)

    def count_async(self) -> Coroutine[Any, Any, int]:
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
        return self._awaited_result(self._then(operators.Count, operators.Count.parameters()))

    def element_at(self, index: int, *, timeout_seconds: float | None = None) -> T:
        """Pass on the element at a position, then cancel the upstream and complete.

        Args:
            index: The position of the element, counted from 0.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.ElementAt.result_of(self, operators.ElementAt.parameters(index), timeout_seconds)

    def element_at_async(self, index: int) -> Coroutine[Any, Any, T]:
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
        return self._awaited_result(self._then(operators.ElementAt, operators.ElementAt.parameters(index)))

    def element_at_or_default(self, index: int, default: Any = None, *, timeout_seconds: float | None = None) -> Any:
        """Pass on the element at a position, or a default where there are fewer.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            index: The position of the element, counted from 0.
            default: The result where there is no such element.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.ElementAtOrDefault.result_of(self, operators.ElementAtOrDefault.parameters(index, default), timeout_seconds)

    def element_at_or_default_async(self, index: int, default: Any = None) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.ElementAtOrDefault, operators.ElementAtOrDefault.parameters(index, default)))

    def first(self, *, timeout_seconds: float | None = None) -> T:
        """Pass on the first element, then cancel the upstream and complete.

        Args:
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return First.run(self, timeout_seconds)

    def first_async(self) -> Coroutine[Any, Any, T]:
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
        return self._awaited_result(self._then(First, First.parameters()))

    def first_or_default(self, default: Any = None, *, timeout_seconds: float | None = None) -> Any:
        """Pass on the first element, or a default where there is none.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.FirstOrDefault.result_of(self, operators.FirstOrDefault.parameters(default), timeout_seconds)

    def first_or_default_async(self, default: Any = None) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.FirstOrDefault, operators.FirstOrDefault.parameters(default)))

    def is_empty(self, *, timeout_seconds: float | None = None) -> bool:
        """Say whether there is no element.

        Args:
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.IsEmpty.result_of(self, operators.IsEmpty.parameters(), timeout_seconds)

    def is_empty_async(self) -> Coroutine[Any, Any, bool]:
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
        return self._awaited_result(self._then(operators.IsEmpty, operators.IsEmpty.parameters()))

    def last(self, *, timeout_seconds: float | None = None) -> T:
        """Pass on the last element when the upstream has completed.

        Args:
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Last.result_of(self, operators.Last.parameters(), timeout_seconds)

    def last_async(self) -> Coroutine[Any, Any, T]:
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
        return self._awaited_result(self._then(operators.Last, operators.Last.parameters()))

    def last_or_default(self, default: Any = None, *, timeout_seconds: float | None = None) -> Any:
        """Pass on the last element, or a default where there is none.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.LastOrDefault.result_of(self, operators.LastOrDefault.parameters(default), timeout_seconds)

    def last_or_default_async(self, default: Any = None) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.LastOrDefault, operators.LastOrDefault.parameters(default)))

    def max(
        self, key: Callable[[T], Any] | None = None, *, default: Any = ..., timeout_seconds: float | None = None
    ) -> Any:
        """Find the greatest element; of those that are equal, the first.

        Args:
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            default: The result where there is no element; without it that is an EmptyStreamError.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Max.result_of(self, operators.Max.parameters(key, default=default), timeout_seconds)

    def max_async(self, key: Callable[[T], Any] | None = None, *, default: Any = ...) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.Max, operators.Max.parameters(key, default=default)))

    def min(
        self, key: Callable[[T], Any] | None = None, *, default: Any = ..., timeout_seconds: float | None = None
    ) -> Any:
        """Find the least element; of those that are equal, the first.

        Args:
            key: Called with each element; returns what is compared in its place. None: the elements themselves.
            default: The result where there is no element; without it that is an EmptyStreamError.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Min.result_of(self, operators.Min.parameters(key, default=default), timeout_seconds)

    def min_async(self, key: Callable[[T], Any] | None = None, *, default: Any = ...) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.Min, operators.Min.parameters(key, default=default)))

    def reduce(
        self, function: Callable[[Any, Any], Any], seed: Any = ..., *, timeout_seconds: float | None = None
    ) -> Any:
        """Fold the elements into one value.

        Args:
            function: Called with the accumulator and an element; returns the next accumulator.
            seed: The first accumulator, and the result where there is no element. Every subscription starts from this very
                object, so use an immutable one. Without it the first element is the first accumulator.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return Reduce.run(self, timeout_seconds, function, seed)

    def reduce_async(self, function: Callable[[Any, Any], Any], seed: Any = ...) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(Reduce, Reduce.parameters(function, seed)))

    def sequence_equal(self, iterable: Iterable[Any], *, timeout_seconds: float | None = None) -> bool:
        """Say whether the elements are those of an iterable, in the same order.

        Args:
            iterable: What the elements are compared with; every subscription iterates it anew, so an iterator is refused.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.SequenceEqual.result_of(self, operators.SequenceEqual.parameters(iterable), timeout_seconds)

    def sequence_equal_async(self, iterable: Iterable[Any]) -> Coroutine[Any, Any, bool]:
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
        return self._awaited_result(self._then(operators.SequenceEqual, operators.SequenceEqual.parameters(iterable)))

    def single(self, *, timeout_seconds: float | None = None) -> T:
        """Pass on the only element, and fail where there are more.

        Args:
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Single.result_of(self, operators.Single.parameters(), timeout_seconds)

    def single_async(self) -> Coroutine[Any, Any, T]:
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
        return self._awaited_result(self._then(operators.Single, operators.Single.parameters()))

    def single_or_default(self, default: Any = None, *, timeout_seconds: float | None = None) -> Any:
        """Pass on the only element, or a default where there is none, and fail where there are more.

        A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
        and gets an error.

        Args:
            default: The result where there is no such element.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.SingleOrDefault.result_of(self, operators.SingleOrDefault.parameters(default), timeout_seconds)

    def single_or_default_async(self, default: Any = None) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.SingleOrDefault, operators.SingleOrDefault.parameters(default)))

    def sum(self, start: Any = 0, *, timeout_seconds: float | None = None) -> Any:
        """Add the elements up.

        Args:
            start: What the first element is added to, and the result where there is none.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.Sum.result_of(self, operators.Sum.parameters(start), timeout_seconds)

    def sum_async(self, start: Any = 0) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.Sum, operators.Sum.parameters(start)))

    def to_dict(
        self,
        key: Callable[[Any], Any],
        value: Callable[[Any], Any] | None = None,
        *,
        max_elements: int | None = None,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Collect the elements in a dict by their key; of several with the same key the last one stays.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            value: Called with each element; returns what stands in its place. None: the elements themselves.
            max_elements: How many keys may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.ToDict.result_of(self, operators.ToDict.parameters(key, value, max_elements=max_elements), timeout_seconds)

    def to_dict_async(
        self, key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.ToDict, operators.ToDict.parameters(key, value, max_elements=max_elements)))

    def to_list(self, *, max_elements: int | None = None, timeout_seconds: float | None = None) -> list[T]:
        """Collect the elements in a list.

        Args:
            max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return ToList.run(self, timeout_seconds, max_elements=max_elements)

    def to_list_async(self, *, max_elements: int | None = None) -> Coroutine[Any, Any, list[T]]:
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
        return self._awaited_result(self._then(ToList, ToList.parameters(max_elements=max_elements)))

    def to_lookup(
        self,
        key: Callable[[Any], Any],
        value: Callable[[Any], Any] | None = None,
        *,
        max_elements: int | None = None,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Collect the elements in a dict of lists by their key, in the order in which they came.

        Args:
            key: Called with each element; returns its key, which must be hashable.
            value: Called with each element; returns what stands in its place. None: the elements themselves.
            max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
                bound.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.ToLookup.result_of(self, operators.ToLookup.parameters(key, value, max_elements=max_elements), timeout_seconds)

    def to_lookup_async(
        self, key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Coroutine[Any, Any, Any]:
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
        return self._awaited_result(self._then(operators.ToLookup, operators.ToLookup.parameters(key, value, max_elements=max_elements)))

    def to_set(self, *, max_elements: int | None = None, timeout_seconds: float | None = None) -> set[T]:
        """Collect the elements in a set.

        Args:
            max_elements: How many different elements may come, from 1; one more ends the stream with CapacityError. None:
                without a bound.
            timeout_seconds: How long to wait at most for other threads, else TimeoutError; None means without limit.

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
        return operators.ToSet.result_of(self, operators.ToSet.parameters(max_elements=max_elements), timeout_seconds)

    def to_set_async(self, *, max_elements: int | None = None) -> Coroutine[Any, Any, set[T]]:
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
        return self._awaited_result(self._then(operators.ToSet, operators.ToSet.parameters(max_elements=max_elements)))
