"""The JSON Schemas of the standard, as they are shipped."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast

SchemaName: TypeAlias = Literal["frontmatter", "report"]


def schema(name: SchemaName) -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) of the standard, as a new dictionary on every call.

    Arguments:
        name: "frontmatter" for the fields of a page, "report" for what a validator prints.

    Raises:
        LookupError: there is no schema of that name.
    """
    if name not in ("frontmatter", "report"):
        raise LookupError(f"there is no schema {name!r}; there are 'frontmatter' and 'report'")
    import json
    from importlib.resources import files

    resource = files("memoryfield_spec").joinpath(f"{name}.schema.json")
    return cast("dict[str, Any]", json.loads(resource.read_text(encoding="utf-8")))
