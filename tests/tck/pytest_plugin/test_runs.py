"""The checks of a verification run at once or each in its test; failures and skips show the verdict."""

import json
from dataclasses import replace
from typing import Any

import pytest

from reactivestreams.tck import Edition, Report, pytest_checks
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from tests.tck.pytest_plugin.verification_modules import COMPLETES, RANGE, RECORDING, TYPE_ERROR, UNTESTED, WRONG, ZERO

pytest_plugins = "pytester"
CHECKS = len(PUBLISHER_CHECKS.chosen(None, Edition.JVM))
pytestmark = pytest.mark.slow


def made(pytester: pytest.Pytester) -> list[list[int]]:
    """Return instance and length for each publisher that was made, and forget them."""
    path = pytester.path / "made.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.unlink()
    return lines


# --- running ---


def test_checks_of_a_class_run_at_once_on_the_instance_of_the_first(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE + RECORDING + "\n    class TestRecorded(Recording, TestRange): pass")
    result = pytester.runpytest("-k", f"TestRecorded and ({COMPLETES} or {TYPE_ERROR})")
    result.assert_outcomes(passed=2)
    assert len({instance for instance, _ in made(pytester)}) == 1


def test_one_at_a_time_each_check_has_an_instance_of_its_own(pytester: pytest.Pytester) -> None:
    kept = """
    kept = []
    class TestRecorded(Recording, TestRange):
        def setup_method(self):
            kept.append(self)  # so that no two have the same id
    """
    pytester.makepyfile(RANGE + RECORDING + kept)
    pytester.runpytest("-k", f"TestRecorded and ({COMPLETES} or {TYPE_ERROR})", "--tck-parallel", "1")
    assert len({instance for instance, _ in made(pytester)}) == 2


