"""The checks of the compatibility kit, of all its verifications."""

import re
from collections.abc import Iterator
from functools import cache

import reactivestreams.tck
from reactivestreams.tck import Check, Edition, Kind
from reactivestreams.tck.kit.catalog import Catalog

__all__ = ["all_checks", "checks_of"]


@cache
def all_checks() -> dict[str, tuple[str, Check]]:
    """Return every check by its name, with what it judges, such as "subscriber blackbox"; each once."""
    found: dict[str, tuple[str, Check]] = {}
    # A processor is judged as what it is made of, too: the smaller catalogs name the checks first.
    for name, catalog in sorted(_catalogs(), key=lambda pair: len(pair[1])):
        judged = " ".join(re.findall("[A-Z][a-z]+", name.removesuffix("Verification"))).lower()
        for check in catalog:
            found.setdefault(check.name, (judged, check))
    return found


def _catalogs() -> Iterator[tuple[str, Catalog]]:
    for name in reactivestreams.tck.__all__:
        catalog = getattr(getattr(reactivestreams.tck, name), "catalog", None)
        if isinstance(catalog, Catalog):
            yield name, catalog


def checks_of(rule: str, *, edition: Edition = Edition.JVM) -> list[tuple[str, Check]]:
    """Return what really tests a rule in an edition, those first that are chiefly about it."""
    about = [
        (judged, check)
        for judged, check in all_checks().values()
        if rule in check.rules and edition in check.editions and check.kind is not Kind.UNTESTED
    ]
    return sorted(about, key=lambda pair: pair[1].rules[0] != rule)
