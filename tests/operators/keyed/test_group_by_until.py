"""group_by_until: groups that another stream ends."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, CapacityError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class TestGroupByUntil(OperatorContract):
    """Groups of even numbers end at once, so that each of them has one of its own; the groups are dropped here."""

    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return (
            pipeline()
            .group_by_until(lambda number: number % 2, lambda key: Stream.never() if key else Stream.empty())
            .map(lambda group: group.key)
        )

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element % 2 for element in elements if element % 2 == 0 or element == 1]


def subscribed(stream: Stream[Any], first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    return subscriber


class Ends:
    """What ends the groups: a publisher for each, in the order in which they began."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, ManualPublisher]] = []

    def __call__(self, key: Any) -> Stream[Any]:
        publisher = ManualPublisher()
        self.made.append((key, publisher))
        return Stream.from_publisher(publisher)


def groups_of(source: ManualPublisher, ends: Ends, **options: int) -> RecordingSubscriber:
    return subscribed(Stream.from_publisher(source).group_by_until(lambda word: word[0], ends, **options))


@pytest.mark.parametrize("signal", ["element", "completion"])
def test_first_signal_ends_the_group_and_the_next_element_begins_another_one(signal: str) -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends)
    source.send("ant", "bee")
    ant, bee = map(subscribed, groups.elements)
    assert [key for key, _ in ends.made] == ["a", "b"]
    if signal == "element":
        ends.made[0][1].send("over")
        assert ends.made[0][1].cancels == 1
    else:
        ends.made[0][1].complete()
    source.send("asp", "bat")
    asp = subscribed(groups.elements[2])
    assert [group.key for group in groups.elements] == ["a", "b", "a"]
    assert ant.outcome == (["ant"], "complete")
    assert bee.outcome == (["bee", "bat"], "open")
    assert asp.outcome == (["asp"], "open")
    source.complete()
    assert bee.is_complete
    assert asp.is_complete
    assert groups.is_complete
    assert all(publisher.cancels for _, publisher in ends.made[1:])


def test_error_of_what_ends_a_group_goes_to_all_groups_and_to_the_subscriber() -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends)
    source.send("ant", "bee")
    consumed = [subscribed(group) for group in groups.elements]
    ends.made[1][1].fail(OSError("no clock"))
    assert groups.outcome[1] == "OSError('no clock')"
    assert [each.error for each in consumed] == [groups.error] * 2
    assert source.cancels == 1


def test_function_that_raises_or_returns_no_stream_ends_the_stream() -> None:
    stream = Stream.just("ant").group_by_until(lambda word: word[0], lambda key: 1 // 0)
    assert isinstance(subscribed(stream).error, ZeroDivisionError)
    wrong: Any = Stream.just("ant").group_by_until(lambda word: word[0], lambda key: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(ArgumentTypeError, match=r"group_by_until\(until\), by what it returned for 'a'"):
        wrong.run()


def test_closed_group_begins_anew_when_it_has_ended() -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends)
    source.send("ant")
    first = subscribed(groups.elements[0], 1)
    first.subscription.cancel()
    source.send("asp")
    assert len(groups.elements) == 1
    ends.made[0][1].send("over")
    source.send("ape")
    assert subscribed(groups.elements[1]).elements == ["ape"]


def test_only_groups_that_have_not_ended_count_towards_the_limit() -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends, max_groups=1)
    source.send("ant")
    ends.made[0][1].complete()
    source.send("bee")
    assert [group.key for group in groups.elements] == ["a", "b"]
    source.send("cat")
    assert isinstance(groups.error, CapacityError)
    assert str(groups.error).startswith("group 'c' would be number 2, and group_by_until(max_groups=1) allows 1; ")


def test_groups_that_have_ended_wait_for_requests_in_a_bounded_number() -> None:
    source = CountedIterable(range(1000))
    stream = Stream.from_iterable(source).group_by_until(lambda n: n, lambda key: [key], prefetch=2, max_groups=4)
    groups = subscribed(stream, 1)
    assert source.taken < 12
    groups.request(2)
    assert source.taken < 14
    groups.request(UNBOUNDED)
    assert [group.to_list() for group in groups.elements] == [[number] for number in range(1000)]
    assert groups.is_complete


def test_group_that_waits_for_a_place_is_no_stall_while_another_one_may_be_ended() -> None:
    ends = Ends()
    groups = Stream.range(60).group_by_until(lambda number: number % 3, ends, prefetch=2)
    passed_on = subscribed(groups.flat_map(lambda group: group, concurrency=2))
    assert not passed_on.has_ended
    for _, publisher in ends.made:  # which grows
        publisher.complete()
    assert sorted(passed_on.elements) == list(range(60))
    assert passed_on.is_complete


def test_element_that_is_held_belongs_to_the_group_that_ends() -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends, prefetch=1)
    source.send("ant")
    first = subscribed(groups.elements[0], 0)
    source.send("asp")  # is held: the queue is full
    ends.made[0][1].send("over")
    first.request(UNBOUNDED)
    assert first.outcome == (["ant", "asp"], "complete")
    source.send("ape")
    assert subscribed(groups.elements[1]).elements == ["ape"]


def test_description_is_written_as_it_was_built() -> None:
    built = pipeline().group_by_until(len, list, prefetch=2)
    assert repr(built) == "pipeline().group_by_until(len, list, prefetch=2)"


@pytest.mark.parametrize("end", ["cancel", "error"])
def test_group_that_ends_after_an_element_without_room_ends_with_the_stream_of_groups(end: str) -> None:
    source, ends = ManualPublisher(), Ends()
    groups = groups_of(source, ends, prefetch=1)
    source.send("ant")
    ant = subscribed(groups.elements[0], 0)
    source.send("asp")
    ends.made[0][1].send("end")
    if end == "cancel":
        groups.cancel()
    else:
        ends.made[0][1].complete()
        source.fail(ValueError("why"))
    ant.request(9)
    assert ant.elements[0] == "ant"
    assert ant.outcome[1] != "open"


@pytest.mark.parametrize(
    "end", [lambda stream: stream.to_list(), list, lambda stream: list(stream.iterate(prefetch=1))]
)
@pytest.mark.parametrize("max_groups", [1, 2, 4096])
@pytest.mark.parametrize("prefetch", [1, 3, 64])
def test_group_that_ends_at_once_has_ended_before_the_next_element(end: Any, max_groups: int, prefetch: int) -> None:
    """Where no scheduler is between: elements pass as they come, and no group is open beside another one."""
    numbers = [20, 19, 20, 3, 3, 20, 19] * 20
    groups = Stream.from_iterable(numbers).group_by_until(
        lambda number: number % 5, lambda key: [key], prefetch=prefetch, max_groups=max_groups
    )
    assert end(groups.concat_map(lambda group: group)) == numbers
