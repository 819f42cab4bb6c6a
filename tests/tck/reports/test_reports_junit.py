"""The JUnit report is read by others: its elements, attributes and counts are those of the schema in use."""

from xml.etree import ElementTree as ET

import junitparser
import pytest

from reactivestreams.tck.reports import junit_report
from tests.tck.report_examples import FAILED, HOSTILE_REPORT, MADE, PASSED, REPORT, REPORTS, SKIPPED

# Element: attributes that must be there, attributes that may, and what may stand in it, in this order.
SCHEMA: dict[str, tuple[set[str], set[str], list[str]]] = {
    "testsuites": (set(), set(), ["testsuite"]),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"skipped", "time", "timestamp"},
        ["properties", "testcase"],
    ),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"name", "classname"}, {"time"}, ["skipped", "failure"]),
    "skipped": (set(), {"message"}, []),
    "failure": (set(), {"message", "type"}, []),
}


def schema_faults(element: ET.Element) -> list[str]:
    required, allowed, children = SCHEMA[element.tag]
    faults = [f"<{element.tag}> has no {name}" for name in sorted(required - set(element.attrib))]
    faults += [f"<{element.tag}> has {name}" for name in sorted(set(element.attrib) - required - allowed)]
    places = [children.index(child.tag) if child.tag in children else -1 for child in element]
    if -1 in places or places != sorted(places):
        faults.append(f"<{element.tag}> holds {[child.tag for child in element]}")
    return faults + [fault for child in element for fault in schema_faults(child)]


@pytest.fixture(scope="module")
def root() -> ET.Element:
    return ET.fromstring(junit_report.render(REPORTS, made=MADE))


def test_elements_and_attributes_are_those_of_the_schema(root: ET.Element) -> None:
    assert schema_faults(root) == []


def test_fault_in_the_structure_is_seen() -> None:
    wrong = ET.fromstring('<testsuites><testsuite name="a" x="1"><testcase/><properties/></testsuite></testsuites>')
    assert schema_faults(wrong) == [
        "<testsuite> has no errors",
        "<testsuite> has no failures",
        "<testsuite> has no tests",
        "<testsuite> has x",
        "<testsuite> holds ['testcase', 'properties']",
        "<testcase> has no classname",
        "<testcase> has no name",
    ]


def test_suite_counts_and_names_what_was_run(root: ET.Element) -> None:
    suite = root[0]
    assert suite.attrib == {
        "name": "Numbers",
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
        "time": "1.500",
        "timestamp": "2026-03-04T05:06:07",
    }
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties == {"edition": "1.0.4", "seed": "7", "command": REPORT.command}
    assert [case.get("name") for case in suite.iter("testcase")] == [PASSED.check, SKIPPED.check, FAILED.check]


def test_failure_has_message_rules_and_explanation(root: ET.Element) -> None:
    failure = root[0].find("testcase/failure")
    assert failure is not None
    assert failure.attrib == {"message": "no on_error came", "type": "§3.9 §1.4"}
    assert failure.text == REPORT.rendered(FAILED)


def test_another_reader_understands_it() -> None:
    read = junitparser.JUnitXml.fromstring(junit_report.render(REPORTS, made=MADE).encode())
    outcomes = [[(case.name, [type(each) for each in case.result]) for case in suite] for suite in read]
    assert outcomes == [
        [(PASSED.check, []), (SKIPPED.check, [junitparser.Skipped]), (FAILED.check, [junitparser.Failure])],
        [(PASSED.check, [])],
        [(HOSTILE_REPORT.verdicts[0].check, [junitparser.Failure])],
    ]


def test_what_xml_cannot_hold_is_shown_by_its_number(root: ET.Element) -> None:
    failure = root[2].find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == ("</script><b>&amp; ]]> \\x00\\x1b[31m \\xd800 é \U0001f600 \"quoted\" 'text'")
