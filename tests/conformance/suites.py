"""Small cases and suites to test the runner with, given as data and written as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from tests.validator.fields import page

from memoryfield_validator.conformance import Case, Suite, load_suite, read_case

Given: TypeAlias = dict[str, Any]

STEEL = page()
"""A page about which there is nothing to say."""

STEEL_PIN = "field-sha256:de76831931adee9b00059493158a66c9732552bb537e315b72ba015c2434a58a"
"""The field pin of `STEEL` as `a.md` alone."""

RENAMED_PIN = "field-sha256:2ee97c5e51a6453980de45d0132ab7d5cc54dd7a2fd0eaa67ca6f70e8147bf49"
"""The field pin of `STEEL` as `b.md` alone."""

DATED = page(created="2026-03-01T09:00:00Z")
"""The same with one error: MF304 at 3:10."""

DATED_PIN = "field-sha256:14c52026e3729440b1af65680d15569afcc73fd057eb21527679ef8588026432"
MF304: Given = {"rule": "MF304", "level": "error", "file": "a.md", "line": 3, "column": 10}


def field(*files: Given, id: str = "mf304-one", **changes: Any) -> Given:
    """A case of kind field, by default of the clean page `a.md`; None leaves a key out."""
    given: Given = {
        "id": id,
        "kind": "field",
        "title": f"The case {id}",
        "why": "It shows something.",
        "spec": 1,
        "requirements": ["MF304"],
        "files": list(files) or [{"name": "a.md", "text": STEEL}],
        "expect": {"verdict": "valid", "pages": ["a.md"], "digest": STEEL_PIN},
    }
    return {key: value for key, value in (given | changes).items() if value is not None}


def dated(id: str = "mf304-dated", **changes: Any) -> Given:
    """The case of a page with one error."""
    expect = {"verdict": "invalid", "pages": ["a.md"], "digest": DATED_PIN, "findings": [MF304]}
    return field({"name": "a.md", "text": DATED}, id=id, **{"expect": expect, **changes})


def archive(id: str = "mf604-archive", **changes: Any) -> Given:
    """A case of kind archive, by default of the clean page `a.md`."""
    entries = [{"name": "a.md", "text": STEEL}]
    given: Given = {"kind": "archive", "archive": {"entries": entries}, "requirements": ["MF604"]}
    return field(id=id, files=None, **(given | changes))


def page_case(id: str = "mf302-page", **changes: Any) -> Given:
    """A case of kind page: a block of two fields, and a body."""
    given: Given = {
        "kind": "page",
        "requirements": ["MF302"],
        "page": {"text": "---\na: 1\nb: [true, x]\n---\nSteel.\n"},
        "expect": {"state": "parsed", "frontmatter": '{"a": 1, "b": [true, "x"]}',
                   "body": "Steel.\n"},
    }  # fmt: skip
    return field(id=id, files=None, **(given | changes))


def digest(id: str = "digest-one", **changes: Any) -> Given:
    """A case of kind digest: the known answer of the standard."""
    pin = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
    given: Given = {
        "kind": "digest",
        "requirements": [],
        "files": [{"name": "a.md", "text": "a\n"}, {"name": "b.md", "text": "b\n"}],
        "expect": {"digest": pin},
    }
    return field(id=id, **(given | changes))


def edit(*operations: Given, id: str = "mf906-edit", **changes: Any) -> Given:
    """A case of kind edit, by default the clean page `a.md` that becomes `b.md`."""
    rename = {"op": "rename", "name": "a.md", "to": "b.md"}
    given: Given = {
        "kind": "edit",
        "requirements": ["MF906"],
        "edit": {"operations": list(operations) or [rename]},
        "expect": {"digest": RENAMED_PIN, "files": [{"name": "b.md", "from": "a.md"}]},
    }
    return field(id=id, **(given | changes))


def refused(error: str = "batch-rejected", id: str = "mf906-refused", **changes: Any) -> Given:
    """A case of kind edit that is refused, by default since the page is not there."""
    removal = {"op": "remove", "name": "b.md"}
    return edit(removal, id=id, **{"expect": {"error": error, "digest": STEEL_PIN}, **changes})


def case_of(given: Given, folder: Path) -> Case:
    """The case, read from a file in a folder."""
    path = folder / f"{given['id']}.toml"
    path.write_bytes(toml(given).encode())
    return read_case(path, group_of(given))


@cache
def kit_suite() -> Suite:
    """The suite of the kit, read once."""
    return load_suite()


def cases_of(folder: Path, *given: Given) -> list[Case]:
    """Several of them."""
    return [case_of(each, folder) for each in given]


def suite_in(folder: Path, *given: Given, groups: Mapping[str, str] | None = None) -> Path:
    """Write a suite into a folder, each case where it belongs or in the group that is named."""
    for each in given:
        group = folder / "cases" / (groups or {}).get(each["id"], group_of(each))
        group.mkdir(parents=True, exist_ok=True)
        (group / f"{each['id']}.toml").write_bytes(toml(each).encode())
    return folder


def group_of(given: Given) -> str:
    """The folder in which a case belongs."""
    first = str(given["id"]).partition("-")[0]
    return f"{first[2]}xx" if first.startswith("mf") else f"{first}s"


def toml(given: Mapping[str, Any]) -> str:
    """Data as a TOML file, one key a line."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in given.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
