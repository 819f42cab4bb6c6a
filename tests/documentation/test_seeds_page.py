"""The page that leads from the seeds to names and tests has no gap."""

import re
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.spec.rules import RULES
from tests.documentation.generators import loaded

REACTIVE_STREAMS = {
    "Publisher": ("subscribe",),
    "Subscriber": ("onSubscribe", "onNext", "onError", "onComplete"),
    "Subscription": ("request", "cancel"),
    "Processor": (),
}
"""The interfaces of seeds 000, 001, 002 and 004, which differ in capital letters and in the I of .NET."""

REAQTIVE = {
    "ISubscribable": ("Subscribe",),
    "ISubscription": ("Accept",),
    "ISubscriptionVisitor": ("Visit",),
    "ICompositeSubscription": (),
    "IFutureSubscription": (),
    "IOperator": ("Inputs", "Subscribe", "SetContext", "Start", "Dispose"),
    "IOperatorContext": (
        "InstanceId",
        "ReactiveService",
        "TraceSource",
        "ExecutionEnvironment",
        "TryGetElement",
    ),
    "IExecutionEnvironment": ("GetSubject", "GetSubscription"),
    "IStatefulOperator": ("LoadState", "SaveState", "OnStateSaved", "StateChanged"),
    "IVersioned": ("Name", "Version"),
    "IOperatorStateWriter": ("Write", "CreateChild"),
    "IOperatorStateReader": ("Read", "TryRead", "Reset", "CreateChild"),
    "IUnaryOperator": (),
    "IUnloadableOperator": ("Unload",),
    "IMultiSubject": ("CreateObserver", "GetObserver", "GetObservable"),
    "IScheduler": (
        "Now",
        "CreateChildScheduler",
        "Schedule",
        "PauseAsync",
        "Continue",
        "RecalculatePriority",
        "CheckAccess",
        "VerifyAccess",
        "UnhandledException",
    ),
    "ISchedulerTask": ("Priority", "IsRunnable", "Execute", "RecalculatePriority"),
    "IYieldableSchedulerTask": ("Execute",),
    "YieldToken": ("IsYieldRequested",),
    "ActionTask": (),
    "StateChangedManager": (),
}
"""The interfaces of seed 003 with what they add to those that they extend."""

OPERATORS = ("Average", "CombineLatest", "GroupBy", "Select", "SelectMany", "StartWith")
"""The operators that seed 003 names; the others name none."""

OWN_RULES_OF_RC1 = ["RC1 1.12", "RC1 1.13"]

TABLES = ("interfaces", "principles", "reaqtive")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return loaded("generate_seeds")


def members(interfaces: dict[str, tuple[str, ...]]) -> list[str]:
    return [name for interface, own in interfaces.items() for name in (interface, *(f"{interface}.{m}" for m in own))]


def names_in(texts: list[str]) -> set[str]:
    """Return the interface or member that each text begins with, without types and parameters."""
    return {re.sub(r"<[^>]*>", "", text).split("(")[0].split(" ")[0].rstrip(":") for text in texts}


@pytest.mark.parametrize("table", TABLES)
def test_no_row_is_without_a_name_or_a_plan_and_all_that_is_named_exists(generator: ModuleType, table: str) -> None:
    assert generator.missing(table) == []


def test_every_rule_has_a_check_or_a_test_and_every_check_exists(generator: ModuleType) -> None:
    assert generator.missing_checks() == []
    assert [id for id in generator.rule_differences() if id not in RULES] == OWN_RULES_OF_RC1


@pytest.mark.parametrize(("seed", "prefix"), [("dotnet", "I"), ("jvm", ""), ("rc1", "")])
def test_every_interface_and_member_of_reactive_streams_has_a_row(
    generator: ModuleType, seed: str, prefix: str
) -> None:
    listed = names_in([row[seed] for row in generator.rows("interfaces")])
    expected = [prefix + name for name in members(REACTIVE_STREAMS)]
    if prefix:
        expected = [re.sub(r"\.(.)", lambda match: match[0].upper(), name) for name in expected]
    assert set(expected) - listed == set()


def test_every_interface_and_member_of_reaqtive_has_a_row(generator: ModuleType) -> None:
    listed = names_in([row["what"] for row in generator.rows("reaqtive")])
    assert set(members(REAQTIVE)) - listed == set()


def test_names_of_seed_004_are_those_of_seed_002_where_it_has_them(generator: ModuleType) -> None:
    # The page shows them in one column.
    assert [row["jvm"] for row in generator.rows("interfaces") if row["rc1"] not in {"", row["jvm"]}] == []


def test_no_row_is_there_twice(generator: ModuleType) -> None:
    for table in TABLES:
        names = [row.get("what") or row["dotnet"] for row in generator.rows(table)]
        assert sorted(names) == sorted(set(names))


def test_page_has_a_line_for_every_row_and_every_rule(generator: ModuleType) -> None:
    page = generator.render()
    assert re.findall(r"^\| \[§([\d.]+)\]", page, re.MULTILINE) == list(RULES)
    for table in TABLES:
        for row in generator.rows(table):
            assert (row.get("what") or row["dotnet"]) in page


def test_no_row_of_a_part_that_is_there_is_planned(generator: ModuleType) -> None:
    planned = {row["planned"] for table in TABLES for row in generator.rows(table) if "planned" in row}
    assert {part for part in planned if find_spec(f"reactivestreams.{part}")} == set()
    assert set(re.findall(r"\*\*planned: (.*?)\*\*", generator.render())) == planned


def test_every_operator_that_the_seeds_name_has_a_row_and_is_missing_as_long_as_it_is(
    generator: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {row["what"]: row["operator"] for row in generator.rows("reaqtive") if "operator" in row}
    assert sorted(rows) == list(OPERATORS)

    def said_to_be_missing() -> set[str]:
        return set(re.findall(r"\*\*missing: (\w+)\*\*", generator.render()))

    assert said_to_be_missing() == {name for name in rows.values() if not hasattr(Stream, name)}
    monkeypatch.setattr(generator, "Stream", object)
    assert said_to_be_missing() == set(rows.values())
    assert [line for line in generator.missing("reaqtive") if "neither" in line] == []


def test_gap_would_be_seen(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: list[dict[str, Any]] = [
        {"what": "nothing"},
        {"what": "untested", "ours": ["reactivestreams.Stream"]},
        {"what": "gone", "ours": ["reactivestreams.Steam", "no.such"], "tests": ["tests/spec/test_rules.py::*"]},
        {"what": "test gone", "ours": ["reactivestreams.Stream"], "tests": ["tests/spec/test_rules.py::test_none"]},
        {"what": "later", "planned": "no_such_part"},
        {"what": "there", "planned": "state"},
        {"what": "named", "planned": "no_such_part", "ours": ["reactivestreams.Stream"], "tests": ["tests/spec/*::*"]},
        {"what": "operator", "operator": "no_such_operator"},
    ]
    monkeypatch.setattr(generator, "rows", lambda table: wrong)
    assert [line.split(":")[0] for line in generator.missing("interfaces")] == [
        "nothing",
        "untested",
        "gone",
        "gone",
        "test gone",
        "there",
        "named",
    ]
