"""The exit statuses of commands."""

from enum import IntEnum

__all__ = ["ExitStatus"]


class ExitStatus(IntEnum):
    """The exit statuses, the same for every command."""

    SUCCESS = 0
    FAILURE = 1
    USAGE = 2
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """A short description of the status."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitStatus.SUCCESS: "success",
    ExitStatus.FAILURE: "the command found a problem or failed",
    ExitStatus.USAGE: "wrong usage",
    ExitStatus.INTERRUPTED: "interrupted (Ctrl-C)",
}
