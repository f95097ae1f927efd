"""A conformance case: what is given, and the exact answer that is expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memoryfield_readers import ARCHIVE_SUFFIX, Limits

from .errors import BrokenCase

Kind: TypeAlias = Literal["field", "archive", "page", "digest", "edit"]
Answer: TypeAlias = Mapping[str, Any]
"""What an implementation says of a case, in the shape of the adapter protocol."""

DIRECTORY = "directory"
ARCHIVE = "archive"
ARCHIVE_NAME = f"field{ARCHIVE_SUFFIX}"
PAGE_NAME = "page.md"


@dataclass(frozen=True, slots=True)
class File:
    """A file of a case, or what stands in place of one.

    Attributes:
        name: its path with `/` between the components; a name that is not UTF-8 is surrogate
            escaped.
        content: its bytes; None for what is no regular file.
        link: the target of a symbolic link.
        special: "fifo", or "folder" for an empty one.
    """

    name: str
    content: bytes | None = None
    link: str | None = None
    special: Literal["fifo", "folder"] | None = None

    def __post_init__(self) -> None:
        """Refuse a name that could lead out of the folder in which the file is to stand.

        Raises:
            BrokenCase: the name is no plain relative path.
        """
        if "\0" in self.name or any(part in ("", ".", "..") for part in self.name.split("/")):
            raise BrokenCase(f"the name {self.name!r} is no plain relative path")


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of a case: its file name and its bytes."""

    file_name: str
    data: bytes

    def __post_init__(self) -> None:
        """Refuse a file name that could lead out of the folder, or breaks a line of a list.

        Raises:
            BrokenCase: the file name is no plain name.
        """
        name = self.file_name
        if name in (".", "..") or set(name) & set("/\\") or not name.isprintable():
            raise BrokenCase(f"the file name {name!r} is no plain name")


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be done to the files of a case.

    Attributes:
        batch: the batch as JSON text; text that is no batch is part of some cases.
        allow: what a review may find in the new text: ids of requirements, or their beginnings.
        stamp: the present instant, as a full datetime in UTC, where frontmatter is to be kept and
            renewed (MF909); None where contents are to be exactly what the batch says.
    """

    batch: str
    allow: tuple[str, ...] = ()
    stamp: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One input and the answer to it.

    Attributes:
        id: the name of its file; it never changes.
        kind: what is given and asked.
        title: what is special about the input.
        why: what goes wrong in an implementation that fails.
        spec: the revision of the standard.
        requirements: the ids it is about.
        settings: limits other than the defaults, by name.
        limits: all limits, with these settings.
        sources: what can carry the files; None for everything.
        given: the files, the archive or the page.
        pin: a pin that the reader was given, or that the writer is to find, or None.
        expect: the answer as it stands in the file of the case.
        group: the folder in which the case stands.
        audit: whether a review of the content is asked for (8xx).
        edit: what is to be done to the files, of kind edit; else None.
        after: the files that are expected after that.
    """

    id: str
    kind: Kind
    title: str
    why: str
    spec: int
    requirements: tuple[str, ...]
    settings: Mapping[str, int]
    limits: Limits
    sources: frozenset[str] | None
    given: tuple[File, ...] | Archive | bytes
    pin: str | None
    expect: Mapping[str, Any]
    group: str
    audit: bool = False
    edit: Edit | None = None
    after: tuple[File, ...] = ()

    @property
    def files(self) -> tuple[File, ...]:
        """The files of the field that is given; a page is a field of one."""
        if isinstance(self.given, Archive):
            return ()
        if isinstance(self.given, bytes):
            return (File(PAGE_NAME, self.given),)
        return self.given

    def breaks(self, id: str) -> bool:
        """Whether a finding of this requirement is expected."""
        if self.edit is not None:
            return False  # only a writer could
        found = any(finding["rule"] == id for finding in self.expect.get("findings", ()))
        return found or self.expect.get("error", {}).get("rule") == id
