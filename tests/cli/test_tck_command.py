"""The command judges a subject, shows why it fails, writes reports, and ends with a status for programs."""

import argparse
import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reactivestreams.cli import ExitStatus, main
from reactivestreams.cli import tck as tck_module
from reactivestreams.cli.verification.kinds import HOOKS, KINDS, Form
from reactivestreams.spec.rules import RULES
from reactivestreams.tck import Edition, Overflow, ProcessorVerification, Report, VerificationInterrupted
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from tests.tck.report_examples import REPORT

COMPLETES = "required_spec105_must_signal_on_complete_when_finite_stream_terminates"
TYPE_ERROR = "required_spec109_subscribe_raise_type_error_on_none_subscriber"
UNTESTED = "untested_spec304_request_should_not_perform_heavy_computations"
QUICK = ["--timeout", "100", "--no-signals-timeout", "20", "--seed", "5"]

CODE = """
from reactivestreams import BaseProcessor, BaseSubscriber, Stream
from reactivestreams.tck import Environment, PublisherVerification

def numbers(elements):
    return Stream.range(elements)

def failed():
    return Stream.error(OSError("the disk is gone"))

def nothing(elements):
    return None

class Silent:
    def __init__(self, elements):
        pass

    def subscribe(self, subscriber):
        pass

    def __repr__(self):
        return "silent \\x1b[31m"

class Dropping(BaseSubscriber):
    def hook_on_next(self, element):
        pass

class Reporting(BaseSubscriber):
    def __init__(self, probe):
        self.probe = probe
        self.trigger_request, self.signal_cancel = self.request, self.cancel

    def hook_on_subscribe(self):
        self.probe.register_on_subscribe(self)

    def hook_on_next(self, element):
        assert element.startswith("element ")
        self.probe.register_on_next(element)

    def hook_on_error(self, error):
        self.probe.register_on_error(error)

    def hook_on_complete(self):
        self.probe.register_on_complete()

class Passing(BaseProcessor):
    def hook_on_next(self, element):
        assert element.startswith("element ")
        self.emit(element)

def passing(buffer_size):
    return Passing()

def dropping():
    return Dropping()

def element(number):
    return f"element {number}"

def given(*arguments):
    return ("given", *arguments)

LIST = []

class DotnetVerification(PublisherVerification):
    def create_publisher(self, elements):
        return Stream.range(elements)

    def create_environment(self):
        return Environment(edition="dotnet")

class IdleVerification(PublisherVerification):
    def create_publisher(self, elements):
        return Stream.range(elements)

    def ignored_checks(self):
        return {check.name: "ignored" for check in self.catalog}
"""


@pytest.fixture(autouse=True)
def subjects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "subjects_of_test.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("subjects_of_test", None)


def tck(*arguments: str) -> int:
    return main(["tck", *arguments, *QUICK])


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    tck_module.register(parser.add_subparsers())
    return parser.parse_args(["tck", *arguments, *QUICK])


def test_correct_publisher_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:numbers", "--check", COMPLETES, "--check", TYPE_ERROR) == ExitStatus.SUCCESS
    out, err = capsys.readouterr()
    assert [line.split()[:5] for line in out.splitlines()[:3]] == [
        ["rule", "outcome", "passed", "failed", "skipped"],
        ["1.5", "pass", "1", "0", "0"],
        ["1.9", "pass", "1", "0", "0"],
    ]
    assert out.splitlines()[-1].startswith("passed  numbers: 2 passed, 0 failed, 0 skipped in ")
    assert err.splitlines()[0] == "numbers: started"


def test_wrong_publisher_is_explained_and_can_be_judged_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:Silent", "--check", COMPLETES) == ExitStatus.FAILURE
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert f"{COMPLETES} FAIL (§1.5): Could not subscribe subscriber 1 to Publisher silent" in out
    assert "rule:" in lines
    assert f"  {RULES['1.5']}" in lines
    assert "remedy:" in lines
    assert lines[-1].startswith("FAILED  Silent: 0 passed, 1 failed, 0 skipped in ")
    command = lines[lines.index("run it again:") + 1].split()
    assert command[:5] == ["python", "-m", "reactivestreams", "tck", "subjects_of_test:Silent"]
    assert command[5:] == [*QUICK[:4], "--check", COMPLETES, *QUICK[4:]]
    assert main(command[3:]) == ExitStatus.FAILURE


