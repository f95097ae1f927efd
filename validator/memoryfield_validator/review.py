"""What a validation knows of a field beyond the page at hand."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from memoryfield_readers import (
    HARMLESS_FAULTS,
    Entry,
    EntryKind,
    Fault,
    Field,
    LimitExceeded,
    MemoryfieldError,
    Page,
    SourceUnavailable,
    is_side_file,
    topmost_debris,
)

from .field_types import TypeProblem, type_problems
from .sqlite_index import ROW_RULES, IndexReview, review_indexes

_NOT_PLAIN = re.compile("[%?#]")
"""What means something else in a link than in a name."""


class Unreadable(NamedTuple):
    """A file at the root that could not be read."""

    name: str
    error: MemoryfieldError


class Review:
    """The state of one validation; page rules add to it, field rules look at the whole.

    Attributes:
        field: the field under review.
        ids: the ids of the rules that are asked for and count.
        names: names of all pages, attachments and indexes at its root.
        plain_names: those of them that a link can write as they are.
        uuids: the first page that states each uuid, by the uuid in lower case.
        pointers: names of files that are Git LFS pointers.
        nested: what lies in sub-directories.
        faults: what is wrong with the container and with the data of its entries.
        unreadable: files that could not be read.
    """

    def __init__(self, field: Field, ids: frozenset[str]) -> None:
        """Begin a review of a field by the rules with these ids, which count."""
        self.field = field
        self.ids = ids
        self.names = frozenset(name for name in field.entries if not is_side_file(name))
        self.plain_names = frozenset(name for name in self.names if not _NOT_PLAIN.search(name))
        self.uuids: dict[str, str] = {}
        self.pointers: list[str] = []
        self.nested: list[Entry] = []
        self.faults: list[Fault] = list(field.faults)
        self.unreadable: list[Unreadable] = []
        self._type_problems: dict[str, list[TypeProblem]] = {}

    def type_problems(self, page: Page) -> list[TypeProblem]:
        """What the schema says of a page's defined fields; several rules share one judgement."""
        known = self._type_problems.get(page.name)
        if known is None:
            known = self._type_problems[page.name] = type_problems(page.frontmatter)
        return known

    def forget_type_problems(self) -> None:
        """Let go of what the schema says of pages that have been checked."""
        self._type_problems.clear()

    def unread(self) -> tuple[MemoryfieldError, ...]:
        """Why something could not be read, one error each.

        A fault that keeps something from being read is a finding; where its rule is not asked for
        or does not count, it is an error here, so that nothing passes for checked that was not.
        """
        field = self.field
        errors = [unreadable.error for unreadable in self.unreadable]
        for entry in (*field.irregular, *self.nested):
            if entry.kind is EntryKind.UNREADABLE:
                message = f"cannot be read: {entry.problem}"
                errors.append(SourceUnavailable(message, location=field.location, entry=entry.path))
        if "MF105" not in self.ids:
            irregular = (e for e in field.irregular if e.kind is EntryKind.IRREGULAR)
            errors += [field.error_for(entry) for entry in irregular]
        for fault in dict.fromkeys(self.faults):
            if fault.rule not in self.ids | HARMLESS_FAULTS:
                message = f"was not checked, {fault.rule}: {fault.message}"
                errors.append(
                    SourceUnavailable(message, location=field.location, entry=fault.entry)
                )
        if self.ids & ROW_RULES:
            errors += self.index_review.errors
        return tuple(errors)

    def look_into_folders(self) -> None:
        """List what lies in sub-directories; beyond the limits it is cut off, with a fault."""
        try:
            self.nested.extend(self.field.nested())
        except LimitExceeded as error:
            self.faults.append(Fault("MF607", error.message, error.entry, error.hint))

    @cached_property
    def index_review(self) -> IndexReview:
        """What there is to say of SQLite indexes; each is looked into once, for all rules.

        Of a field that is too large to be read none is looked into.
        """
        faults = [fault for fault in self.faults if fault.rule not in HARMLESS_FAULTS]
        if any(fault.rule == "MF607" and fault.entry is None for fault in faults):
            return IndexReview()
        told = {fault.entry for fault in faults} | {each.name for each in self.unreadable}
        return review_indexes(self.field, told | {*self.pointers})

    @cached_property
    def nested_pages(self) -> tuple[str, ...]:
        """Paths of `.md` files in sub-directories that are no debris."""
        return tuple(
            entry.path
            for entry in self.nested
            if entry.kind is EntryKind.FILE
            and entry.path.endswith(".md")
            and topmost_debris(entry.path) is None
        )

    @cached_property
    def wrapper(self) -> str | None:
        """The one top folder that wraps all pages of an archive, or None (MF608)."""
        if self.field.archive_name is None or self.field.pages:
            return None
        tops = {path.partition("/")[0] for path in self.nested_pages}
        return tops.pop() if len(tops) == 1 else None
