"""The suite: where the cases stand, and from their files to values."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from memoryfield_readers import DEFAULT_LIMITS

from .archive_form import archive_of
from .case import Archive, Case, File
from .content import content_of, name_of
from .errors import BrokenCase, NoSuchCase

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jsonschema.protocols import Validator

Folder: TypeAlias = "Traversable | Path"


@dataclass(frozen=True, slots=True)
class Suite:
    """The cases, in the order of their groups and ids."""

    cases: tuple[Case, ...]

    def chosen(self, beginnings: Iterable[str]) -> tuple[Case, ...]:
        """The cases whose id, group or one of whose requirements begins so; all for no beginning.

        Raises:
            NoSuchCase: a beginning fits no case.
        """
        wanted: set[str] = set()
        beginnings = list(beginnings)
        for beginning in beginnings:
            low = beginning.lower()
            found = {case.id for case in self.cases if any(n.startswith(low) for n in _names(case))}
            if not found:
                raise NoSuchCase(
                    f"no case has an id or a requirement that begins with {beginning!r}"
                )
            wanted |= found
        return tuple(case for case in self.cases if not beginnings or case.id in wanted)


def fixtures() -> Folder:
    """`conformance-fixtures/`: shipped within the package, at the root in a checkout."""
    from importlib.resources import files

    package = files("memoryfield_validator")
    shipped = package / "conformance" / "fixtures"
    if shipped.is_dir():
        return shipped
    return Path(str(package)).parents[1] / "conformance-fixtures"


def load_suite(root: Folder | None = None) -> Suite:
    """All cases below `cases/` of a folder, by default those of the kit.

    Raises:
        BrokenCase: a file is no case, or there is none.
    """
    root = root or fixtures()
    cases = tuple(read_case(path, group) for group, path in case_files(root))
    if not cases:
        raise BrokenCase("there is no case", location=str(root), hint="give a folder with `cases/`")
    return Suite(cases)


def case_files(root: Folder) -> Iterator[tuple[str, Folder]]:
    """The files of the cases with their groups, in order."""
    top = root / "cases"
    if not top.is_dir():
        return
    for group in sorted(top.iterdir(), key=lambda folder: folder.name):
        if group.is_dir():
            for path in sorted(group.iterdir(), key=lambda file: file.name):
                if path.name.endswith(".toml"):
                    yield group.name, path


def read_case(path: Folder, group: str) -> Case:
    """The case in a file.

    Raises:
        BrokenCase: the file is no TOML, or not in the form of the schema.
    """
    try:
        given = tomllib.loads(path.read_bytes().decode())
        for problem in _schema().iter_errors(given):
            raise BrokenCase(f"{_place(problem.absolute_path)}: {problem.message[:300]}")
        return _case(given, group)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenCase(f"is no TOML: {error}", location=str(path)) from None
    except BrokenCase as error:
        raise BrokenCase(error.message, location=str(path)) from None


def _case(given: dict[str, Any], group: str) -> Case:
    settings = given.get("limits", {})
    limits = DEFAULT_LIMITS.with_settings(f"{name}={value}" for name, value in settings.items())
    sources = given.get("sources")
    return Case(
        id=given["id"],
        kind=given["kind"],
        title=given["title"],
        why=given["why"],
        spec=given["spec"],
        requirements=tuple(given["requirements"]),
        settings=settings,
        limits=limits,
        sources=None if sources is None else frozenset(sources),
        given=_given(given),
        pin=given.get("pin"),
        expect=given["expect"],
        group=group,
    )


def _given(given: dict[str, Any]) -> tuple[File, ...] | Archive | bytes:
    if "archive" in given:
        return archive_of(given["archive"])
    if "page" in given:
        return content_of(given["page"]) or b""
    return tuple(
        File(name_of(file), content_of(file), file.get("link"), file.get("special"))
        for file in given["files"]
    )


@cache
def _schema() -> Validator:
    import json

    from jsonschema import Draft202012Validator

    text = (fixtures() / "case.schema.json").read_text(encoding="utf-8")
    return cast("Validator", Draft202012Validator(json.loads(text)))


def _place(path: Iterable[object]) -> str:
    return ".".join(map(str, path)) or "the case"


def _names(case: Case) -> tuple[str, ...]:
    return (case.id, case.group, *(id.lower() for id in case.requirements))
