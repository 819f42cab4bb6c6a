"""The checks of `doctor`, one subject per file; each has `check()`, which returns findings."""

from reactivestreams.cli.checks.finding import Finding, Status

__all__ = ["Finding", "Status"]
