"""Objects that `__new__` made and nothing else: whatever is called on them, the interpreter goes on."""

import importlib
import inspect
import pkgutil
import signal
import subprocess
import sys

import pytest

import rs_core

pytestmark = pytest.mark.slow

# Calls one member of one class after the other, each time on a new object; says which one it is at before that.
PROBE = """
import importlib, signal, sys

ARGUMENTS = [(), (1,), (None,), (object(),), (1, 2), ("text",), (lambda *_: None,)]

def probe(cls, name):
    try:
        made = cls.__new__(cls)
        member = getattr(made, name)
        callables = [member] if callable(member) else []
    except Exception:
        return
    for call in callables:
        for arguments in ARGUMENTS:
            try:
                call(*arguments)
            except Exception:
                pass

class Late(BaseException):
    pass

def late(*_):
    raise Late

signal.signal(signal.SIGALRM, late)
module, begin = sys.argv[1:]
places = [(name, member) for name, cls in sorted(vars(importlib.import_module(module)).items())
          if isinstance(cls, type) and cls.__module__ == module and not issubclass(cls, BaseException)
          for member in dir(cls) if not member.startswith("__") or member in CALLED]
for place in range(int(begin), len(places)):
    name, member = places[place]
    print(place, name, member, flush=True)
    signal.alarm(10)
    try:
        probe(getattr(sys.modules[module], name), member)
    except Late:
        print("hung", flush=True)
        break
    finally:
        signal.alarm(0)
else:
    print("done", len(places), flush=True)
"""
CALLED = [
    "__aiter__",
    "__anext__",
    "__await__",
    "__bool__",
    "__call__",
    "__contains__",
    "__del__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__hash__",
    "__iter__",
    "__len__",
    "__next__",
    "__repr__",
    "__str__",
]


def modules_with_classes() -> list[str]:
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(rs_core.__path__, "rs_core.")]
    return [
        module.__name__
        for module in modules
        if any(inspect.isclass(each) and each.__module__ == module.__name__ for each in vars(module).values())
    ]


def crashes_in(module: str) -> list[str]:
    """Return the members that end the process or hang; it goes on behind each."""
    found, begin = [], 0
    while True:
        script = f"CALLED = {CALLED!r}\n{PROBE}"
        ran = subprocess.run(
            [sys.executable, "-c", script, module, str(begin)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
            check=False,
        )
        lines = ran.stdout.splitlines()
        if lines and lines[-1].startswith("done"):
            return found
        last = [line for line in lines if line != "hung"][-1]
        found.append(f"{last}: {'it hangs' if lines[-1] == 'hung' else f'exit code {ran.returncode}'}")
        begin = int(last.split()[0]) + 1


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there is no alarm on this system")
@pytest.mark.parametrize("module", modules_with_classes())
def test_what_new_alone_has_made_raises_and_never_crashes(module: str) -> None:
    assert crashes_in(module) == []


def test_modules_that_are_probed_are_those_of_the_core() -> None:
    assert {
        "rs_core.stream.subscription",
        "rs_core.sources.emitter",
        "rs_core.multicaster",
        "rs_core.ends.blocking",
    } <= set(modules_with_classes())
