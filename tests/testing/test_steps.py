"""Streams step by step: what steps expect, how long they wait, what they say."""

from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentError, ArgumentTypeError, InvalidRequestError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.testing import (
    StepError,
    StepVerifier,
    TestPublisher,
    TestScheduler,
    on_complete,
    on_error,
    on_next,
)
from tests.contracts.dropped_signals import recorded_drops


def cold(*messages: Any) -> Any:
    return lambda scheduler: scheduler.create_cold(*messages)


def test_steps_go_through_elements_requests_waits_and_the_end() -> None:
    steps = StepVerifier(
        cold(on_next(10, 1), on_next(20, 2), on_next(30, 3), on_next(40, 4), on_complete(50)), request=1
    )
    steps.expect_next(1).expect_no_event(100).then_request(1).expect_next_where(lambda element: element == 2)
    assert steps.then_request(2).expect_next_count(2).expect_complete().verify() == 110


def test_verifier_can_be_run_again_with_a_new_clock() -> None:
    schedulers: list[TestScheduler] = []

    def create(scheduler: TestScheduler) -> Any:
        schedulers.append(scheduler)
        return Stream.just(1)

    steps = StepVerifier(create).expect_next(1).expect_complete()
    assert [steps.verify(), steps.verify()] == [1, 1]
    assert schedulers[0].clock is not schedulers[1].clock


def test_what_comes_during_a_wait_is_expected_afterwards() -> None:
    steps = StepVerifier(cold(on_next(10, 1), on_next(20, 2)))
    assert steps.then_await(100).expect_next(1, 2).then_cancel().verify() == 100


def test_error_is_expected_by_class_and_predicate() -> None:
    failing = cold(on_error(10, ValueError("mine")))
    StepVerifier(failing).expect_error().verify()
    StepVerifier(failing).expect_error(ValueError, where=lambda error: str(error) == "mine").verify()
    for steps in (
        StepVerifier(failing).expect_error(KeyError),
        StepVerifier(failing).expect_error(ValueError, where=lambda error: False),
    ):
        with pytest.raises(StepError, match=r"^step 1, expect_error\(.*: 10: on_error\(ValueError\('mine'\)\) came"):
            steps.verify()


def test_forbidden_request_is_seen() -> None:
    StepVerifier(lambda scheduler: Stream.range(5), request=1).expect_next(0).then_request(0).expect_error(
        InvalidRequestError
    ).verify()


def test_functions_are_called_between_steps() -> None:
    seen: list[str] = []
    StepVerifier(cold(on_next(10, 1))).then(lambda: seen.append("before")).expect_next(1).then(
        lambda: seen.append("behind")
    ).then_cancel().verify()
    assert seen == ["before", "behind"]


def test_other_element_fails_and_says_where() -> None:
    with pytest.raises(StepError) as caught:
        StepVerifier(cold(on_next(10, 1), on_next(20, 2))).expect_next(1, 3).verify()
    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == (
        "step 2, expect_next(3): 20: on_next(2) came, at tick 20; before it: [10: on_next(1)]. "
        "Correct the stream or the step"
    )


def test_step_waits_as_long_as_it_may_and_no_longer() -> None:
    late = cold(on_next(101, 1))
    with pytest.raises(
        StepError, match=r"^step 1, expect_next\(1\): nothing came in 100 ticks, at tick 0; before it: nothing"
    ):
        StepVerifier(late, patience_ticks=100).expect_next(1).verify()
    StepVerifier(late, patience_ticks=101).expect_next(1).then_cancel().verify()


def test_event_where_none_is_expected_fails() -> None:
    with pytest.raises(StepError, match=r"^step 1, expect_no_event\(10\): 10: on_next\(1\) came, at tick 10"):
        StepVerifier(cold(on_next(10, 1))).expect_no_event(10).verify()
    StepVerifier(cold(on_next(10, 1))).expect_no_event(9).then_cancel().verify()


def test_what_no_step_has_expected_fails_at_the_end() -> None:
    with pytest.raises(StepError, match=r"^verify\(\), after 1 steps: 1: on_next\(1\) came"):
        StepVerifier(lambda scheduler: Stream.range(3)).expect_next(0).verify()


def test_stream_is_let_go_of_when_the_steps_are_over() -> None:
    streams: list[Any] = []

    def create(scheduler: TestScheduler) -> Any:
        streams.append(scheduler.create_cold(on_next(10, 1), on_next(20, 2)))
        return streams[0]

    StepVerifier(create).expect_next(1).verify()
    assert repr(streams[0].subscriptions) == "[(0, 10)]"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: StepVerifier(Stream.range(3)), ArgumentTypeError, r"^StepVerifier\(create\) needs"),  # type: ignore[arg-type]
        (
            lambda: StepVerifier(lambda scheduler: 5).verify(),
            ArgumentTypeError,
            r"returns a stream, got 5 \(int\) from it",
        ),
        (lambda: StepVerifier(cold(), request=-1), ArgumentError, r"^StepVerifier\(request\) needs"),
        (lambda: StepVerifier(cold(), patience_ticks=-1), ArgumentError, r"^StepVerifier\(patience_ticks\) needs"),
        (lambda: StepVerifier(cold()).then_await(-1), ArgumentError, r"^then_await\(ticks\) needs"),
        (lambda: StepVerifier(cold()).expect_no_event(-1), ArgumentError, r"^expect_no_event\(ticks\) needs"),
        (lambda: StepVerifier(cold()).then("now"), ArgumentTypeError, r"^then\(action\) needs"),  # type: ignore[arg-type]
    ],
    ids=["create", "stream", "request", "patience", "await", "no event", "then"],
)
def test_bad_arguments_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


