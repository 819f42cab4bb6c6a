"""Binding an untyped subject to the types of one use, with conversion."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.lifecycle import LocalExecutionEnvironment, OperatorSubscription
from reactivestreams.subjects import (
    Conversion,
    ConvertingSubject,
    MultiSubject,
    SimpleSubject,
    SubjectTypeError,
    TypedView,
    UntypedSubject,
    buffer,
    typed_subject,
)
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class Recording(UntypedSubject):
    """Has a simple subject inside, and notes which types are asked for."""

    def __init__(self) -> None:
        self.inner: SimpleSubject[Any] = SimpleSubject()
        self.asked: list[Any] = []
        self.disposals = 0

    def get_observer(self, element_type: Any, /) -> Any:
        self.asked.append(("observer", element_type))
        return self.inner

    def get_observable(self, element_type: Any, /) -> Any:
        self.asked.append(("observable", element_type))
        return self.inner

    def on_dispose(self) -> None:
        self.disposals += 1


def subscribed(subject: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    return subscriber


def test_view_asks_for_each_use_once() -> None:
    subject = Recording()
    view = TypedView(subject, int, str)
    subscriber = subscribed(view)
    assert subject.asked == [("observable", str)]
    view.create_observer().on_next(1)
    assert subject.asked == [("observable", str), ("observer", int)]
    view.dispose()
    view.dispose()
    assert (subscriber.elements, subject.disposals) == ([1], 1)


def test_view_can_be_bound() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle: Any = TypedView(Recording(), int, int).bind(subscriber)
    assert isinstance(handle, OperatorSubscription)


def test_subject_with_types_is_used_as_it_is() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    assert typed_subject(subject, accepts=int, sends=int) is subject


def test_subject_that_makes_its_own_view_is_asked_for_it() -> None:
    own: SimpleSubject[int] = SimpleSubject()

    class Dynamic(UntypedSubject):
        def to_typed(self, accepts: Any, sends: Any, /) -> MultiSubject[Any, Any]:
            assert (accepts, sends) == (int, str)
            return own

    assert typed_subject(Dynamic(), accepts=int, sends=str) is own


def test_subject_without_types_gets_the_general_view() -> None:
    assert type(typed_subject(Recording())) is TypedView


def test_what_is_no_subject_is_refused() -> None:
    with pytest.raises(SubjectTypeError, match=r"typed_subject\(subject\) needs a subject, got 3 \(int\)"):
        typed_subject(3)


def test_environment_finds_a_subject_that_is_bound_where_it_is_used() -> None:
    environment = LocalExecutionEnvironment()
    environment.register("rx://subjects/stock", Recording())
    view = typed_subject(environment.get_subject("rx://subjects/stock"), accepts=int, sends=int)
    subscriber = subscribed(view)
    view.create_observer().on_next(1)
    assert subscriber.elements == [1]


# --- conversion -----------------------------------------------------------------------------------------------------


def converting() -> ConvertingSubject:
    text = Conversion(to_stored=int, from_stored=str)
    double = Conversion(from_stored=lambda number: 2 * number)
    return ConvertingSubject(SimpleSubject(policy=buffer()), stored=int, conversions={str: text, "double": double})


def test_uses_of_different_types_meet_in_one_subject() -> None:
    subject = converting()
    numbers, texts = subscribed(typed_subject(subject, sends=int)), subscribed(typed_subject(subject, sends=str))
    doubled = RecordingSubscriber(first_request=1)
    typed_subject(subject, sends="double").subscribe(doubled)
    typed_subject(subject, accepts=int).create_observer().on_next(1)
    observer = typed_subject(subject, accepts=str).create_observer()
    Stream.just("2", "3").subscribe(observer)
    assert numbers.outcome == ([1, 2, 3], "complete")
    assert texts.outcome == (["1", "2", "3"], "complete")
    assert doubled.outcome == ([2], "open")
    doubled.request(2)
    assert doubled.outcome == ([2, 4, 6], "complete")


def test_incompatible_type_is_refused_where_it_is_bound() -> None:
    view = typed_subject(converting(), accepts="double", sends=bytes)
    with pytest.raises(
        SubjectTypeError, match=r"get_observer\('double'\): this subject has .* give it a Conversion with"
    ):
        view.create_observer()
    with pytest.raises(SubjectTypeError, match=r"get_observable\(<class 'bytes'>\): this subject has <class 'int'>"):
        view.bind(RecordingSubscriber())


def test_conversion_that_raises_fails_who_subscribed_and_is_raised_to_who_pushes() -> None:
    subject = ConvertingSubject(
        SimpleSubject(), stored=int, conversions={"inverse": Conversion(int, lambda number: 1 / number)}
    )
    numbers, inverses = (
        subscribed(typed_subject(subject, sends=int)),
        subscribed(typed_subject(subject, sends="inverse")),
    )
    observer = typed_subject(subject, accepts="inverse").create_observer()
    observer.on_next(0)
    with pytest.raises(ValueError, match="invalid literal"):
        observer.on_next("none")
    observer.on_next(4)
    assert isinstance(inverses.error, ZeroDivisionError)
    assert numbers.outcome == ([0, 4], "open")


def test_disposing_the_converting_subject_disposes_what_it_converts() -> None:
    inner: SimpleSubject[int] = SimpleSubject()
    subject = ConvertingSubject(inner, stored=int, conversions={})
    typed_subject(subject).dispose()
    assert (subject.is_disposed, inner.is_disposed) == (True, True)
