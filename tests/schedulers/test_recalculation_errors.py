"""Several tasks that raise when one recalculation asks them: one exception is raised, the others are dropped."""

import pytest

from reactivestreams.schedulers import VirtualTimeScheduler
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_tree_contract import Sleeper


@pytest.mark.parametrize(
    ("errors", "raised"),
    [
        ([ValueError("first"), ValueError("second"), ValueError("third")], 0),
        ([ValueError("first"), KeyboardInterrupt(), SystemExit(3)], 1),
    ],
    ids=["exceptions", "interrupts"],
)
def test_of_the_exceptions_of_one_recalculation_none_is_lost(errors: list[BaseException], raised: int) -> None:
    root = VirtualTimeScheduler()

    class Broken(Sleeper):
        def recalculate_priority(self) -> None:
            raise errors[int(self.name)]

    for number in range(3):
        root.schedule(Broken(1, print, str(number)))
    root.clock.start()
    root.recalculate_priority()
    with recorded_drops() as drops, pytest.raises(type(errors[raised])) as caught:
        root.clock.start()
    assert caught.value is errors[raised]
    assert [value for _, value, _ in drops] == [error for error in errors if error is not errors[raised]]
    assert (drops[0][0], drops[0][2], root.performance_counters().parked_count) == ("task", root.name, 0)
