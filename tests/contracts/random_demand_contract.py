"""What holds for every operator's saved state whatever is requested: random demand, a save at every position."""

import random
from typing import Any

from reactivestreams import Stream
from tests.conftest import Depth
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorSubject
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.saved_state import save, stages_of, start

ROUNDS = 3


class RandomDemandContract(OperatorSubject):
    """The suite: requests of random sizes, the state saved before, between and behind them."""

    def random_requests(self, rng: random.Random) -> list[int]:
        """Return sizes of requests which bring all elements, and the end behind them."""
        sizes = [1]
        while sum(sizes) <= len(self.expected):
            sizes.append(rng.choice([1, 1, 2, 3, 5]))
        rng.shuffle(sizes)
        return sizes

    def saved_between(self, handle: Any, subscriber: RecordingSubscriber, sizes: list[int]) -> list[tuple[Any, int]]:
        """Request as told; return the state at each position, and how many elements had come until then."""
        positions = [(save(handle), len(subscriber.elements))]
        for size in sizes:
            if not subscriber.has_ended:
                self.request(subscriber, size)
                positions.append((save(handle), len(subscriber.elements)))
        return positions

    def recovered(self, state: Any) -> tuple[Any, RecordingSubscriber]:
        """Return the handle of a new tree that was loaded and started, and its subscriber."""
        subscriber = RecordingSubscriber()
        handle = self.stream(self.elements).bind(subscriber)
        start(handle, state)
        self.settle()
        return handle, subscriber

    def test_stream_resumes_at_every_position_between_random_requests(self, depth: Depth) -> None:
        for round_number in range(depth.scaled(ROUNDS)):
            rng = random.Random(f"{depth.seed}: {round_number}")
            subscriber = RecordingSubscriber()
            handle = self.subscribed(CountedIterable(self.elements), subscriber)
            positions = self.saved_between(handle, subscriber, self.random_requests(rng))
            assert subscriber.outcome == (self.expected, "complete")  # to be saved has changed nothing
            for state, delivered in positions[:-1]:
                recovered, after = self.recovered(state)
                again = self.saved_between(recovered, after, self.random_requests(rng))
                assert after.outcome == (self.expected[delivered:], "complete")
                # What was recovered can be saved and recovered as the first one was.
                for second_state, second_delivered in rng.sample(again[:-1], min(1, len(again) - 1)):
                    _, last = self.recovered(second_state)
                    self.request(last, len(self.expected) + 1)
                    assert last.outcome == (self.expected[delivered + second_delivered :], "complete")

    def test_demand_alone_leaves_a_clean_operator_clean(self, depth: Depth) -> None:
        rng = random.Random(depth.seed)
        subscriber = RecordingSubscriber()
        handle = Stream.never().through(self.subject()).bind(subscriber)
        handle.initialize()
        self.settle()
        save(handle)
        for stage in stages_of(handle):
            stage.on_state_saved()
        for size in self.random_requests(rng):
            self.request(subscriber, size)
            assert [stage.name for stage in stages_of(handle) if stage.state_changed] == []
        handle.cancel()
