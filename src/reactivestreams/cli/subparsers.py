"""The type of what commands add their parsers to."""

import argparse
from typing import TypeAlias

__all__ = ["Subparsers"]

# argparse has no public name for what `add_subparsers` returns, and the class takes no type arguments at run time.
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]
