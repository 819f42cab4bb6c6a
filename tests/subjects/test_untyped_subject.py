"""Untyped subjects: nodes with a life cycle and, as they are written, with state; and the bases of all subjects."""

from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError, NullElementError, StateError
from reactivestreams.lifecycle import StatefulOperator, SubscriptionVisitor, Version, Versioned, initialize_tree
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import (
    MultiSubject,
    SimpleSubject,
    StatefulUntypedSubject,
    UntypedSubject,
    VersionedUntypedSubject,
)


class Counting(UntypedSubject):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_context(self, context: Any) -> None:
        self.calls.append(("context", context))

    def on_start(self) -> None:
        self.calls.append("start")

    def on_dispose(self) -> None:
        self.calls.append("dispose")

    def get_observer(self, element_type: Any, /) -> Any:
        self.calls.append(("observer", element_type))

    def get_observable(self, element_type: Any, /) -> Any:
        self.calls.append(("observable", element_type))


class Stock(StatefulUntypedSubject):
    """Has a number as state."""

    name = "test/stock"
    version = (2, 0, 0, 0)

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.loads: list[Version] = []
        self.starts = 0

    def on_start(self) -> None:
        self.starts += 1

    def save_fields(self, writer: Any) -> None:
        writer.write(self.number)

    def load_fields(self, reader: Any, version: Version) -> None:
        self.loads.append(version)
        self.number = reader.read(int)


class OlderStock(Stock):
    version = (1, 0, 0, 0)


class ReadingStock(Stock):
    """Reads what the older one wrote, whose numbers were negative."""

    loadable_versions = ((1, 0, 0, 0),)

    def load_fields(self, reader: Any, version: Version) -> None:
        super().load_fields(reader, version)
        if version == (1, 0, 0, 0):
            self.number = -self.number


# --- the base -------------------------------------------------------------------------------------------------------


def test_getters_are_called_once_for_each_call() -> None:
    subject = Counting()
    subject.get_observer(int)
    subject.get_observable(str)
    assert subject.calls == [("observer", int), ("observable", str)]


def test_subject_has_no_inputs_by_default() -> None:
    subject = Counting()
    initialize_tree(subject, None)
    assert list(subject.inputs) == []


def test_context_and_start_reach_the_hooks_once() -> None:
    subject = Counting()
    context = object()
    initialize_tree(subject, context)
    subject.start()
    assert subject.calls == [("context", context), "start"]


def test_dispose_runs_the_hook_once_and_is_reported() -> None:
    subject = Counting()
    initialize_tree(subject, None)
    assert not subject.is_disposed
    subject.dispose()
    subject.dispose()
    assert (subject.is_disposed, subject.calls.count("dispose")) == (True, 1)


def test_start_after_dispose_does_not_start() -> None:
    subject = Counting()
    subject.dispose()
    subject.start()
    assert subject.calls == ["dispose"]


def test_typed_visitor_reaches_a_subject_directly() -> None:
    subject = Counting()
    visited: list[Any] = []
    SubscriptionVisitor.do(UntypedSubject, visited.append).apply(subject)
    subject.dispose()
    SubscriptionVisitor.do(UntypedSubject, visited.append).apply(subject)
    assert visited == [subject, subject]


def test_subject_without_types_has_to_define_its_getters() -> None:
    subject = UntypedSubject()
    with pytest.raises(NotImplementedError, match=r"UntypedSubject has to define get_observer\(element_type\)"):
        subject.get_observer(int)
    with pytest.raises(NotImplementedError, match=r"UntypedSubject has to define get_observable\(element_type\)"):
        subject.get_observable(int)


def test_versioned_subject_has_a_name_and_a_version() -> None:
    class Orders(VersionedUntypedSubject):
        name = "test/orders"

    orders = Orders()
    assert isinstance(orders, Versioned)
    assert (orders.name, orders.version) == ("test/orders", (1, 0, 0, 0))


# --- state ----------------------------------------------------------------------------------------------------------


def test_state_of_the_same_version_is_loaded() -> None:
    data = save_tree(Stock(7))
    stock = Stock()
    load_tree(stock, data)
    assert (stock.number, stock.loads, isinstance(stock, StatefulOperator)) == (7, [(2, 0, 0, 0)], True)


def test_what_is_no_writer_or_reader_is_refused() -> None:
    stock: Any = Stock()
    with pytest.raises(ArgumentTypeError, match=r"save_state\(writer\) needs a StateWriter, got None"):
        stock.save_state(None)
    with pytest.raises(ArgumentTypeError, match=r"load_state\(reader, version\) needs a StateReader, got None"):
        stock.load_state(None, (2, 0, 0, 0))


def test_state_of_another_version_is_refused_unless_the_subject_names_it() -> None:
    data = save_tree(OlderStock(7))
    with pytest.raises(StateError, match=r"reads state of version \(2, 0, 0, 0\), not \(1, 0, 0, 0\)"):
        load_tree(Stock(), data)
    stock = ReadingStock()
    load_tree(stock, data)
    assert (stock.number, stock.loads) == (-7, [(1, 0, 0, 0)])


def test_disposed_subject_stays_disposed_when_it_is_loaded() -> None:
    stock = Stock(7)
    initialize_tree(stock, None)
    stock.dispose()
    again = Stock()
    load_tree(again, save_tree(stock))
    assert again.is_disposed
    again.start()
    assert (again.number, again.starts) == (7, 0)


def test_state_changes_until_it_is_stored() -> None:
    stock = Stock()
    assert stock.state_changed
    save_tree(stock)
    assert stock.state_changed
    stock.on_state_saved()
    assert not stock.state_changed
    save_tree(stock)
    assert stock.state_changed
    stock.on_state_saved()
    stock.mark_changed()
    assert stock.state_changed


def test_loaded_subject_has_not_changed() -> None:
    stock = Stock()
    load_tree(stock, save_tree(Stock(7)))
    assert not stock.state_changed


# --- subjects with types --------------------------------------------------------------------------------------------


def test_base_of_typed_subjects_defines_nothing_but_dispose() -> None:
    subject: MultiSubject[int, int] = MultiSubject()
    with pytest.raises(NotImplementedError, match=r"MultiSubject has to define create_observer\(\)"):
        subject.create_observer()
    with pytest.raises(NotImplementedError, match=r"MultiSubject has to define bind\(subscriber\)"):
        subject.subscribe(SimpleSubject())
    subject.dispose()
    subject.dispose()


def test_subscribe_none_is_refused() -> None:
    subject: Any = SimpleSubject()
    with pytest.raises(NullElementError, match=r"§1\.9: subscribe\(None\): a subscriber is needed"):
        subject.subscribe(None)
