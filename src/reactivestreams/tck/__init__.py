"""The compatibility kit: judge a publisher, subscriber or processor of any library by the 43 rules.

It does not depend on a test runner: a check is a function that returns a verdict with its evidence. Of this project it
    imports only the interfaces, the errors and the check of hooks that all documented bases have, so it can judge any
    implementation.
"""

from reactivestreams.tck.kit.check import Check, Kind, Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.failure import Failed, Skipped, SubjectError
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.runner import VerificationInterrupted, run
from reactivestreams.tck.kit.verdict import Evidence, Outcome, Verdict, Violation
from reactivestreams.tck.kit.watchdog import judge
from reactivestreams.tck.probes.whitebox_probe import SubscriberPuppet, WhiteboxProbe
from reactivestreams.tck.processor_traits import OnOverflow, Overflow, ProcessorTraits
from reactivestreams.tck.processor_verification import ProcessorVerification
from reactivestreams.tck.publisher_verification import PublisherVerification
from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

__all__ = [
    "Check",
    "CheckEnvironment",
    "Edition",
    "Environment",
    "Evidence",
    "Failed",
    "Kind",
    "OnOverflow",
    "Origin",
    "Outcome",
    "Overflow",
    "ProcessorTraits",
    "ProcessorVerification",
    "PublisherVerification",
    "Report",
    "Skipped",
    "SubjectError",
    "SubscriberBlackboxVerification",
    "SubscriberPuppet",
    "SubscriberWhiteboxVerification",
    "Verdict",
    "VerificationInterrupted",
    "Violation",
    "WhiteboxProbe",
    "check",
    "judge",
    "run",
]
