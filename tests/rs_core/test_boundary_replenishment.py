"""A thread boundary asks for more while there is still something in its queue."""

from typing import Any

from reactivestreams import Stream
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.test_hosted_drain import Recorder


class Counting:
    """A publisher that notes each request together with what the subscriber below had got by then."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.requests: list[tuple[int, int]] = []

    def subscribe(self, subscriber: Any) -> None:
        publisher = self

        class Subscription:
            next_element = 0

            def request(self, n: int) -> None:
                publisher.requests.append((n, len(publisher.taken)))
                for element in range(self.next_element, self.next_element + n):
                    self.next_element += 1
                    subscriber.on_next(element)

            def cancel(self) -> None: ...

        subscriber.on_subscribe(Subscription())


def test_request_for_more_reaches_the_publisher_before_the_queue_is_empty() -> None:
    source, host, recorder = Counting(), ManualScheduler(), Recorder(40)
    recorder.elements = source.taken
    Stream.from_publisher(source, prefetch=1024).observe_on(host, prefetch=16).bind(recorder).initialize()
    host.run_waiting()
    assert source.taken == list(range(40))
    assert source.requests == [(16, 0), (12, 12), (12, 24), (12, 36)]
