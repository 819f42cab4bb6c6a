"""The report as JUnit XML, which build servers read: one suite per verification, one case per check."""

from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from reactivestreams.drawing.xml_text import xml_safe
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.verdict import Outcome, Verdict

__all__ = ["render"]


def render(reports: Sequence[Report], *, made: datetime) -> str:
    """Return the reports as JUnit XML.

    A check is a case whose class is the verification's name. A failure has the verdict's message and, as text, its
    explanation; a skipped case has the reason. Seed and edition are properties of the suite.

    Args:
        reports: The reports.
        made: The time of the verifications, with a time zone.
    """
    root = ET.Element("testsuites")
    for report in reports:
        root.append(_suite(report, made))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(report: Report, made: datetime) -> ET.Element:
    suite = ET.Element(
        "testsuite",
        name=xml_safe(report.subject),
        tests=str(len(report.verdicts)),
        failures=str(len(report.failed)),
        errors="0",
        skipped=str(len(report.skipped)),
        time=_seconds(report.duration_seconds),
        timestamp=made.strftime("%Y-%m-%dT%H:%M:%S"),  # the schema has no time zone
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in (("edition", report.edition), ("seed", str(report.seed)), ("command", report.command)):
        if value:
            ET.SubElement(properties, "property", name=name, value=xml_safe(value))
    for verdict in report.verdicts:
        suite.append(_case(report, verdict))
    return suite


def _case(report: Report, verdict: Verdict) -> ET.Element:
    case = ET.Element(
        "testcase", name=verdict.check, classname=xml_safe(report.subject), time=_seconds(verdict.duration_seconds)
    )
    if verdict.outcome is Outcome.SKIP:
        ET.SubElement(case, "skipped", message=xml_safe(verdict.message))
    elif verdict.outcome is Outcome.FAIL:
        rules = " ".join(f"§{rule}" for rule in verdict.cited_rules)
        failure = ET.SubElement(case, "failure", message=xml_safe(verdict.message), type=rules or "set-up")
        failure.text = xml_safe(report.rendered(verdict))
    return case


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