def test_text_of_the_subject_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tck("subjects_of_test:Silent", "--check", COMPLETES)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "silent \\x1b[31m" in out


def test_causes_come_first_and_the_clearest_failure_of_each_is_explained_and_all_on_demand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    about = ["--rule", "3.9"]
    names = [check.name for check in PUBLISHER_CHECKS.chosen(None, Edition.JVM) if "3.9" in check.rules]
    skipped = [name for name in names if name.startswith("optional_")]
    failed = len(names) - len(skipped)
    tck("subjects_of_test:Silent", *about)
    brief = capsys.readouterr().out
    first, *lines = brief.splitlines()
    causes = brief.count("what happened:")
    assert 1 < causes < failed
    assert first == f"{causes} causes, {failed} failures:"
    counts = [int(re.search(r"\[(\d+) checks?: §", line)[1]) for line in lines[:causes]]  # type: ignore[index]
    assert sum(counts) == failed
    assert counts == sorted(counts, reverse=True)
    told = sum(int(found[1]) for found in re.finditer(r"^so fails? (\d+) other checks?, which", brief, re.MULTILINE))
    assert told + causes == failed
    assert "skipped; --verbose tells why" in brief
    tck("subjects_of_test:Silent", *about, "--verbose")
    whole = capsys.readouterr().out
    assert whole.count("what happened:") == failed
    assert "which --verbose explains" not in whole
    assert all(f"\n  {name}\n" in whole for name in skipped)


def test_nothing_judged_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:IdleVerification") == ExitStatus.FAILURE
    assert capsys.readouterr().out.rstrip().endswith("s: nothing was judged")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "SUBJECT is missing; give module:name, or path/to/file.py:name"),
        (["subjects_of_test:nothing"], "subjects_of_test:nothing(1) returned None; it has to return an object with"),
        (["subjects_of_test:numbers", "--check", "required_spec105"], "there is no check 'required_spec105'; did you"),
        (["subjects_of_test:numbers", "--rule", "3.18"], "there is no rule '3.18'; did you mean 3.8, 3.1 or 3.17?"),
        (["subjects_of_test:numbers", "--rule", "2.1"], "no check of this kind is about §2.1 in this edition; --list"),
        (
            ["subjects_of_test:numbers", "--edition", "rc1", "--check", TYPE_ERROR],
            f"the edition rc1 has no check {TYPE_ERROR}; use another edition",
        ),
        (["subjects_of_test:numbers", "--parallel", "0"], "run(parallel) needs 1 or more, got 0"),
        (["subjects_of_test:numbers", "--watchdog-timeout", "0"], "Environment(watchdog_timeout_milliseconds) needs"),
        (["subjects_of_test:numbers", "--report", "a.pdf"], "there is no report of the kind 'a.pdf'; end its name in"),
        (["subjects_of_test:numbers", "--failed", "subjects_of_test:f"], "subjects_of_test has no f; it has numbers,"),
    ],
)
def test_wrong_usage_has_its_own_status(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert tck(*arguments) == ExitStatus.USAGE
    lines = capsys.readouterr().err.splitlines()
    (told,) = [line for line in lines if line.startswith("python -m reactivestreams: error: ")]
    assert told.removeprefix("python -m reactivestreams: error: ").startswith(message)
    assert "Traceback" not in "".join(lines)


def test_traceback_is_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:nothing", "--debug") == ExitStatus.USAGE
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["-1", "many"])
def test_number_that_is_none_is_wrong_usage(text: str) -> None:
    assert tck("subjects_of_test:numbers", "--max-elements", text) == ExitStatus.USAGE


