"""The state in the store of an engine: listed, shown, compared, checked and exported, while an engine uses it, too."""

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json, short_repr
from reactivestreams.cli.usage_error import UsageError

if TYPE_CHECKING:
    from reactivestreams.engine import PostgresStore, SqliteStore, Store
    from reactivestreams.state import SavedRecord

__all__ = [
    "STORE_HELP",
    "add_schema",
    "diff",
    "export",
    "is_database",
    "list_states",
    "opened_to_read",
    "show",
    "sizes_of",
    "store_at",
    "verify",
]

STORE_HELP = "the SQLite file of an engine, or the postgresql:// URL of its database"
DEFAULT_SCHEMA = "reactivestreams"


def add_schema(parser: argparse.ArgumentParser) -> None:
    """Add the option for the schema of a store in PostgreSQL."""
    parser.add_argument(
        "--schema",
        default=DEFAULT_SCHEMA,
        metavar="NAME",
        help=f"the schema of a store in PostgreSQL ({DEFAULT_SCHEMA})",
    )


def is_database(place: str) -> bool:
    """Return whether a store is in PostgreSQL."""
    return place.startswith(("postgresql://", "postgres://"))


def store_at(place: str, schema: str) -> "SqliteStore | PostgresStore":
    """Return the store in a file or a database, not open."""
    from reactivestreams.engine import PostgresStore, SqliteStore

    return PostgresStore(place, schema=schema) if is_database(place) else SqliteStore(place)


def opened_to_read(place: str, schema: str) -> "Store":
    """Return the store in a file or a database, to be read."""
    if not is_database(place) and not Path(place).is_file():
        raise UsageError(f"there is no file {place}; give {STORE_HELP}")
    store = store_at(place, schema)
    store.open_to_read()
    return store


# --- ls ---------------------------------------------------------------------------------------------------------------


def list_states(args: argparse.Namespace) -> int:
    """Print what is defined, with the size of its newest state."""
    store = opened_to_read(args.place, args.schema)
    try:
        sizes = sizes_of(store)
        facts: list[dict[str, Any]] = [
            {
                "id": each.id,
                "kind": each.kind,
                "factory": each.factory,
                "version": each.factory_version,
                "checkpoint": sizes[each.id][0],
                "bytes": sizes[each.id][1],
                "prepared": [number for number, _ in store.prepared_of(each.id)],
            }
            for each in store.definitions()
        ]
    finally:
        store.close()
    if args.json:
        print_json({"artifacts": facts})
        return ExitStatus.SUCCESS
    Output().table(
        ["artifact", "kind", "factory", "version", "state", "bytes"],
        [
            [
                each["id"],
                each["kind"],
                each["factory"],
                str(each["version"]),
                str(each["checkpoint"] or "-"),
                f"{each['bytes']:,}",
            ]
            for each in facts
        ],
    )
    return ExitStatus.SUCCESS


def sizes_of(store: "Store") -> dict[str, tuple[int | None, int]]:
    """Return for each artifact the checkpoint with its newest state, or None, and the bytes of it and its tables."""
    sizes = store.state_sizes()
    found: dict[str, tuple[int | None, int]] = {}
    for each in store.definitions():
        number, size = sizes.get(each.id, (None, 0))
        found[each.id] = number, size + sum(of_table for _, of_table in store.table_sizes(each.id).values())
    return found


# --- show -------------------------------------------------------------------------------------------------------------


def show(args: argparse.Namespace) -> int:
    """Print the state of an artifact: a record for each operator."""
    store = opened_to_read(args.place, args.schema)
    try:
        if args.artifact is None:
            raise UsageError(f"give the id of an artifact, too; there are {_known(store)}")
        _require_artifact(store, args.artifact)
        number = _checkpoint(store, args.checkpoint)
        records = records_of(store, args.artifact, number)
    finally:
        store.close()
    if args.json:
        print_json({"artifact": args.artifact, "checkpoint": number, "records": records})
        return ExitStatus.SUCCESS
    Output().table(
        ["operator", "version", "fields"],
        [[each["operator"], each["version"], ", ".join(each["fields"])] for each in records],
    )
    return ExitStatus.SUCCESS


