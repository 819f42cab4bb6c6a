"""A name that is none of ours says which of ours was meant."""

import subprocess
import sys

import pytest

from reactivestreams import Stream, pipeline

STREAM = Stream.just(1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("merge_map", "Stream has no 'merge_map'; it is flat_map(function) here"),
        ("flatMap", "Stream has no 'flatMap'; it is 'flat_map' here"),
        ("Where", "Stream has no 'Where'; it is filter(predicate) here"),
        ("onErrorReturnItem", "Stream has no 'onErrorReturnItem'; it is on_error_return(value) here"),
        ("do_on_error", "Stream has no 'do_on_error'; it is do(on_next, on_error=, on_complete="),
        ("groupBy", "Stream has no 'groupBy'; it is 'group_by' here"),
        ("zipWhen", "Stream has no 'zipWhen'; left out: there is one type: "),
        ("filtr", "Stream has no 'filtr'; did you mean filter or "),
        ("qqqqqqqq", "Stream has no 'qqqqqqqq'; the page of operators lists all, and lift() adds one of your own"),
        ("_private", "Stream has no '_private'"),
    ],
)
def test_missing_operator_says_what_is_ours(name: str, message: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(STREAM, name)
    assert str(raised.value).startswith(message)
    assert raised.value.name == name
    assert not hasattr(STREAM, name)


def test_missing_source_and_missing_operator_of_a_pipeline_say_what_is_ours() -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(Stream, "of")  # noqa: B009 - type checkers know that it is missing
    assert str(raised.value) == "Stream has no 'of'; it is Stream.just here"
    with pytest.raises(AttributeError) as raised:
        getattr(pipeline(), "where")  # noqa: B009 - type checkers know that it is missing
    assert str(raised.value) == "Pipeline has no 'where'; it is filter(predicate) here"


def test_names_are_loaded_when_one_is_missing() -> None:
    code = (
        "import sys; from reactivestreams import Stream; Stream.range(1).map(str).to_list(); "
        "module = 'reactivestreams.stream.names_elsewhere'; before = module in sys.modules; hasattr(Stream, 'of'); "
        "print(before, module in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.split() == ["False", "True"]
