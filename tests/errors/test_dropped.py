"""The hook for signals that can no longer be delivered."""

import logging
import sys
from collections.abc import Iterator

import pytest

import reactivestreams.dropped
from rs_core.dropped import dropped, log_dropped, set_hook
from rs_core.errors import ArgumentTypeError


@pytest.fixture(autouse=True)
def default_hook() -> Iterator[None]:
    previous = set_hook(None)
    yield
    set_hook(previous)


def test_the_hook_receives_signal_value_and_origin() -> None:
    seen = []
    set_hook(lambda signal, value, *, origin: seen.append((signal, value, origin)))
    dropped("on_next", 7, origin="buffer")
    assert seen == [("on_next", 7, "buffer")]


def test_set_hook_returns_the_hook_installed_before() -> None:
    def mine(signal: str, value: object, /, *, origin: str) -> None:
        pass

    assert set_hook(mine) is log_dropped
    assert set_hook(None) is mine
    assert set_hook(None) is log_dropped


def test_a_hook_that_is_not_callable_is_refused_and_the_old_one_stays() -> None:
    with pytest.raises(ArgumentTypeError, match="got 3;"):
        set_hook(3)  # type: ignore[arg-type]
    assert set_hook(None) is log_dropped


def test_by_default_an_exception_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("broken subscriber")
    except ValueError as caught:
        error = caught
    dropped("on_error", error, origin="map")
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("reactivestreams.dropped", logging.ERROR)
    assert record.getMessage() == "dropped on_error from map: ValueError('broken subscriber')"
    assert record.exc_info is not None
    assert record.exc_info[1] is error
    assert record.exc_info[2] is error.__traceback__


def test_by_default_an_element_is_logged_without_traceback_and_cut_to_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    dropped("on_next", "x" * 1_000_000, origin="buffer")
    (record,) = caplog.records
    assert record.exc_info is None
    assert len(record.getMessage()) < 300


def test_by_default_a_signal_without_a_value_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    dropped("on_complete", None, origin="take")
    assert caplog.messages == ["dropped on_complete from take"]


def test_a_value_whose_repr_raises_is_logged_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("no repr")

    dropped("on_next", Broken(), origin="buffer")
    (record,) = caplog.records
    assert "Broken" in record.getMessage()


def test_a_hook_that_raises_reaches_the_unraisable_hook_and_not_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    error = RuntimeError("broken hook")

    def broken(signal: str, value: object, /, *, origin: str) -> None:
        raise error

    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda arguments: reported.append(arguments.exc_value))
    set_hook(broken)
    dropped("on_next", 1, origin="buffer")
    assert reported == [error]


def test_an_interrupt_inside_the_hook_passes_through() -> None:
    def interrupted(signal: str, value: object, /, *, origin: str) -> None:
        raise KeyboardInterrupt

    set_hook(interrupted)
    with pytest.raises(KeyboardInterrupt):
        dropped("on_next", 1, origin="buffer")


def test_the_python_package_has_the_same_hook() -> None:
    assert reactivestreams.dropped.dropped is dropped
    assert reactivestreams.dropped.set_hook is set_hook
