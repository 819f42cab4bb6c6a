"""The settings come from arguments, then from environment variables, then from defaults."""

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.tck import Edition, Environment
from reactivestreams.tck.kit.load import MOST, measured_load


def test_arguments_win_over_variables() -> None:
    environment = Environment(70, 80, 90, 60, variables={"DEFAULT_TIMEOUT_MILLIS": "7"})
    assert environment.default_timeout_milliseconds == 70
    assert environment.no_signals_timeout_milliseconds == 80
    assert environment.poll_timeout_milliseconds == 90
    assert environment.reference_timeout_milliseconds == 60


@pytest.mark.parametrize("poll", ["DEFAULT_POLL_TIMEOUT_MILLIS", "DEFAULT_POLL_TIMEOUT_MILLIS_ENV"])
def test_variables_are_read_in_both_spellings(poll: str) -> None:
    environment = Environment(
        variables={
            "DEFAULT_TIMEOUT_MILLIS": "111",
            "DEFAULT_NO_SIGNALS_TIMEOUT_MILLIS": "222",
            poll: "333",
            "PUBLISHER_REFERENCE_GC_TIMEOUT_MILLIS": "444",
            "WATCHDOG_TIMEOUT_MILLIS": "555",
        }
    )
    assert environment.default_timeout_milliseconds == 111
    assert environment.no_signals_timeout_milliseconds == 222
    assert environment.poll_timeout_milliseconds == 333
    assert environment.reference_timeout_milliseconds == 444
    assert environment.watchdog_timeout_milliseconds == 555


def test_what_is_missing_follows_the_default_timeout_that_was_given() -> None:
    environment = Environment(1_700, variables={})
    assert environment.no_signals_timeout_milliseconds == 1_700
    assert environment.poll_timeout_milliseconds == 1_700
    assert environment.watchdog_timeout_milliseconds == 34_000


def test_defaults_are_scaled_by_load_and_never_below_100_ms(monkeypatch: pytest.MonkeyPatch) -> None:
    for load, timeout, quiet in ((1.0, 500, 100), (1.5, 750, 150), (8.0, 4000, 200)):
        monkeypatch.setattr("reactivestreams.tck.kit.environment.measured_load", lambda load=load: load)
        environment = Environment(variables={})
        assert (environment.default_timeout_milliseconds, environment.no_signals_timeout_milliseconds) == (
            timeout,
            quiet,
        )


def test_load_is_measured_within_its_bounds() -> None:
    assert 1.0 <= measured_load() <= MOST


@pytest.mark.parametrize("text", ["soon", "-1", "0", "1.5"])
def test_variable_without_a_positive_integer_names_itself_and_its_text(text: str) -> None:
    with pytest.raises(ArgumentError, match=rf"DEFAULT_TIMEOUT_MILLIS needs an integer > 0, got '{text}'"):
        Environment(variables={"DEFAULT_TIMEOUT_MILLIS": text})


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"no_signals_timeout_milliseconds\) needs more than 0, got 0"):
        Environment(100, 0)
    with pytest.raises(ArgumentTypeError, match=r"needs an integer, got 0.5"):
        Environment(0.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"no edition '2.0'; use one of '1.0.4', 'dotnet', 'rc1'"):
        Environment(100, edition="2.0")


def test_environment_cannot_be_changed() -> None:
    environment = Environment(100, edition="rc1")
    assert environment.edition is Edition.RC1
    with pytest.raises(AttributeError):
        environment.default_timeout_milliseconds = 1  # type: ignore[misc]


def test_each_check_has_a_state_of_its_own() -> None:
    environment = Environment(100)
    first, second = environment.for_check("a"), environment.for_check("a")
    first.flop("something")
    assert len(first.flops) == 1
    assert second.flops == ()


def test_random_choices_repeat_with_the_seed_and_differ_between_checks() -> None:
    environment = Environment(100, seed=5)
    same = [environment.for_check("a").random.random() for _ in range(2)]
    assert same[0] == same[1]
    assert environment.for_check("b").random.random() != same[0]
