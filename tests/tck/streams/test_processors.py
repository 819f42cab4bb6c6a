"""Every processor of ours passes the kit: the base class, with and without a buffer of its own, and the example."""

from collections.abc import Callable
from typing import Any

import pytest

import reactivestreams
import rs_core
from reactivestreams import BaseProcessor, Processor
from reactivestreams.tck import ProcessorVerification, run
from tests.tck.streams.base_class_cases import Identity
from tests.tck.streams.example_programs import example
from tests.tck.streams.settings import ALL_AT_ONCE, settings
from tests.tck.subjects import IdleSubscription


class OneAhead(Identity):
    """Asks its upstream for one element at a time."""

    prefetch = 1
    capacity = 1


def words_of_the_example() -> Any:
    return example("own_processor.py", "Words")()


class ProcessorCaseVerification(ProcessorVerification):
    """Judge a kind of processor that serves one subscriber."""

    def __init__(self, create: Callable[[], BaseProcessor[Any, Any]], create_element: Callable[[int], Any]) -> None:
        self._create = create
        self._create_element = create_element

    def create_identity_processor(self, buffer_size: int) -> Any:
        return self._create()

    def create_failed_publisher(self) -> Any:
        processor = self._create()
        processor.on_subscribe(IdleSubscription())
        processor.on_error(RuntimeError("the upstream has failed"))
        return processor

    def create_element(self, element: int) -> Any:
        return self._create_element(element)

    def max_supported_subscribers(self) -> int:
        return 1

    def delays_errors(self) -> bool:
        return True  # they wait behind the elements that came before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("create", "create_element"),
    [
        pytest.param(Identity, int, id="base class"),
        pytest.param(OneAhead, int, id="base class, one element ahead"),
        pytest.param(words_of_the_example, "word{}".format, id="processor of the example own_processor"),
    ],
)
def test_processor_passes_the_kit(create: Callable[[], Any], create_element: Callable[[int], Any]) -> None:
    # §4.1: both contracts, and §4.2.
    report = run(ProcessorCaseVerification(create, create_element), settings(), parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
    assert report.is_success


def test_the_base_class_is_the_only_processor_of_ours() -> None:
    found = {
        name
        for module in (reactivestreams, rs_core)
        for name in module.__all__
        if isinstance(value := getattr(module, name), type) and issubclass(value, Processor) and value is not Processor
    }
    assert found == {"BaseProcessor"}
