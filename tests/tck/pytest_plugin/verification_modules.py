"""Texts of modules with verifications, and names of checks that the tests choose."""

COMPLETES = "required_spec105_must_signal_on_complete_when_finite_stream_terminates"
ZERO = "required_spec309_request_zero_must_signal_value_error"
TYPE_ERROR = "required_spec109_subscribe_raise_type_error_on_none_subscriber"
UNTESTED = "untested_spec304_request_should_not_perform_heavy_computations"

RANGE = """
    import pytest
    from reactivestreams import Stream
    from reactivestreams.tck import Environment, PublisherVerification

    class TestRange(PublisherVerification):
        def create_publisher(self, elements):
            return Stream.range(elements)
"""

WRONG = """
    from reactivestreams.tck import PublisherVerification

    class Silent:
        def subscribe(self, subscriber):
            pass

    class TestSilent(PublisherVerification):
        def create_publisher(self, elements):
            return Silent()
"""

RECORDING = """
    import json
    from pathlib import Path

    class Recording:
        def create_publisher(self, elements):
            with Path("made.jsonl").open("a") as file:
                print(json.dumps([id(self), elements]), file=file)
            return Stream.range(elements)
"""
