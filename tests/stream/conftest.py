"""What the tests of iteration share: a stream to be fed, and a thread of its own."""

from collections.abc import Iterator

import pytest

from reactivestreams.schedulers import WorkerScheduler
from tests.stream.pushed import Pushed


@pytest.fixture
def pushed() -> Pushed:
    return Pushed()


@pytest.fixture
def worker() -> Iterator[WorkerScheduler]:
    with WorkerScheduler() as worker:
        yield worker
