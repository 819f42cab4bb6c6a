"""Reports of verifications as files: JSON, JUnit XML, and a page of HTML; a module a format."""

from reactivestreams.tck.reports.report_file import check_report_path, write_report

__all__ = ["check_report_path", "write_report"]
