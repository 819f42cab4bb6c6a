"""The server that a test of the command `engine` shares with those of the engine."""

from tests.engine.conftest import conninfo

__all__ = ["conninfo"]
