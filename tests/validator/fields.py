"""Small fields to validate: a clean page, what to change in it, and where to put it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from memoryfield_readers import DEFAULT_LIMITS, Limits, inspect_field
from memoryfield_validator import Profile, Report, validate
from memoryfield_validator.conformance.raw_zip import STORED, ZipEntry, zip_bytes

Files: TypeAlias = Mapping[str, str | bytes]

BODY = "Steel conducts heat evenly.\n\nSource: https://example.com/steel\n"
NAME = "field.memoryfield.zip"


def uuid(number: int = 0) -> str:
    """A UUID, another one for each number."""
    return f"0b5f1f2e-7f0e-4d0c-9a55-{number:012d}"


def page(
    body: str = BODY,
    *,
    number: int = 0,
    more: str = "",
    title: str | None = "Steel",
    created: str | None = "'2026-03-01T09:00:00Z'",
    updated: str | None = "'2026-08-22T14:30:00Z'",
    **others: str | None,
) -> str:
    """A page about which there is nothing to say, but for what is changed in it.

    Arguments:
        body: what follows the frontmatter; it begins in line 7 if there are no more fields.
        number: what the uuid depends on.
        more: whole lines of frontmatter, from line 6 on.
        title, created, updated: the sources of these fields, in lines 2 to 4; None leaves one out.
        others: `uuid` in line 5, which is otherwise made from the number.
    """
    identity = others.get("uuid", uuid(number))
    fields = {"title": title, "created": created, "updated": updated, "uuid": identity}
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    return f"---\n{lines}{more}---\n{body}"


def pages(count: int, *, first: int = 1) -> dict[str, str]:
    """So many clean pages, `page-1.md` and so on."""
    return {f"page-{n}.md": page(number=n) for n in range(first, first + count)}


def as_bytes(content: str | bytes) -> bytes:
    """Content as it stands in a file; no line end is changed."""
    return content.encode() if isinstance(content, str) else content


def write_files(folder: Path, files: Files) -> Path:
    """Write a field as a folder, which is made if it is not there."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    return folder


def archive(files: Files, method: int = STORED) -> bytes:
    """A field as an archive that is marked as UTF-8 where it must be."""
    return zip_bytes(*(ZipEntry(name, as_bytes(files[name]), method) for name in files))


def validated(
    location: Path | bytes,
    *,
    name: str = NAME,
    limits: Limits = DEFAULT_LIMITS,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    profile: Profile = "kit",
) -> Report:
    """The report on a folder, on an archive in a file, or on the bytes of one."""
    with inspect_field(location, limits=limits, name=name) as field:
        return validate(field, select=select, ignore=ignore, profile=profile)


def report_on(files: Files, *, limits: Limits = DEFAULT_LIMITS) -> Report:
    """The report on files that need no folder: they are judged as an archive."""
    return validated(archive(files), limits=limits)


def rules_in(report: Report) -> list[str]:
    """The ids of the findings, in the order of the report."""
    return [finding.rule for finding in report.findings]
