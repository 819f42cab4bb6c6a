"""What tests of operators share that run one stream after the other."""

from typing import Any

from reactivestreams import Stream
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start


def resumes_everywhere(stream: Stream[Any], expected: list[Any], end: str = "complete") -> None:
    """Save the stream behind each of its elements, load that into a new one, and compare what comes from both."""
    for passed in range(len(expected) + 1):
        before, after = RecordingSubscriber(), RecordingSubscriber()
        handle = stream.bind(before)
        handle.initialize()
        if passed:
            before.request(passed)
        assert before.elements == expected[:passed]
        start(stream.bind(after), save(handle))
        if after.subscription is not None:
            after.request(UNBOUNDED)
        assert before.elements + after.elements == expected
        assert end in (before.outcome[1], after.outcome[1])
