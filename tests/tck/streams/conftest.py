"""What the tests of our own components under the kit share."""

from collections.abc import Iterator

import pytest

from tests.tck.streams.publisher_case import Workers


@pytest.fixture
def workers() -> Iterator[Workers]:
    made = Workers()
    yield made
    made.dispose()