def test_publisher_that_never_completes_is_told_by_a_power(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:numbers", "--max-elements", "2**63 - 1", "--check", COMPLETES, "-v") == 1
    assert "which this Publisher is unable to provide" in capsys.readouterr().out


def test_failed_publisher_is_judged_where_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    name = "optional_spec104_must_signal_on_error_when_fails"
    assert tck("subjects_of_test:numbers", "--check", name) == ExitStatus.FAILURE
    assert tck("subjects_of_test:numbers", "--failed", "subjects_of_test:failed", "--check", name) == ExitStatus.SUCCESS


def test_subscriber_is_judged_as_it_is_or_with_a_probe_as_its_factory_wants(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind = ["--kind", "subscriber", "--element", "subjects_of_test:element"]
    happy, black = "required_exercise_whitebox_happy_path", "must_signal_demand_via_subscription_request"
    assert tck("subjects_of_test:Reporting", *kind, "--check", happy) == ExitStatus.SUCCESS
    assert (
        tck("subjects_of_test:dropping", *kind, "--check", f"required_spec201_blackbox_{black}") == ExitStatus.SUCCESS
    )
    assert tck("subjects_of_test:dropping", *kind, "--whitebox", "--check", happy) == ExitStatus.USAGE
    assert "subjects_of_test:dropping() cannot be called with the probe" in capsys.readouterr().err


def test_processor_is_judged_with_elements_and_subscribers_as_told(capsys: pytest.CaptureFixture[str]) -> None:
    name = "must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream"
    given = ["--kind", "processor", "--element", "subjects_of_test:element", "--max-subscribers", "1", "--check", name]
    assert tck("subjects_of_test:passing", *given) == ExitStatus.SUCCESS
    several = "required_spec104_must_call_on_error_on_all_its_subscribers_if_it_encounters_a_non_recoverable_error"
    assert tck("subjects_of_test:passing", *given, "--check", several, "--verbose") == ExitStatus.SUCCESS
    assert "only supports 1 subscribers, while this test requires at least 2" in capsys.readouterr().out


VALUES: dict[Form, list[str]] = {Form.FUNCTION: ["subjects_of_test:given"], Form.NUMBER: ["7"], Form.TRUTH: []}
FACTORIES = {"publisher": ("numbers",), "subscriber": ("dropping", "Reporting"), "processor": ("passing",)}


@pytest.mark.parametrize(
    ("option", "kind", "factory"),
    [
        (option, kind, factory)
        for option, hook in HOOKS.items()
        for kind in hook.kinds
        for base, factory in zip(KINDS[kind], FACTORIES[kind], strict=True)
        if hasattr(base.base, hook.method)
    ],
)
def test_every_hook_is_an_option_which_is_repeated_in_the_command(
    option: str, kind: str, factory: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = HOOKS[option]
    answers: list[object] = []

    def judged(verification: type[Any], *arguments: object, **more: object) -> Report:
        method = getattr(verification(), hook.method)
        answers.append(method("an argument") if hook.form is Form.FUNCTION else method())
        return REPORT

    monkeypatch.setattr(tck_module, "run_checks", judged)
    given = f"--{option.replace('_', '-')}"
    tck(f"subjects_of_test:{factory}", "--kind", kind, given, *VALUES[hook.form])
    assert answers == [{Form.FUNCTION: ("given", "an argument"), Form.NUMBER: 7, Form.TRUTH: True}[hook.form]]
    assert " ".join([given, *VALUES[hook.form]]) in capsys.readouterr().out


@pytest.mark.parametrize("option", [name for name, hook in HOOKS.items() if hook.form is Form.TRUTH])
def test_hooks_that_are_true_or_false_can_be_denied(
    option: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[object] = []

    def judged(verification: type[Any], *arguments: object, **more: object) -> Report:
        answers.append(getattr(verification(), HOOKS[option].method)())
        return REPORT

    monkeypatch.setattr(tck_module, "run_checks", judged)
    denied = f"--no-{option.replace('_', '-')}"
    tck("subjects_of_test:passing", "--kind", "processor", denied)
    assert answers == [False]
    assert denied in capsys.readouterr().out


NOT_SET_ALONE = {
    "create_publisher", "create_subscriber", "create_identity_processor",  # the factory itself
    "publisher_unable_to_signal_on_complete",  # a constant
    "element_of", "examine", "method_environment", "stated_traits", "use_environment",  # no hooks
    "create_environment",  # --timeout, --edition, --seed and others
    "overflow",  # --on-overflow and --capacity
    "ignored_checks",  # --ignore-check
}  # fmt: skip


def test_every_hook_of_the_kit_has_an_option() -> None:
    set_by_options = {hook.method for hook in HOOKS.values()}
    for kinds in KINDS.values():
        for kind in kinds:
            methods = {
                name
                for name, _ in inspect.getmembers(kind.base, inspect.isfunction)
                if not name.startswith("_") and name not in kind.base.catalog
            }
            assert methods - set_by_options - NOT_SET_ALONE == set()
    assert all(
        any(hasattr(each.base, hook.method) for each in KINDS[kind]) for hook in HOOKS.values() for kind in hook.kinds
    )


def test_ignored_check_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--check", COMPLETES, "--check", TYPE_ERROR, "--ignore-check", COMPLETES, "--verbose"]
    assert tck("subjects_of_test:Silent", *given) == ExitStatus.FAILURE
    printed = capsys.readouterr().out
    assert "ignored by the subject: --ignore-check names it" in printed
    assert "0 passed, 1 failed, 1 skipped" in printed
    assert f"--ignore-check {COMPLETES}" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["numbers", "--limited", "subjects_of_test:given"], "--limited applies to subscribers, and subjects_of_test:"),
        (
            ["numbers", "--failed", "subjects_of_test:LIST"],
            "--failed subjects_of_test:LIST is [], which cannot be called",
        ),
        (["numbers", "--ignore-check", "required"], "there is no check 'required'"),
        (
            ["DotnetVerification", "--failed", "subjects_of_test:failed"],
            "--failed describes what a plain factory makes",
        ),
        (["DotnetVerification", "--ignore-check", COMPLETES], "--ignore-check describes what a plain factory makes"),
    ],
)
def test_option_that_does_not_fit_the_subject_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = arguments
    assert tck(f"subjects_of_test:{name}", *options) == ExitStatus.USAGE
    assert message in capsys.readouterr().err


def test_hook_of_a_processor_is_refused_for_a_publisher(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test:numbers", "--delays-errors") == ExitStatus.USAGE
    assert (
        "--delays-errors applies to processors, and subjects_of_test:numbers is judged as a publisher; leave it out"
        in (capsys.readouterr().err)
    )


@pytest.mark.parametrize("kind", ["publisher", "processor"])
@pytest.mark.parametrize(
    ("options", "overflow"),
    [
        ((), None),
        (("--on-overflow", "latest"), Overflow("latest")),
        (("--on-overflow", "drop_oldest", "--capacity", "16"), Overflow("drop_oldest", 16)),
    ],
)
def test_what_a_subject_drops_is_an_option(
    kind: str,
    options: tuple[str, ...],
    overflow: Overflow | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = []

    def judged(verification: type[ProcessorVerification], *arguments: object, **more: object) -> Report:
        answers.append(verification().overflow())
        return REPORT

    monkeypatch.setattr(tck_module, "run_checks", judged)
    tck("subjects_of_test:passing", "--kind", kind, *options)
    assert answers == [overflow]
    assert " ".join(options) in capsys.readouterr().out


def test_check_that_counts_elements_is_skipped_for_a_subject_that_drops(capsys: pytest.CaptureFixture[str]) -> None:
    name = "required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements"
    options = ["--on-overflow", "latest", "--check", name, "--check", COMPLETES, "--verbose"]
    assert tck("subjects_of_test:numbers", *options) == ExitStatus.SUCCESS
    printed = capsys.readouterr().out
    assert "drops by policy: not judged by 1.1: of 4 elements that come before they are requested 1 may" in printed
    assert "1 passed, 0 failed, 1 skipped" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--capacity", "4"],
            "--capacity 4 is how many elements wait before --on-overflow applies; pass both, or neither",
        ),
        (["--on-overflow", "latest", "--capacity", "4"], "Overflow('latest', 4): with 'latest' one element waits"),
        (["--on-overflow", "drop_oldest", "--capacity", "0"], "Overflow(capacity=0) needs 1 or more"),
        (["--on-overflow", "latest", "--kind", "subscriber"], "--on-overflow applies to publishers and processors"),
        (["--on-overflow", "block"], "argument --on-overflow: invalid choice: 'block'"),
    ],
)
def test_what_a_subject_cannot_drop_is_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tck("subjects_of_test:numbers", *options) == ExitStatus.USAGE
    assert message in capsys.readouterr().err


