"""The command `replay`: runs a stream again from a record, in virtual time, up to an element."""

import argparse
import pdb  # noqa: T100 - what --pdb is for
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.loaded_stream import loaded_stream
from reactivestreams.cli.output import Output, short_repr
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError

if TYPE_CHECKING:
    from reactivestreams.testing import Replay

__all__ = ["register", "run"]

DESCRIPTION = """\
Run the operators below recorded() of a stream again, from the record of a run, in virtual time: the same elements, at
the same times, with the same requests. SUBJECT is module:name or path/to/file.py:name: the stream, or a function
without arguments that returns it; importing the module runs its code. Without SUBJECT: say what is in the record."""

SHOWN_RESULTS = 10
"""How many results are shown, the last ones."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "replay",
        help="run a stream again from a record, up to an element",
        description=DESCRIPTION,
        epilog="exit status: 0 if the stream completed, was cancelled or stopped, 1 if it failed or the record is "
        "cut off",
    )
    parser.add_argument("record", type=Path, metavar="RECORD", help="the file that recorded() has written")
    parser.add_argument("subject", nargs="?", metavar="SUBJECT", help="the stream that was recorded")
    parser.add_argument("--to", type=int, metavar="N", help="stop before element N of the record is sent, from 1")
    parser.add_argument(
        "--pdb",
        action="store_true",
        help="with --to: start the debugger there; 'continue' sends it and the rest",
    )
    parser.add_argument(
        "--allow-side-effects",
        action="store_true",
        help="run operators such as do() again, which are there for their side effects",
    )
    parser.add_argument(
        "--allow-missing-state",
        action="store_true",
        help="let operators with state begin without it, where the record begins in the middle of its run",
    )


def run(args: argparse.Namespace) -> int:
    """Replay the record, or say what is in it."""
    from reactivestreams.testing import replay

    if args.pdb and args.to is None:
        raise UsageError("--pdb needs the number of an element; give it by --to N")
    try:
        if args.subject is None:
            return _describe(args.record)
        stream = loaded_stream(args.subject, purpose="a replay is of")
        report = replay(
            args.record,
            stream,
            to=args.to,
            before=_break if args.pdb else None,
            allow_side_effects=args.allow_side_effects,
            allow_missing_state=args.allow_missing_state,
            max_results=SHOWN_RESULTS,
        )
    except OSError as error:
        raise UsageError(f"{args.record} cannot be read: {error.strerror}; give a file of recorded()") from error
    _print(report)
    return ExitStatus.FAILURE if report.end in ("failed", "cut off") else ExitStatus.SUCCESS


def _break(element: Any) -> None:
    """Start the debugger before an element is sent."""
    print(f"before {short_repr(element)} is sent; 'up' shows the replay, a breakpoint in a function stops there")
    pdb.set_trace(header="")  # noqa: T100 - what --pdb is for


def _describe(path: Path) -> int:
    from reactivestreams.testing.replaying import read_record

    record = read_record(path)
    output = Output()
    output.line(f"recorded {record.head['started']:%Y-%m-%d %H:%M:%S} UTC at {record.head['border']}")
    for line in record.head["operators"]:
        output.line(f"  {line}")
    counts = dict.fromkeys("ner", 0)
    end, gone, began = "", record.passed, record.time
    while record.kind not in ("", "cut"):
        end = record.kind
        if end in counts:
            counts[end] += 1
        record.skip()
    ends = {"x": f"failed: {record.error!r}", ".": "completed", "c": "cancelled by what is below", "f": "full"}
    is_cut = record.kind == "cut"
    how = f"cut off: {record.error or 'no end was written'}" if is_cut else ends[end]
    if gone:
        output.line(f"elements 1 to {gone} are gone: the newest were kept")
    output.line(
        f"{record.passed - gone} elements in {(record.time - began) / 1e6:.3f} seconds, {counts['r']} requests here "
        f"and {counts['e']} at the end; {how}"
    )
    return ExitStatus.FAILURE if is_cut else ExitStatus.SUCCESS


def _print(report: "Replay") -> None:
    output = Output()
    shown = report.results
    if report.result_count > len(shown):
        output.line(f"... {report.result_count - len(shown)} results before")
    for result in shown:
        output.line(short_repr(result))
    output.line(f"{report.end} after {report.elements} elements and {report.result_count} results")
    if report.next_element is not None and report.end == "stopped":
        output.line(f"the next one is {short_repr(report.next_element)}")
    if report.differs_at is not None:
        output.line(f"before element {report.differs_at} fewer elements were requested than in the run")
    if report.fault is not None:
        output.line(f"the record is cut off {report.fault}")
    if report.error is not None:
        sys.stdout.flush()
        traceback.print_exception(report.error)
