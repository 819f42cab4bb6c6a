"""Write an operator in Python, then the same in Cython: a C function for each element, and no Python in between.

The extension is compiled in a temporary folder against the headers of the installed core; that needs Cython and a C++
compiler. A distribution of its own is in `examples/native_extension`.

Prints:
    in Python: [3, 7, 8]
    in Cython: [3, 7, 8]
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from reactivestreams import Stream
from rs_core.operators.python_operator import PythonStage

PYX = '''
from cpython.object cimport PyObject
from rs_core cimport decref, DROPPED, Stage

cdef class Records(Stage):
    """Pass on an element that is greater than all before it."""

    name = "cookbook/records"
    cdef object best

    cdef int try_next(self, PyObject* element) noexcept:
        try:
            is_record = self.best is None or <object>element > self.best
        except Exception:
            decref(element)
            return self.callback_failed()
        if is_record:
            self.best = <object>element
            return self.down.try_next(element)
        decref(element)
        return DROPPED if self.drops_directly else self.drop()
'''
SETUP = """
import rs_core
from Cython.Build import cythonize
from setuptools import Extension, setup

records = Extension(
    "records", ["records.pyx"], language="c++", include_dirs=[rs_core.get_include()], extra_compile_args=["-std=c++17"]
)
setup(ext_modules=cythonize([records], quiet=True, compiler_directives={"language_level": 3}))
"""


class Records(PythonStage):
    """Pass on an element that is greater than all before it."""

    name = "cookbook/records"

    def __init__(self) -> None:
        self.best: int | None = None

    def on_next(self, element: int) -> None:
        if self.best is None or element > self.best:
            self.best = element
            self.emit(element)


numbers = Stream.just(3, 1, 7, 7, 2, 8, 5)
print("in Python:", numbers.lift(Records).to_list())

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "records.pyx").write_text(PYX)
    Path(folder, "setup.py").write_text(SETUP)
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True)
    sys.path.insert(0, folder)
    import records  # what was compiled now

    print("in Cython:", numbers.lift(records.Records).to_list())
