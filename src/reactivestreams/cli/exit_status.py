"""What the number means with which a command ends."""

from enum import IntEnum

__all__ = ["ExitStatus"]


class ExitStatus(IntEnum):
    """Exit statuses, the same for every command."""

    SUCCESS = 0
    FAILURE = 1
    USAGE = 2
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """What the status tells, in a few words."""
        return _MEANINGS[self]


_MEANINGS = {
    ExitStatus.SUCCESS: "success",
    ExitStatus.FAILURE: "the command found a problem or failed",
    ExitStatus.USAGE: "wrong usage",
    ExitStatus.INTERRUPTED: "interrupted (Ctrl-C)",
}
