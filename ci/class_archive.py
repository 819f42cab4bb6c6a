"""Keeps the classes that Spark's JVM loads in an archive, from which the JVMs of tests start with half the work.

Java checks the archive: with other jars, or another Java, it loads the classes as ever. Prints the options for
SPARK_SUBMIT_OPTS, and nothing where Spark cannot run. Usage: class_archive.py FOLDER
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"


class Numbers:
    """A replayable factory of rows for the queries below."""

    def __call__(self, offset):
        return ((number, number % 3) for number in range(offset, 40))


def load_classes() -> None:
    """Run queries of all kinds in a session with a Connect server, whose JVM writes the archive when it ends."""
    from pyspark import SparkContext

    from reactivestreams import Stream, pipeline, spark

    session = spark.session("local[2]", fast=True, connect=True)
    process = SparkContext._gateway.proc
    counts = pipeline().key_by(lambda row: row[1]).scan(lambda count, row: (row[1], count[1] + 1), ("", 0))
    with tempfile.TemporaryDirectory() as folder:
        session.range(10).selectExpr("id", "id % 3 AS key").write.parquet(f"{folder}/rows")
        rows = session.read.parquet(f"{folder}/rows")
        rows.groupBy("key").count().orderBy("key").toArrow()
        spark.apply(pipeline().filter(bool), rows).toArrow()
        spark.to_dataframe(Stream.range(0, 40).map(lambda number: (number, number % 3)), "id long, key long").toArrow()
        for name, work in {"stateless": pipeline().map(tuple), "keyed": counts}.items():
            source = spark.to_streaming_dataframe(Numbers(), "id long, key long", max_rows=10)
            schema = "id long, key long" if name == "stateless" else "key long, count long"
            result = spark.apply(work, source, schema=schema)
            checkpoint = f"{folder}/{name}-checkpoint"
            query = spark.to_path(result, f"{folder}/{name}", checkpoint=checkpoint, trigger="available_now")
            assert query.await_end(60)
            session.read.parquet(f"{folder}/{name}").toArrow()
    session.stop()
    process.stdin.close()
    process.wait()


def main(folder: Path) -> None:
    try:
        import pyspark

        from reactivestreams.spark import JavaNotFoundError, find_java
    except ImportError:
        return
    try:
        java = find_java()
    except JavaNotFoundError:
        return
    jars = Path(pyspark.__file__).parent / "jars"
    used = f"{java.home} {java.version} {jars} {jars.stat().st_mtime_ns}"
    archive = folder / f"spark-{hashlib.sha256(used.encode()).hexdigest()[:16]}.jsa"
    if not archive.exists():
        shutil.rmtree(folder, ignore_errors=True)  # those for what is not used any more
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=folder) as made:
            whole = Path(made, archive.name)
            subprocess.run(
                [sys.executable, __file__, "--load"],
                env={**os.environ, "SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={whole} {QUIET}"},
                stdout=subprocess.DEVNULL,
                check=True,
                timeout=300,
            )
            whole.rename(archive)
    print(f"-XX:SharedArchiveFile={archive} {QUIET}")


if __name__ == "__main__":
    if sys.argv[1] == "--load":
        load_classes()
    else:
        main(Path(sys.argv[1]).resolve())
