"""The command `doctor`: check the installation and show how to repair it; or say why streams stand still."""

import argparse
from pathlib import Path
from typing import Any

from reactivestreams.cli.checks import Finding, Status, core, installation, packages, spark
from reactivestreams.cli.checks.finding import worst
from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, write_picture
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError

__all__ = ["examine", "register", "run"]

SUBJECTS = (installation, core, packages, spark)
STYLES = {Status.OK: "green", Status.WARNING: "yellow", Status.PROBLEM: "bold red"}
CONCLUSIONS = {
    Status.OK: "everything is in order",
    Status.WARNING: "it works; see the warnings",
    Status.PROBLEM: "there are problems",
}


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "doctor",
        help="check the installation, or the streams of a process",
        description="Check the installation, the compiled core, the optional packages, Java and Spark; show how to "
        "repair what is wrong. With --pid: show the streams of a process that called allow_inspection(), and why "
        "those stand still that do. Changes nothing.",
        epilog="exit status: 0 without problems (there may be warnings), 1 with problems",
    )
    parser.add_argument("--pid", type=int, metavar="N", help="look into the streams of process N instead")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="print JSON for programs")
    forms.add_argument("--mermaid", action="store_true", help="with --pid: print a flowchart of Mermaid")
    forms.add_argument("--svg", type=Path, metavar="FILE", help="with --pid: draw the streams into this file")


def run(args: argparse.Namespace) -> int:
    """Print the findings of the checks, or what the streams of a process wait for."""
    if args.pid is not None:
        return _run_for_process(args)
    if args.mermaid or args.svg is not None:
        raise UsageError("--mermaid and --svg draw the streams of a process; name it with --pid N")
    findings = examine()
    status = worst(findings)
    if args.json:
        print_json({"status": status.value, "checks": [_as_data(finding) for finding in findings]})
    else:
        _print(findings, status)
    return ExitStatus.FAILURE if status is Status.PROBLEM else ExitStatus.SUCCESS


def _run_for_process(args: argparse.Namespace) -> int:
    from reactivestreams.inspection import ask_process  # here: without the core the checks are all the more needed

    told = ask_process(args.pid)
    if args.json:
        print_json(told)
        return ExitStatus.SUCCESS
    if args.mermaid or args.svg is not None:
        return _draw(told["streams"], args.svg)
    output = Output()
    count = len(told["streams"]) + told["more_streams"]
    output.line(f"process {told['process']}: {count} streams run")
    for stream in told["streams"]:
        output.line()
        output.line(stream["text"])
    return ExitStatus.SUCCESS


def _draw(streams: list[dict[str, Any]], path: Path | None) -> int:
    from reactivestreams.inspection.picture import mermaid_of, svg_of

    if path is None:
        print(mermaid_of(streams))
    else:
        write_picture(path, svg_of(streams), option="--svg")
    return ExitStatus.SUCCESS


def examine() -> list[Finding]:
    """Return the findings of all checks, in the order in which they ran; a check that fails is a finding itself."""
    findings: list[Finding] = []
    for subject in SUBJECTS:
        try:
            findings += subject.check()
        except Exception as error:
            name = subject.__name__.rpartition(".")[2]
            detail = f"the check failed: {type(error).__name__}: {error}"
            findings.append(Finding(name, Status.PROBLEM, detail, "report this as a defect of doctor"))
    return findings


def _as_data(finding: Finding) -> dict[str, str | None]:
    return {
        "name": finding.name,
        "status": finding.status.value,
        "detail": finding.detail,
        "remedy": finding.remedy,
    }


def _print(findings: list[Finding], status: Status) -> None:
    output = Output()
    rows: list[list[str]] = []
    styles: list[str] = []
    for finding in findings:
        rows.append([finding.status.value, finding.name, finding.detail])
        styles.append(STYLES[finding.status])
        if finding.remedy is not None:
            rows.append(["", "", f"-> {finding.remedy}"])
            styles.append("")
    output.table(["", "", ""], rows, styles=styles)
    output.line()
    output.line(CONCLUSIONS[status], style=STYLES[status])
