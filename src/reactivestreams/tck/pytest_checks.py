"""Verifications as tests of pytest; loaded by `reactivestreams.pytest_plugin` when the first one is collected.

The first test of a class that runs **runs all selected checks of the class together**, on its own instance and with its
own fixtures, `tck_parallel` at a time, and every test shows its own verdict. The checks mostly wait for silence; one by
one they take many times as long. Other checks do not run. With `tck_parallel` 1, and in a worker of pytest-xdist, which
cannot know the tests of other workers, each check runs within its own test, with its own instance and fixtures.
"""

from collections import Counter
from collections.abc import Generator, Iterable
from typing import Any, cast

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spec.rules import rule
from reactivestreams.tck.kit.check_methods import CheckMethods, chosen_settings, has_own_settings
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.runner import DEFAULT_PARALLEL, run
from reactivestreams.tck.kit.verdict import Outcome, Verdict

__all__ = ["VerificationClass", "collected"]

ARGUMENTS = {
    "tck_edition": "edition",
    "tck_seed": "seed",
    "tck_timeout_milliseconds": "default_timeout_milliseconds",
    "tck_no_signals_timeout_milliseconds": "no_signals_timeout_milliseconds",
    "tck_watchdog_timeout_milliseconds": "watchdog_timeout_milliseconds",
}
"""The arguments of an environment that are options and settings, by the names of these."""

_GROUP = pytest.StashKey[str]()
"""The verification of a test that is a check, with the parameters of the class if it has any."""

_VERDICT = pytest.StashKey[Verdict]()
_RUNS = "reactivestreams-checks"


def collected(collector: pytest.Module | pytest.Class, name: str, kind: type[CheckMethods]) -> pytest.Class | None:
    """Return the collector of a verification if it should be collected: by its name, or because of `__test__`."""
    if not vars(kind).get("__test__", collector.classnamefilter(name)) or not hasattr(kind, "catalog"):
        return None
    manager = collector.config.pluginmanager
    if not manager.has_plugin(_RUNS):
        manager.register(CheckRuns(collector.config), _RUNS)
    # pytest has left the parameters of `from_parent` without types.
    made: pytest.Class = VerificationClass.from_parent(  # pyright: ignore[reportUnknownMemberType]
        collector, name=name, obj=kind
    )
    return made


