"""The classes that example programs define."""

import runpy
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[3] / "examples"


@cache
def example(file: str, name: str) -> Any:
    """Return a class that an example program defines; runs the program, once."""
    with redirect_stdout(StringIO()):
        return runpy.run_path(str(EXAMPLES / file))[name]
