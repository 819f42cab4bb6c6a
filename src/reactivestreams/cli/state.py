"""The command `state`: show the state of a keyed pipeline in a checkpoint of Spark."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, short_repr
from reactivestreams.cli.subparsers import Subparsers

if TYPE_CHECKING:
    from reactivestreams.spark.keyed.checkpoint_state import BucketState

__all__ = ["register", "run"]

DEFAULT_KEYS = 5
MAX_KEYS = 10_000
"""The maximum of keys that are shown per bucket."""


DESCRIPTION = """\
Show the state of a keyed pipeline in the checkpoint of a Spark streaming query: its operators and their versions, the
buckets, and some keys of each bucket with their state. The state is that of the last committed micro-batch; the
checkpoint is not changed."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser("state", help="show the state in a checkpoint of Spark", description=DESCRIPTION)
    actions = parser.add_subparsers(title="actions", metavar="<action>", dest="action", required=True)
    show = actions.add_parser("show", help="show the state in a checkpoint", description=DESCRIPTION)
    show.add_argument("checkpoint", metavar="CHECKPOINT", help="the checkpointLocation of the query")
    show.add_argument("--keys", type=count, default=DEFAULT_KEYS, metavar="N", help=f"keys per bucket ({DEFAULT_KEYS})")
    show.add_argument("--json", action="store_true", help="print JSON for programs")
    show.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error")


def count(text: str) -> int:
    """Return the number of keys of an option."""
    number = int(text)
    if not 0 <= number <= MAX_KEYS:
        raise argparse.ArgumentTypeError(f"{number} is not from 0 to {MAX_KEYS}; give a number within these bounds")
    return number


def run(args: argparse.Namespace) -> int:
    """Read the checkpoint and print its state."""
    from reactivestreams import spark
    from reactivestreams.spark.keyed.checkpoint_state import bucket_states, require_checkpoint

    require_checkpoint(args.checkpoint)  # before the start of Spark, which takes seconds
    from pyspark import SparkContext

    was_running = SparkContext._active_spark_context is not None
    session = spark.session("local[1]", app_name="state show", fast=True)
    try:
        states = bucket_states(session, args.checkpoint)
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
                "keys": len(state.keys),
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
