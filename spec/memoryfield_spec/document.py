"""SPEC.md itself, and the examples in it, which are conformance cases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_EXAMPLE = re.compile(
    r"^```markdown example=(?P<id>\S+) (?P<kind>breaks|obeys)=(?P<rule>MF\d{3})\n"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Example:
    """An example in SPEC.md: a page, and whether it breaks or obeys a requirement.

    Attributes:
        id: what stands after `example=`.
        kind: "breaks" or "obeys".
        rule: the id of the requirement.
        text: the page.
    """

    id: str
    kind: Literal["breaks", "obeys"]
    rule: str
    text: str


def standard() -> str:
    """The text of SPEC.md: it is shipped within the package, and stands beside it in a checkout."""
    from importlib.resources import files

    package = files("memoryfield_spec")
    shipped: Traversable = package / "SPEC.md"
    if not shipped.is_file():
        shipped = cast("Traversable", package.parent / "SPEC.md")  # type: ignore[attr-defined]
    return shipped.read_text(encoding="utf-8")


@cache
def examples() -> Mapping[str, Example]:
    """The examples of SPEC.md by id, in the order of the document.

    Raises:
        ValueError: two examples have the same id.
    """
    found: dict[str, Example] = {}
    for match in _EXAMPLE.finditer(standard()):
        kind = cast("Literal['breaks', 'obeys']", match["kind"])
        if match["id"] in found:
            raise ValueError(f"SPEC.md has two examples with the id {match['id']}")
        found[match["id"]] = Example(match["id"], kind, match["rule"], match["text"])
    return MappingProxyType(found)
