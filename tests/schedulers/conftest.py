"""A pool of workers, and a scheduler over it whose tasks run in one queue or in any."""

from collections.abc import Iterator

import pytest

from reactivestreams.schedulers import LogicalScheduler, WorkerPool


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(workers=3, name="reactivestreams-subject") as pool:
        yield pool


@pytest.fixture(params=["strand", "any"])
def root(request: pytest.FixtureRequest, pool: WorkerPool) -> LogicalScheduler:
    return LogicalScheduler(pool, name="subject", affinity=request.param)
