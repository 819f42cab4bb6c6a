"""Every subscriber of ours passes the kit: those on the base classes, the source of a stream, its ends."""

import pytest

import reactivestreams
import rs_core
from reactivestreams import Processor, Stream, Subscriber
from reactivestreams.tck import run
from tests.tck.streams.publisher_case import Workers
from tests.tck.streams.settings import ALL_AT_ONCE, settings
from tests.tck.streams.subscriber_case import SubscriberCase, SubscriberCaseVerification
from tests.tck.streams.subscriber_cases import SUBSCRIBER_CASES
from tests.tck.streams.test_publishers import ENDS


@pytest.mark.slow
@pytest.mark.parametrize("case", SUBSCRIBER_CASES, ids=lambda case: case.name)
def test_subscriber_passes_the_kit(case: SubscriberCase, workers: Workers) -> None:
    report = run(SubscriberCaseVerification(case, workers), settings(), parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
    assert report.is_success


def subscribers() -> set[str]:
    """Return the name of everything public that is a subscriber, or takes elements of a publisher."""
    classes = {name: getattr(module, name) for module in (reactivestreams, rs_core) for name in module.__all__}
    interfaces = {Subscriber, Processor}
    return {
        *(f"Stream.{name}" for name in ENDS),
        *(
            name
            for name, value in classes.items()
            if isinstance(value, type)
            and value not in interfaces
            and issubclass(value, Subscriber)
            and not issubclass(value, Processor)  # has cases of its own
        ),
        "Stream.from_publisher",
        "Stream.subscribe",
        "examples/own_processor.py",
        "examples/own_publisher.py",
    }


def test_every_subscriber_of_ours_has_a_case() -> None:
    covered = {name for case in SUBSCRIBER_CASES for name in case.covers}
    assert subscribers() - covered == set()
    assert covered - subscribers() == set()


def test_every_end_of_a_stream_is_one() -> None:
    assert {name for name in ENDS if not callable(getattr(Stream, name))} == set()
