"""The start of a publisher's checks: a publisher, or the reason why there is none to judge."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, made
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

__all__ = [
    "LARGE_STREAM",
    "NO_ERROR_PUBLISHER",
    "OPTIONAL_TEST_FAILED",
    "active_publisher",
    "best_pace",
    "failed_publisher",
    "largest_publisher",
    "optional_publisher",
    "publisher_failing_at",
]

NO_ERROR_PUBLISHER = (
    "Skipping because no error state Publisher provided, and the test requires it. "
    "Please implement PublisherVerification#create_failed_publisher to run this test."
)
OPTIONAL_TEST_FAILED = "Skipping, because provided Publisher does not pass this *additional* verification."

_PACED_ELEMENTS = 3

LARGE_STREAM = 2**31 - 1
"""The length of a stream that no check reads to its end, and that publishers with 32-bit counters can still send."""


def active_publisher(subject: "PublisherVerification", elements: int, *, completion: bool = False) -> Any:
    """Return a publisher of a number of elements.

    Args:
        subject: The verification that makes it.
        elements: The number of elements.
        completion: Whether the check needs completion.

    Raises:
        Skipped: The subject cannot make one.
        SubjectError: Its factory returns something else.
    """
    _skip_unless_possible(subject, elements, completion)
    return made(subject, "create_publisher", elements, methods=PUBLISHER_METHODS)


def optional_publisher(subject: "PublisherVerification", elements: int, *, completion: bool = False) -> Any:
    """Return a publisher of a number of elements for an optional check; a factory may return None to refuse it.

    Raises:
        Skipped: The subject cannot make one, or returned None.
        SubjectError: Its factory returns something else.
    """
    _skip_unless_possible(subject, elements, completion)
    publisher = made(subject, "create_publisher", elements, methods=PUBLISHER_METHODS, none_allowed=True)
    if publisher is None:
        raise Skipped(OPTIONAL_TEST_FAILED)
    return publisher


def failed_publisher(subject: "PublisherVerification") -> Any:
    """Return a publisher that has failed.

    Raises:
        Skipped: The subject has none.
    """
    publisher = made(subject, "create_failed_publisher", methods=PUBLISHER_METHODS, none_allowed=True)
    if publisher is None:
        raise Skipped(NO_ERROR_PUBLISHER)
    return publisher


def publisher_failing_at(subject: "PublisherVerification", position: int) -> Any:
    """Return a publisher whose source fails at a position.

    Raises:
        Skipped: The subject has none.
    """
    publisher = made(subject, "create_publisher_failing_at", position, methods=PUBLISHER_METHODS, none_allowed=True)
    if publisher is None:
        raise Skipped(
            "Skipping because no Publisher with a failing source provided; "
            "implement PublisherVerification.create_publisher_failing_at to run this test."
        )
    return publisher


def largest_publisher(subject: "PublisherVerification", least: int) -> Any:
    """Return a publisher without end, or the longest that the subject can make, 2**31 - 1 elements at most.

    Raises:
        Skipped: The longest is shorter than `least`.
    """
    longest = subject.max_elements_from_publisher()
    wanted = MAX_DEMAND if longest == MAX_DEMAND else max(least, min(longest, LARGE_STREAM))
    return active_publisher(subject, wanted)


def best_pace(subject: "PublisherVerification", environment: CheckEnvironment) -> float:
    """Return how many seconds the fastest of the first elements took; 0 if none arrived.

    Raises:
        Skipped: The subject cannot make an element.
        SubjectError: Its factory does not return a publisher.
    """
    elements = max(1, min(_PACED_ELEMENTS, subject.max_elements_from_publisher()))
    subscriber = ScriptedSubscriber(environment)
    environment.subscribe(active_publisher(subject, elements), subscriber)
    seconds: list[float] = []
    for position in range(1, elements + 1):
        started = environment.log.elapsed_seconds
        subscriber.request(1)
        if not subscriber.wait_signalled(position):
            break
        seconds.append(environment.log.elapsed_seconds - started)
    subscriber.cancel_quietly()
    return min(seconds, default=0.0)


def _skip_unless_possible(subject: "PublisherVerification", elements: int, completion: bool) -> None:
    longest = subject.max_elements_from_publisher()
    if elements > longest:
        raise Skipped(
            f"Unable to run this test, as required elements nr: {elements} is higher than supported by given "
            f"producer: {longest}"
        )
    if completion and longest == MAX_DEMAND:
        raise Skipped(
            "Unable to run this test, as it requires an on_complete signal, which this Publisher is unable to "
            "provide (as signalled by returning MAX_DEMAND from `max_elements_from_publisher()`)"
        )
