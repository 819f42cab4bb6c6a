"""The bounds of saved state: their defaults, and which values they may have."""

from dataclasses import fields
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.state import DEFAULT_LIMITS, StateLimits, decode_value, encode_value

NAMES = [field.name for field in fields(StateLimits)]


def test_every_limit_has_the_default_that_its_documentation_says() -> None:
    assert StateLimits() == DEFAULT_LIMITS
    assert {name: getattr(DEFAULT_LIMITS, name) for name in NAMES} == {
        "max_bytes": 268_435_456,
        "max_records": 1_048_576,
        "max_values": 4_194_304,
        "max_depth": 64,
        "max_number_bytes": 4096,
        "max_equal_hashes": 64,
    }
    for name in NAMES:
        assert f"{name}: " in str(StateLimits.__doc__)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bound", [0, -1, 2**63])
def test_limit_out_of_bounds_is_refused(name: str, bound: int) -> None:
    with pytest.raises(ArgumentError, match=f"{name} needs 1 to .*, got {bound}; pass a number within these bounds"):
        StateLimits(**{name: bound})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bound", [True, 1.5, "1", None])
def test_limit_that_is_no_integer_is_refused(name: str, bound: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=f"{name} needs an integer, got"):
        StateLimits(**{name: bound})


@pytest.mark.parametrize("name", NAMES)
def test_highest_limit_is_accepted(name: str) -> None:
    highest = 256 if name == "max_depth" else 2**62
    limits = StateLimits(**{name: highest})
    assert decode_value(encode_value([1], limits=limits), limits=limits) == [1]


def test_limit_is_given_by_name_only() -> None:
    with pytest.raises(TypeError):
        StateLimits(1024)  # type: ignore[misc]
