"""The settings of the test run (conftest.py) do what they say: each is tried by a run of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PARTS, Depth, chosen_parts

CONFTEST = Path(__file__).with_name("conftest.py")


def run_pytest(folder: Path, source: str, *, by: tuple[str, ...] = (), **environment: str) -> list[str]:
    """Return the lines that pytest prints for one file of tests under our conftest."""
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n    slow: as in ours\n    smoke: too\n    spark: too\n", encoding="utf-8"
    )
    (folder / "test_subject.py").write_text(source, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RS_TEST_", "PYTEST_"))}
    run = subprocess.run(
        [*by, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", str(folder)],
        env={**kept, **environment},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return run.stdout.splitlines()


LEAKS = """
import threading

import pytest

stop = threading.Event()

@pytest.fixture(autouse=True, scope="module")
def ended_at_last(pytestconfig):
    for plugin in pytestconfig.pluginmanager.get_plugins():
        if hasattr(plugin, "THREAD_EXIT_SECONDS"):
            plugin.THREAD_EXIT_SECONDS = 0.01
    yield
    stop.set()

@pytest.mark.parametrize(("name", "daemon"), [("stray", False), ("reactivestreams-stray", True), ("daemon", True)])
def test_leaves(name, daemon):
    threading.Thread(target=stop.wait, args=(30,), name=name, daemon=daemon).start()
"""


@pytest.mark.slow
def test_thread_left_behind_fails_its_test(tmp_path: Path) -> None:
    lines = run_pytest(tmp_path, LEAKS)
    reported = [line for line in lines if line.startswith("E  ") and "the test left threads behind" in line]
    assert [line.split("behind: ")[1].split(";")[0] for line in reported] == ["['stray']", "['reactivestreams-stray']"]
    assert "3 passed, 2 errors" in lines[-1]


@pytest.mark.slow
def test_last_lines_say_what_was_sampled_and_the_result(tmp_path: Path) -> None:
    lines = run_pytest(tmp_path, "def test_nothing(): pass", RS_TEST_DEPTH="full", RS_TEST_SEED="7")
    assert lines[-2].startswith("depth full: 500 examples a property, RS_TEST_SEED=7;")
    assert "1 passed" in lines[-1]


@pytest.mark.slow
def test_another_build_than_was_asked_for_stops_the_run(tmp_path: Path) -> None:
    lines = run_pytest(tmp_path, "def test_nothing(): pass", RS_TEST_PROFILE="profile")
    assert any("the tests of the profile build were asked for, but the " in line for line in lines)
    assert not any("1 passed" in line for line in lines)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"RS_TEST_DEPTH": "deep"}, "RS_TEST_DEPTH='deep' is no depth; take one of gate, full, night"),
        ({"RS_TEST_SEED": "-1"}, "RS_TEST_SEED='-1' is no seed; take a whole number >= 0"),
    ],
)
def test_setting_that_says_nothing_is_refused(environment: dict[str, str], message: str) -> None:
    with pytest.raises(pytest.UsageError) as raised:
        Depth.chosen(environment)
    assert str(raised.value) == message


def test_gate_seed_is_fixed_and_others_are_fresh() -> None:
    assert Depth.chosen({}) == Depth.chosen({"RS_TEST_DEPTH": "gate"})
    assert Depth.chosen({"RS_TEST_DEPTH": "full"}).seed != Depth.chosen({"RS_TEST_DEPTH": "full"}).seed


def test_sample_takes_all_of_few_and_the_ends_of_many() -> None:
    assert Depth("gate", 1).sample(list(range(50))) == list(range(50))
    sampled = Depth("gate", 1).sample(list(range(1000)))
    assert (len(sampled), sampled[0], sampled[-1]) == (50, 0, 999)
    assert sampled == sorted(set(sampled))
    assert sampled == Depth("gate", 1).sample(list(range(1000)))
    assert sampled != Depth("gate", 2).sample(list(range(1000)))


OF_EACH_KIND = """
import pytest

def test_quick(): pass

@pytest.mark.slow
def test_slow(): pass

@pytest.mark.spark
def test_spark(): pass

@pytest.mark.smoke
@pytest.mark.spark
def test_smoke(): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "result"),
    [
        ("quick", "2 passed, 2 deselected"),
        ("spark", "1 passed, 3 deselected"),
        ("core spark", "2 passed, 2 deselected"),
        ("kit", "4 deselected"),
        ("", "4 passed"),
    ],
)
def test_parts_choose_tests(tmp_path: Path, parts: str, result: str) -> None:
    assert result in run_pytest(tmp_path, OF_EACH_KIND, RS_TEST_PARTS=parts)[-1]


SEES_NO_PARTS = """
import os

def test_environment_of_programs_that_a_test_runs():
    assert "RS_TEST_PARTS" not in os.environ
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "1"])
def test_parts_are_those_of_this_run_and_not_of_runs_that_its_tests_start(tmp_path: Path, workers: str) -> None:
    lines = run_pytest(tmp_path, SEES_NO_PARTS, RS_TEST_PARTS="quick", PYTEST_ADDOPTS=f"-n {workers}")
    assert "1 passed" in lines[-1]


def test_all_parts_are_chosen_unless_some_are_named() -> None:
    assert chosen_parts({}) == set(PARTS)
    assert chosen_parts({"RS_TEST_PARTS": "kit spark"}) == {"kit", "spark"}


def test_part_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        pytest.UsageError,
        match="RS_TEST_PARTS: 'slow' is no part; take some of quick, core, kit, spark, builds, kafka, cluster, check",
    ):
        chosen_parts({"RS_TEST_PARTS": "kit slow"})


PRESSES_CTRL_C = """
import signal

import pytest

def test_ctrl_c():
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_ctrl_c_is_heeded_in_a_run_that_inherits_to_ignore_it(tmp_path: Path) -> None:
    ignoring = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
    assert any("1 passed" in line for line in run_pytest(tmp_path, PRESSES_CTRL_C, by=ignoring))
