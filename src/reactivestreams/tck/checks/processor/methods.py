"""The checks that only processors have, as methods; the stub of this module names them for type checkers."""

from reactivestreams.tck.checks.processor import OWN_PROCESSOR_CHECKS
from reactivestreams.tck.kit.check_methods import check_methods

__all__ = ["ProcessorMethods"]

ProcessorMethods = check_methods("ProcessorMethods", OWN_PROCESSOR_CHECKS, module=__name__)