def test_command_line_wins_over_the_settings_of_the_class(capsys: pytest.CaptureFixture[str]) -> None:
    def edition(*arguments: str) -> str:
        tck("subjects_of_test:DotnetVerification", "--check", COMPLETES, "--json", *arguments)
        found: str = json.loads(capsys.readouterr().out)["verifications"][0]["edition"]
        return found

    assert (edition(), edition("--edition", "1.0.4")) == ("dotnet", "1.0.4")


def test_module_runs_all_of_its_verifications(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("subjects_of_test", "--check", COMPLETES, "--json") == ExitStatus.FAILURE
    data = json.loads(capsys.readouterr().out)
    assert [(each["subject"], each["is_success"], each["command"].split()[4]) for each in data["verifications"]] == [
        ("DotnetVerification", True, "subjects_of_test:DotnetVerification"),
        ("IdleVerification", False, "subjects_of_test:IdleVerification"),
    ]


def test_every_kind_of_report_is_written_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="needs the extra tck")
    names = ["out/report.html", "report.json", "report.xml"]
    reports = [part for name in names for part in ("--report", name)]
    assert tck("subjects_of_test:Silent", "--check", COMPLETES, *reports) == ExitStatus.FAILURE
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("Report:")] == [
        f"Report: {Path(name)}" for name in names
    ]
    assert "Not compatible" in (tmp_path / names[0]).read_text(encoding="utf-8")
    data = json.loads((tmp_path / names[1]).read_text(encoding="utf-8"))
    assert data["verifications"][0]["counts"] == {"pass": 0, "fail": 1, "skip": 0}
    assert ET.parse(tmp_path / names[2]).getroot()[0].get("failures") == "1"


