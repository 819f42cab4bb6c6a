"""The folder of what can be made again, on each system."""

from pathlib import Path

import pytest

from reactivestreams.cache_folder import CACHE_VARIABLE, cache_folder


def test_folder_is_the_named_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))

    assert cache_folder() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variable", "parts"),
    [("linux", "XDG_CACHE_HOME", ()), ("win32", "LOCALAPPDATA", ()), ("darwin", "HOME", ("Library", "Caches"))],
)
def test_folder_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, parts: tuple[str, ...]
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))

    assert cache_folder() == tmp_path.joinpath(*parts, "reactivestreams")


def test_relative_folder_of_caches_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert cache_folder() == tmp_path / ".cache" / "reactivestreams"
