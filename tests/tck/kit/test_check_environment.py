"""What went wrong is kept until the check looks, and reported in the words of the standard's kit."""

import threading

import pytest

from reactivestreams.tck import CheckEnvironment, Failed
from reactivestreams.tck.kit.check_environment import KEPT_FLOPS
from reactivestreams.tck.kit.failure import CheckAbandoned


def test_flop_raises_nothing_until_it_is_looked_for(environment: CheckEnvironment) -> None:
    environment.flop("first")
    environment.flop("second")
    with pytest.raises(Failed, match=r"^first$"):
        environment.verify_no_async_errors_no_delay()


def test_flop_keeps_no_traceback(environment: CheckEnvironment) -> None:
    environment.flop("first")
    assert environment.flops[0].__traceback__ is None


def test_exception_is_reported_with_a_prefix_and_as_the_cause(environment: CheckEnvironment) -> None:
    error = RuntimeError("Boom!")
    environment.flop(error)
    with pytest.raises(Failed, match=r"^Async error during test execution: Boom!$") as caught:
        environment.verify_no_async_errors_no_delay()
    assert caught.value.__cause__ is error


def test_flop_and_fail_raises_at_once(environment: CheckEnvironment) -> None:
    with pytest.raises(Failed, match=r"^now$"):
        environment.flop_and_fail("now")


def test_errors_can_be_dropped_and_cleared(environment: CheckEnvironment) -> None:
    environment.flop("first")
    environment.flop("second")
    assert str(environment.drop_async_error()) == "first"
    environment.clear_async_errors()
    assert environment.drop_async_error() is None
    environment.verify_no_async_errors_no_delay()


def test_verifying_with_a_delay_finds_what_comes_meanwhile(environment: CheckEnvironment) -> None:
    late = threading.Thread(target=environment.flop, args=("late",))
    started = []

    def start(milliseconds: float) -> None:
        started.append(milliseconds)
        late.start()
        late.join()

    environment.pause = start  # type: ignore[method-assign]
    with pytest.raises(Failed, match=r"^late$"):
        environment.verify_no_async_errors()
    assert started == [20]


def test_flood_of_failures_keeps_the_first(environment: CheckEnvironment) -> None:
    for number in range(KEPT_FLOPS + 1):
        environment.flop(str(number))
    assert len(environment.flops) == KEPT_FLOPS
    assert str(environment.flops[-1]) == str(KEPT_FLOPS - 1)


def test_violation_is_found_after_flops_and_names_its_rule(environment: CheckEnvironment) -> None:
    environment.violation("1.1", "too many")
    with pytest.raises(Failed, match=r"^§1.1: too many$"):
        environment.verify_no_async_errors_no_delay()
    environment.flop("own")
    with pytest.raises(Failed, match=r"^own$"):
        environment.verify_no_async_errors_no_delay()


def test_waiting_for_an_error_ends_when_it_comes(environment: CheckEnvironment) -> None:
    sender = threading.Timer(0.01, environment.flop, args=(ValueError("3.9"),))
    sender.start()
    error = environment.await_async_error(60_000, 10)
    sender.join()
    assert isinstance(error, ValueError)
    assert environment.flops == ()


def test_waiting_for_an_error_that_does_not_come_gives_none(environment: CheckEnvironment) -> None:
    assert environment.await_async_error(5, 1) is None


def test_abandoned_check_is_left_at_the_next_wait(environment: CheckEnvironment) -> None:
    environment.abandon()
    with pytest.raises(CheckAbandoned):
        environment.pause(60_000)


def test_call_that_raises_violates_its_rule(environment: CheckEnvironment) -> None:
    def refuse() -> None:
        raise RuntimeError("no")

    assert isinstance(environment.call("3.15", "cancel()", refuse), RuntimeError)
    assert [str(each) for each in environment.violations] == ["§3.15: cancel() raised RuntimeError: no"]


def test_call_that_returns_a_coroutine_violates_its_rule(environment: CheckEnvironment) -> None:
    async def later() -> None:
        raise AssertionError("nobody awaits it")

    environment.call("1.9", "subscribe(subscriber 1)", later)
    assert [each.message for each in environment.violations] == [
        "subscribe(subscriber 1) returned a coroutine, which nobody awaits; define the method with def"
    ]


def test_call_lets_ctrl_c_through(environment: CheckEnvironment) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        environment.call("3.16", "request(1)", interrupt)
    assert environment.violations == ()


def test_last_steps_of_an_abandoned_check_are_taken_once(environment: CheckEnvironment) -> None:
    taken: list[str] = []

    def wait() -> None:
        taken.append("the first, which has to wait")
        environment.pause(60_000)

    environment.at_end(wait)
    environment.at_end(lambda: taken.append("the second"))
    environment.abandon()
    environment.close()
    environment.close()
    assert taken == ["the first, which has to wait", "the second"]
