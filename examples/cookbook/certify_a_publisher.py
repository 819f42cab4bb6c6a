"""Judge a publisher by the 43 rules, where a test of one's own would have found nothing wrong.

The first one sends whether it was requested or not. With pytest, the class of the verification is the test; without
writing one, `python -m reactivestreams tck FILE:NAME` does the same.

Prints:
    pushing: breaks §1.1
    Stream.range: keeps all rules
"""

from collections.abc import Callable
from typing import Any

from reactivestreams import Stream
from reactivestreams.tck import Environment, PublisherVerification, run
from reactivestreams.testing import MisbehavingPublisher

PATIENT = Environment(default_timeout_milliseconds=400, no_signals_timeout_milliseconds=100)


def verification(make: Callable[[int], Any]) -> type[PublisherVerification]:
    class Verification(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return make(elements)

        def create_failed_publisher(self) -> Any:
            return Stream.error(OSError("no source"))

    return Verification


pushing = run(verification(lambda elements: MisbehavingPublisher("1.1", elements=elements)), PATIENT)
broken = {rule for verdict in pushing.failed for rule in verdict.rules}
print("pushing:", "breaks §1.1" if "1.1" in broken else f"breaks {broken}")

sound = run(verification(Stream.range), PATIENT)
print("Stream.range:", "keeps all rules" if sound.is_success else [verdict.render() for verdict in sound.failed])
