"""The command `version`."""

import json
import platform
import sys
import sysconfig

import pytest

import reactivestreams
from reactivestreams.cli import main
from reactivestreams.cli.version import describe
from rs_core.abi import ABI_NUMBER


def test_the_facts_are_those_of_this_process() -> None:
    facts = describe()
    assert facts["version"] == reactivestreams.__version__
    assert facts["python"] == {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "free_threaded": sysconfig.get_config_var("Py_GIL_DISABLED") == 1,
        "gil_enabled": getattr(sys, "_is_gil_enabled", lambda: True)(),
    }


def test_the_core_tells_how_it_was_built() -> None:
    core = describe()["core"]
    assert core["compiled"] is True
    assert core["abi"] == ABI_NUMBER
    assert core["profile"] in {"release", "debug", "trace", "asan", "tsan"}
    assert core["cython"].startswith("Cython 3.")
    assert core["compiler"].split()[0] in {"GCC", "Clang", "MSVC"}


@pytest.mark.parametrize("missing", ["rs_core.build_profile", "rs_core.abi"])
def test_a_core_that_is_not_built_is_said_to_be_missing(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert describe()["core"] == {"compiled": False, "abi": None, "profile": None, "cython": None, "compiler": None}
    assert main(["version"]) == 0
    printed = capsys.readouterr().out
    assert "rs_core          not built\n" in printed
    assert "C interface      not built\n" in printed


def test_json_and_text_tell_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == describe()
    assert main(["version"]) == 0
    text = capsys.readouterr().out
    for fact in (
        facts["version"],
        facts["core"]["profile"],
        f"ABI {ABI_NUMBER}",
        facts["python"]["version"],
        facts["platform"],
    ):
        assert fact in text
