"""Hooks that run nothing when they are called: refused when their class is made, or the object is given away."""

import importlib
import inspect
import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

import pytest

import reactivestreams
import rs_core
from reactivestreams import BasePublisher, Stream
from reactivestreams.dropped import set_hook
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import MultiInputNode, OperatorNode
from reactivestreams.schedulers import (
    ImmediateScheduler,
    ItemProcessingTask,
    TrampolineScheduler,
    VirtualTimeScheduler,
    WorkerScheduler,
)
from reactivestreams.state import StateRegistry
from reactivestreams.subjects import SimpleSubject
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.emitter import SerializedEmitter
from rs_core.queues.spsc_ring import SpscRing

Build = Callable[[Any], object]


async def coroutine_function(self: Any, *arguments: Any) -> None: ...


async def asynchronous_generator_function(self: Any, *arguments: Any) -> AsyncIterator[None]:
    yield


def generator_function(self: Any, *arguments: Any) -> Iterator[None]:
    yield


# --- classes to be subclassed -----------------------------------------------------------------------------------------

SAYS_THAT_IT_IS_A_BASE = (
    "documented as a base",
    "subclass it",
    "a documented base",
    "Subclass it",
    "meant to be subclassed",
)
# What is no base by itself.
OTHERS = {"HeapElement", "OperatorDefinition", "SubjectInput"}

# Methods that may be generator functions: what they return is iterated.
ITERATED = {"generate", "sources", "bind_inputs"}


def modules() -> Iterator[ModuleType]:
    for package in (reactivestreams, rs_core):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.startswith(("reactivestreams.spark", "reactivestreams.__main__")):
                yield importlib.import_module(found.name)


def documented_bases() -> dict[str, type]:
    """Return the classes whose documentation says that they are to be subclassed."""
    return {
        each.__name__: each
        for module in modules()
        for each in vars(module).values()
        if inspect.isclass(each)
        and each.__module__ == module.__name__
        and each.__name__ not in OTHERS
        and any(says in (each.__doc__ or "").replace("\n    ", " ") for says in SAYS_THAT_IT_IS_A_BASE)
    }


BASES = documented_bases()


def methods_of(base: type) -> list[str]:
    return [
        name
        for name in dir(base)
        if not name.startswith("_")
        and callable(getattr(base, name))
        and name not in getattr(base, "catalog", ())  # the checks of a kit, which nobody overrides
        and not isinstance(inspect.getattr_static(base, name), staticmethod | classmethod | type)
    ]


HOOKS = [(base, name) for base in BASES.values() for name in methods_of(base)]


def test_bases_that_users_know_are_among_those_that_were_found() -> None:
    assert {
        "AsyncBaseSubscriber",
        "BaseProcessor",
        "BasePublisher",
        "BaseSubscriber",
        "BaseSubscription",
        "DefaultSubscriber",
        "MultiInputNode",
        "MultiSubject",
        "ObserverNode",
        "OperatorNode",
        "OperatorPublisher",
        "ProcessorVerification",
        "PublisherVerification",
        "PythonStage",
        "StatefulNode",
        "SubscriberBlackboxVerification",
        "SubscriberWhiteboxVerification",
        "ThreadAccess",
        "TreeVisitor",
    } <= set(BASES)


@pytest.mark.parametrize(("base", "name"), HOOKS, ids=[f"{base.__name__}.{name}" for base, name in HOOKS])
def test_hook_that_runs_nothing_is_refused_when_its_class_is_made(base: type, name: str) -> None:
    for function in (coroutine_function, asynchronous_generator_function):
        with pytest.raises(ArgumentTypeError, match=rf"^Wrong\.{name} is an? {function.__name__.replace('_', ' ')}: "):
            type("Wrong", (base,), {name: function})
    if name not in ITERATED:
        with pytest.raises(ArgumentTypeError, match=rf"^Wrong\.{name} is a generator function: .*; define it with def"):
            type("Wrong", (base,), {name: generator_function})


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_hook_of_a_class_beside_the_base_is_refused_too(base: type) -> None:
    name = methods_of(base)[0]
    mixin = type("Mixin", (), {name: coroutine_function})
    with pytest.raises(ArgumentTypeError, match=rf"^Wrong\.{name} is a coroutine function"):
        type("Wrong", (mixin, base), {})


