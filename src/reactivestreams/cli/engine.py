"""The command `engine`: runs an engine until it is told to end, and looks into its store."""

import argparse
import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, short_repr
from reactivestreams.cli.store_state import STORE_HELP, add_schema, opened_to_read, sizes_of, store_at
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.top import LiveFile, add_pace, run_engine_top, seconds
from reactivestreams.cli.usage_error import UsageError

if TYPE_CHECKING:
    from reactivestreams.engine import Engine, Store

__all__ = ["register", "run"]

DEFAULT_CHECKPOINT_SECONDS = 1.0

RUN = """\
Run an engine over a SQLite file. APP is path/to/file.py, or module:name: a function that gets the engine and defines
artifacts, `define` where no name is given. What the file has is recovered before it is called. SIGTERM or Ctrl-C takes
a last checkpoint and ends; a second one ends at once, which loses nothing."""

STATUS = """\
Show what an engine has stored: definitions, the size of their states, and the last checkpoints. The file is only read,
also while an engine uses it."""


UPGRADE = """\
Build what a store has with the factories of APP, load the states, and show what would become of each artifact: whether
it is the same, is migrated from an older version of its factory, differs without a new version, or cannot be recovered.
Nothing is started or written. Exit status 1 if an engine would not start."""

TOP = """\
Show what the engine does that `engine run` runs over a store: elements a second, demand, what waits, what no checkpoint
contains yet, and the last checkpoint with its duration and pause. Ctrl-C ends it."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "engine", help="run an engine, or look into its store", description="Run an engine, or look into its store."
    )
    actions = parser.add_subparsers(title="actions", metavar="<action>", dest="action", required=True)
    run_parser = actions.add_parser("run", help="run an engine until SIGTERM", description=RUN)
    run_parser.add_argument("app", metavar="APP", help="what defines the artifacts: path/to/file.py or module:name")
    run_parser.add_argument(
        "--checkpoint-seconds",
        type=seconds,
        default=DEFAULT_CHECKPOINT_SECONDS,
        metavar="N",
        help=f"how often a checkpoint is taken ({DEFAULT_CHECKPOINT_SECONDS:g})",
    )
    run_parser.add_argument(
        "--accept-change",
        action="append",
        default=[],
        metavar="ID",
        help="let the operators of an artifact differ from those that were saved; may be given several times",
    )
    run_parser.add_argument("--until-ended", action="store_true", help="end when all egresses have ended")
    actions.add_parser("status", help="show what is defined and stored", description=STATUS)
    upgrade = actions.add_parser("upgrade", help="show what a new release of APP would change", description=UPGRADE)
    upgrade.add_argument("app", metavar="APP", help="what registers the factories: path/to/file.py or module:name")
    upgrade.add_argument(
        "--dry-run", action="store_true", required=True, help="needed: the upgrade itself is done by engine run"
    )
    top = actions.add_parser("top", help="show what a running engine does", description=TOP)
    add_pace(top)
    for name, each in actions.choices.items():
        each.add_argument("--store", required=True, metavar="STORE", help=STORE_HELP)
        add_schema(each)
        each.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )
        if name != "run":
            each.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    if args.action == "run":
        return run_engine(args)
    if args.action == "top":
        return run_engine_top(args)
    if args.action == "upgrade":
        return rehearse_upgrade(args)
    store = opened_to_read(args.store, args.schema)
    try:
        return print_status(store, as_json=args.json)
    finally:
        store.close()


# --- run -------------------------------------------------------------------------------------------------------------


def run_engine(args: argparse.Namespace) -> int:
    """Run an engine until a signal comes, or all egresses have ended."""
    from reactivestreams.engine import Engine

    define = loaded_define(args.app)
    ends = threading.Event()
    before = {number: signal.signal(number, _ender(ends)) for number in (signal.SIGTERM, signal.SIGINT)}
    store = store_at(args.store, args.schema)
    engine = Engine(
        store,
        define=define,
        checkpoint_every=timedelta(seconds=args.checkpoint_seconds),
        accept_changes=args.accept_change,
    )
    live = LiveFile(args.store, args.schema)
    try:
        with engine:
            _say(f"running {len(engine.artifacts())} artifacts over {store!r}")
            while not ends.wait(0.05):
                _require_running(engine)
                live.write(engine)
                if args.until_ended and _has_ended(engine):
                    break
        _say(f"stopped after checkpoint {engine.last_checkpoint.number if engine.last_checkpoint else 0}")
    finally:
        live.delete()
        for number, handler in before.items():
            signal.signal(number, handler)
    return ExitStatus.SUCCESS


def loaded_define(app: str) -> Any:
    """Load the module of an application, which registers factories, and return what defines its artifacts."""
    from reactivestreams.cli.verification.loading import load

    loaded = load(app if ":" in Path(app).name else f"{app}:define")
    if not callable(loaded.value):
        raise UsageError(f"{app}: {loaded.name} cannot be called; give a function that gets the engine")
    return loaded.value


def _ender(ends: threading.Event) -> Any:
    def end(number: int, _frame: object) -> None:
        if ends.is_set():
            os._exit(128 + number)  # the last checkpoint is stored, and everything after it comes again
        ends.set()

    return end


def _has_ended(engine: "Engine") -> bool:
    return all(each.status == "ended" for each in engine.artifacts() if each.kind == "egress")


def _require_running(engine: "Engine") -> None:
    """Raise where the engine is faulted, so that whoever watches the process starts it again."""
    if engine.status.value == "faulted":
        from reactivestreams.engine import EngineStatusError

        errors = [f"{each.id}: {each.error}" for each in engine.artifacts() if each.error is not None]
        raise EngineStatusError(f"the engine is faulted: checkpoints could not be stored. {'; '.join(errors)}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- looking into a store ---------------------------------------------------------------------------------------------


def print_status(store: "Store", *, as_json: bool) -> int:
    """Print what is defined, and the last checkpoints."""
    facts = status_of(store)
    if as_json:
        print_json(facts)
        return ExitStatus.SUCCESS
    output = Output()
    output.table(
        ["artifact", "kind", "factory", "version", "state", "bytes"],
        [
            [
                each["id"],
                each["kind"],
                each["factory"],
                str(each["version"]),
                f"{each['checkpoint'] or '-'}",
                f"{each['bytes']:,}",
            ]
            for each in facts["artifacts"]
        ],
    )
    output.line()
    output.table(
        ["checkpoint", "kind", "stored", "bytes", "pause (ms)", "artifacts"],
        [
            [
                str(each["number"]),
                each["kind"],
                each["stored"],
                f"{each['bytes']:,}",
                f"{each['pause_microseconds'] / 1000:.1f}",
                str(len(each["artifacts"])),
            ]
            for each in facts["checkpoints"]
        ],
    )
    return ExitStatus.SUCCESS


def status_of(store: "Store") -> dict[str, Any]:
    """Return what is stored as plain data.

    Returns:
        `artifacts`, each with `id`, `kind`, `factory`, `version`, `arguments`, `into`, `checkpoint` (the number of the
        one that has its newest state, or None) and `bytes`; `checkpoints`, the last one first, each with `number`,
        `kind`, `stored` (the time), `bytes`, `pause_microseconds` and `artifacts`.
    """
    from reactivestreams.engine.artifact import decoded_arguments

    sizes = sizes_of(store)
    artifacts: list[dict[str, Any]] = []
    for each in store.definitions():
        arguments, into = decoded_arguments(each.arguments)
        number, size = sizes[each.id]
        artifacts.append(
            {
                "id": each.id,
                "kind": each.kind,
                "factory": each.factory,
                "version": each.factory_version,
                "arguments": {name: short_repr(value) for name, value in arguments.items()},
                "into": into,
                "checkpoint": number,
                "bytes": size,
            }
        )
    return {
        "artifacts": artifacts,
        "checkpoints": [
            {
                "number": each.number,
                "kind": each.kind,
                "stored": datetime.fromtimestamp(each.committed / 1e9, UTC).isoformat(timespec="milliseconds"),
                "bytes": each.size_bytes,
                "pause_microseconds": each.pause_microseconds,
                "artifacts": list(each.artifacts),
            }
            for each in store.checkpoints()
        ],
    }


# --- upgrade ----------------------------------------------------------------------------------------------------------


def rehearse_upgrade(args: argparse.Namespace) -> int:
    """Print what would become of each artifact with the factories of an application."""
    from reactivestreams.engine import Engine

    loaded_define(args.app)
    store = opened_to_read(args.store, args.schema)
    try:
        found = Engine(store, checkpoint_every=None).rehearse()
    finally:
        store.close()
    status = ExitStatus.SUCCESS if all(each.recovers for each in found) else ExitStatus.FAILURE
    facts = [
        {
            "id": each.artifact_id,
            "factory": each.factory,
            "stored_version": each.stored_version,
            "version": each.version or None,
            "outcome": each.outcome,
            "arguments": {name: short_repr(value) for name, value in each.before.items()},
            "new_arguments": {name: short_repr(value) for name, value in each.after.items()},
            "difference": each.difference,
            "error": None if each.error is None else f"{type(each.error).__name__}: {each.error}",
        }
        for each in found
    ]
    if args.json:
        print_json({"artifacts": facts})
        return status
    output = Output()
    output.table(
        ["artifact", "factory", "stored", "now", "outcome"],
        [
            [each.artifact_id, each.factory, str(each.stored_version), str(each.version or "-"), each.outcome]
            for each in found
        ],
    )
    for each in found:
        if each.before != each.after:
            output.line(f"{each.artifact_id}: its arguments {each.before} become {each.after}")
        for line in each.difference.splitlines():
            output.line(line, indent=2)
        if each.error is not None:
            output.line(f"{each.artifact_id}: {type(each.error).__name__}: {each.error}", style="red")
    return status
