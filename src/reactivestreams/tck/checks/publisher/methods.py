"""The checks of a publisher as methods; the stub of this module names them for type checkers."""

from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.kit.check_methods import check_methods

__all__ = ["PublisherMethods"]

PublisherMethods = check_methods("PublisherMethods", PUBLISHER_CHECKS, module=__name__)
