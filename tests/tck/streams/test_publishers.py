"""Every publisher of ours passes the kit: sources, operators, base classes, examples."""

import pytest

import reactivestreams
import rs_core
from reactivestreams import OverflowPolicy, Processor, Publisher, Scheduler, Stream, operators, sources
from reactivestreams.stream.terminal_methods import TerminalMethods
from reactivestreams.tck import run
from rs_core.stream.description import Description
from tests.tck.streams.arrow_cases import ARROW_CASES
from tests.tck.streams.base_class_cases import BASE_CLASS_CASES
from tests.tck.streams.example_programs import EXAMPLES
from tests.tck.streams.operator_cases import OPERATOR_CASES
from tests.tck.streams.publisher_case import CaseVerification, PublisherCase, Workers
from tests.tck.streams.settings import ALL_AT_ONCE, settings
from tests.tck.streams.source_cases import SOURCE_CASES

PUBLISHER_CASES = [*SOURCE_CASES, *OPERATOR_CASES, *ARROW_CASES, *BASE_CLASS_CASES]


@pytest.mark.slow
@pytest.mark.parametrize("case", PUBLISHER_CASES, ids=lambda case: case.name)
def test_publisher_passes_the_kit(case: PublisherCase, workers: Workers) -> None:
    if case in ARROW_CASES:
        pytest.importorskip("pyarrow")
    # §4.1: processors are among the cases, as the publishers that they are.
    report = run(CaseVerification(case, workers), settings(), parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
    assert report.is_success


BLOCKING_ENDS = {"for_each", "iterate", "run"}
FOLDS = {name for name in vars(TerminalMethods) if not name.startswith("_")}
ENDS = FOLDS | BLOCKING_ENDS | {f"{name}_async" for name in BLOCKING_ENDS}
"""Methods of a stream whose result is no publisher."""


def publishers() -> set[str]:
    """Return the name of everything public that is a publisher, or becomes a part of one."""
    classes = {name: getattr(module, name) for module in (reactivestreams, rs_core) for name in module.__all__}
    methods = {name for name in dir(Stream) if not name.startswith("_") and not hasattr(Description, name)}
    return {
        *(f"sources.{name}" for name in sources.__all__),
        *(f"operators.{name}" for name in operators.__all__ if name != "OperatorDefinition"),
        *(f"Stream.{name}" for name in methods - ENDS - {"bind"}),
        *(f"OverflowPolicy.{policy.value}" for policy in OverflowPolicy),
        *(name for name, value in classes.items() if is_to_be_judged(value)),
        *(f"examples/{path.name}" for path in EXAMPLES.glob("own_*.py")),
        "BaseSubscription",
        "DemandView",
        "SerializedEmitter",
        "StreamEmitter",
        "pipeline",
    }


def is_to_be_judged(value: object) -> bool:
    """Tell whether something is a publisher of ours, or a scheduler on which one sends; interfaces are none."""
    if not isinstance(value, type) or value in {Publisher, Processor, Scheduler, Stream, rs_core.Stage}:
        return False
    return issubclass(value, Publisher | Scheduler)


def test_every_publisher_of_ours_has_a_case() -> None:
    covered = {name for case in PUBLISHER_CASES for name in case.covers}
    assert publishers() - covered == set()
    assert covered - publishers() == set()


def test_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in PUBLISHER_CASES]
    assert sorted(names) == sorted(set(names))
