"""A query that survives: counts the flights of each airport, is killed, and goes on where it was.

The first process is killed with kill -9 in the middle of its work. The second one gets the state and the results of the
last checkpoint from the file `state.db`, reads the log from there on, and ends with the numbers of a run that nobody
interrupted.

Prints:
    killed, and started again
    [('LHR', 10000), ('ORD', 10000), ('SFO', 10000)]
"""

import multiprocessing
import os
import signal
import sqlite3
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.engine import AppendedFile, BuildContext, Engine, SqliteStore, SqliteTable, factories


@factories.register("example/flights")
def flights(engine: BuildContext, *, path: str) -> AppendedFile:
    return AppendedFile(path, follow=False)


@factories.register("example/table")
def table(engine: BuildContext) -> SqliteTable:
    return SqliteTable("flights", ["airport", "count"], key=["airport"])


@factories.register("example/counts")
def counts(engine: BuildContext, *, flights: str) -> Any:
    def counted(before: tuple[str, int], airport: str) -> tuple[str, int]:
        return airport, before[1] + 1

    return engine.stream(flights).key_by(str).scan(counted, ("", 0))


def define(engine: Engine) -> None:
    engine.define("flights", flights, path="flights.log")
    engine.define("table", table)
    engine.define("counts", counts, flights="flights", into="table")


def run() -> None:
    store = SqliteStore("state.db")
    with Engine(store, define=define, checkpoint_every=timedelta(milliseconds=5)) as engine:
        while engine.find("table").status != "ended":
            time.sleep(0.01)


def run_slowly() -> None:
    def die(step: str) -> None:
        if step == "acknowledged":
            os.kill(os.getpid(), signal.SIGKILL)

    Engine(SqliteStore("state.db"), define=define, checkpoint_every=timedelta(milliseconds=1), on_step=die).start()
    time.sleep(60)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("flights.log").write_text("LHR\nORD\nSFO\n" * 10_000)
        process = multiprocessing.get_context("spawn").Process(target=run_slowly)
        process.start()
        process.join()
        print("killed, and started again" if process.exitcode == -signal.SIGKILL else process.exitcode)
        run()
        connection = sqlite3.connect("state.db")
        print(connection.execute("SELECT * FROM flights ORDER BY airport").fetchall())
        connection.close()
        os.chdir("/")