def test_methods_of_the_author_may_be_asynchronous() -> None:
    class Mine(DefaultSubscriber[int]):
        async def close(self) -> None: ...

        async def __aenter__(self) -> Self:
            return self

    assert Mine().subscription is None


@pytest.mark.parametrize(
    ("base", "name"), [(BasePublisher, "generate"), (MultiInputNode, "sources"), (OperatorNode, "bind_inputs")]
)
def test_hook_whose_result_is_iterated_may_be_a_generator_function(base: type, name: str) -> None:
    assert issubclass(type("Generating", (base,), {name: generator_function}), base)


# --- objects of any class ---------------------------------------------------------------------------------------------


class Wrong:
    """Has the methods of a subscriber, of a publisher, of a task and of an item processor."""

    item_count = 0

    def on_subscribe(self, subscription: Any) -> None: ...
    def on_next(self, element: Any) -> None: ...
    def on_error(self, error: Exception) -> None: ...
    def on_complete(self) -> None: ...
    def subscribe(self, subscriber: Any) -> None: ...
    def execute(self, scheduler: Any) -> bool:
        return True

    def process(self, batch_size: int) -> None: ...


class Single(BasePublisher[int]):
    def generate(self, demand: Any) -> Iterator[int]:
        yield 1


TAKES_A_SUBSCRIBER: dict[str, Build] = {
    "subscribe(subscriber)": lambda it: Stream.range(3).subscribe(it),
    "subscribe(subscriber) of a publisher": lambda it: Single().subscribe(it),
    "subscribe(subscriber) of a subject": lambda it: SimpleSubject().subscribe(it),
    "bind": lambda it: Stream.range(3).bind(it),
}


def wrong(method: str, function: Any) -> Any:
    return type("Subject", (Wrong,), {method: function})()


@pytest.mark.parametrize("function", [coroutine_function, asynchronous_generator_function])
@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
@pytest.mark.parametrize("takes", TAKES_A_SUBSCRIBER)
def test_subscriber_whose_signals_run_nothing_is_refused(takes: str, signal: str, function: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        TAKES_A_SUBSCRIBER[takes](wrong(signal, function))
    assert f"{signal} of Subject needs a function that runs when it is called, got the " in str(raised.value)
    assert "define it with def" in str(raised.value)


@pytest.mark.parametrize("function", [coroutine_function, asynchronous_generator_function])
def test_publisher_whose_subscribe_runs_nothing_is_refused(function: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^from_publisher\(publisher\): subscribe needs a function that runs"):
        Stream.from_publisher(wrong("subscribe", function))


@pytest.mark.parametrize("function", [coroutine_function, asynchronous_generator_function])
@pytest.mark.parametrize("is_task", [True, False])
@pytest.mark.parametrize("kind", [ImmediateScheduler, TrampolineScheduler, WorkerScheduler, VirtualTimeScheduler])
def test_task_that_runs_nothing_is_refused(kind: Any, is_task: bool, function: Any) -> None:
    task = wrong("execute", function) if is_task else lambda_of(function)
    with (
        kind() as scheduler,
        pytest.raises(ArgumentTypeError, match=r"^schedule\(task\) needs a function that runs when it is called"),
    ):
        scheduler.schedule(task)


def lambda_of(function: Any) -> Any:
    return function.__get__(object())


@dataclass
class Order:
    number: int


@pytest.mark.parametrize("function", [coroutine_function, asynchronous_generator_function])
@pytest.mark.parametrize(
    "build",
    [
        set_hook,
        lambda it: StateRegistry().register(name="test/kind", migrate=it)(Order),
        lambda it: SerializedEmitter(wrong("on_next", it)),
        lambda it: SpscRing(2).drain_to(it),
        lambda it: Stream.create(lambda emitter: emitter.on_dispose(it), on_overflow="error").run(),
        lambda it: ItemProcessingTask(wrong("process", it)),
        lambda it: DefaultSubscriber(on_next=it),
        lambda it: DefaultSubscriber(on_complete=it),
    ],
    ids=[
        "set_hook",
        "migrate",
        "SerializedEmitter",
        "drain_to",
        "on_dispose",
        "ItemProcessingTask",
        "on_next",
        "on_complete",
    ],
)
def test_function_that_runs_nothing_is_refused(build: Build, function: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="needs a function that runs when it is called, got the "):
        build(function)
