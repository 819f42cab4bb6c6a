"""Functions of test modules run in a Python process of their own, with a Spark session of another kind.

PySpark keeps one kind of session a process: a test that needs executors of their own or Spark Connect cannot use the
process of the fixture `spark`. Three ways:

* The fixtures `cluster` (`local-cluster[2,1,1024]`) and `connect` (a local Connect server) are processes that live as
  long as the run and keep one session: `cluster.run(function, *arguments)`. A call costs no start of a JVM.
* `run_in_process(function, *arguments, kind="local")` starts a process for this one call, for tests that end in a kill
  or that change what a process is.
* `SparkProcess(kind)` is the process itself, a context manager, where several calls or its `pid` are needed.

A function is one of a module below `tests`, at its top level: `def count(spark, rows)`. It gets the session (`None`
for `kind="none"`) and then the arguments. Arguments and result are what JSON can say; tuples come back as lists. What
it prints goes to standard error. A failure, a time-out or an end of the process raises `ProcessFailureError`, which
shows the traceback there and the last lines of its standard error. After a time-out the process is killed.
"""

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120.0
START_TIMEOUT_SECONDS = 180.0
STOP_TIMEOUT_SECONDS = 30.0
SHOWN_CHARACTERS = 6000

CONFIG = {"spark.sql.session.timeZone": "Europe/Berlin"}
SESSIONS: Mapping[str, Mapping[str, Any]] = {
    "local": {"master": "local[2]", "fast": True, "config": CONFIG},
    "cluster": {
        "master": "local-cluster[2,1,1024]",
        "fast": True,
        "config": {**CONFIG, "spark.driver.memory": "1g", "spark.executor.memory": "1g"},
    },
    "connect": {"master": "local[2]", "connect": True, "fast": True, "config": CONFIG},
}
"""Arguments of `reactivestreams.spark.session` by the name of the kind; `none` starts no session."""

STANDALONE = "standalone"
"""The kind whose arguments are given, as they depend on a cluster."""


class ProcessFailureError(AssertionError):
    """A function failed in its process, or the process did."""


class SparkProcess:
    """A Python process with a Spark session that runs functions of test modules, one after the other.

    Args:
        kind: `"local"`, `"cluster"`, `"connect"`, `"standalone"` or `"none"`.
        environment: Variables to set in the process, or with None to remove.
        executable: The interpreter.
        session: Arguments of `reactivestreams.spark.session`, for `"standalone"`.
        within: The beginning of a command that runs the interpreter elsewhere.
    """

    def __init__(
        self,
        kind: str,
        *,
        environment: Mapping[str, str | None] | None = None,
        executable: str = sys.executable,
        session: Mapping[str, Any] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        if kind not in (*SESSIONS, STANDALONE, "none"):
            raise ValueError(f"kind is one of {(*SESSIONS, STANDALONE, 'none')}, got {kind!r}")
        arguments = {} if kind == "none" else session or SESSIONS[kind]
        self.kind = kind
        beside = filter(None, (os.environ.get("PYTHONPATH"),))  # another version of PySpark, in a test of packaging
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT), *beside))}
        variables.pop("SPARK_CONNECT_MODE_ENABLED", None)
        for name, value in (environment or {}).items():
            variables.pop(name, None)
            if value is not None:
                variables[name] = value
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by close()
        self._process = subprocess.Popen(
            [*within, executable, "-m", "tests.spark.in_process", json.dumps(arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=variables,
            cwd=ROOT,
            start_new_session=True,
        )
        self._is_started = False

    @property
    def pid(self) -> int:
        """Number of the Python process; its JVM and workers are in the same process group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def run(self, function: Callable[..., Any], *arguments: Any, timeout_seconds: float = TIMEOUT_SECONDS) -> Any:
        """Run `function(session, *arguments)` there and return its result."""
        if not self._is_started:
            self._answer(time.monotonic() + START_TIMEOUT_SECONDS, "the start of the session")
            self._is_started = True
        assert self._process.stdin is not None
        request = {"module": function.__module__, "function": function.__qualname__, "arguments": arguments}
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ProcessFailureError(f"the {self.kind} process has ended{self.errors()}") from None
        return self._answer(time.monotonic() + timeout_seconds, function.__qualname__)

    def kill(self) -> None:
        """Kill the Python process alone, with SIGKILL, and wait for its end; its JVM notices by itself."""
        self._process.kill()
        self._process.wait(STOP_TIMEOUT_SECONDS)

    def close(self) -> None:
        """Stop the session, end the process, and kill what is left of its process group."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_TIMEOUT_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait(STOP_TIMEOUT_SECONDS)
        self._process.stdout.close()
        self._errors.close()

    def errors(self) -> str:
        """Return the last lines of the process's standard error, for a message."""
        self._errors.seek(0)
        text = self._errors.read().decode(errors="replace")[-SHOWN_CHARACTERS:].strip()
        return f"\n--- standard error of the {self.kind} process\n{text}" if text else ""

    def _answer(self, deadline: float, subject: str) -> Any:
        line = b""
        assert self._process.stdout is not None
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                os.killpg(self.pid, signal.SIGKILL)
                raise ProcessFailureError(f"{subject} took too long in the {self.kind} process{self.errors()}")
            part = os.read(self._process.stdout.fileno(), 1 << 16)
            if not part:
                status = self._process.wait(STOP_TIMEOUT_SECONDS)
                raise ProcessFailureError(f"{subject} ended the {self.kind} process, status {status}{self.errors()}")
            line += part
        answer = json.loads(line)
        if "traceback" in answer:
            raise ProcessFailureError(
                f"{subject} failed in the {self.kind} process\n{answer['traceback']}{self.errors()}"
            )
        return answer["result"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_in_process(
    function: Callable[..., Any],
    *arguments: Any,
    kind: str = "local",
    timeout_seconds: float = TIMEOUT_SECONDS,
    environment: Mapping[str, str | None] | None = None,
) -> Any:
    """Run `function(session, *arguments)` in a process of its own, end the process, and return the result."""
    with SparkProcess(kind, environment=environment) as process:
        return process.run(function, *arguments, timeout_seconds=timeout_seconds)


def serve(arguments: Mapping[str, Any]) -> None:
    """Answer requests on standard input until it ends: the other side of `SparkProcess`.

    Args:
        arguments: Arguments of the session; empty for none.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(work: Callable[[], Any]) -> bool:
        try:
            text = json.dumps({"result": work()})
        except BaseException:
            text = json.dumps({"traceback": traceback.format_exc()})
        answers.write(text + "\n")
        answers.flush()
        return "result" in json.loads(text)

    session: Any = None

    def start() -> None:
        nonlocal session
        if arguments:
            from reactivestreams.spark import session as start_session

            session = start_session(**arguments)

    if not answer(start):
        return
    for line in sys.stdin:
        request = json.loads(line)

        def call(request: Any = request) -> Any:
            value: Any = importlib.import_module(request["module"])
            for name in request["function"].split("."):
                value = getattr(value, name)
            return value(session, *request["arguments"])

        answer(call)
    if session is not None:
        session.stop()


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))
