"""The examples of the rules as subjects of the compatibility kit."""

from typing import Any

from reactivestreams.tck import (
    ProcessorVerification,
    PublisherVerification,
    SubscriberBlackboxVerification,
    SubscriberWhiteboxVerification,
)
from tests.documentation.generators import loaded

PARTS: Any = loaded("rule_examples.numbers_publisher")
LISTENER: Any = loaded("rule_examples.listener")


class ExamplePublisher(PublisherVerification):
    """Judge a publisher, or a subscription of the publisher of numbers."""

    def __init__(self, example: Any) -> None:
        self._example = example

    def create_publisher(self, elements: int) -> Any:
        return self._made(elements, int)

    def create_failed_publisher(self) -> Any:
        is_of_numbers = issubclass(self._example, PARTS.Numbers | PARTS.NumbersSubscription)
        return None if is_of_numbers else self._example()

    def create_publisher_failing_at(self, position: int) -> Any:
        def make(number: int) -> int:
            if number == position:
                raise OSError(f"number {number} cannot be made")
            return number

        return self._made(position + 10, make)

    def _made(self, elements: int, make: Any) -> Any:
        if issubclass(self._example, PARTS.NumbersSubscription):
            return PARTS.Numbers(elements, make, self._example)
        return self._example(elements, make) if issubclass(self._example, PARTS.Numbers) else self._example()


class ExampleProcessor(ProcessorVerification):
    """Judge a processor that serves one subscriber."""

    def __init__(self, example: Any) -> None:
        self._example = example

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self._example()

    def create_element(self, element: int) -> int:
        return element

    def max_supported_subscribers(self) -> int:
        return 1


class ExampleSubscriber(SubscriberBlackboxVerification):
    """Judge a subscriber."""

    def __init__(self, example: Any) -> None:
        self._example = example

    def create_subscriber(self) -> Any:
        return self._example(3) if issubclass(self._example, LISTENER.LimitedListener) else self._example()

    def create_limited_subscriber(self, elements: int) -> Any:
        return self._example(elements) if issubclass(self._example, LISTENER.LimitedListener) else None

    def create_failing_subscriber(self, signal: str) -> Any:
        if signal != "on_next":
            return None

        def fail(element: Any) -> None:
            raise OSError(f"cannot work on {element}")

        subscriber = self.create_subscriber()
        subscriber.work = fail
        return subscriber

    def create_element(self, element: int) -> int:
        return element


class ReportingSubscriber(SubscriberWhiteboxVerification):
    """Judge a subscriber that tells what it has worked on."""

    def __init__(self, example: Any) -> None:
        self._example = example

    def create_element(self, element: int) -> int:
        return element

    def create_subscriber(self, probe: Any) -> Any:
        class Reporting(self._example):  # type: ignore[misc, name-defined]
            def on_subscribe(self, subscription: Any) -> None:
                is_first = self.subscription is None
                super().on_subscribe(subscription)
                if is_first:
                    probe.register_on_subscribe(self)

            def work(self, element: Any) -> None:
                super().work(element)
                probe.register_on_next(element)

            def on_error(self, error: Any) -> None:
                super().on_error(error)
                probe.register_on_error(error)

            def finish(self) -> None:
                super().finish()
                probe.register_on_complete()

            def trigger_request(self, elements: int) -> None:
                """Do nothing: it requests by itself."""

            def signal_cancel(self) -> None:
                self.stop()

        return Reporting()


JUDGES: dict[str, Any] = {
    "publisher": ExamplePublisher,
    "processor": ExampleProcessor,
    "blackbox": ExampleSubscriber,
    "whitebox": ReportingSubscriber,
}
