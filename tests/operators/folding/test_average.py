"""average: the mean of the elements."""

from decimal import Decimal
from typing import Any, ClassVar

import pytest

from reactivestreams import Stream
from reactivestreams.errors import EmptyStreamError
from tests.operators.folding.folds import FoldContract, FoldOfSomething


class TestAverage(FoldOfSomething):
    method = "average"
    remedy = "use average(default=...) if it may"

    def result(self, elements: list[Any]) -> Any:
        return sum(elements) / len(elements)


class TestAverageOrDefault(FoldContract):
    method = "average"
    options: ClassVar[dict[str, Any]] = {"default": "none"}

    def result(self, elements: list[Any]) -> Any:
        return sum(elements) / len(elements) if elements else "none"


def test_average_of_small_numbers_divides_the_exact_sum() -> None:
    assert Stream.just(2**70, 2**70 + 2).average() == float(2**70 + 1)
    assert Stream.just(Decimal(1), Decimal(2)).average() == Decimal("1.5")


def test_average_of_nothing_names_the_remedy() -> None:
    with pytest.raises(EmptyStreamError, match=r"average\(\): .*; use average\(default=\.\.\.\) if it may"):
        Stream.just(1).filter(lambda _: False).average()
