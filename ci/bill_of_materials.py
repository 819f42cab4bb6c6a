"""Writes into each wheel what it is made of, as a CycloneDX document (PEP 770); setup.py takes the command from here.

A wheel of ours has no dependencies that a tool could list. What it does carry is Cython's runtime code, which is part
of every compiled module.
"""

import importlib.metadata
import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from setuptools.command.bdist_wheel import bdist_wheel

SPECIFICATION = "1.6"
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "reactive-streams-core")


def component(name: str, version: str, *, license_id: str, **more: object) -> dict[str, Any]:
    """Return a library of the package index as a component."""
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{version}"
    licenses = [{"license": {"id": license_id}}]
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": licenses,
    } | more


def bill_of_materials(
    name: str, version: str, *, license_id: str, tag: str, profile: str, seconds_since_epoch: int | None
) -> dict[str, Any]:
    """Return the document of one wheel; the same wheel built again has the same one if the time is given or None."""
    ours = component(
        name,
        version,
        license_id=license_id,
        properties=[{"name": "wheel:built-as", "value": tag}, {"name": "wheel:build-profile", "value": profile}],
    )
    cython = component(
        "Cython",
        importlib.metadata.version("Cython"),
        license_id="Apache-2.0",
        description="its runtime code is compiled into every extension module",
    )
    tools = [
        {"type": "application", "name": tool, "version": importlib.metadata.version(tool)}
        for tool in ("setuptools", "Cython")
    ]
    metadata = {"lifecycles": [{"phase": "build"}], "tools": {"components": tools}, "component": ours}
    if seconds_since_epoch is not None:
        metadata["timestamp"] = datetime.fromtimestamp(seconds_since_epoch, UTC).isoformat()
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, ' '.join([ours['purl'], tag, profile, cython['purl']]))}",
        "version": 1,
        "metadata": metadata,
        "components": [cython],
        "dependencies": [
            {"ref": ours["bom-ref"], "dependsOn": [cython["bom-ref"]]},
            {"ref": cython["bom-ref"], "dependsOn": []},
        ],
    }


class WheelWithBill(bdist_wheel):
    """Builds a wheel that holds its bill of materials."""

    def write_wheelfile(self, wheelfile_base: str, *arguments: str) -> None:
        """Write the bill beside the wheel's own metadata, before the record of all files is made."""
        super().write_wheelfile(wheelfile_base, *arguments)
        metadata = self.distribution.metadata
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        bill = bill_of_materials(
            metadata.get_name(),
            metadata.get_version(),
            license_id=metadata.license_expression,
            tag="-".join(self.get_tag()),
            profile=os.environ.get("RS_BUILD", "release"),
            seconds_since_epoch=int(epoch) if epoch else None,
        )
        folder = Path(wheelfile_base) / "sboms"
        folder.mkdir(exist_ok=True)
        text = json.dumps(bill, indent=2, sort_keys=True) + "\n"
        (folder / f"{metadata.get_name()}.cdx.json").write_text(text, encoding="utf-8")
