"""The version of this package, which travels with each task so that an executor with another one is noticed.

Tasks are sent as references to classes of this package: another version might compute something else, or not load them.
"""

import reactivestreams
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details

__all__ = ["SentVersion", "require_version"]


class SentVersion:
    """A part of each task: where it is received, the versions are compared."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return require_version, (reactivestreams.__version__,)


def require_version(version: str) -> SentVersion:
    """Check that this process has the version of the one that has sent a task.

    Raises:
        PipelineError: It has another one.
    """
    own = reactivestreams.__version__
    if version != own:
        cause = f"an executor has version {own} of this package, and the driver {version}"
        raise with_details(
            PipelineError(
                f"{cause}, so the task was not run; install the same version on all machines, or send that of the "
                "driver with spark.ship(session)",
                cause=cause,
            )
        )
    return SentVersion()
