"""An argument that is one of a few texts: what is told of any other."""

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.choice_argument import checked_choice

pytestmark = pytest.mark.spark

CHOICES = ("fail", "skip")


def test_choice_is_returned() -> None:
    assert checked_choice("on_error", "skip", CHOICES) == "skip"


@pytest.mark.parametrize(
    ("value", "error", "complaint"),
    [
        (None, ArgumentTypeError, "on_error must be a str, got None; pass one of 'fail', 'skip'"),
        ("skips", ArgumentError, "on_error must be one of 'fail', 'skip', got 'skips'; did you mean 'skip'?"),
        ("", ArgumentError, "on_error must be one of 'fail', 'skip', got ''; pass one of these"),
    ],
)
def test_other_value_is_refused_with_the_choices(value: object, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error) as refused:
        checked_choice("on_error", value, CHOICES)

    assert str(refused.value) == complaint
