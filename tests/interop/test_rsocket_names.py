"""What the users of rsocket import from a package of our name."""

import reactivestreams as package
from reactivestreams import reactivestreams


def test_function_of_rsocket_is_imported_from_the_package() -> None:
    assert reactivestreams() == "reactivestreams-0.1"


def test_function_of_rsocket_is_not_imported_with_all_names() -> None:
    assert "reactivestreams" not in package.__all__
