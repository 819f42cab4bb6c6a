"""The command `tck`: judge a publisher, subscriber or processor by the rules, and report."""

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reactivestreams.cli.arguments import PROGRAM
from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, short_repr
from reactivestreams.cli.progress import open_progress
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError
from reactivestreams.cli.verification.kinds import HOOKS, KINDS, Factories, Form
from reactivestreams.cli.verification.loading import load
from reactivestreams.cli.verification.results import show
from reactivestreams.cli.verification.subjects import Subject, find_subjects
from reactivestreams.errors import ArgumentError, MissingExtraError
from reactivestreams.spec.rules import rule
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.runner import DEFAULT_PARALLEL, VerificationInterrupted
from reactivestreams.tck.kit.runner import run as run_checks
from reactivestreams.tck.kit.verdict import Outcome, Verdict
from reactivestreams.tck.processor_traits import OnOverflow, Overflow
from reactivestreams.tck.reports import check_report_path, json_report, write_report

__all__ = ["register", "run"]

DESCRIPTION = """\
Judge a publisher, subscriber or processor of any library by the 43 rules of Reactive Streams. SUBJECT names a factory,
a verification class, or a module with verification classes: module:name, module, path/to/file.py:name or
path/to/file.py. A publisher's factory is called with the number of elements (2**63 - 1 for an endless stream), a
subscriber's without arguments or with a probe, and a processor's with the size of its buffer; each call returns a new
object."""

EPILOG = """\
exit status: 0, nothing failed and something passed; 1, a check failed or nothing was judged; 2, wrong usage, or a
subject that cannot be judged; 130, interrupted by Ctrl-C."""

TIMEOUTS = {
    "timeout": ("default_timeout_milliseconds", "how long to wait for something to happen (500)"),
    "no_signals_timeout": ("no_signals_timeout_milliseconds", "how long nothing may happen (100)"),
    "poll_timeout": ("poll_timeout_milliseconds", "the maximum time between two looks for an error (as --timeout)"),
    "reference_timeout": ("reference_timeout_milliseconds", "how long to wait for references to be dropped (300)"),
    "watchdog_timeout": ("watchdog_timeout_milliseconds", "how long one check may take (20 times --timeout)"),
}
"""The options of time: the argument of the environment, and the help text."""

_DEFAULTS = {"kind": "publisher", "parallel": DEFAULT_PARALLEL}

