"""A verification is a class of tests: collected by the names of its checks, and chosen as any tests are."""

import tomllib
from pathlib import Path

import pytest

from reactivestreams.tck import Edition
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from tests.tck.pytest_plugin.verification_modules import COMPLETES, RANGE

pytest_plugins = "pytester"
pytestmark = pytest.mark.slow


def names(result: pytest.RunResult) -> list[str]:
    return [line.partition("::")[2] for line in result.outlines if "::" in line]


# --- collecting ---


def test_package_offers_the_plugin() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"reactivestreams": "reactivestreams.pytest_plugin"}


def test_class_is_collected_as_one_test_for_each_check_and_its_own_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE + "\n        def test_own(self):\n            assert self.create_publisher(1)")
    result = pytester.runpytest("--collect-only", "-q")
    checks = [check.name for check in PUBLISHER_CHECKS.chosen(None, Edition.JVM)]
    assert names(result) == [f"TestRange::{name}" for name in [*checks, "test_own"]]
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("code", "collected"),
    [
        ("class Plain(TestRange): pass", 0),
        ("class Plain(TestRange): __test__ = True", 1),
        ("class TestNot(TestRange): __test__ = False", 0),
        ("class TestToo(TestRange): pass", 1),
    ],
)
def test_class_is_collected_by_its_name_or_its_word(pytester: pytest.Pytester, code: str, collected: int) -> None:
    pytester.makepyfile(RANGE + f"\n    {code}")
    result = pytester.runpytest("--collect-only", "-q", "-k", COMPLETES)
    assert names(result)[1:] == [f"{code.split()[1].partition('(')[0]}::{COMPLETES}"] * collected


def test_nothing_of_the_kit_is_loaded_where_no_verification_is_collected(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import sys, threading

        def pytest_unconfigure(config):
            print("loaded:", sorted(name for name in sys.modules if name.startswith("reactivestreams")))
            print("threads:", [thread.name for thread in threading.enumerate()])
    """)
    pytester.makepyfile("def test_other(): pass")
    result = pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["loaded: ['reactivestreams', 'reactivestreams.pytest_plugin']", "threads: ['MainThread']"]
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def __init__(self): pass", "*TestRange has a constructor, which pytest does not call; use a fixture*"),
        (
            "def create_environment(self): return Environment(seed=self.seed)",
            "*TestRange.create_environment() raised AttributeError: *; it is called before any fixture*",
        ),
        ("catalog = type(PublisherVerification.catalog)([])", "*TestRange has no check of the edition 1.0.4*"),
    ],
)
def test_class_that_would_collect_nothing_fails_the_run(pytester: pytest.Pytester, code: str, message: str) -> None:
    pytester.makepyfile(f"{RANGE}\n        {code}")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tck-edition", "1.0.5"], "*there is no edition '1.0.5'; use one of '1.0.4', 'dotnet', 'rc1'*"),
        (["--tck-parallel", "0"], "*tck_parallel needs 1 or more, got 0*"),
        (["-o", "tck_parallel=two"], "*the setting tck_parallel needs an integer, got 'two'*"),
        (["--tck-timeout", "0"], "*default_timeout_milliseconds) needs more than 0, got 0*"),
    ],
)
def test_wrong_option_is_told_once(pytester: pytest.Pytester, options: list[str], message: str) -> None:
    pytester.makepyfile(RANGE)
    result = pytester.runpytest(*options)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


# --- choosing ---


def test_edition_comes_from_the_command_line_the_class_or_the_settings(pytester: pytest.Pytester) -> None:
    own = """
    class TestOwn(TestRange):
        def create_environment(self):
            return Environment(edition="dotnet")
    """
    pytester.makepyfile(RANGE + own)

    def count(*options: str) -> list[int]:
        collected = names(pytester.runpytest("--collect-only", "-q", *options))
        return [sum(name.startswith(kind) for name in collected) for kind in ("TestRange", "TestOwn")]

    jvm, dotnet, rc1 = (len(PUBLISHER_CHECKS.chosen(None, edition)) for edition in Edition)
    assert count() == [jvm, dotnet]
    assert count("-o", "tck_edition=rc1") == [rc1, dotnet]
    assert count("-o", "tck_edition=rc1", "--tck-edition", "1.0.4") == [jvm, jvm]


def test_marks_choose_checks_and_rules(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE + "\n        def test_own(self): pass")
    about = [check.name for check in PUBLISHER_CHECKS.chosen(None, Edition.JVM) if "3.9" in check.rules]
    assert len(about) > 2
    expected = [f"TestRange::{name}" for name in about]
    assert names(pytester.runpytest("--collect-only", "-q", "-m", "tck_rule(id='3.9')")) == expected
    assert names(pytester.runpytest("--collect-only", "-q", "--tck-rule", "3.9", "-m", "tck")) == expected
    assert names(pytester.runpytest("--collect-only", "-q", "-m", "not tck")) == ["TestRange::test_own"]


def test_option_for_rules_leaves_other_tests_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE + "\n        def test_own(self): pass")
    collected = names(pytester.runpytest("--collect-only", "-q", "--tck-rule", "§1.2"))
    assert "TestRange::test_own" in collected
    assert len(collected) == 1 + sum("1.2" in check.rules for check in PUBLISHER_CHECKS.chosen(None, Edition.JVM))


def test_unknown_rule_is_wrong_usage(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(RANGE)
    result = pytester.runpytest("--tck-rule", "3.18")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --tck-rule: there is no rule '3.18'; did you mean 3.8, 3.1 or 3.17?"])
