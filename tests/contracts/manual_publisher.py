"""A publisher that sends what the test tells it, demand or not."""

from typing import Any


class ManualPublisher:
    """Serves one subscriber; notes what is requested and whether it was cancelled."""

    def __init__(self) -> None:
        self.subscriber: Any = None
        self.requests: list[int] = []
        self.cancels = 0
        self.during_request: list[Any] = []

    def subscribe(self, subscriber: Any, /) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(_Subscription(self))

    @property
    def requested(self) -> int:
        return sum(self.requests)

    def send(self, *elements: Any) -> None:
        for element in elements:
            self.subscriber.on_next(element)

    def complete(self) -> None:
        self.subscriber.on_complete()

    def fail(self, error: Exception) -> None:
        self.subscriber.on_error(error)


class _Subscription:
    def __init__(self, publisher: ManualPublisher) -> None:
        self._publisher = publisher

    def request(self, n: int) -> None:
        self._publisher.requests.append(n)
        sent, self._publisher.during_request = self._publisher.during_request, []
        for signal in sent:
            signal()

    def cancel(self) -> None:
        self._publisher.cancels += 1
