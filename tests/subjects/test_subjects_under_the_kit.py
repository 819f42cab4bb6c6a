"""Each subject, with each policy and option, passes the command: it says itself what it is like as a processor."""

import inspect
import json
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import subjects
from reactivestreams.cli import main
from reactivestreams.errors import ArgumentError
from reactivestreams.subjects import BroadcastSubject, SimpleSubject, SubjectPolicy, policy
from reactivestreams.tck import Edition, ProcessorVerification, run
from reactivestreams.tck.kit.subject import PROCESSOR_METHODS
from reactivestreams.tck.processor_traits import DROPS_BY_POLICY
from rs_core.queues.overflow_policy import OverflowPolicy
from tests.conftest import Depth
from tests.tck.overflow_needs import not_judged_with
from tests.tck.streams.settings import ALL_AT_ONCE, settings
from tests.tck.subjects import IdleSubscription

COUNT = 100
LEAST_ROOM = 1

PROCESSORS = {
    name: kind
    for name in subjects.__all__
    if inspect.isclass(kind := getattr(subjects, name)) and all(hasattr(kind, method) for method in PROCESSOR_METHODS)
}


def options(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters)


def made(text: str) -> Any:
    return eval(text, dict(vars(subjects)))


def policies() -> dict[str, list[str]]:
    """Return every policy there is, as one would write it: with the default room, and with the least."""
    written: dict[str, list[str]] = {}
    for make in vars(policy).values():
        if not inspect.isfunction(make) or inspect.signature(make).return_annotation is not SubjectPolicy:
            continue
        overflows = (
            [f"on_overflow={each.value!r}" for each in OverflowPolicy] if "on_overflow" in options(make) else [""]
        )
        for overflow, room in product(overflows, ("", f"capacity={LEAST_ROOM}")):
            text = f"{make.__name__}({', '.join(filter(None, (room, overflow)))})"
            with suppress(ArgumentError):  # a subject cannot block
                made(text)
                written.setdefault(f"{make.__name__} {overflow}", []).append(text)
    return written


POLICIES = policies()


def written_subjects() -> dict[str, list[str]]:
    """Return every subject with every policy, in each case with the least room, and with its switches turned round."""
    written: dict[str, list[str]] = {}
    for name, kind in PROCESSORS.items():
        parameters = inspect.signature(kind).parameters
        count = str(COUNT) if "count" in parameters else ""
        rooms = ["", f"capacity={LEAST_ROOM}"] if "capacity" in parameters else [""]
        turned = ", ".join(
            f"{each.name}={not each.default}" for each in parameters.values() if each.default in (True, False)
        )
        for group, texts in (POLICIES if "policy" in parameters else {"": [""]}).items():
            given = [f"policy={text}" if text else "" for text in texts]
            written[f"{name} {group}"] = [
                f"{name}({', '.join(filter(None, words))})"
                for words in product([count], rooms, given, dict.fromkeys(("", turned)))
            ]
    return written


SUBJECTS = written_subjects()


def test_every_subject_of_the_package_that_is_a_processor_is_run_with_every_policy() -> None:
    assert set(PROCESSORS) == {"BroadcastSubject", "ReplaySubject", "SimpleSubject", "UnicastSubject"}
    made_policies = [made(text) for texts in POLICIES.values() for text in texts]
    assert {each.name for each in made_policies} == {"lockstep", "error_slow", "drop_slow", "buffer"}
    ahead = {each.on_overflow for each in made_policies if each.is_ahead}
    assert ahead == {*OverflowPolicy} - {OverflowPolicy.BLOCK}
    assert len(SUBJECTS) == 3 * len(POLICIES) + 1


def verdicts_of_the_command(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    file = folder / "subject_of_the_command.py"
    file.write_text(f"from reactivestreams.subjects import *\n\ndef subject(buffer_size):\n    return {text}\n")
    main(["tck", f"{file}:subject", "--kind", "processor", "--json", "--parallel", str(ALL_AT_ONCE)])
    (verification,) = json.loads(capsys.readouterr().out)["verifications"]
    return {verdict["check"]: verdict for verdict in verification["verdicts"]}


@pytest.mark.slow
@pytest.mark.parametrize("group", SUBJECTS)
def test_subject_passes_the_command_that_is_told_nothing_of_it(
    group: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: Depth
) -> None:
    # §4.1: both contracts, and §4.2.
    texts = SUBJECTS[group]
    if depth.name == "gate":  # in turns, so that each option is there with some subject
        texts = [texts[-1 - list(SUBJECTS).index(group) % len(texts)]]
    for text in texts:
        verdicts = verdicts_of_the_command(text, tmp_path, capsys)
        failed = {name: verdict["message"] for name, verdict in verdicts.items() if verdict["outcome"] == "fail"}
        assert failed == {}, text
        skipped = {name for name, verdict in verdicts.items() if verdict["message"].startswith(DROPS_BY_POLICY)}
        assert skipped == not_judged_with(made(text).processor_traits.overflow), text


@pytest.mark.slow
@pytest.mark.parametrize("kind", [BroadcastSubject, SimpleSubject])
def test_subject_that_has_failed_passes_the_checks_of_one(kind: type[Any]) -> None:
    class Failing(ProcessorVerification):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return kind()

        def create_element(self, element: int) -> Any:
            return element

        def create_failed_publisher(self) -> Any:
            subject = kind()
            if kind is SimpleSubject:  # it forgets an end
                subject.dispose()
            else:
                subject.on_subscribe(IdleSubscription())
                subject.on_error(RuntimeError("the upstream has failed"))
            return subject

    names = [check.name for check in Failing.catalog.chosen(None, Edition.JVM) if "error" in check.name]
    report = run(Failing, settings(), names=names, parallel=ALL_AT_ONCE)
    assert [verdict.render() for verdict in report.failed] == []