def test_selected_test_runs_alone(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(RANGE + RECORDING + "\n    class TestRecorded(Recording, TestRange): pass")
    result = pytester.runpytest(f"{path.name}::TestRecorded::{COMPLETES}")
    result.assert_outcomes(passed=1)
    assert [length for _, length in made(pytester)] == [1, 3]  # one to see whether the factory works


def test_test_that_is_repeated_judges_anew(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        from _pytest.runner import runtestprotocol

        def pytest_runtest_protocol(item, nextitem):
            runtestprotocol(item, nextitem=nextitem, log=False)
    """)
    path = pytester.makepyfile(RANGE + RECORDING + "\n    class TestRecorded(Recording, TestRange): pass")
    pytester.runpytest(f"{path.name}::TestRecorded::{COMPLETES}")
    assert [length for _, length in made(pytester)] == [1, 3, 1, 3]


def test_fixtures_of_the_class_reach_the_factories(pytester: pytest.Pytester) -> None:
    fixtures = """
        @pytest.fixture(autouse=True)
        def connection(self, tmp_path):
            self.folder = tmp_path
            yield
            del self.folder

        def create_publisher(self, elements):
            assert self.folder.is_dir()
            return Stream.range(elements)
    """
    pytester.makepyfile(RANGE + fixtures)
    pytester.runpytest("-k", f"{ZERO} or {COMPLETES}").assert_outcomes(passed=2)


@pytest.mark.parametrize(
    "code",
    [
        "@pytest.mark.parametrize(('start', 'wrong'), [(0, False), (1, True)], ids=['right', 'wrong'])",
        "@pytest.mark.parametrize(argnames='start, wrong', argvalues=[(0, 0), (1, 1)], ids=['right', 'wrong'])",
    ],
)
def test_parameters_of_the_class_are_attributes_of_the_verification(pytester: pytest.Pytester, code: str) -> None:
    parametrized = f"""
    {code}
    class TestParametrized(TestRange):
        def create_publisher(self, elements):
            return Stream.range(self.start, elements + self.start + self.wrong)
    """
    pytester.makepyfile(RANGE + parametrized)
    result = pytester.runpytest("-k", f"TestParametrized and {COMPLETES}", "-rA")
    result.stdout.fnmatch_lines_random(
        [f"PASSED *::TestParametrized::{COMPLETES}?right?", f"FAILED *::TestParametrized::{COMPLETES}?wrong?*"]
    )


def test_parametrized_fixture_gives_each_value_its_own_verdicts(pytester: pytest.Pytester) -> None:
    fixtures = """
        @pytest.fixture(autouse=True, params=[0, 1])
        def excess(self, request):
            self.excess = request.param

        def create_publisher(self, elements):
            return Stream.range(elements + self.excess)
    """
    pytester.makepyfile(RANGE + fixtures)
    result = pytester.runpytest("-k", COMPLETES)
    result.assert_outcomes(passed=1, failed=1)


def test_function_in_the_place_of_a_check_runs_instead_with_the_settings(pytester: pytest.Pytester) -> None:
    instead = f"""
        def {COMPLETES}(self):
            assert self.method_environment().seed == 5
            super().{COMPLETES}()

        def {TYPE_ERROR}(self):
            pytest.skip("not now")
    """
    pytester.makepyfile(RANGE + instead)
    result = pytester.runpytest("-k", f"{COMPLETES} or {TYPE_ERROR}", "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*not now*"])


# --- showing ---


def test_failure_shows_the_verdict_and_no_trace_of_the_kit(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_silent=WRONG)
    result = pytester.runpytest("-k", COMPLETES)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"*TestSilent.{COMPLETES}*",
            "(§1.5): Could not subscribe subscriber 1 to Publisher *",
            "rule:",
            "  §1.5 (MUST, binds the publisher): *",
            "what the check claims:",
            "what happened:",
            "* ms    subscriber 1 -> publisher: subscribe(subscriber 1)  ?the check?",
            "look at:",
            "remedy:",
            "run it again:",
            f"  pytest 'test_silent.py::TestSilent::{COMPLETES}' --tck-seed 5",
        ],
        consecutive=False,
    )
    assert "pytest_checks.py" not in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_skip_shows_the_reason_and_the_place_of_the_class(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_range=RANGE)
    result = pytester.runpytest("-k", UNTESTED, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED ?1? test_range.py:5: Not verified by this TCK.*"])


def test_factory_that_does_not_work_is_told_in_a_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE.replace("Stream.range(elements)", "None"))
    result = pytester.runpytest("-k", f"{ZERO} or {COMPLETES}")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["TestRange.create_publisher(1) returned None; it has to return an object *"])
    assert "Traceback" not in result.stdout.str()


def test_time_of_a_test_is_that_of_its_check(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    run = pytest_checks.run

    def run_slowly(*arguments: Any, **options: Any) -> Report:
        report = run(*arguments, **options)
        return replace(report, verdicts=tuple(replace(each, duration_seconds=42.0) for each in report.verdicts))

    monkeypatch.setattr(pytest_checks, "run", run_slowly)
    pytester.makepyfile(RANGE)
    result = pytester.runpytest("-k", f"{ZERO} or {COMPLETES}", "--durations=2")
    result.assert_outcomes(passed=2)
    assert sum(line.startswith("42.00s call") for line in result.outlines) == 2


# --- the end of the run ---


def idle(pytester: pytest.Pytester) -> None:
    """Make a verification of which every check is skipped."""
    names = [check.name for check in PUBLISHER_CHECKS]
    pytester.makepyfile(
        test_idle=f"{RANGE}\n        def ignored_checks(self):\n            return dict.fromkeys({names}, 'ignored')"
    )


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["one process", "workers"])
def test_verification_that_judged_nothing_fails_the_run(pytester: pytest.Pytester, options: list[str]) -> None:
    idle(pytester)
    result = pytester.runpytest("-q", *options)
    result.assert_outcomes(skipped=CHECKS)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*= verifications that judged nothing =*",
            f"test_idle.py::TestRange: all {CHECKS} checks were skipped, so nothing is known; -rs shows why",
        ]
    )


def test_chosen_checks_may_all_be_skipped(pytester: pytest.Pytester) -> None:
    idle(pytester)
    assert pytester.runpytest("-k", UNTESTED).ret == pytest.ExitCode.OK
    assert pytester.runpytest(f"test_idle.py::TestRange::{UNTESTED}").ret == pytest.ExitCode.OK
    assert pytester.runpytest("--tck-rule", "3.9").ret == pytest.ExitCode.OK


def test_workers_share_the_checks_and_find_the_same(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_range=RANGE, test_silent=WRONG)
    result = pytester.runpytest("-n", "2", "-k", f"{ZERO} or {COMPLETES} or {UNTESTED}", "-rs")
    result.assert_outcomes(passed=2, failed=2, skipped=2)
    result.stdout.fnmatch_lines(["(§3.9): Could not subscribe *", "SKIPPED * test_*.py:*: Not verified by this TCK.*"])
