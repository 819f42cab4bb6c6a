"""A fault of the crash kit leaves nothing behind in who called the kit."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import IdempotentEgress
from reactivestreams.testing.crash import EgressCase, check_egress


class Catching(IdempotentEgress):
    """Returns within an `except` clause, which CPython forgets to end where a trace function raises at that line."""

    def __init__(self, batches: dict[int, list[Any]]) -> None:
        self.batches = batches

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        try:
            self.batches[batch_id] = list(rows)
            raise KeyError(batch_id)
        except KeyError:
            return


def catching(_folder: Path) -> EgressCase:
    batches: dict[int, list[Any]] = {}
    return EgressCase(
        make=lambda: Catching(batches),
        results=lambda: [row for number in sorted(batches) for row in batches[number]],
    )


@pytest.mark.slow
def test_no_exception_counts_as_being_handled_after_a_death_in_an_except_clause() -> None:
    assert check_egress(catching, most_runs=200).findings == []
    assert sys.exc_info() == (None, None, None)
