"""Programs that answer as `java -version` does, whatever version a test wants."""

import shlex
from pathlib import Path

from reactivestreams.spark.sessions.java import DROPPED_ARGUMENT


def make_java(home: Path, version: str, *, has_vector_module: bool = True, status: int = 0) -> Path:
    """Make a program that answers as `java -version` does and return its home."""
    refusal = (
        "" if has_vector_module else f'case "$1" in {DROPPED_ARGUMENT}) echo "module not found" >&2; exit 1;; esac\n'
    )
    answer = f"    java.home = {home}\n    java.specification.version = {version}\n"
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{refusal}printf %s {shlex.quote(answer)} >&2\nexit {status}\n")
    program.chmod(0o755)
    return home