def test_report_is_written_though_nobody_reads_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(value: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("reactivestreams.cli.tck.print_json", broken)
    with pytest.raises(BrokenPipeError):
        tck_module.run(parsed("subjects_of_test:numbers", "--check", COMPLETES, "--json", "--report", "report.json"))
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["is_success"] is True


def test_report_that_cannot_be_written_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert tck("subjects_of_test:numbers", "--check", COMPLETES, "--report", "file/report.json") == ExitStatus.USAGE
    assert "the report file" in capsys.readouterr().err


def test_list_shows_the_checks_that_would_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert tck("--list", "--rule", "1.2") == ExitStatus.SUCCESS
    check = PUBLISHER_CHECKS["required_spec102_may_signal_less_than_requested_and_terminate_subscription"]
    assert capsys.readouterr().out.splitlines() == [check.name, f"    §1.2: {check.claim}", "1 checks"]
    tck("--list", "--json", "--edition", "rc1")
    listed = json.loads(capsys.readouterr().out)
    assert [each["check"] for each in listed] == [check.name for check in PUBLISHER_CHECKS.chosen(None, Edition.RC1)]


@pytest.mark.slow
def test_full_verification_of_a_publisher_passes(capsys: pytest.CaptureFixture[str]) -> None:
    failed = ["--failed", "subjects_of_test:failed"]
    assert main(["tck", "subjects_of_test:numbers", *failed, "--json"]) == ExitStatus.SUCCESS
    counts = json.loads(capsys.readouterr().out)["verifications"][0]["counts"]
    assert (counts["fail"], sum(counts.values())) == (0, len(PUBLISHER_CHECKS.chosen(None, Edition.JVM)))


@pytest.mark.slow
def test_command_runs_as_a_program(tmp_path: Path) -> None:
    arguments = ["tck", "subjects_of_test.py:Silent", "--check", COMPLETES, *QUICK]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "reactivestreams", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == ExitStatus.FAILURE
    assert shlex.join(arguments[1:2]) in done.stdout
    assert done.stderr.splitlines()[0] == "Silent: started"


def test_ctrl_c_shows_what_was_found_until_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Report:
        raise VerificationInterrupted(run_checks(*arguments, **{**options, "names": [COMPLETES]}))

    run_checks = tck_module.run_checks
    monkeypatch.setattr(tck_module, "run_checks", interrupted)
    assert tck("subjects_of_test:numbers") == ExitStatus.INTERRUPTED
    printed = capsys.readouterr()
    assert "1 passed" in printed.out
    assert printed.err.endswith("interrupted: the checks above are those that had ended\n")
