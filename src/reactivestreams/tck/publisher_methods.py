"""The checks of a publisher as methods; the stub beside it names them for type checkers."""

from reactivestreams.tck.check_methods import check_methods
from reactivestreams.tck.publisher_checks import PUBLISHER_CHECKS

__all__ = ["PublisherMethods"]

PublisherMethods = check_methods("PublisherMethods", PUBLISHER_CHECKS, module=__name__)
