"""The settings of the runs of pytest that these tests make."""

import pytest


@pytest.fixture(autouse=True)
def settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("""
        [pytest]
        addopts = -p no:cacheprovider --strict-markers
        tck_timeout_milliseconds = 100
        tck_no_signals_timeout_milliseconds = 20
        tck_seed = 5
    """)