# --- recorded and dropped elements -----------------------------------------------------------------------------------


def test_recorded_elements_are_those_since_the_call_that_steps_have_expected() -> None:
    seen: list[list[int]] = []

    def note(elements: list[int]) -> bool:
        seen.append(elements)
        return True

    steps = StepVerifier(lambda scheduler: Stream.range(5))
    steps.expect_next(0, 1).expect_recorded(note).record().expect_next_count(2).expect_recorded(note)
    steps.expect_next(4).expect_complete().expect_recorded(note).verify()
    assert seen == [[0, 1], [2, 3], [2, 3, 4]]


def test_recorded_elements_that_are_not_as_expected_are_shown() -> None:
    steps = StepVerifier(lambda scheduler: Stream.range(2)).expect_next_count(2).expect_recorded(bool_of_none)
    with pytest.raises(StepError, match=r"^step 2, expect_recorded\(bool_of_none\): it is not so for \[0, 1\], at"):
        steps.verify()


def bool_of_none(elements: list[int]) -> bool:
    return False


def dropping(*elements: int) -> Any:
    def drop() -> None:
        for element in elements:
            dropped("on_next", element, origin="test")

    return StepVerifier(lambda scheduler: Stream.empty()).then(drop).expect_complete()


def test_dropped_elements_are_expected_in_order() -> None:
    dropping().verify_dropped()
    dropping(1, 2).verify_dropped(1, 2)
    for expected in [(), (1,), (2, 1), (1, 2, 3)]:
        with pytest.raises(StepError, match=r"^verify_dropped\(\) expected the dropped elements .*, and \[1, 2\] were"):
            dropping(1, 2).verify_dropped(*expected)


def test_elements_that_an_operator_drops_are_seen() -> None:
    source = TestPublisher[int]()
    steps = StepVerifier.on_real_clock(Stream.from_publisher(source).on_backpressure_drop(), request=1)
    steps.then(lambda: source.next(1, 2, 3)).expect_next(1).then(source.complete).expect_complete()
    steps.verify_dropped(2, 3)


def test_other_dropped_signals_go_to_the_hook_that_was_there() -> None:
    error = ValueError("late")
    with recorded_drops() as drops:
        dropping().then(lambda: dropped("on_error", error, origin="test")).verify_dropped()
    assert drops == [("on_error", error, "test")]
    with recorded_drops() as drops:
        dropped("on_next", 1, origin="after")
    assert drops == [("on_next", 1, "after")]


# --- on the real clock ------------------------------------------------------------------------------------------------


def test_signals_of_another_thread_are_waited_for() -> None:
    with WorkerScheduler(name="steps") as worker:
        steps = StepVerifier.on_real_clock(Stream.range(4).observe_on(worker), request=1, patience_ticks=60_000_000)
        steps.expect_next(0).then_request(2).expect_next(1, 2).expect_no_event(1000).then_request(9).expect_next(3)
        assert steps.expect_complete().verify() > 0
        assert steps.verify() > 0


def test_signal_that_does_not_come_in_time_fails_and_cancels() -> None:
    source = TestPublisher[int]()
    with pytest.raises(
        StepError, match=r"^step 1, expect_next\(1\): nothing came in 1000 ticks, at tick \d{4,}; before"
    ):
        StepVerifier.on_real_clock(source, patience_ticks=1000).expect_next(1).verify()
    source.assert_cancelled()


def test_signal_that_no_step_expects_fails_on_the_real_clock() -> None:
    with pytest.raises(StepError, match=r"^verify\(\), after 1 steps: \d+: on_complete\(\) came"):
        StepVerifier.on_real_clock(Stream.just(1)).expect_next(1).verify()


def test_what_is_no_publisher_is_refused_on_the_real_clock() -> None:
    with pytest.raises(ArgumentTypeError, match=r"on_real_clock\(publisher\) needs a publisher, got \[1\] \(list\)"):
        StepVerifier.on_real_clock([1])


def test_pytest_shows_the_line_of_the_test_and_not_those_of_the_verifier() -> None:
    with pytest.raises(StepError) as raised:
        StepVerifier(lambda scheduler: Stream.just(1)).expect_next(2).verify()
    shown = raised.traceback.filter(raised)
    assert [entry.path.name for entry in shown] == [Path(__file__).name]