def records_of(store: "Store", artifact_id: str, number: int | None) -> list[dict[str, Any]]:
    """Return the records of a state, each with `operator`, `version` and `fields`, which are texts."""
    return [
        {
            "operator": record.operator or "the end of the stream",
            "version": ".".join(map(str, record.version)),
            "fields": [short_repr(field) for field in record.fields],
        }
        for record in saved(store, artifact_id, number)
    ]


def saved(store: "Store", artifact_id: str, number: int | None) -> "tuple[SavedRecord, ...]":
    """Return the records of a state, with the tables of its operators."""
    from reactivestreams.state import saved_records

    return saved_records(
        store.state_of(artifact_id, number) or b"",
        tables=store.table_sizes(artifact_id),
        read_table=lambda name, after, most: store.read_table(artifact_id, name, after, most, number),
    )


def _known(store: "Store") -> str:
    return ", ".join(each.id for each in store.definitions()) or "none"


def _require_artifact(store: "Store", artifact_id: str) -> None:
    if artifact_id not in (each.id for each in store.definitions()):
        raise UsageError(f"there is no artifact {artifact_id!r}; there are {_known(store)}")


def _checkpoint(store: "Store", number: int | None) -> int | None:
    """Return the number of a checkpoint that can be read; None: of none."""
    numbers = [each.number for each in store.checkpoints()]
    if number is None:
        return numbers[0] if numbers else None
    if number not in numbers:
        raise UsageError(f"checkpoint {number} is not kept; there are {', '.join(map(str, numbers)) or 'none'}")
    return number


# --- diff -------------------------------------------------------------------------------------------------------------


def diff(args: argparse.Namespace) -> int:
    """Print what differs between two checkpoints of a store, or between the last ones of two stores."""
    store = opened_to_read(args.place, args.schema)
    other = store if args.other is None else opened_to_read(args.other, args.schema)
    try:
        numbers = [each.number for each in store.checkpoints()]
        if args.other is None and args.before is None and len(numbers) < 2:
            raise UsageError(f"{args.place} has {len(numbers)} checkpoints; give another store to compare it with")
        before = _checkpoint(store, numbers[1] if args.other is None and args.before is None else args.before)
        after = _checkpoint(other, args.after)
        ids = dict.fromkeys(each.id for each in [*store.definitions(), *other.definitions()])
        found = [
            each
            for artifact_id in ids
            for each in _differences(
                artifact_id, records_of(store, artifact_id, before), records_of(other, artifact_id, after)
            )
        ]
    finally:
        store.close()
        other.close()
    if args.json:
        print_json({"before": before, "after": after, "differences": found})
        return ExitStatus.SUCCESS
    output = Output()
    output.line(f"from checkpoint {before or '-'} to checkpoint {after or '-'}: {len(found)} differences")
    if found:
        output.table(
            ["artifact", "operator", "field", "before", "after"],
            [
                [each["artifact"], each["operator"], str(each["field"]), each["before"] or "-", each["after"] or "-"]
                for each in found
            ],
        )
    return ExitStatus.SUCCESS


