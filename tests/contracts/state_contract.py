"""What holds for the saved state of every operator: it restores after every element, wherever the stream stood."""

import re
from typing import Any, ClassVar

import cloudpickle
import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from reactivestreams.stream import Operator
from rs_core.ends.subscriber import SubscriberStage
from rs_core.stream.subscription import DemandOwner
from tests.conftest import Depth
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorSubject
from tests.contracts.random_demand_contract import RandomDemandContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of, save, stages_of, start, subscribe
from tests.contracts.virtual_time_contract import VirtualTimeContract


class StateContract(RandomDemandContract, VirtualTimeContract):
    """The suite; those of random demand and of virtual time belong to it."""

    state_version: ClassVar[tuple[int, ...]] = (1, 0, 0, 0)
    """The version of the layout that the operator writes."""

    def resumed(self, state: bytes) -> RecordingSubscriber:
        """Load the state into a new tree and run that to its end."""
        subscriber = RecordingSubscriber()
        handle = self.stream(self.elements).bind(subscriber)
        start(handle, state)
        self.settle()
        if subscriber.subscription is not None:
            self.request(subscriber, UNBOUNDED)
        return subscriber

    def test_stream_resumes_after_every_outgoing_element(self, depth: Depth) -> None:
        for position in depth.sample(list(range(len(self.expected) + 1))):
            before = RecordingSubscriber()
            handle = self.subscribed(CountedIterable(self.elements), before)
            if position:
                self.request(before, position)
            after = self.resumed(save(handle))
            handle.cancel()
            assert before.elements + after.elements == self.expected
            assert after.faults == []
            assert after.is_complete or before.is_complete

    def test_stream_resumes_after_every_incoming_element(self, depth: Depth) -> None:
        for position in depth.sample(list(range(len(self.elements)))):
            before = RecordingSubscriber(first_request=UNBOUNDED)
            handle = self.parked_at(position, before)
            after = self.resumed(save(handle))
            handle.cancel()
            assert before.elements + after.elements == self.expected
            assert after.faults == []
            assert after.is_complete or before.is_complete

    def test_parked_stream_goes_on_after_resume(self, depth: Depth) -> None:
        for position in depth.sample(list(range(len(self.elements)))):
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            handle = self.parked_at(position, subscriber)
            for owner in _owners(handle):
                owner.resume()
            self.settle()
            assert subscriber.outcome == (self.expected, "complete")

    def test_state_of_an_ended_stream_stays_ended(self) -> None:
        before = RecordingSubscriber(first_request=UNBOUNDED)
        handle = self.subscribed(self.elements, before)
        assert before.outcome == (self.expected, "complete")
        after = self.resumed(save(handle))
        assert (after.elements, after.has_ended, after.faults) == ([], False, [])

    def test_state_changes_until_it_is_stored(self) -> None:
        subscriber = RecordingSubscriber()
        handle = self.subscribed(CountedIterable(self.elements), subscriber)
        self.request(subscriber, 1)
        assert all(stage.state_changed for stage in stages_of(handle))  # never saved
        save(handle)
        assert all(stage.state_changed for stage in stages_of(handle))  # saved, and not yet stored
        for stage in stages_of(handle):
            stage.on_state_saved()
            stage.on_state_saved()
        assert not any(stage.state_changed for stage in stages_of(handle))
        had_ended = subscriber.has_ended
        self.request(subscriber, 1)
        assert any(stage.state_changed for stage in stages_of(handle)) == (not had_ended)
        handle.cancel()

    def test_state_is_not_saved_while_elements_flow(self) -> None:
        refusals: list[str] = []

        class Saving(RecordingSubscriber):
            def on_next(self, element: Any, /) -> None:
                with pytest.raises(StateError) as refused:
                    save(handle)
                refusals.append(str(refused.value))
                super().on_next(element)

        subscriber = Saving()
        handle = self.subscribed(self.elements, subscriber)
        self.request(subscriber, 1)
        assert len(refusals) == 1
        assert "cannot save" in refusals[0]
        assert "pause its stream or wait until it is idle" in refusals[0]
        handle.cancel()

    def test_state_is_loaded_before_the_start_only(self) -> None:
        handle = self.subscribed(self.elements, RecordingSubscriber())
        stage = stages_of(handle)[1]
        with pytest.raises(StateError, match="was already started; load its state between"):
            stage.load_state(reader_of(False), stage.version)
        handle.cancel()

    def test_state_of_another_version_is_refused(self) -> None:
        handle = self.assembled()
        refusal = re.escape(f"reads state of version {self.state_version}, not (2, 0, 0, 0)")
        with pytest.raises(StateError, match=refusal):
            stages_of(handle)[1].load_state(reader_of(False), (2, 0, 0, 0))

    def test_operator_is_visited_under_its_name(self) -> None:
        operators = self.subject().operators[::-1]
        stage: Any = self.assembled()
        named = []
        while stage.inputs:
            stage = stage.inputs[0]  # the one above; others are not part of the pipeline
            named.append((stage.name, stage.assembly))
        named.pop()  # the source
        assert named == [(self.name_of(operator), operator.assembly) for operator in operators]

    def name_of(self, operator: Operator) -> str:
        return operator.definition.id

    def assembled(self) -> SubscriberStage:
        """Return a tree whose stages exist and were not started."""
        handle = self.stream(self.elements).bind(RecordingSubscriber())
        subscribe(handle)
        return handle

    def parked_at(self, position: int, subscriber: RecordingSubscriber) -> SubscriberStage:
        """Return a running tree whose source was paused before it gave the element at a position."""

        def pause() -> None:
            for owner in _owners(handle):
                owner.pause()

        source = CountedIterable(self.elements, at=(position, pause))
        handle = self.stream(source).bind(subscriber)
        handle.initialize()
        self.settle()
        return handle


class SerializableContract(OperatorSubject):
    """What holds for the operators that mean the same in another process."""

    def test_copy_by_cloudpickle_does_the_same(self) -> None:
        operator = self.subject()
        copied = cloudpickle.loads(cloudpickle.dumps(operator))
        assert Stream.from_iterable(self.elements).through(copied).to_list() == self.expected
        assert [str(each) for each in copied.operators] == [str(each) for each in operator.operators]


def _owners(handle: SubscriberStage) -> list[DemandOwner]:
    return [stage for stage in stages_of(handle) if isinstance(stage, DemandOwner)]
