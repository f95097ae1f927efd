"""Batches of any size and of every kind of operation, and fields for them in every form."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from tests.writer.archives import canonical
from tests.writer.edits import page

from memoryfield_writer import (
    AddAttachment,
    AddPage,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)

Form: TypeAlias = Literal["folder", "archive", "deflated"]
FORMS: tuple[Form, ...] = ("folder", "archive", "deflated")
"""A folder; an archive in the canonical form; one as a program for archives makes it."""

SIZES = (1, 2, 3, 5, 8, 13, 20)
INDEX = "nomic-embed-text-v1.5.sqlite3"
_VECTOR = b"\0\0\x80\x3f" * 768
_SCHEMA = """
CREATE TABLE pages(filename TEXT PRIMARY KEY, frontmatter JSON NOT NULL,
  last_modified DATETIME NOT NULL, sha256_hash BLOB NOT NULL, embedding BLOB NOT NULL)
"""

_Edit: TypeAlias = Callable[[int], Operation]


def page_name(number: int) -> str:
    """The name of a page that is there."""
    return f"p-{number:02}.md"


def file_name(number: int) -> str:
    """The name of an attachment that is there."""
    return f"f-{number:02}.csv"


def text(number: int, word: str = "old") -> str:
    """What a page holds."""
    return page(f"Page {number}", f"The {word} words of page {number}: https://example.org/.\n")


EDITS: dict[str, _Edit] = {
    "replace": lambda number: ReplacePage(page_name(number), text(number, "new")),
    "add": lambda number: AddPage(f"new-{number:02}.md", page(f"New {number}")),
    "remove": lambda number: RemovePage(page_name(number)),
    "rename": lambda number: RenamePage(page_name(number), f"renamed-{number:02}.md"),
    "text": lambda number: ReplaceText(f"old words of page {number}:", "other words:"),
    "text-of-one": lambda number: ReplaceText("old", "", page_name(number)),
    "add-file": lambda number: AddAttachment(f"new-{number:02}.bin", b"\0\xff" * 1500),
    "replace-file": lambda number: ReplaceAttachment(file_name(number), b"1,2\n" * 700),
    "remove-file": lambda number: RemoveAttachment(file_name(number)),
    "rename-file": lambda number: RenameAttachment(file_name(number), f"renamed-{number:02}.csv"),
}
"""Each kind of operation, on the page or attachment of a number."""

KINDS = tuple(EDITS)


@dataclass(frozen=True, slots=True)
class Case:
    """A batch, and the field that it is applied to.

    Attributes:
        name: tells it from others.
        form: what the field is.
        operations: the batch.
        before: the files of the field, its index among them if it has one.
        after: them afterwards, without the index.
    """

    name: str
    form: Form
    operations: tuple[Operation, ...]
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


def case_of(name: str) -> Case:
    """A case by its name: `FORM/KIND/SIZE`, and `/index` for one with an index.

    The first operation is of the kind, and those that follow are of the kinds that follow.
    """
    form, kind, size, *index = name.split("/")
    first, count = KINDS.index(kind), int(size)
    kinds = [KINDS[(first + number) % len(KINDS)] for number in range(count)]
    operations = tuple(EDITS[kind](number) for number, kind in enumerate(kinds))
    files = {"stays.md": page("Stays").encode()}
    for number, each in enumerate(kinds):
        if each.endswith("-file"):
            files[file_name(number)] = b"1\n"
        else:
            files[page_name(number)] = text(number).encode()
    after = edited(files, operations)
    if index:
        files[INDEX] = index_of(tuple(files))
    return Case(name, _form(form), operations, files, after)


def _form(name: str) -> Form:
    return next(form for form in FORMS if form == name)


@cache
def index_of(names: Sequence[str]) -> bytes:
    """An index, as another program may have written it, with a row for each page."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(_SCHEMA)
        for name in names:
            if name.endswith(".md"):
                row = (name, "{}", "2026-03-01T09:00:00Z", b"\1" * 32, _VECTOR)
                database.execute("INSERT INTO pages VALUES(?, ?, ?, ?, ?)", row)
        database.commit()
        return database.serialize()


def rows_of(index: bytes) -> set[str]:
    """The pages that have a row in an index."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(index)
        return {name for (name,) in database.execute("SELECT filename FROM pages")}


def edited(files: Mapping[str, bytes], operations: Iterable[Operation]) -> dict[str, bytes]:
    """What a plain dictionary becomes."""
    made = dict(files)
    for each in operations:
        match each:
            case AddPage(name, content) | ReplacePage(name, content):
                made[name] = content.encode() if isinstance(content, str) else content
            case AddAttachment(name, data) | ReplaceAttachment(name, data):
                made[name] = data
            case RemovePage(name) | RemoveAttachment(name):
                del made[name]
            case RenamePage(name, to) | RenameAttachment(name, to):
                made[to] = made.pop(name)
            case ReplaceText(old, new):
                found = [name for name in made if old.encode() in made[name] and _fits(each, name)]
                assert len(found) == 1
                made[found[0]] = made[found[0]].replace(old.encode(), new.encode())
    return made


def _fits(operation: ReplaceText, name: str) -> bool:
    return operation.name in (None, name) and name.endswith(".md")


def field_of(place: Path, form: Form) -> Path:
    """Where the field is in a place."""
    return place / ("field" if form == "folder" else "field.memoryfield.zip")


def make(place: Path, form: Form, files: Mapping[str, bytes]) -> Path:
    """Make a place with a field in it, and nothing else; the field."""
    place.mkdir(parents=True)
    field = field_of(place, form)
    if form == "folder":
        field.mkdir()
        for name, content in files.items():
            (field / name).write_bytes(content)
    elif form == "archive":
        field.write_bytes(canonical(files))
    else:
        with zipfile.ZipFile(field, "w", zipfile.ZIP_DEFLATED) as made:
            for name, content in files.items():
                made.writestr(name, content)
    return field


def held(place: Path, form: Form) -> dict[str, bytes]:
    """All that a field really holds, by other means than ours; nothing may be beside it."""
    field = field_of(place, form)
    assert [path.name for path in place.iterdir()] == [field.name]
    if form == "folder":
        return {
            path.relative_to(field).as_posix(): b"" if path.is_dir() else path.read_bytes()
            for path in field.rglob("*")
        }
    with zipfile.ZipFile(field) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}
