"""The checks that only processors have as methods; the stub beside it names them for type checkers."""

from reactivestreams.tck.check_methods import check_methods
from reactivestreams.tck.processor_checks import OWN_PROCESSOR_CHECKS

__all__ = ["ProcessorMethods"]

ProcessorMethods = check_methods("ProcessorMethods", OWN_PROCESSOR_CHECKS, module=__name__)
