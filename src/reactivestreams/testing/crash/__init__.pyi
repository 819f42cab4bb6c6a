from reactivestreams.testing.crash.checks import (
    CrashKit,
    EgressCase,
    IngressCase,
    StoreCase,
    check_egress,
    check_ingress,
    check_store,
)
from reactivestreams.testing.crash.findings import CrashReport, CrashTestError, Finding

__all__ = [
    "CrashKit",
    "CrashReport",
    "CrashTestError",
    "EgressCase",
    "Finding",
    "IngressCase",
    "StoreCase",
    "check_egress",
    "check_ingress",
    "check_store",
]
