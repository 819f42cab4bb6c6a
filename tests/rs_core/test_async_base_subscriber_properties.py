"""An asynchronous subscriber hands over what was sent, within its bound, whatever comes in whatever order."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.author_subscribers import AsyncNoting

STEPS = st.one_of(
    st.tuples(st.just("request"), st.sampled_from([1, 1, 2, 3, 9, 2**63 - 1])),
    st.tuples(st.just("send"), st.integers(1, 6)),
    st.tuples(st.just("send"), st.integers(1, 6)),
    st.tuples(st.just("run"), st.none()),
    st.tuples(st.just("run all"), st.none()),
    st.tuples(st.sampled_from(["complete", "error", "cancel"]), st.none()),
)


@given(steps=st.lists(STEPS, max_size=60), prefetch=st.integers(1, 6), end_comes_last=st.booleans())
def test_what_was_sent_is_handed_over_within_the_bound(
    steps: list[tuple[str, Any]], prefetch: int, end_comes_last: bool
) -> None:
    scheduler, publisher = ManualScheduler(), ManualPublisher()
    subscriber = type("Bounded", (AsyncNoting,), {"prefetch": prefetch})(scheduler=scheduler)
    subscriber.first_request = None
    publisher.subscribe(subscriber)
    asked = sent = 0
    last = ""
    for step, argument in steps:
        if step == "request":
            asked += argument
            subscriber.request(argument)
        elif step == "send" and last not in {"complete", "error"}:
            count = min(argument, publisher.requested - sent)
            publisher.send(*range(sent, sent + count))
            sent += count
        elif step == "run":
            before = len(subscriber.elements)
            scheduler.run_next()
            assert len(subscriber.elements) - before <= prefetch  # a turn
        elif step == "run all":
            scheduler.run_waiting()
            if not last:
                assert len(subscriber.elements) == sent
                assert publisher.requested > sent or asked == sent  # no demand is lost
        elif step in {"complete", "error", "cancel"} and not (last or end_comes_last):
            last = step
            {
                "complete": publisher.complete,
                "error": lambda: publisher.fail(ValueError("why")),
                "cancel": subscriber.cancel,
            }[step]()
        assert scheduler.waiting <= 1
        assert publisher.requested <= asked
        assert publisher.requested - len(subscriber.elements) <= prefetch or last == "cancel"
        assert subscriber.elements == list(range(len(subscriber.elements)))
    scheduler.run_waiting()
    assert subscriber.names[-1:] == ([last] if last else subscriber.names[-1:])
    assert [name for name in subscriber.names if name in {"complete", "error", "cancel"}] == ([last] if last else [])
    assert len(subscriber.elements) == sent or last == "cancel"
    assert (publisher.cancels, subscriber.faults) == (1 if last == "cancel" else 0, [])
