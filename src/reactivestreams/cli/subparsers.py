"""The type of the object to which commands add their parsers."""

import argparse
from typing import TypeAlias

__all__ = ["Subparsers"]

# argparse has no public name for the result of `add_subparsers`, and the class accepts no type arguments at run time.
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]
