"""A field as a comparison needs it: hashes of all its files, and single pages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from memoryfield_readers import Field, LimitExceeded, Manifest, MemoryfieldError, Page

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

    def __init__(self, field: Field, known: Mapping[str, str] | None = None) -> None:
        """Hash a field, all of which is read, unless its hashes are known.

        Arguments:
            field: the field.
            known: the hashes of all its files, where these are proved already: then a page that
                cannot be had is no error.

        Raises:
            MemoryfieldError: a file cannot be read; as `Field.manifest` raises.
        """
        self.field = field
        self._is_known = known is not None
        self._failures: list[MemoryfieldError] = []
        if known is None:
            is_empty = not (field.pages or field.attachments or field.irregular)
            hashes = {} if is_empty else dict(field.manifest().hashes)
            field.prepare(field.indexes)
            known = {**hashes, **{name: field.sha256(name) for name in field.indexes}}
        self.hashes = known

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