REPEATED = (
    "kind",
    "on_overflow",
    "capacity",
    "edition",
    "parallel",
    *TIMEOUTS,
)
"""The options that a command to repeat a check must have too."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "tck", help="judge a publisher, subscriber or processor", description=DESCRIPTION, epilog=EPILOG
    )
    add = parser.add_argument
    add("subject", nargs="?", metavar="SUBJECT", help="what to judge; may be left out with --list")
    add("--kind", choices=tuple(KINDS), default=_DEFAULTS["kind"], help="what a factory makes (publisher)")
    add("--whitebox", action="store_true", help="pass a probe to a subscriber's factory, also an optional one")
    for name, hook in HOOKS.items():
        forms: dict[Form, Any] = {
            Form.FUNCTION: {"metavar": "NAME"},
            Form.NUMBER: {"type": natural, "metavar": "N"},
            Form.TRUTH: {"action": argparse.BooleanOptionalAction},
        }
        also = ("--elements",) if name == "max_elements" else ()
        add(f"--{name.replace('_', '-')}", *also, help=hook.help, **forms[hook.form])
    add(
        "--on-overflow",
        choices=tuple(map(str, OnOverflow)),
        help="what happens to elements beyond --capacity that arrive without demand (they wait)",
    )
    add("--capacity", type=natural, metavar="N", help="how many elements wait for a subscriber with --on-overflow (1)")
    add("--edition", choices=tuple(map(str, Edition)), help="edition of the specification (1.0.4)")
    add("--check", action="append", default=[], metavar="NAME", help="run this check; may be given several times")
    add("--rule", action="append", default=[], metavar="ID", help="run the checks of this rule, such as 3.9")
    add("--ignore-check", action="append", default=[], metavar="CHECK", help="skip this check; may be repeated")
    add("--list", action="store_true", help="show the checks that would run, and run none")
    for name, (_, says) in TIMEOUTS.items():
        add(f"--{name.replace('_', '-')}", type=int, metavar="MILLISECONDS", help=says)
    add("--seed", type=int, metavar="N", help="seed of the random choices; a failure names its seed")
    add("--parallel", type=int, default=DEFAULT_PARALLEL, metavar="N", help=f"checks at a time ({DEFAULT_PARALLEL})")
    add(
        "--report",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="write a report: .html, .json or .xml (JUnit); may be given several times",
    )
    add("--verbose", "-v", action="store_true", help="explain every failed and every skipped check")
    add("--json", action="store_true", help="print the JSON report for programs on standard output")


def natural(text: str) -> int:
    """Return the number of an option, 0 or more; it may be written as a power such as 2**63 - 1."""
    number = 2**63 - 1 if text.replace(" ", "") == "2**63-1" else int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is less than 0; give 0 or more")
    return number


def run(args: argparse.Namespace) -> int:
    """Judge the subjects, show the results and write the reports."""
    with _as_usage():
        for path in args.report:
            with _can_be_written(path):
                check_report_path(path)
        subjects = _subjects(args)
        environments = [subject.environment(_settings(args)) for subject in subjects]
        kits = [
            (subject.catalog, environment.edition) for subject, environment in zip(subjects, environments, strict=True)
        ]
        chosen = _chosen_checks(kits, names=args.check, rules=args.rule)
        if args.list:
            for (catalog, _), names in zip(kits, chosen, strict=True):
                _show_list(catalog, names, as_json=args.json)
            return ExitStatus.SUCCESS
        reports: list[Report] = []
        is_interrupted = False
        for subject, environment, names in zip(subjects, environments, chosen, strict=True):
            if names and not is_interrupted:
                report, is_interrupted = _judge(subject, environment, names, args)
                reports.append(report)
    made = datetime.now(UTC)
    for path in args.report:  # first, so that they exist even if the reader of the output stops
        with _can_be_written(path):
            write_report(reports, path, made=made)
    _show(reports, made, args)
    if is_interrupted:
        print("interrupted: the checks above are those that had ended", file=sys.stderr)
        return ExitStatus.INTERRUPTED
    return ExitStatus.SUCCESS if all(report.is_success for report in reports) else ExitStatus.FAILURE


@contextmanager
def _as_usage() -> Generator[None]:
    """Turn errors in the user's input into usage errors."""
    try:
        yield
    except (ArgumentError, MissingExtraError, SubjectError) as error:
        raise UsageError(str(error)) from error


@contextmanager
def _can_be_written(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"the report {path} cannot be written: {error}; give another path") from error


def _subjects(args: argparse.Namespace) -> list[Subject]:
    if args.subject is None:
        if not args.list:
            raise UsageError("SUBJECT is missing; give module:name, or path/to/file.py:name")
        return [Subject("", kind.base) for kind in KINDS[args.kind]]
    hooks: dict[str, Any] = {}
    for name, hook in HOOKS.items():
        value = getattr(args, name)
        if value is not None:
            hooks[name] = _function(name, value) if hook.form is Form.FUNCTION else value
    given = Factories(
        kind=args.kind,
        whitebox=args.whitebox,
        hooks=hooks,
        overflow=_overflow(args),
        ignored=tuple(args.ignore_check),
    )
    return find_subjects(args.subject, given)


def _function(option: str, text: str) -> Any:
    """Return the function that the value of an option names."""
    value = load(text).value
    if not callable(value):
        raise UsageError(
            f"--{option.replace('_', '-')} {text} is {short_repr(value)}, which cannot be called; it takes the place "
            f"of the hook {HOOKS[option].method}: give module:name of a function with its arguments"
        )
    return value


def _overflow(args: argparse.Namespace) -> Overflow | None:
    if args.on_overflow is not None:
        return Overflow(args.on_overflow, 1 if args.capacity is None else args.capacity)
    if args.capacity is not None:
        raise UsageError(
            f"--capacity {args.capacity} is how many elements wait before --on-overflow applies; pass both, or neither"
        )
    return None


def _settings(args: argparse.Namespace) -> dict[str, Any]:
    given = {argument: getattr(args, option) for option, (argument, _) in TIMEOUTS.items()}
    given |= {"edition": args.edition, "seed": args.seed}
    return {argument: value for argument, value in given.items() if value is not None}


