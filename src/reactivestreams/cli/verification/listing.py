"""The checks that there are, for the option `--list`."""

from reactivestreams.cli.output import Output, print_json
from reactivestreams.tck.catalog import Catalog

__all__ = ["show_list"]


def show_list(catalog: Catalog, names: tuple[str, ...], *, as_json: bool) -> None:
    """Print checks with their rules and what they claim.

    Args:
        catalog: Where the checks are.
        names: Which of them to print.
        as_json: Whether to print for programs.
    """
    checks = [catalog[name] for name in names]
    if as_json:
        print_json(
            [
                {
                    "check": check.name,
                    "rules": list(check.rules),
                    "claim": check.claim,
                    "editions": list(map(str, check.editions)),
                    "origin": check.origin.value,
                }
                for check in checks
            ]
        )
        return
    output = Output()
    for check in checks:
        output.line(check.name, style="bold")
        about = " ".join(f"§{id}" for id in check.rules) or "set-up"
        output.line(f"    {about}: {check.claim}")
    output.line(f"{len(checks)} checks")