class VerificationClass(pytest.Class):
    """Collect the checks of a verification under their own names, with the other tests that pytest finds in the class.

    Attributes:
        collected: The number of checks for each set of parameters.
        parallel: How many checks run at the same time.
        parameters: The names of the parameters from marks on the class; the instance gets them as attributes.
    """

    parameters: tuple[str, ...]
    collected: Counter[str]
    parallel: int

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the tests.

        Raises:
            CollectError: There are none, or the settings are wrong.
        """
        kind = self.obj
        if kind.__init__ is not object.__init__ or kind.__new__ is not object.__new__:
            raise self.CollectError(f"{kind.__name__} has a constructor, which pytest does not call; use a fixture")
        if "__test__" not in vars(kind):
            kind.__test__ = True  # it is False in the base classes
        self.parameters = tuple(name for mark in self.iter_markers("parametrize") for name in _argument_names(mark))
        if self.parameters:
            self.add_marker(pytest.mark.usefixtures(*self.parameters))
        try:
            edition = self._edition()
            self._names = {check.name for check in kind.catalog.chosen(None, edition)}
            self.parallel = self._parallel()
        except ArgumentError as error:
            raise self.CollectError(str(error)) from error
        nodes = list(super().collect())
        checks = [node for node in nodes if isinstance(node, pytest.Function) and node.originalname in self._names]
        if not checks:
            raise self.CollectError(f"{kind.__name__} has no check of the edition {edition}: nothing would be judged")
        self.collected = Counter()
        for item in checks:
            item.stash[_GROUP] = f"{self.nodeid}{item.name.removeprefix(item.originalname)}"
            self.collected[item.stash[_GROUP]] += 1
            item.add_marker(pytest.mark.tck)
            for id in kind.catalog[item.originalname].rules:
                item.add_marker(pytest.mark.tck_rule(id=id))
        return nodes

    def funcnamefilter(self, name: str) -> bool:
        """Return whether a function of the class is a test by its name."""
        return name in self._names or super().funcnamefilter(name)

    def settings(self, subject: CheckMethods) -> Environment:
        """Return the settings for an instance; see `chosen_settings` for their priority."""
        return chosen_settings(subject, self._given(), project=self._project_settings())

    def _edition(self) -> Edition:
        if not has_own_settings(self.obj) or self.config.getoption("tck_edition") is not None:
            return Environment(**{**self._project_settings(), **self._given()}).edition
        try:
            environment: Environment = self.obj().create_environment()
        except Exception as error:
            raise self.CollectError(
                f"{self.obj.__name__}.create_environment() raised {type(error).__name__}: {error}; it is called "
                f"before any fixture, to learn the edition: let it need none, or pass --tck-edition"
            ) from error
        return environment.edition

    def _given(self) -> dict[str, Any]:
        options = {argument: self.config.getoption(option) for option, argument in ARGUMENTS.items()}
        return {argument: value for argument, value in options.items() if value is not None}

    def _parallel(self) -> int:
        given = self.config.getoption("tck_parallel")
        number: int | None = self._number("tck_parallel") if given is None else given
        if number is None:
            return DEFAULT_PARALLEL
        if number < 1:
            raise ArgumentError(f"tck_parallel needs 1 or more, got {number}; pass how many checks run at once")
        return number

    def _project_settings(self) -> dict[str, Any]:
        edition = self.config.getini("tck_edition")
        found: dict[str, Any] = {"edition": edition} if edition else {}
        for option, argument in ARGUMENTS.items():
            if option != "tck_edition" and (number := self._number(option)) is not None:
                found[argument] = number
        return found

    def _number(self, option: str) -> int | None:
        text = str(self.config.getini(option) or "").strip()
        if text and not text.isdecimal():
            raise ArgumentError(f"the setting {option} needs an integer, got {text!r}; correct pytest's configuration")
        return int(text) if text else None


class CheckRuns:
    """Run the checks of verifications and store their verdicts for their tests.

    Args:
        config: The configuration of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")  # of pytest-xdist
        self._selected: dict[str, list[pytest.Function]] = {}
        self._found: dict[str, dict[str, tuple[Verdict, Environment] | SubjectError]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record the checks that will run."""
        for item in session.items:
            if isinstance(item, pytest.Function) and _GROUP in item.stash:
                self._selected.setdefault(item.stash[_GROUP], []).append(item)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect the checks that do not check the chosen rules."""
        try:
            wanted = {rule(id).id for id in cast("list[str]", config.getoption("tck_rule"))}
        except ArgumentError as error:
            raise pytest.UsageError(f"--tck-rule: {error}") from error
        if not wanted:
            return
        others = [item for item in items if _GROUP in item.stash and not wanted & _rules(item)]
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if _GROUP not in item.stash or wanted & _rules(item)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run a test of a verification."""
        verification = pyfuncitem.parent
        if not isinstance(verification, VerificationClass):
            return None
        subject = cast("CheckMethods", pyfuncitem.instance)
        for name in verification.parameters:
            setattr(subject, name, pyfuncitem.funcargs[name])
        if not _is_of_the_kit(pyfuncitem):
            subject.use_environment(verification.settings(subject))
            return None
        verdict, environment = self._verdict(verification, pyfuncitem)
        pyfuncitem.stash[_VERDICT] = verdict
        if verdict.outcome is Outcome.FAIL:
            again = f"pytest '{pyfuncitem.nodeid}' --tck-seed {environment.seed}"
            explained = verdict.explained(edition=environment.edition, again=again)
            pytest.fail(f"{verdict.finding}\n\n{explained}", pytrace=False)
        if verdict.outcome is Outcome.SKIP:
            pytest.skip(verdict.message)
        return True

    # A wrapper of the old kind: pytest 7 may run with a pluggy that has no other.
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any]:
        """Add to a report the location of its class, the time of its own check, and the data for the final decision."""
        outcome = yield
        report: pytest.TestReport = outcome.get_result()
        if _GROUP not in item.stash:
            return
        group = item.stash[_GROUP]
        parent = cast("VerificationClass", item.parent)
        count = parent.collected[group]
        report.tck_verification = group  # type: ignore[attr-defined]
        report.tck_expected = count if count == len(self._selected[group]) else 0  # type: ignore[attr-defined]
        if call.when == "call" and _VERDICT in item.stash:
            report.duration = item.stash[_VERDICT].duration_seconds
            if report.skipped and not hasattr(report, "wasxfail"):
                path, line, _ = parent.reportinfo()
                report.longrepr = (str(path), (line or 0) + 1, f"Skipped: {item.stash[_VERDICT].message}")

    def _verdict(self, verification: VerificationClass, item: pytest.Function) -> tuple[Verdict, Environment]:
        group = item.stash[_GROUP]
        name = item.originalname
        if name not in self._found.get(group, {}):
            names = [name]
            if group not in self._found and verification.parallel > 1 and not self._is_worker:
                names = [other.originalname for other in self._selected[group] if _is_of_the_kit(other)]
            self._found.setdefault(group, {}).update(self._judged(verification, item, names))
        verdict = self._found[group].pop(name)  # a plugin that repeats tests needs a new one
        if isinstance(verdict, SubjectError):
            pytest.fail(str(verdict), pytrace=False)
        return verdict

    def _judged(
        self, verification: VerificationClass, item: pytest.Function, names: list[str]
    ) -> dict[str, tuple[Verdict, Environment] | SubjectError]:
        subject = cast("CheckMethods", item.instance)
        environment = verification.settings(subject)
        try:
            report = run(subject, environment, names=names, parallel=verification.parallel)
        except SubjectError as error:
            return dict.fromkeys(names, error)
        return {verdict.check: (verdict, environment) for verdict in report.verdicts}


def _is_of_the_kit(item: pytest.Function) -> bool:
    """Return whether a test is a check of the kit, and not a function of the user with the same name."""
    if _GROUP not in item.stash:
        return False
    kinds: tuple[type, ...] = cast("VerificationClass", item.parent).obj.__mro__
    owner = next(kind for kind in kinds if item.originalname in vars(kind))
    return CheckMethods in owner.__bases__


def _rules(item: pytest.Item) -> set[str]:
    return {mark.kwargs["id"] for mark in item.iter_markers("tck_rule")}


def _argument_names(mark: pytest.Mark) -> list[str]:
    names = mark.args[0] if mark.args else mark.kwargs["argnames"]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
