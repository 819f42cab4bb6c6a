"""Subinterpreters: the core is refused there with the same words on every version, and the main one goes on."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

kind, module, is_late = sys.argv[1:]
inside = f'''
import sys
sys.path[:] = {sys.path!r}
for _ in range(2):
    try:
        import {module}
    except ImportError as error:
        print(error, flush=True)
'''
if is_late == "True":
    from reactivestreams import Stream
    Stream.range(3).to_list()
if sys.version_info >= (3, 13):
    interpreters.exec(interpreters.create(kind), inside)
else:
    interpreters.run_string(interpreters.create(isolated=kind == "isolated"), inside)
from reactivestreams import Stream
print(Stream.range(3).to_list())
"""
REFUSED = (
    "rs_core cannot be imported in a subinterpreter: its compiled modules serve the main interpreter of a process; "
    "import it there, or run this in a separate process"
)


@pytest.mark.parametrize("is_late", [True, False], ids=["after the main one", "before the main one"])
@pytest.mark.parametrize("module", ["rs_core", "reactivestreams", "rs_core.demand", "reactivestreams.stream"])
@pytest.mark.parametrize("kind", ["isolated", "legacy"])
def test_core_is_refused_in_a_subinterpreter_and_works_in_the_main_one(kind: str, module: str, is_late: bool) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, kind, module, str(is_late)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout.splitlines(), ran.stderr) == ([REFUSED, REFUSED, "[0, 1, 2]"], "")
