"""Coroutines where functions are wanted, functions where coroutines are: refused, with what to use instead."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from reactivestreams import Collector, Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers import ActionTask, ImmediateScheduler
from reactivestreams.subjects import Conversion, SimpleSubject

Build = Callable[[Any], object]

WANTS_A_FUNCTION: dict[str, Build] = {
    "map(function)": lambda function: Stream.range(3).map(function),
    "map_in_executor(function)": lambda function: Stream.range(3).map_in_executor(function, ThreadPoolExecutor),
    "map_in_executor(executor)": lambda executor: Stream.range(3).map_in_executor(abs, executor),
    "map_not_none(function)": lambda function: Stream.range(3).map_not_none(function),
    "filter(predicate)": lambda function: Stream.range(3).filter(function),
    "take_while(predicate)": lambda function: Stream.range(3).take_while(function),
    "skip_while(predicate)": lambda function: Stream.range(3).skip_while(function),
    "take_until(until)": lambda function: Stream.range(3).take_until(function),
    "skip_until(until)": lambda function: Stream.range(3).skip_until(function),
    "distinct(key)": lambda function: Stream.range(3).distinct(function),
    "distinct_until_changed(key)": lambda function: Stream.range(3).distinct_until_changed(function),
    "distinct_until_changed(comparer)": lambda function: Stream.range(3).distinct_until_changed(comparer=function),
    "handle(function)": lambda function: Stream.range(3).handle(function),
    "map_indexed(function)": lambda function: Stream.range(3).map_indexed(function),
    "filter_indexed(predicate)": lambda function: Stream.range(3).filter_indexed(function),
    "flat_map(function)": lambda function: Stream.range(3).flat_map(function),
    "scan(function)": lambda function: Stream.range(3).scan(function, 0),
    "do(on_next)": lambda function: Stream.range(3).do(function),
    "key_by(key)": lambda function: Stream.range(3).key_by(function),
    "create(callback)": lambda function: Stream.create(function, on_overflow="error"),
    "for_each(function)": lambda function: Stream.range(3).for_each(function),
    "reduce(function)": lambda function: Stream.range(3).reduce(function, 0),
    "all(predicate)": lambda function: Stream.range(3).all(function),
    "any(predicate)": lambda function: Stream.range(3).any(function),
    "sorted(key)": lambda function: Stream.range(3).sorted(function),
    "min(key)": lambda function: Stream.range(3).min(function),
    "max(key)": lambda function: Stream.range(3).max(function),
    "to_dict(key)": lambda function: Stream.range(3).to_dict(function),
    "to_dict(value)": lambda function: Stream.range(3).to_dict(str, function),
    "to_lookup(key)": lambda function: Stream.range(3).to_lookup(function),
    "to_lookup(value)": lambda function: Stream.range(3).to_lookup(str, function),
    "Collector(supplier)": lambda function: Collector(function, list.append),
    "Collector(accumulator)": lambda function: Collector(list, function),
    "Collector(finisher)": lambda function: Collector(list, list.append, function),
    "from_callable(function)": Stream.from_callable,
    "generate(step)": lambda function: Stream.generate(0, function),
    "defer(factory)": Stream.defer,
    "using(resource_factory)": lambda function: Stream.using(function, list),
    "using(stream_factory)": lambda function: Stream.using(list, function),
    "using(close)": lambda function: Stream.using(list, list, function),
    "ActionTask(action)": ActionTask,
    "key_by().reduce(function)": lambda function: Stream.range(3).key_by(int).reduce(function, 0),
    "key_by().scan(function)": lambda function: Stream.range(3).key_by(int).scan(function, 0),
    "key_by().distinct(selector)": lambda function: Stream.range(3).key_by(int).distinct(function),
    "expire_after(event_time)": lambda function: Stream.range(3).key_by(int).expire_after(1, event_time=function),
    "do(on_error)": lambda function: Stream.range(3).do(on_error=function),
    "do(on_complete)": lambda function: Stream.range(3).do(on_complete=function),
    "Conversion(to_stored)": lambda function: Conversion(to_stored=function),
    "Conversion(from_stored)": lambda function: Conversion(from_stored=function),
    "seal(on_empty)": lambda function: SimpleSubject().seal(on_empty=function),
    "unhandled_exception.add(handler)": ImmediateScheduler().unhandled_exception.add,
}


async def doubled(number: int) -> int:
    return 2 * number


class Doubling:
    async def __call__(self, number: int) -> int:
        return 2 * number

    async def doubled(self, number: int) -> int:
        return 2 * number


COROUTINE_FUNCTIONS = {
    "function": doubled,
    "partial": partial(doubled),
    "method": Doubling().doubled,
    "object": Doubling(),
}


@pytest.mark.parametrize("function", COROUTINE_FUNCTIONS.values(), ids=COROUTINE_FUNCTIONS)
@pytest.mark.parametrize("argument", WANTS_A_FUNCTION)
def test_coroutine_function_is_refused_where_a_function_is_wanted(argument: str, function: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        WANTS_A_FUNCTION[argument](function)
    assert str(raised.value) == (
        f"{argument} needs a function that returns its result, got the coroutine function {function!r}, whose calls "
        f"nobody would await; call it with map_async(), or let for_each_async() be the end of the stream"
    )


async def numbers_to(number: int) -> AsyncIterator[int]:
    yield number


@pytest.mark.parametrize(
    "build",
    [
        *WANTS_A_FUNCTION.values(),
        lambda it: Stream.range(3).map_async(it),
        lambda it: Stream.range(3).for_each_async(it),
    ],
    ids=[*WANTS_A_FUNCTION, "map_async(function)", "for_each_async(function)"],
)
def test_asynchronous_generator_function_is_refused_where_a_function_is_wanted(build: Build) -> None:
    with pytest.raises(ArgumentTypeError, match=r"asynchronous generator function .* whose calls nobody would iterate"):
        build(numbers_to)


@pytest.mark.parametrize(
    "build",
    [
        *WANTS_A_FUNCTION.values(),
        lambda it: Stream.range(3).map_async(it),
        lambda it: Stream.range(3).for_each_async(it),
    ],
    ids=[*WANTS_A_FUNCTION, "map_async(function)", "for_each_async(function)"],
)
def test_call_is_refused_where_its_function_is_wanted(build: Build) -> None:
    call = doubled(3)
    with pytest.raises(ArgumentTypeError, match="pass the function itself, not the result of a call"):
        build(call)
    call.close()


def test_function_is_refused_where_a_coroutine_function_is_wanted() -> None:
    async def main() -> list[int]:
        wrong: Any = abs
        return await Stream.just(-7).map_async(wrong).to_list_async()

    with pytest.raises(ArgumentTypeError) as raised:
        asyncio.run(main())
    assert str(raised.value) == (
        "map_async(function) needs a coroutine function, but for -7 it returned 7 (int); define it with async def, or "
        "use map()"
    )


def test_function_that_returns_an_awaitable_may_be_mapped() -> None:
    async def main() -> list[int]:
        return await Stream.just(1, 2).map_async(lambda number: asyncio.sleep(0, 2 * number)).to_list_async()

    assert asyncio.run(main()) == [2, 4]


def test_asynchronous_generator_function_is_refused_where_the_generator_is_wanted() -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 1

    wrong: Any = numbers
    with pytest.raises(ArgumentTypeError, match="call the function"):
        Stream.from_async_iterable(wrong)
