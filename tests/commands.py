"""Commands that tests run to their end, in processes of their own."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def output_of(
    command: Sequence[str | Path], *, cwd: Path, environment: Mapping[str, str], timeout_seconds: float
) -> str:
    """Return what a command prints; fail with all that it said.

    Args:
        command: The program and its arguments; it gets no input.
        cwd: Where it runs.
        environment: All environment variables that it sees.
        timeout_seconds: How long it may take.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_seconds,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout
