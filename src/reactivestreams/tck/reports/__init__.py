"""Reports of verifications as files: JSON, JUnit XML and HTML; one module per format."""

from reactivestreams.tck.reports.report_file import check_report_path, write_report

__all__ = ["check_report_path", "write_report"]
