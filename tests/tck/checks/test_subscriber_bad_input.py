"""A subscriber, an element or a puppet that cannot be used is refused by the name of what made it."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Outcome, SubjectError, judge, run
from reactivestreams.tck.checks.subscriber import SUBSCRIBER_BLACKBOX_CHECKS, SUBSCRIBER_WHITEBOX_CHECKS
from tests.tck.settings import short_environment
from tests.tck.subscriber_subjects import BlackboxOf, SteppingSubscriber, WhiteboxOf

HAPPY = "required_exercise_whitebox_happy_path"
DEMAND = "required_spec201_blackbox_must_signal_demand_via_subscription_request"


def whitebox_factory(make: Callable[[Any], Any]) -> type[WhiteboxOf]:
    return type("Verification", (WhiteboxOf,), {"create_subscriber": lambda self, probe: make(probe)})


def blackbox_factory(make: Callable[[], Any]) -> type[BlackboxOf]:
    return type("Verification", (BlackboxOf,), {"create_subscriber": lambda self: make()})


def element_factory(make: Callable[[int], Any]) -> type[WhiteboxOf]:
    return type("Verification", (WhiteboxOf,), {"create_element": lambda self, element: make(element)})


def fail(*arguments: Any) -> Any:
    raise RuntimeError("no connection")


async def later(*arguments: Any) -> Any:
    return None


class Incomplete:
    def on_subscribe(self, subscription: Any) -> None:
        """Do nothing."""

    def on_next(self, element: Any) -> None:
        """Do nothing."""


class Asynchronous(SteppingSubscriber):
    async def on_next(self, element: Any, /) -> None:  # type: ignore[override]
        """Do nothing."""


class Unimplemented(WhiteboxOf):
    def create_element(self, element: int) -> Any:
        raise NotImplementedError


ONLY = SteppingSubscriber()


def unawaited_future() -> Any:
    loop = asyncio.new_event_loop()
    loop.close()
    return asyncio.Future(loop=loop)


@pytest.mark.parametrize(
    ("verification", "message"),
    [
        (
            whitebox_factory(lambda probe: None),
            "Verification.create_subscriber(probe) returned None; it has to return an object with on_subscribe, on_n",
        ),
        (whitebox_factory(fail), "Verification.create_subscriber(probe) raised RuntimeError: no connection; it has to"),
        (whitebox_factory(later), "returned a coroutine; define create_subscriber with def, not async def"),
        (blackbox_factory(lambda: None), "Verification.create_subscriber() returned None; it has to return an object"),
        (blackbox_factory(fail), "Verification.create_subscriber() raised RuntimeError: no connection"),
        (blackbox_factory(later), "Verification.create_subscriber() returned a coroutine"),
        (
            blackbox_factory(unawaited_future),
            "Verification.create_subscriber() returned a Future, which nobody awaits",
        ),
        (blackbox_factory(Incomplete), "is a Incomplete, which has no on_error and on_complete; expected are on_subs"),
        (blackbox_factory(lambda: SteppingSubscriber), "is the class SteppingSubscriber, which has no on_subscribe"),
        (
            blackbox_factory(Asynchronous),
            (
                "what Verification.create_subscriber() returned is a Asynchronous, whose on_next are coroutines, which "
                "nobody awaits; expected are methods that return normally: define them with def"
            ),
        ),
        (
            blackbox_factory(lambda: ONLY),
            "Verification.create_subscriber returned the same object twice",
        ),
        (whitebox_factory(lambda probe: ONLY), "it has to return a new one at each call"),
        (
            element_factory(fail),
            "Verification.create_element(0) raised RuntimeError: no connection; it has to return an element, another",
        ),
        (
            element_factory(lambda number: None),
            "Verification.create_element(0) returned None; it has to return an elem",
        ),
        (element_factory(later), "returned a coroutine; define create_element with def, not async def"),
        (Unimplemented, "Unimplemented.create_element(0) is not implemented; define it to return an element"),
    ],
)
@pytest.mark.filterwarnings("ignore:unclosed event loop")
def test_subject_that_cannot_be_judged_is_refused_by_name(verification: type[Any], message: str) -> None:
    with pytest.raises(SubjectError) as caught:
        run(verification, short_environment(), names=[next(iter(verification.catalog)).name])
    assert message in str(caught.value)


class OddElement:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("elements of another kind")

    __hash__ = None  # type: ignore[assignment]


class Ambiguous:
    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    __hash__ = None  # type: ignore[assignment]


class PuppetOfNothing(SteppingSubscriber):
    def on_subscribe(self, subscription: Any, /) -> None:
        self.probe.register_on_subscribe(1)


class RaisingPuppet(SteppingSubscriber):
    def trigger_request(self, elements: int) -> None:
        fail()


def fails_on_second(number: int) -> int:
    if number:
        raise RuntimeError("there is only one")
    return number


@pytest.mark.parametrize(
    ("verification", "message"),
    [
        (
            element_factory(lambda number: "always the same"),
            (
                "Helper publisher illegally produced the same element 'always the same' twice; "
                "Verification.create_element has to return another element for each number"
            ),
        ),
        (
            element_factory(lambda number: OddElement()),
            "the elements of Verification.create_element cannot be compared",
        ),
        (
            element_factory(lambda number: Ambiguous()),
            "expected is a truth value: override Verification.same_element(first, second)",
        ),
        (element_factory(fails_on_second), "Verification.create_element(1) raised RuntimeError: there is only one"),
        (
            type("Verification", (WhiteboxOf,), {"create_helper_publisher": lambda self, elements: None}),
            "Verification.create_helper_publisher(9223372036854775807) returned None; it has to return an object w",
        ),
        (
            type(
                "Verification",
                (WhiteboxOf,),
                {"create_helper_publisher": lambda self, elements: WhiteboxOf().create_helper_publisher(1)},
            ),
            "create_helper_publisher(9223372036854775807) completed; it has to send elements without end",
        ),
        (
            whitebox_factory(PuppetOfNothing),
            (
                "the puppet of Verification.create_subscriber, given to probe.register_on_subscribe, is a int, which "
                "has no trigger_request and signal_cancel"
            ),
        ),
        (
            whitebox_factory(RaisingPuppet),
            (
                "the puppet of Verification.create_subscriber.trigger_request(1) raised RuntimeError: no connection; "
                "it has to return normally"
            ),
        ),
    ],
)
def test_element_or_puppet_that_cannot_be_used_is_refused_by_name(verification: type[Any], message: str) -> None:
    verdict = judge(SUBSCRIBER_WHITEBOX_CHECKS[HAPPY], verification(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert message in verdict.message


def test_elements_are_compared_by_the_hook() -> None:
    class Told(WhiteboxOf):
        def create_element(self, element: int) -> Any:
            return Ambiguous()

        def same_element(self, first: object, second: object) -> bool:
            return first is second

    assert judge(SUBSCRIBER_WHITEBOX_CHECKS[HAPPY], Told(), short_environment()).message == ""


def test_black_box_compares_no_elements() -> None:
    verification = type("Verification", (BlackboxOf,), {"create_element": lambda self, element: OddElement()})
    assert judge(SUBSCRIBER_BLACKBOX_CHECKS[DEMAND], verification(), short_environment()).message == ""


def test_trigger_that_raises_is_refused_by_name() -> None:
    class Raising(BlackboxOf):
        def trigger_request(self, subscriber: Any) -> None:
            fail()

    verdict = judge(SUBSCRIBER_BLACKBOX_CHECKS[DEMAND], Raising(), short_environment())
    assert verdict.outcome is Outcome.FAIL
    assert "Raising.trigger_request(" in verdict.message
    assert ") raised RuntimeError: no connection; it has to return normally" in verdict.message


def test_elements_of_a_value_type_skip_the_check_of_none() -> None:
    class OfNumbers(BlackboxOf):
        def has_value_type_elements(self) -> bool:
            return True

    name = "required_spec213_blackbox_on_next_must_raise_type_error_when_parameters_are_none"
    verdict = judge(SUBSCRIBER_BLACKBOX_CHECKS[name], OfNumbers(), short_environment())
    assert (verdict.outcome, verdict.message) == (Outcome.SKIP, "Can't verify behavior for value types")


@pytest.mark.parametrize(
    ("elements", "error"), [(-1, ArgumentError), (True, ArgumentTypeError), (1.5, ArgumentTypeError)]
)
def test_bad_number_of_helper_elements_is_refused(elements: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="create_helper_publisher"):
        WhiteboxOf().create_helper_publisher(elements)


def test_helper_publisher_works_outside_of_checks() -> None:
    subscriber = SteppingSubscriber()
    done = threading.Event()
    subscriber.complete = done.set  # type: ignore[method-assign]
    WhiteboxOf().create_helper_publisher(3).subscribe(subscriber)
    assert done.wait(10)
    assert WhiteboxOf().create_helper_publisher(MAX_DEMAND) is not None


def test_stochastic_checks_can_be_switched_off() -> None:
    class Certain(WhiteboxOf):
        def skip_stochastic_tests(self) -> bool:
            return True

    name = "stochastic_spec207_calls_of_the_subscription_must_not_overlap"
    verdict = judge(SUBSCRIBER_WHITEBOX_CHECKS[name], Certain(), short_environment())
    assert verdict.message == "Skipping @Stochastic test because `skip_stochastic_tests()` returned `True`!"
