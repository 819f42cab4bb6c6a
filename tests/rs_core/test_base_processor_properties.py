"""A processor does what the model does, whatever comes in whatever order."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import BaseProcessor
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.models.processor_model import ProcessorModel

STEPS = st.one_of(
    st.tuples(st.just("request"), st.sampled_from([1, 1, 1, 2, 3, 7, UNBOUNDED])),
    st.tuples(st.just("send"), st.lists(st.integers(0, 9), max_size=4)),
    st.tuples(st.just("send"), st.lists(st.integers(0, 9), max_size=1)),
    st.tuples(st.just("upstream"), st.none()),
    st.tuples(st.just("downstream"), st.none()),
    st.tuples(st.sampled_from(["complete", "error", "cancel"]), st.none()),
)
SETTLED = [("upstream", None), ("downstream", None)]


class Unpacking(BaseProcessor[list[int], int]):
    """Emits what an element holds, and a tail at the end."""

    def __init__(self, tail: list[int]) -> None:
        self.tail = tail
        self.hooks: list[str] = []

    def hook_on_subscribe(self) -> None:
        self.hooks.append("subscribe")

    def hook_on_next(self, element: list[int]) -> None:
        self._emit("next", element)

    def hook_on_complete(self) -> None:
        self._emit("complete", self.tail)

    def hook_on_error(self, error: Exception) -> None:
        self.hooks.append("error")

    def hook_on_cancel(self) -> None:
        self.hooks.append("cancel")

    def _emit(self, hook: str, elements: list[int]) -> None:
        self.hooks.append(hook)
        for element in elements:
            self.emit(element)


def outcome_of(subscriber: RecordingSubscriber) -> str:
    if subscriber.error is not None:
        return str(subscriber.error) if type(subscriber.error) is ValueError else type(subscriber.error).__name__
    return "complete" if subscriber.is_complete else "open"


@given(
    steps=st.lists(STEPS, max_size=40),
    starts_connected=st.booleans(),
    prefetch=st.integers(1, 5),
    capacity=st.integers(1, 4),
    tail=st.lists(st.integers(0, 9), max_size=3),
)
def test_processor_does_what_the_model_does(
    steps: list[tuple[str, Any]], starts_connected: bool, prefetch: int, capacity: int, tail: list[int]
) -> None:
    model = ProcessorModel(prefetch=prefetch, capacity=capacity, tail=tail)
    processor = type("Bounded", (Unpacking,), {"prefetch": prefetch, "capacity": capacity})(tail)
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    for step, argument in [*(SETTLED if starts_connected else []), *steps]:
        if step == "upstream" and not model.has_upstream:
            model.connect_upstream()
            publisher.subscribe(processor)
        elif step == "downstream" and not model.has_downstream:
            model.connect_downstream()
            processor.subscribe(subscriber)
        elif step == "request" and model.has_downstream:
            model.request(argument)
            subscriber.request(argument)
        elif step == "send" and model.may_send and model.has_upstream:
            model.send(argument)
            publisher.send(argument)
        elif step in {"complete", "error"} and model.has_upstream:
            model.end(None if step == "complete" else "why")
            if step == "complete":
                publisher.complete()
            else:
                publisher.fail(ValueError("why"))
            publisher.complete = publisher.fail = lambda *_: None  # type: ignore[method-assign]  # §1.7
        elif step == "cancel" and model.has_downstream:
            model.cancel()
            subscriber.cancel()
        assert (subscriber.elements, outcome_of(subscriber), subscriber.faults) == (model.delivered, model.outcome, [])
        assert (publisher.requests, publisher.cancels) == (model.requests, model.cancels)
        assert processor.hooks == model.hooks
