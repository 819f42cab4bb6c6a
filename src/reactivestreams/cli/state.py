"""The command `state`: looks into the store of an engine, or into a checkpoint of Spark."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, short_repr
from reactivestreams.cli.store_state import (
    STORE_HELP,
    add_schema,
    diff,
    export,
    is_database,
    list_states,
    show,
    verify,
)
from reactivestreams.cli.subparsers import Subparsers

if TYPE_CHECKING:
    from reactivestreams.spark.keyed.checkpoint_state import BucketState

__all__ = ["register", "run"]

DEFAULT_KEYS = 5
MAX_KEYS = 10_000
"""The maximum of keys that are shown per bucket."""


SHOW = """\
Show the state of an artifact of an engine, in its store and with its id: its operators with their versions and fields.
Or show the state of a keyed pipeline in the checkpoint of a Spark streaming query, a folder: its operators, the
buckets, and some keys of each bucket with their state. It is that of the last checkpoint, and nothing is changed."""

LS = "List the artifacts of an engine with the size of their states."

DIFF = """\
Show which fields of which operators differ between two checkpoints of an engine, by default the last two, or between
its last one and that of another store, such as a backup."""

VERIFY = """\
Check the store of an engine: each stored state and definition, and a file by SQLite's integrity check. Exit status 1 if
something is damaged."""

EXPORT = """\
Write the states of an engine as rows, one for each field of each operator: a JSON object a line, or an Arrow file."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "state",
        help="look into the store of an engine, or a checkpoint of Spark",
        description="Look into the store of an engine, or a checkpoint of Spark. Engines may run meanwhile.",
    )
    actions = parser.add_subparsers(title="actions", metavar="<action>", dest="action", required=True)
    ls = actions.add_parser("ls", help="list artifacts", description=LS)
    show = actions.add_parser("show", help="show a state", description=SHOW)
    diff = actions.add_parser("diff", help="compare checkpoints", description=DIFF)
    verify = actions.add_parser("verify", help="check a store for damage", description=VERIFY)
    export = actions.add_parser("export", help="write states as rows", description=EXPORT)
    for each in (ls, diff, verify, export):
        each.add_argument("place", metavar="STORE", help=STORE_HELP)
    show.add_argument("place", metavar="PLACE", help=f"{STORE_HELP}, or a checkpointLocation of Spark")
    show.add_argument("artifact", nargs="?", metavar="ID", help="the id of the artifact of an engine")
    show.add_argument("--keys", type=count, default=DEFAULT_KEYS, metavar="N", help=f"keys per bucket ({DEFAULT_KEYS})")
    diff.add_argument("other", nargs="?", metavar="OTHER", help="another store to compare it with")
    diff.add_argument("--before", type=int, metavar="N", help="the number of the first checkpoint")
    diff.add_argument("--after", type=int, metavar="N", help="the number of the second checkpoint (the last)")
    for each in (show, export):
        each.add_argument(
            "--checkpoint", type=int, metavar="N", help="the number of a checkpoint of an engine (the last)"
        )
    export.add_argument("--format", choices=("json", "arrow"), default="json", help="lines of JSON (default), or Arrow")
    export.add_argument("--out", metavar="FILE", help="where to write; JSON goes to standard output by default")
    for name, each in actions.choices.items():
        add_schema(each)
        if name != "export":
            each.add_argument("--json", action="store_true", help="print JSON for programs")
        each.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )


def count(text: str) -> int:
    """Return the number of keys of an option."""
    number = int(text)
    if not 0 <= number <= MAX_KEYS:
        raise argparse.ArgumentTypeError(f"{number} is not from 0 to {MAX_KEYS}; give a number within these bounds")
    return number


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    if args.action == "show" and not (is_database(args.place) or Path(args.place).is_file()):
        return show_checkpoint(args)
    actions = {"ls": list_states, "show": show, "diff": diff, "verify": verify, "export": export}
    return actions[args.action](args)


def show_checkpoint(args: argparse.Namespace) -> int:
    """Read a checkpoint of Spark and print its state."""
    from reactivestreams import spark
    from reactivestreams.spark.keyed.checkpoint_state import bucket_states, require_checkpoint

    require_checkpoint(args.place)  # before the start of Spark, which takes seconds
    from pyspark import SparkContext

    was_running = SparkContext._active_spark_context is not None
    session = spark.session("local[1]", app_name="state show", fast=True)
    try:
        states = bucket_states(session, args.place, keys=args.keys)
    finally:
        if not was_running:
            session.stop()
    facts = described(states, args.keys)
    if args.json:
        print_json(facts)
    else:
        print_tables(facts)
    return ExitStatus.SUCCESS


def described(states: "list[BucketState]", keys: int) -> dict[str, Any]:
    """Return the state as plain data.

    Returns:
        `operators`, each with `operator` and `version`; `buckets`, their number; `states`, for each bucket with
        state `bucket`, `bytes`, `keys` (their number) and `sample`, a list of `key` and `state`, both as text.
    """
    full = next((state for state in states if state.records), states[0] if states else None)
    versions = {record.operator: record.version for record in full.records} if full is not None else {}
    operators = full.heading.operators if full is not None else ()
    return {
        "operators": [
            {"operator": name, "version": ".".join(map(str, versions[name])) if name in versions else None}
            for name in operators
        ],
        "buckets": full.heading.buckets if full is not None else 0,
        "states": [
            {
                "bucket": state.bucket,
                "bytes": state.size,
                "keys": state.key_count,
                "sample": [{"key": short_repr(key), "state": shown_state(held)} for key, held in state.sample(keys)],
            }
            for state in states
        ],
    }


def shown_state(held: Any) -> str:
    """Return the text of a key's state: of an accumulator, or of the fields of its operators."""
    from reactivestreams.state import SavedRecord

    parts = cast("Sequence[Any]", held) if isinstance(held, tuple) else ()
    records = [part for part in parts if isinstance(part, SavedRecord)]
    if not records or len(records) < len(parts):
        return short_repr(held) if held != () else "completed"
    # The first field of every record is whether the operator was disposed.
    return "; ".join(f"{record.operator}: {', '.join(map(short_repr, record.fields[1:]))}" for record in records)


def print_tables(facts: dict[str, Any]) -> None:
    """Print the state for people."""
    output = Output()
    output.table(["operator", "version"], [[each["operator"], each["version"] or "-"] for each in facts["operators"]])
    total = sum(state["keys"] for state in facts["states"])
    output.line()
    output.line(f"{total:,} keys in {facts['buckets']} buckets, {len(facts['states'])} of them in use")
    output.line()
    rows: list[list[str]] = []
    for state in facts["states"]:
        place = [str(state["bucket"]), f"{state['keys']:,}", f"{state['bytes']:,}"]
        for number, entry in enumerate(state["sample"] or [{"key": "", "state": ""}]):
            rows.append([*(place if number == 0 else ["", "", ""]), entry["key"], entry["state"]])
    output.table(["bucket", "keys", "bytes", "key", "state"], rows)
