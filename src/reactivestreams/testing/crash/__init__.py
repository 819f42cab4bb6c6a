"""Tests of what an engine is made of: ingresses, egresses and stores, with a fault in each step of their protocols."""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.testing.crash.checks": (
            "CrashKit",
            "EgressCase",
            "IngressCase",
            "StoreCase",
            "check_egress",
            "check_ingress",
            "check_store",
        ),
        "reactivestreams.testing.crash.findings": ("CrashReport", "CrashTestError", "Finding"),
    },
)
