"""What a package index shows: the README with links that lead to the repository, and its addresses; for setup.py.

A release needs one setting, REPOSITORY.
"""

import re

REPOSITORY = ""
"""The address of the repository, such as "https://forge.example.org/owner/name"; empty until the first release."""

RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)\s]+)\)")


def description(readme: str, repository: str = REPOSITORY) -> str:
    """Return the README; its links and pictures are relative, which an index cannot follow, so they become whole."""
    if not repository:
        return readme
    return RELATIVE_LINK.sub(
        lambda link: f"{link[1]}{link[2]}({repository}/{'raw' if link[1] else 'blob'}/main/{link[3]})", readme
    )


def addresses(repository: str = REPOSITORY) -> dict[str, str]:
    """Return the addresses that an index shows beside it, by the labels that it knows."""
    if not repository:
        return {}
    return {
        "Source": repository,
        "Documentation": f"{repository}/blob/main/docs/index.md",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
