"""The JSON Schemas of the standard, as they are shipped."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, cast, get_args

SchemaName: TypeAlias = Literal[
    "applied",
    "batch",
    "comparison",
    "fleet-row",
    "fleet-totals",
    "frontmatter",
    "lock",
    "notes",
    "report",
]


def schema(name: SchemaName) -> dict[str, Any]:
    """A JSON Schema (draft 2020-12) of the standard, as a new dictionary on every call.

    Arguments:
        name: "frontmatter" for the fields of a page, "report" for what a validator prints,
            "comparison" for what is printed of two fields that are compared, "lock" for what the
            TOML of a lock file says, "batch" for edits that are to be made, "applied" for what is
            printed of them, "notes" for all that a store of notes holds, "fleet-row" for what came
            of one field of many, "fleet-totals" for what came of all of them.

    Raises:
        LookupError: there is no schema of that name.
    """
    if name not in get_args(SchemaName):
        *names, last = map(repr, get_args(SchemaName))
        raise LookupError(f"there is no schema {name!r}; there are {', '.join(names)} and {last}")
    import json
    from importlib.resources import files

    resource = files("memoryfield_spec").joinpath(f"{name}.schema.json")
    return cast("dict[str, Any]", json.loads(resource.read_text(encoding="utf-8")))
