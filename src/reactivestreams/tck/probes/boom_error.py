"""The error that checks send."""

from reactivestreams.tck.kit.exception_trap import ON_PURPOSE

__all__ = ["BoomError"]


class BoomError(Exception):
    """Say that nothing is wrong: a check has sent this error to see what becomes of it."""

    def __init__(self) -> None:
        super().__init__(f"Test Exception: Boom! {ON_PURPOSE}")
