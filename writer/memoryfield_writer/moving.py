"""A file under another name, and the links of other pages that are to lead there."""

from __future__ import annotations

from urllib.parse import quote

from memoryfield_readers import Field
from memoryfield_validator.fixes.renaming import link_splices
from memoryfield_validator.fixes.splices import spliced

from .batch import Batch, Operation, RenameAttachment, RenamePage, ReplacePage
from .naming import is_page

_KEPT_IN_LINK = "-._~"


def renamed(name: str, to: str) -> Operation:
    """What renames a page or an attachment, and leaves the links to it as they are."""
    return RenamePage(name, to) if is_page(name) else RenameAttachment(name, to)


def moved(field: Field, name: str, to: str) -> Batch:
    """The batch that renames a page or an attachment, and has the links of pages lead there.

    Pages that somebody edits meanwhile make it a `WriteConflict`.

    Arguments:
        field: the field as it is now.
        name: the file's name.
        to: its new one.

    Raises:
        MemoryfieldError: a page cannot be read.
    """
    return Batch((*_relinked(field, name, to), renamed(name, to)))


def _relinked(field: Field, name: str, to: str) -> list[Operation]:
    written = {name: quote(to, _KEPT_IN_LINK)}
    found: dict[str, Operation] = {}  # a page that has several names is changed once
    for page in field.read(field.pages):
        splices = link_splices(page.raw, written).get(name)
        if splices:
            path = field.entries[page.name].leads_to or page.name
            after = spliced(page.raw, splices)
            found.setdefault(path, ReplacePage(page.name, after, page.sha256))
    return list(found.values())
