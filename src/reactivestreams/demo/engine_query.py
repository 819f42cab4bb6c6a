"""The engine of the demo, as a separate program, so that it can be killed.

`python -m reactivestreams.demo.engine_query SETTINGS`, where SETTINGS is JSON: the fields of `EngineSettings`.
"""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.demo.flights_parsing import Row
from reactivestreams.demo.flights_pipeline import RESULT_COLUMNS, OnCorrupt, Thresholds, flights_pipeline
from reactivestreams.engine import AppendedFile, BuildContext, Engine, FactoryRegistry, SqliteStore, SqliteTable

__all__ = ["RESULTS_TABLE", "ROWS_FILE", "STORE_FILE", "EngineSettings", "line_of", "main", "row_of"]

ROWS_FILE = "rows.txt"
STORE_FILE = "state.db"
RESULTS_TABLE = "results"

CHECKPOINT_INTERVAL = timedelta(milliseconds=100)

REPORT_SECONDS = 0.005
"""After how long the program prints again how many rows it has handled."""

MAX_LINE_BYTES = 2**30
"""How long a row may be: a longer one than a flight is the pipeline's to reject."""


@dataclass(frozen=True)
class EngineSettings:
    """The settings of one process.

    Attributes:
        folder: Contains the rows and the store, with the results.
        on_corrupt: As for `flights_pipeline`.
        thresholds: As for `flights_pipeline`.
        hold_at: After how many rows no more are read, so that the process waits to be killed; None: it reads all.
    """

    folder: str
    on_corrupt: OnCorrupt
    thresholds: tuple[int, int, int]
    hold_at: int | None

    def text(self) -> str:
        """Return the settings as the argument of the program."""
        return json.dumps(asdict(self))


def line_of(row: Row) -> str:
    """Return a row as a line of the file of rows."""
    number, scheduled, line = row
    return f"{number},{scheduled},{line}\n"


def row_of(line: str) -> Row:
    """Return the row of a line."""
    number, scheduled, rest = line.split(",", 2)
    return int(number), scheduled, rest


class HeldFile(AppendedFile):
    """Send the lines of a file, and none after a certain number of them; None: all."""

    def __init__(self, path: str, hold_at: int | None) -> None:
        super().__init__(path, follow=False, max_line_bytes=MAX_LINE_BYTES)
        self._left = hold_at

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after a position."""
        super().open(position, bookmark)
        if self._left is not None:
            self._left -= position

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next lines, or none yet: the process waits to be killed."""
        if self._left is None:
            return super().read(max_elements)
        if self._left <= 0:
            return []
        lines = super().read(min(max_elements, self._left)) or []
        self._left -= len(lines)
        return lines


def factories_of(hold_at: int | None) -> FactoryRegistry:
    """Return what builds the artifacts."""
    registry = FactoryRegistry()

    @registry.register("flights/rows")
    def rows(engine: BuildContext, *, path: str) -> HeldFile:
        return HeldFile(path, hold_at)

    @registry.register("flights/table")
    def table(engine: BuildContext) -> SqliteTable:
        return SqliteTable(RESULTS_TABLE, RESULT_COLUMNS)

    @registry.register("flights/delays")
    def delays(engine: BuildContext, *, rows: str, on_corrupt: OnCorrupt, thresholds: list[int]) -> Any:
        pipeline = flights_pipeline(on_corrupt=on_corrupt, thresholds=Thresholds(*thresholds))
        return engine.stream(rows).map(row_of).through(pipeline)

    return registry


def main(arguments: Sequence[str]) -> int:
    """Run the engine until the results of all rows are stored.

    It prints how many rows it has handled: first where it continues, before anything flows, then every few
    milliseconds.
    """
    settings = EngineSettings(**json.loads(arguments[0]))
    folder = Path(settings.folder)

    def define(engine: Engine) -> None:
        engine.define("rows", "flights/rows", path=str(folder / ROWS_FILE))
        engine.define("table", "flights/table")
        engine.define(
            "delays",
            "flights/delays",
            into="table",
            rows="rows",
            on_corrupt=settings.on_corrupt,
            thresholds=list(settings.thresholds),
        )
        tell(handled(engine))

    with Engine(
        SqliteStore(folder / STORE_FILE),
        define=define,
        registry=factories_of(settings.hold_at),
        checkpoint_every=CHECKPOINT_INTERVAL,
    ) as engine:
        while engine.find("table").status == "running":
            tell(handled(engine))
            time.sleep(REPORT_SECONDS)
            for artifact in engine.artifacts():
                if artifact.status == "failed":
                    raise artifact.error or RuntimeError(f"{artifact.id} failed; run the demo again")
        tell(handled(engine))
        failure = engine.find("table").node.error
        if failure is not None:
            raise failure
    return 0


def handled(engine: Engine) -> int:
    """Return how many rows have come to the query, in all processes."""
    figures = next(each.figures for each in engine.statistics().artifacts if each.id == "rows")
    return (figures.elements or 0) - (figures.waiting or 0)


def tell(rows: int) -> None:
    """Print a number for the process that started this one."""
    sys.stdout.write(f"{rows}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
