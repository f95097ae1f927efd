"""A field as a comparison needs it: hashes of all its files, and single pages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from memoryfield_readers import (
    Field,
    LimitExceeded,
    Manifest,
    MemoryfieldError,
    NotFound,
    Page,
    PinMismatch,
    SourceUnavailable,
    UnsafeArchive,
    Watch,
    unwatched,
)

from ..reports import counted
from .comparison import Side, Version

MOST_FAILURES = 3
"""Pages that are asked for in vain before no more are."""

_OF_NOTHING = hashlib.sha256().hexdigest()


class ReadField:
    """One of two fields that are compared.

    Attributes:
        field: the field.
        hashes: the SHA-256 of each page, attachment and index, by name.
    """

    def __init__(
        self, field: Field, known: Mapping[str, str] | None = None, watch: Watch = unwatched
    ) -> None:
        """Hash a field, all of which is read, unless its hashes are known.

        Arguments:
            field: the field.
            known: the hashes of all its files, where these are proved already: then a page that
                cannot be had is no error.
            watch: is told how many files are hashed, and of how many.

        Raises:
            MemoryfieldError: a file cannot be read; as `Field.manifest` raises.
        """
        self.field = field
        self._is_known = known is not None
        self._failures: list[MemoryfieldError] = []
        self.hashes = self._hashed(watch) if known is None else known

    def _hashed(self, watch: Watch) -> Mapping[str, str]:
        field = self.field
        for entry in field.irregular:
            raise field.error_for(entry)
        found: dict[str, str] = {}
        covered = (*field.pages, *field.attachments)
        total = len(covered) + len(field.indexes)
        for names in (covered, field.indexes):
            field.prepare(names)
            for name in names:
                found[name] = field.sha256(name)
                watch("files", len(found), total)
        return found

    def side(self) -> Side:
        """What is told of the field as a whole."""
        field = self.field
        covered = {name: self.hashes[name] for name in (*field.pages, *field.attachments)}
        digest = Manifest.of(covered).digest if covered else None
        return Side(field.location, field.resolved, digest, len(field.pages))

    def version(self, name: str | None) -> Version | None:
        """What is told of a file; None where there is none."""
        if name is None or name not in self.hashes:
            return None
        sha256, size = self.hashes[name], self.field.entry(name).size
        return Version(sha256, size if size or sha256 == _OF_NOTHING else None)

    def archive_pin(self, *, is_locked: bool) -> str | None:
        """The archive pin; None for what is no archive.

        Arguments:
            is_locked: whether it must be known; else it is None, too, if it cannot be had.
        """
        try:
            return self.field.archive_digest()
        except (LimitExceeded, SourceUnavailable, UnsafeArchive):
            if is_locked:
                raise
            return None

    def lost(self, count: int, *, all_are: bool) -> str:
        """What is to be said once of pages that are not to be had any more as they were.

        Arguments:
            count: how many there are.
            all_are: whether there is none that could be had.
        """
        failure = self._failures[0]
        of_pages = "" if all_are else f"of {counted(count, 'page')}, "
        if isinstance(failure, NotFound | PinMismatch):
            why = "is not here any more (no copy, and the source has moved on)"
        else:
            why = f"cannot be had ({failure.message})"
        return f"{of_pages}what was locked {why}: only names and hashes are shown"

    def prepare(self, names: list[str]) -> None:
        """Bring pages near that are going to be read."""
        try:
            self.field.prepare(names)
        except MemoryfieldError as error:
            if not self._is_known:
                raise
            self._failures.append(error)

    def page(self, name: str) -> Page | MemoryfieldError:
        """A page, or why it cannot be looked at: it is too large, or it is not to be had any more.

        Raises:
            MemoryfieldError: it cannot be read, and it is not known what it was.
        """
        if len(self._failures) >= MOST_FAILURES:
            return self._failures[-1]
        try:
            return self.field.page(name)
        except LimitExceeded as error:
            return error
        except MemoryfieldError as error:
            if not self._is_known:
                raise
            self._failures.append(error)
            return error

    def uuid(self, name: str) -> str | None:
        """The uuid that a page states; None where it states none, or cannot be looked at."""
        page = self.page(name)
        return page.frontmatter.text("uuid") if isinstance(page, Page) else None

    def uuids(self, names: list[str]) -> Mapping[str, str]:
        """The uuids of those pages that state one, by their names."""
        found = ((name, self.uuid(name)) for name in names)
        return {name: uuid for name, uuid in found if uuid is not None}
