"""The ledger sees each breach of the protocol, and none where there is none."""

import threading

import pytest

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import CheckEnvironment, Environment
from reactivestreams.tck.kit.ledger import Ledger


def breaches(environment: CheckEnvironment) -> list[str]:
    return [violation.rule for violation in environment.violations]


def signal(ledger: Ledger, name: str, *argument: object) -> None:
    ledger.enter(name, *argument)
    ledger.leave()


@pytest.fixture
def ledger(environment: CheckEnvironment) -> Ledger:
    return Ledger(environment, "subscriber 1")


def test_correct_stream_breaks_nothing(environment: CheckEnvironment, ledger: Ledger) -> None:
    signal(ledger, "on_subscribe", object())
    ledger.requesting(2)
    ledger.requesting(MAX_DEMAND)
    ledger.requesting(MAX_DEMAND)
    for element in range(5):
        signal(ledger, "on_next", element)
    signal(ledger, "on_complete")
    assert breaches(environment) == []
    assert ledger.outstanding == 2 + 2 * MAX_DEMAND - 5
    assert ledger.is_unbounded
    assert ledger.end == "on_complete"


def test_nested_signal_on_the_same_thread_is_no_overlap(environment: CheckEnvironment, ledger: Ledger) -> None:
    ledger.enter("on_subscribe", object())
    ledger.requesting(1)
    signal(ledger, "on_next", 1)
    assert ledger.signals_running == ("on_subscribe",)
    ledger.leave()
    assert breaches(environment) == []


def test_signal_of_another_thread_before_the_nested_ones_owner_has_left_is_an_overlap(
    environment: CheckEnvironment, ledger: Ledger
) -> None:
    ledger.enter("on_subscribe", object())
    ledger.requesting(2)
    signal(ledger, "on_next", 1)  # the nested one leaves, its owner is still inside
    other = threading.Thread(target=signal, args=(ledger, "on_next", 2), name="other")
    other.start()
    other.join()
    assert breaches(environment) == ["1.3"]
    assert "other emitted on_next signal, before MainThread finished its on_subscribe signal." in str(
        environment.violations[0]
    )


def test_element_without_demand_is_reported(environment: CheckEnvironment, ledger: Ledger) -> None:
    signal(ledger, "on_subscribe", object())
    ledger.requesting(1)
    signal(ledger, "on_next", "a")
    signal(ledger, "on_next", "b")
    assert [str(each) for each in environment.violations] == [
        "§1.1: Subscriber::on_next('b') is element number 2, but only 1 were requested"
    ]


def test_requests_that_are_not_positive_or_late_add_nothing(environment: CheckEnvironment, ledger: Ledger) -> None:
    ledger.requesting(0)
    ledger.requesting(-5)
    ledger.requesting(3)
    ledger.cancelling()
    ledger.requesting(10)
    assert ledger.requested == 3


@pytest.mark.parametrize(
    ("name", "argument", "text"),
    [
        ("on_next", (1,), "Subscriber::on_next(1) called before Subscriber::on_subscribe"),
        ("on_complete", (), "Subscriber::on_complete() called before Subscriber::on_subscribe"),
        (
            "on_error",
            (ValueError("x"),),
            "Subscriber::on_error(ValueError('x')) called before Subscriber::on_subscribe",
        ),
    ],
)
def test_signal_before_on_subscribe_is_reported(
    environment: CheckEnvironment, ledger: Ledger, name: str, argument: tuple[object, ...], text: str
) -> None:
    ledger.requesting(1)
    signal(ledger, name, *argument)
    assert [str(each) for each in environment.violations] == [f"§1.9: {text}"]


def test_lone_error_is_a_rejection_in_the_release_candidate() -> None:
    environment = Environment(100, edition="rc1").for_check("a check")
    signal(Ledger(environment, "subscriber 1"), "on_error", ValueError("x"))
    assert breaches(environment) == []


def test_second_subscription_is_reported_unless_it_is_expected(environment: CheckEnvironment) -> None:
    for allowed in (1, 2):
        ledger = Ledger(environment, "subscriber 1", subscriptions_allowed=allowed)
        signal(ledger, "on_subscribe", object())
        signal(ledger, "on_subscribe", object())
    assert [str(each) for each in environment.violations] == [
        "§2.12: Subscriber::on_subscribe called on an already-subscribed Subscriber"
    ]


def test_everything_after_the_end_is_reported(environment: CheckEnvironment, ledger: Ledger) -> None:
    signal(ledger, "on_subscribe", object())
    ledger.requesting(5)
    signal(ledger, "on_complete")
    signal(ledger, "on_next", 1)
    signal(ledger, "on_complete")
    signal(ledger, "on_error", ValueError())
    assert breaches(environment) == ["1.7", "1.7", "1.7"]
    assert ledger.signals_after_end == 3


def test_none_and_what_is_no_exception_are_reported(environment: CheckEnvironment, ledger: Ledger) -> None:
    signal(ledger, "on_subscribe", object())
    ledger.requesting(1)
    signal(ledger, "on_next", None)
    signal(ledger, "on_error", ValueError)
    assert breaches(environment) == ["2.13", "1.4"]


def test_signals_after_cancel_are_counted_and_no_breach(environment: CheckEnvironment, ledger: Ledger) -> None:
    signal(ledger, "on_subscribe", object())
    ledger.requesting(3)
    ledger.cancelling()
    signal(ledger, "on_next", 1)
    signal(ledger, "on_complete")
    assert breaches(environment) == []
    assert ledger.signals_after_cancel == 2