def _judge(
    subject: Subject, environment: Environment, names: tuple[str, ...], args: argparse.Namespace
) -> tuple[Report, bool]:
    """Return the report, and whether Ctrl-C interrupted the run."""
    failed = 0
    is_interrupted = False
    with open_progress() as progress:
        progress.begin(subject.name, total=len(names))

        def advance(verdict: Verdict, done: int, total: int) -> None:
            nonlocal failed
            failed += verdict.outcome is Outcome.FAIL
            progress.advance(done, f"{failed} failed" if failed else "")

        try:
            report = run_checks(
                subject.verification, environment, names=names, parallel=args.parallel, on_verdict=advance
            )
        except VerificationInterrupted as interruption:
            report, is_interrupted = interruption.report, True
        except SubjectError as error:
            raise UsageError(subject.in_words_of_the_user(str(error))) from error
        progress.end()
    return dataclasses.replace(report, command=_command(subject, args)), is_interrupted


def _command(subject: Subject, args: argparse.Namespace) -> str:
    """Return the command that judges one subject again."""
    words = [subject.target]
    for option in REPEATED:
        value = getattr(args, option)
        if value is not None and value != _DEFAULTS.get(option):
            words += [f"--{option.replace('_', '-')}", str(value)]
    for name, hook in HOOKS.items():
        value = getattr(args, name)
        option = name.replace("_", "-")
        if value is not None:
            is_truth = hook.form is Form.TRUTH
            words += [f"--{'' if value else 'no-'}{option}"] if is_truth else [f"--{option}", str(value)]
    for check in args.ignore_check:
        words += ["--ignore-check", check]
    return f"{PROGRAM} tck {shlex.join(words + ['--whitebox'] * args.whitebox)}"


def _show(reports: Sequence[Report], made: datetime, args: argparse.Namespace) -> None:
    if args.json:
        print_json(json_report.as_data(reports, made=made))
        return
    output = Output()
    for index, report in enumerate(reports):
        if index:
            output.line()
        show(report, output, is_verbose=args.verbose)
    for path in args.report:
        output.line(f"Report: {path}")


def _chosen_checks(
    kits: Sequence[tuple[Catalog, Edition]], *, names: Sequence[str], rules: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the names of the checks to run of each kit: the named ones and those of the rules; all if none is given.

    Args:
        kits: The checks of each subject, and its edition.
        names: Names of checks; each has to be in one of the kits.
        rules: Ids of rules; one of the kits has to have a check about each.

    Raises:
        ArgumentError: A name or a rule is unknown, or no kit has the check in its edition.
        UsageError: No kit has a check about a rule.
    """
    offered = [catalog.chosen(None, edition) for catalog, edition in kits]
    known = {check.name for checks in offered for check in checks}
    about = {id for checks in offered for check in checks for id in check.rules}
    for name in names:
        if name not in known:
            catalog, edition = next((kit for kit in kits if name in kit[0]), kits[0])
            catalog.chosen([name], edition)  # raises an error that says what is wrong
    ids = {rule(id).id for id in rules}
    if missing := sorted(ids - about):
        raise UsageError(f"no check of this kind is about §{missing[0]} in this edition; --list shows the checks")
    return [
        tuple(
            check.name
            for check in checks
            if not (names or ids) or check.name in names or not ids.isdisjoint(check.rules)
        )
        for checks in offered
    ]


def _show_list(catalog: Catalog, names: tuple[str, ...], *, as_json: bool) -> None:
    """Print checks with their rules and claims.

    Args:
        catalog: The catalog of the checks.
        names: The checks to print.
        as_json: Whether to print for programs.
    """
    checks = [catalog[name] for name in names]
    if as_json:
        print_json(
            [
                {
                    "check": check.name,
                    "rules": list(check.rules),
                    "claim": check.claim,
                    "editions": list(map(str, check.editions)),
                    "origin": check.origin.value,
                }
                for check in checks
            ]
        )
        return
    output = Output()
    for check in checks:
        output.line(check.name, style="bold")
        about = " ".join(f"§{id}" for id in check.rules) or "set-up"
        output.line(f"    {about}: {check.claim}")
    output.line(f"{len(checks)} checks")
