"""From two open fields to what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoryfield_readers import (
    Field,
    LimitExceeded,
    MemoryfieldError,
    Page,
    Watch,
    name_key,
    unwatched,
)

from ..finding import Finding
from ..reports import counted
from ..unified import lines_of
from ..validation import Progress
from .comparison import Change, Comparison, Kind, Part
from .differences import Effort
from .new_findings import ContentReview
from .page_diff import PageDiff
from .renaming import renamed_pages
from .seeming_same import Looking, Remark, seeming_same
from .sides import ReadField
from .unseen_changes import unseen_change

MOST_KEPT = 64 * 1024 * 1024
"""Bytes of pages that are kept to show which of their lines differ."""

MOST_LINES_OF_PAGE = 100_000
"""Lines of one page that come or go and are shown."""

MOST_LINES = 500_000
"""Lines of all pages together."""

_LOST = "what it was cannot be shown: it is not to be had any more"


def compare(
    before: Field,
    after: Field,
    *,
    audit: bool = True,
    known: Mapping[str, str] | None = None,
    archive_pin: str | None = None,
    progress: Progress | None = None,
    watch: Watch = unwatched,
) -> Comparison:
    """What differs between two fields: all their files, read and hashed.

    The answer holds all that is to be shown, so that both fields may be closed then.

    Arguments:
        before: the field as it was.
        after: the field as it is.
        audit: whether to review the content of the pages that differ (8xx).
        known: the SHA-256 of each page, attachment and index of `before` by name, where a lock file
            has them. Then no more of it is read than the pages that differ, and one that cannot be
            had any more is told by its hash.
        archive_pin: beside `known`, the archive pin in the lock file, if it has one.
        progress: called with the name of each page that differs after it was looked at.
        watch: is told how many files were hashed, and how many of the pages that differ compared.

    Raises:
        MemoryfieldError: a file cannot be read; as `Field.manifest` raises.
    """
    sides = ReadField(before, known, watch), ReadField(after, watch=watch)
    comparing = _Comparing(*sides, audit=audit, progress=progress, watch=watch)
    return comparing.done(archive_pin, is_locked=known is not None)


class _Difference(NamedTuple):
    """How a page differs; see `Change`."""

    diff: PageDiff | None
    note: str | None = None
    remarks: tuple[Remark, ...] = ()
    is_lost: bool = False


class _Comparing:
    """The state of one comparison."""

    def __init__(
        self,
        before: ReadField,
        after: ReadField,
        *,
        audit: bool,
        progress: Progress | None,
        watch: Watch,
    ) -> None:
        self._before = before
        self._after = after
        self._progress = progress
        self._watch = watch
        self._looking = Looking()
        self._content = ContentReview(after.field) if audit else None
        self._findings: list[Finding] = []
        self._effort = Effort()
        self._kept = 0
        self._lines = 0

    def done(self, archive_pin: str | None, *, is_locked: bool) -> Comparison:
        """Everything that differs."""
        old, new = self._before.field, self._after.field
        pages = list(self._page_changes())
        lost = sum(change.is_lost for change in pages)
        changes = [
            *pages,
            *self._other_changes("attachment", old.attachments, new.attachments),
            *self._other_changes("index", old.indexes, new.indexes),
        ]
        was, now = (None, None) if changes else self._archives(archive_pin, is_locked=is_locked)
        all_lost = not any(change.before and change.diff for change in pages)
        return Comparison(
            self._before.side(),
            self._after.side(),
            tuple(changes),
            tuple(sorted(self._findings, key=Finding.order)),
            audited=self._content is not None,
            repacked=was != now,
            unpacked=was is not None and now is None,
            notes=(self._before.lost(lost, all_are=all_lost),) if lost else (),
        )

    def _archives(
        self, archive_pin: str | None, *, is_locked: bool
    ) -> tuple[str | None, str | None]:
        """Both archive pins; unless one was locked, none if one of the fields is no archive."""
        now = self._after.archive_pin(is_locked=is_locked)
        if is_locked:
            return archive_pin, now
        was = None if now is None else self._before.archive_pin(is_locked=False)
        return (None, None) if was is None else (was, now)

    def _page_changes(self) -> Iterator[Change]:
        old, new = self._before.hashes, self._after.hashes
        pages, new_pages = self._before.field.pages, self._after.field.pages
        removed = [name for name in pages if name not in new]
        added = [name for name in new_pages if name not in old]
        changed = [name for name in pages if name in new and old[name] != new[name]]
        self._before.prepare([*removed, *changed])
        old_names = self._old_names(removed, added, changed)
        gone = set(removed).difference(old_names.values())
        names = sorted({*added, *changed, *gone}, key=name_key)
        for number, name in enumerate(names, 1):
            if name in gone:
                yield self._page("removed", name, None)
            elif name in old_names:
                yield self._page("renamed", old_names[name], name)
            elif name in old:
                yield self._page("changed", name, name)
            else:
                yield self._page("added", None, name)
            if self._progress is not None:
                self._progress(name)
            self._watch("pages", number, len(names))

    def _old_names(
        self, removed: list[str], added: list[str], changed: list[str]
    ) -> Mapping[str, str]:
        """The old names of renamed pages; a page that is the same in both is read in one."""
        if not removed or not added:
            return {}
        old_uuids, new_uuids = self._before.uuids(removed), self._after.uuids(added)
        if not old_uuids or not new_uuids:
            return {}
        apart = set(added)
        others = [name for name in self._after.field.pages if name not in apart]
        of_others = (self._before.uuids(changed), self._after.uuids(others))
        return renamed_pages(
            old_uuids, new_uuids, [uuid for uuids in of_others for uuid in uuids.values()]
        )

    def _page(self, kind: Kind, old_name: str | None, name: str | None) -> Change:
        """One page that differs, shown and reviewed as far as it can be read."""
        old_page = None if old_name is None else self._before.page(old_name)
        page = None if name is None else self._after.page(name)
        found = self._difference(old_page, page)
        now = old_page if name is None else page
        return Change(
            kind,
            "page",
            name or old_name or "",
            self._before.version(old_name),
            self._after.version(name),
            old_name if kind == "renamed" else None,
            now.frontmatter.text("uuid") if isinstance(now, Page) else None,
            *found,
        )

    def _difference(
        self, old_page: Page | MemoryfieldError | None, page: Page | MemoryfieldError | None
    ) -> _Difference:
        """Which lines of a page differ, and what is to be said of them; its findings are noted."""
        if isinstance(page, MemoryfieldError):
            return _Difference(None, f"neither shown nor reviewed: {page.message}")
        lost = old_page if isinstance(old_page, MemoryfieldError) else None
        was = None if isinstance(old_page, MemoryfieldError) else old_page
        before, after = (b"" if each is None else each.raw for each in (was, page))
        old_name, name = (None if each is None else each.name for each in (was, page))
        diff = PageDiff.of(old_name, name, before, after, self._effort)
        if self._content is not None and page is not None and before != after:
            self._findings += self._content.new_findings(was, page, diff.changes)
        if isinstance(lost, LimitExceeded):
            return _Difference(None, f"what it was cannot be shown: {lost.message}")
        if lost is not None:
            return _Difference(None, _LOST, is_lost=True)
        if not self._has_room(diff):
            became = f"{counted(diff.removed, 'line')} became {diff.added:,}"
            return _Difference(None, f"too large to show: {became}")
        if was is None or page is None or before == after:
            return _Difference(diff)
        note = unseen_change(before, after)
        if note is not None:
            return _Difference(diff, note)
        lines, new_lines = lines_of(before), lines_of(after)
        return _Difference(
            diff, remarks=seeming_same(lines, new_lines, diff.changes, self._looking)
        )

    def _has_room(self, diff: PageDiff) -> bool:
        """Whether a difference can be shown; if so, it is counted."""
        kept = self._kept + len(diff.before) + len(diff.after)
        of_page = diff.removed + diff.added
        if kept > MOST_KEPT or of_page > min(MOST_LINES_OF_PAGE, MOST_LINES - self._lines):
            return False
        self._kept, self._lines = kept, self._lines + of_page
        return True

    def _other_changes(
        self, part: Part, old: Sequence[str], new: Sequence[str]
    ) -> Iterator[Change]:
        old_names, new_names = set(old), set(new)
        for name in sorted(old_names | new_names, key=name_key):
            before = self._before.version(name if name in old_names else None)
            after = self._after.version(name if name in new_names else None)
            if before is None or after is None:
                yield Change("added" if before is None else "removed", part, name, before, after)
            elif before.sha256 != after.sha256:
                yield Change("changed", part, name, before, after)
