"""The interfaces: structural isinstance, inheritance in every mixture, no demands on constructors."""

import functools
import gc
import inspect
import weakref
from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, Callable, Iterable
from typing import Generic, TypeVar

import pytest

from reactivestreams.spec import Processor, Publisher, Subscriber, Subscription

T = TypeVar("T")

METHODS = {
    Publisher: {"subscribe"},
    Subscriber: {"on_subscribe", "on_next", "on_error", "on_complete"},
    Subscription: {"request", "cancel"},
    Processor: {"subscribe", "on_subscribe", "on_next", "on_error", "on_complete"},
}
MISSING_ONE = [(interface, name) for interface, names in METHODS.items() for name in sorted(names)]


def accept_anything(self: object, *arguments: object) -> None:
    pass


def class_with(names: Iterable[str], *bases: type, **attributes: object) -> type:
    return type("Candidate", bases, {**dict.fromkeys(names, accept_anything), **attributes})


@pytest.mark.parametrize("interface", METHODS)
def test_a_class_with_the_methods_conforms(interface: type) -> None:
    conforming = class_with(METHODS[interface])
    assert issubclass(conforming, interface)
    assert isinstance(conforming(), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_a_class_that_lacks_one_method_does_not_conform(interface: type, name: str) -> None:
    assert not issubclass(class_with(METHODS[interface] - {name}), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_a_method_set_to_none_is_not_implemented(interface: type, name: str) -> None:
    assert not issubclass(class_with(METHODS[interface], **{name: None}), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_a_method_set_to_none_in_a_subclass_takes_conformance_away(interface: type, name: str) -> None:
    parent = class_with(METHODS[interface])
    derived = class_with(METHODS[interface], interface)
    assert not issubclass(class_with((), parent, **{name: None}), interface)
    assert not issubclass(class_with((), derived, **{name: None}), interface)


@pytest.mark.parametrize(("interface", "name"), MISSING_ONE)
def test_an_attribute_that_cannot_be_called_is_no_method(interface: type, name: str) -> None:
    assert not issubclass(class_with(METHODS[interface], **{name: 7}), interface)
    assert not issubclass(class_with(METHODS[interface], **{name: property(lambda self: self)}), interface)


@pytest.mark.parametrize(
    "method",
    [
        staticmethod(accept_anything),
        classmethod(accept_anything),
        functools.partialmethod(accept_anything, 1),
        functools.lru_cache(accept_anything),
        print,
    ],
)
def test_every_kind_of_callable_counts_as_a_method(method: object) -> None:
    assert issubclass(class_with((), subscribe=method), Publisher)


def test_methods_may_come_from_several_bases() -> None:
    class Upper:
        on_subscribe = on_next = accept_anything

    class Lower:
        on_error = on_complete = accept_anything

    class Both(Upper, Lower):
        pass

    assert issubclass(Both, Subscriber)
    assert not issubclass(Upper, Subscriber)


def test_a_method_of_the_instance_alone_does_not_count() -> None:
    class Bare:
        pass

    bare = Bare()
    bare.subscribe = accept_anything  # type: ignore[attr-defined]
    assert not isinstance(bare, Publisher)


def test_the_metaclass_does_not_lend_its_methods() -> None:
    class Meta(type):
        def subscribe(cls, subscriber: object) -> None:
            pass

    class Instance(metaclass=Meta):
        pass

    assert not issubclass(Instance, Publisher)
    assert isinstance(Instance, Publisher)  # the class itself is an object with the method


def test_a_conforming_class_conforms_to_nothing_else() -> None:
    for interface, names in METHODS.items():
        conforms_to = {other for other in METHODS if issubclass(class_with(names), other)}
        assert conforms_to == {other for other in METHODS if METHODS[other] <= names}, interface


@pytest.mark.parametrize("interface", METHODS)
def test_a_registered_class_conforms_without_methods(interface: type) -> None:
    class Opaque:
        pass

    assert not issubclass(Opaque, interface)
    interface.register(Opaque)  # type: ignore[attr-defined]
    assert issubclass(Opaque, interface)


@pytest.mark.parametrize("interface", METHODS)
def test_an_abstract_method_left_out_is_named_at_instantiation(interface: type) -> None:
    derived = class_with((), interface)
    with pytest.raises(TypeError, match=min(METHODS[interface])):
        derived()


@pytest.mark.parametrize("interface", METHODS)
def test_the_structural_check_of_an_interface_is_not_inherited(interface: type) -> None:
    derived = class_with(METHODS[interface], interface)
    assert not issubclass(class_with(METHODS[interface]), derived)


def test_generic_parameters_work_at_run_time() -> None:
    class Numbers(Publisher[int]):
        def subscribe(self, subscriber: Subscriber[int]) -> None:
            pass

    class Boxes(Publisher[T], Generic[T]):
        def subscribe(self, subscriber: Subscriber[T]) -> None:
            pass

    class Stage(Processor[str, int]):
        subscribe = on_subscribe = on_next = on_error = on_complete = accept_anything

    assert isinstance(Numbers(), Publisher)
    assert isinstance(Boxes[int](), Publisher)
    assert isinstance(Stage(), Subscriber)
    assert isinstance(Stage(), Publisher)


def test_several_interfaces_and_other_abstract_classes_can_be_inherited_together() -> None:
    class Named(ABC):
        @abstractmethod
        def name(self) -> str: ...

    class Everything(Named, Publisher[int], Subscriber[str], Subscription, Iterable[int], AsyncIterable[int]):
        def __init__(self) -> None:  # does not call super().__init__()
            self.steps = 1

        def name(self) -> str:
            return "everything"

        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(())

        __aiter__ = subscribe = on_subscribe = on_next = on_error = on_complete = request = cancel = accept_anything

    everything = Everything()
    assert [isinstance(everything, interface) for interface in METHODS] == [True] * 4
    assert weakref.ref(everything)() is everything


def test_the_interfaces_have_no_slots_that_could_conflict() -> None:
    class Slotted(Processor[int, int], Subscription):
        __slots__ = ("position",)
        subscribe = on_subscribe = on_next = on_error = on_complete = request = cancel = accept_anything

    class Failure(Processor[int, int], Subscription, BaseException):
        subscribe = on_subscribe = on_next = on_error = on_complete = request = cancel = accept_anything

    assert not hasattr(Slotted(), "__dict__")
    assert isinstance(Failure(), Subscription)


@pytest.mark.parametrize("interface", METHODS)
def test_the_interfaces_declare_exactly_the_methods_of_the_specification(interface: type) -> None:
    assert interface.__abstractmethods__ == METHODS[interface]  # type: ignore[attr-defined]


@pytest.mark.parametrize("interface", [Publisher, Subscriber, Subscription])
def test_each_method_cites_the_rules_and_names_its_arguments(interface: type) -> None:
    for name in METHODS[interface]:
        method: Callable[..., object] = getattr(interface, name)
        text = inspect.getdoc(method) or ""
        assert "§" in text
        parameters = list(inspect.signature(method).parameters)[1:]
        assert all(f"{parameter}:" in text for parameter in parameters)


def test_checking_a_class_does_not_keep_it_alive() -> None:
    candidate = weakref.ref(class_with(METHODS[Publisher]))
    fresh = candidate()
    assert fresh is None or isinstance(fresh(), Publisher)
    del fresh
    gc.collect()
    assert candidate() is None
