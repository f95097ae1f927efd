"""What the wheel holds beside the rooms: SPEC.md and the conformance cases.

A checkout has them at their own places, and an editable install reads them there: copies of them
would grow old.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "spec/SPEC.md": "memoryfield_spec/SPEC.md",
    "conformance-fixtures": "memoryfield_validator/conformance/fixtures",
}


class ShippedFiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds to a wheel what is read from other folders in a checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is built; `version` is "standard" or "editable"."""
        if version == "standard":
            build_data["force_include"].update(SHIPPED)
