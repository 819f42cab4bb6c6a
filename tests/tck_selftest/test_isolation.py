"""One verification leaves nothing behind that another one suffers from."""

import subprocess
import sys
import threading

import pytest

from reactivestreams.tck import Environment, run
from tests.tck.subjects import SynchronousVerification

AFTER_ONE_THAT_HANGS = """
import threading
from reactivestreams.tck import Environment, Outcome, run
from tests.tck.subjects import ScriptedPublisher, SynchronousVerification
from tests.tck_selftest.publishers.publisher_case import PublisherCase

CHECK = "optional_spec213_error_of_a_subscriber_should_be_made_known"
environment = Environment(100, 20, watchdog_timeout_milliseconds=1500)
never = threading.Lock()
never.acquire()
hanging = PublisherCase(lambda elements: ScriptedPublisher(lambda subscriber, n: never.acquire()))
assert run(hanging, environment, names=[CHECK]).verdicts[0].outcome is Outcome.FAIL
print(run(SynchronousVerification, environment, names=[CHECK]).verdicts[0].outcome.name)
"""


@pytest.mark.slow
def test_correct_publisher_passes_after_one_that_hung() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", AFTER_ONE_THAT_HANGS], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stdout.strip() == "PASS"


def test_two_verifications_at_once_put_the_hooks_back() -> None:
    before = threading.excepthook, sys.unraisablehook
    begun, ended = threading.Event(), threading.Event()

    class First(SynchronousVerification):
        def create_publisher(self, elements: int) -> object:
            begun.set()
            ended.wait(10)
            return super().create_publisher(elements)

    names = ["required_spec102_may_signal_less_than_requested_and_terminate_subscription"]
    environment = Environment(400, 100)
    first = threading.Thread(target=lambda: run(First, environment, names=names))
    second = threading.Thread(target=lambda: run(SecondUntilFirstHasEnded, environment, names=names))

    class SecondUntilFirstHasEnded(SynchronousVerification):
        def create_publisher(self, elements: int) -> object:
            ended.set()
            first.join()
            return super().create_publisher(elements)

    try:
        first.start()
        begun.wait(10)
        second.start()
        second.join()
        assert (threading.excepthook, sys.unraisablehook) == before
    finally:
        threading.excepthook, sys.unraisablehook = before