def _differences(
    artifact_id: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for place, (one, other) in enumerate(zip_longest(before, after)):
        operator = (one or other or {})["operator"]
        if one is not None and other is not None and one["operator"] != other["operator"]:
            operator = f"{one['operator']} -> {other['operator']}"
        left: list[str] = [] if one is None else one["fields"]
        right: list[str] = [] if other is None else other["fields"]
        for field, (old, new) in enumerate(zip_longest(left, right)):
            if old != new:
                yield {
                    "artifact": artifact_id,
                    "operator": operator,
                    "record": place,
                    "field": field,
                    "before": old,
                    "after": new,
                }


# --- verify -----------------------------------------------------------------------------------------------------------


def verify(args: argparse.Namespace) -> int:
    """Print what is damaged."""
    store = opened_to_read(args.place, args.schema)
    try:
        findings = [*store.verify(), *_damaged(store)]
    finally:
        store.close()
    if args.json:
        print_json({"findings": findings})
    else:
        output = Output()
        for finding in findings:
            output.line(finding, style="red")
        output.line(f"{len(findings)} findings" if findings else "nothing is damaged")
    return ExitStatus.FAILURE if findings else ExitStatus.SUCCESS


def _damaged(store: "Store") -> list[str]:
    """Return which stored states and definitions cannot be read, in words."""
    from reactivestreams.engine.artifact import decoded_arguments
    from reactivestreams.engine.state_codec import DEFAULT_CODEC
    from reactivestreams.errors import StateError

    found: list[str] = []
    for each in store.definitions():
        try:
            decoded_arguments(each.arguments)
        except StateError as error:
            found.append(f"the definition of {each.id}: {error}")
        state = store.state_of(each.id)
        if state is not None:
            try:
                DEFAULT_CODEC.reader(state)
            except StateError as error:
                found.append(f"the state of {each.id}: {error}")
        for name in store.table_sizes(each.id):
            found += _damaged_rows(store, each.id, name)
    return found


def _damaged_rows(store: "Store", artifact_id: str, name: str) -> Iterator[str]:
    from reactivestreams.state import is_sound_row

    last = -1
    while rows := store.read_table(artifact_id, name, last, 10_000):
        for number, data in rows:
            if not is_sound_row(number, data):
                yield f"the state of {artifact_id}: row {number} of its table {name} does not have its checksum"
        last = rows[-1][0]


# --- export -----------------------------------------------------------------------------------------------------------

COLUMNS = ("artifact", "kind", "checkpoint", "record", "operator", "version", "field", "value")


def export(args: argparse.Namespace) -> int:
    """Write all states as rows, one for each field of each operator."""
    store = opened_to_read(args.place, args.schema)
    try:
        rows = list(_rows(store, _checkpoint(store, args.checkpoint)))
    finally:
        store.close()
    if args.format == "arrow":
        _write_arrow(args.out, rows)
    elif args.out is None:
        _write_lines(sys.stdout, rows)
    else:
        with Path(args.out).open("w", encoding="utf-8") as file:
            _write_lines(file, rows)
    return ExitStatus.SUCCESS


def _rows(store: "Store", number: int | None) -> Iterator[dict[str, Any]]:
    for each in store.definitions():
        for place, record in enumerate(saved(store, each.id, number)):
            version = ".".join(map(str, record.version))
            for field, value in enumerate(record.fields):
                values = (each.id, each.kind, number, place, record.operator, version, field, plain(value))
                yield dict(zip(COLUMNS, values, strict=True))


def plain(value: Any) -> Any:
    """Return a value as JSON has it; what JSON has not, and keys that are no texts, as the text of `repr`."""
    kind: type[Any] = value.__class__
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if issubclass(kind, list | tuple):
        return [plain(each) for each in value]
    if issubclass(kind, dict):
        return {key if isinstance(key, str) else repr(key): plain(each) for key, each in value.items()}
    return repr(value)


def _write_lines(file: TextIO, rows: list[dict[str, Any]]) -> None:
    file.writelines(json.dumps(row) + "\n" for row in rows)


def _write_arrow(path: str | None, rows: list[dict[str, Any]]) -> None:
    if path is None:
        raise UsageError("--format arrow writes a file; give its name with --out FILE")
    try:
        import pyarrow as pa
    except ImportError:
        raise UsageError("--format arrow needs pyarrow; install reactive-streams-core[arrow]") from None
    kinds: dict[str, Any] = {"checkpoint": pa.int64(), "record": pa.int64(), "field": pa.int64()}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    table = pa.Table.from_pylist([{**row, "value": json.dumps(row["value"])} for row in rows], schema=schema)
    with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        writer.write_table(table)
