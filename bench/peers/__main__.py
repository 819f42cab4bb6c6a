"""Sets tasks to this library and to others, and prints what an element costs in each: python -m bench.peers.

A library that is not installed is left out, and said to be. The exit status is 0 also where a bar is missed: a busy
machine must not break a build.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.conditions import conditions, wrong_profile
from bench.interleaved import LEAST_ROUNDS
from bench.peers import by_hand, memory
from bench.peers.libraries import BY_HAND, OURS, Library, family, installed, names
from bench.peers.picture import DRAWN, draw
from bench.peers.tasks import TASKS, TIMES
from bench.table import NOT_RELEASE, PICTURES, Result, print_table, results_of, show_progress

ROUNDS = 9
PARTS = ("tasks", "memory", "operators")


def tasks(libraries: list[Library], rounds: int) -> list[dict[str, Any]]:
    """Measure the tasks; return for each the nanoseconds of an element by library, and how ours compare."""
    families = [family(task, libraries) for task in TASKS]
    measured = {result.row.case.name: result for result in results_of(families, rounds, show_progress)}
    found = []
    for task in TASKS:
        mine = measured[f"{task.title}: {OURS}"]
        of_others = {
            library.name: result.nanoseconds
            for library in libraries
            if (result := measured.get(f"{task.title}: {library.name}")) is not None
        }
        found.append(
            mine.as_json() | {"task": task.title, "nanoseconds": {BY_HAND: mine.baseline_nanoseconds} | of_others}
        )
    return found


def ahead(libraries: list[Library]) -> list[dict[str, Any]]:
    """Measure how far the source of each library runs ahead."""
    ways: list[tuple[str, str, memory.RunAhead]] = [(BY_HAND, by_hand.AHEAD, by_hand.run_ahead)]
    ways += [(library.name, library.ahead, library.run_ahead) for library in libraries]
    rows = []
    for name, way, run in ways:
        elements = memory.ahead(run)
        rows.append({"library": name, "way": way, "elements": elements, "is_bounded": memory.is_bounded(elements)})
    return rows


def print_tasks(found: Sequence[Mapping[str, Any]], libraries: Sequence[Library]) -> None:
    """Print a line for each task, and a column for each library."""
    columns = [BY_HAND, *(library.name for library in libraries)]
    print_plain(
        ["ns of an element", *columns, "ratio", "bar", "verdict"],
        [
            [
                task["task"],
                *(f"{task['nanoseconds'][name]:,.0f}" if name in task["nanoseconds"] else "-" for name in columns),
                f"{task['ratio_of_minima']:.2f}",
                f"<= {task['bar']['at_most']:g}{' ns' if task['bar']['unit'] == 'ns' else ''}",
                task["verdict"],
            ]
            for task in found
        ],
    )


def print_memory(found: Sequence[Mapping[str, Any]]) -> None:
    """Print how far the sources run ahead."""
    rows = [(f"{row['library']}: {row['way']}", f"{row['elements']:,}", row["is_bounded"]) for row in found]
    print_plain(
        [f"elements of {memory.ELEMENT_BYTES} bytes, made ahead of a consumer that has stopped", "elements", ""],
        [[way, elements, "" if is_bounded else "no bound"] for way, elements, is_bounded in rows],
    )


def operators(rounds: int) -> list[Result]:
    """Measure each operator beside that of reactivex."""
    from bench.peers.operators import families  # where reactivex is installed

    with families() as found:
        return results_of(found, rounds, show_progress)


def print_plain(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, the first column to the left and the others to the right."""
    widths = [max(len(line[column]) for line in (headings, *rows)) for column in range(len(headings))]
    for line in (headings, *rows):
        first, *others = (f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        print("  ".join([f"{first.strip():<{widths[0]}}", *others]))
    print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="Compare with other libraries.")
    parser.add_argument("parts", nargs="*", help=f"what to measure, all by default: {', '.join(PARTS)}")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"how often each case runs, from {LEAST_ROUNDS} (default {ROUNDS})"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the figures as JSON, too")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw them, too: a file .svg, .png or .pdf")
    options = parser.parse_args(arguments)
    parts = options.parts or [*PARTS]
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]!r}; take {', '.join(PARTS)}")
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds {options.rounds} is too few; take {LEAST_ROUNDS} or more")
    if options.picture is not None and options.picture.suffix not in PICTURES:
        parser.error(f"--picture {options.picture} is of no known kind; take one of {', '.join(PICTURES)}")
    if options.picture is not None and find_spec("matplotlib") is None:
        parser.error("--picture needs matplotlib, which is not installed; install the group peers")
    if options.picture is not None and not {*parts} & {*DRAWN}:
        parser.error(f"--picture draws {' and '.join(DRAWN)}; measure one of them")
    refusal = wrong_profile()
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return NOT_RELEASE
    libraries = installed()
    versions = {library.name: library.version for library in libraries}
    run: dict[str, Any] = {
        "conditions": conditions(),
        "libraries": {name: versions.get(name) for name in names()},
        "rounds": options.rounds,
        "tasks": [],
        "memory": [],
        "operators": [],
    }
    if "tasks" in parts:
        run["tasks"] = tasks(libraries, options.rounds)
        print_tasks(run["tasks"], libraries)
    if "memory" in parts:
        run["memory"] = ahead(libraries)
        print_memory(run["memory"])
    if "operators" in parts and "reactivex" in versions:
        measured = operators(options.rounds)
        run["operators"] = [result.as_json() for result in measured]
        print_table(measured)
        slower = [result.row.case.name for result in measured if result.verdict == "missed"]
        print(f"not {TIMES} times as fast as in reactivex: {', '.join(slower) or 'none'}")
        print()
    for name, of in run["libraries"].items():
        print(f"{name}: {of or 'not installed'}")
    for name, value in run["conditions"].items():
        print(f"{name}: {value}")
    if options.save is not None:
        options.save.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    if options.picture is not None:
        draw(run, options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
