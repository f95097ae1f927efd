"""What differs between two fields, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memoryfield_readers import as_unicode

from ..finding import Finding
from .differences import Effort
from .page_diff import PageDiff
from .seeming_same import Remark
from .words import words_of

Kind: TypeAlias = Literal["added", "removed", "renamed", "changed"]
Part: TypeAlias = Literal["page", "attachment", "index"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two fields.

    Attributes:
        location: where it was read from, as it was given, without credentials.
        resolved: the location with the commit or version that was read, where there is one.
        digest: the field pin; None where the field is empty.
        pages: how many pages it has.
    """

    location: str
    resolved: str | None
    digest: str | None
    pages: int

    def to_json(self) -> dict[str, Any]:
        """The field as it stands in a JSON comparison."""
        return {
            "location": as_unicode(self.location),
            "resolved": None if self.resolved is None else as_unicode(self.resolved),
            "digest": self.digest,
            "pages": self.pages,
        }


@dataclass(frozen=True, slots=True)
class Version:
    """What a file is in one of the fields.

    Attributes:
        sha256: the SHA-256 of its bytes, in hexadecimal.
        size: how many bytes it has; None where only reading it could tell.
    """

    sha256: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """A page, an attachment or an index that is not the same in both fields.

    Attributes:
        kind: "added", "removed", "renamed" (a page; its bytes may have changed, too) or "changed".
        part: "page", "attachment" or "index".
        name: its name; of what was removed, the one that it had.
        old_name: of a page that was renamed, the name that it had; else None.
        uuid: of a page, the uuid that it states now, or stated; None where it has none.
        before: what it was; None where it is new.
        after: what it is; None where it is gone.
        diff: of a page, which lines differ; None where they are not shown.
        note: what is to be said beside or instead of the lines; None for nothing.
        remarks: what is to be said of lines that look as they did.
        is_lost: whether what it was is not to be had any more, so that no lines can be shown.
    """

    kind: Kind
    part: Part
    name: str
    before: Version | None
    after: Version | None
    old_name: str | None = None
    uuid: str | None = None
    diff: PageDiff | None = None
    note: str | None = None
    remarks: tuple[Remark, ...] = ()
    is_lost: bool = False

    def to_json(self, *, lines: bool, words: Effort | None) -> dict[str, Any]:
        """The change as it stands in a JSON comparison.

        Arguments:
            lines: whether to show which lines differ.
            words: what may be spent to show which words differ; None where they are not asked for.
        """
        diff = self.diff if lines else None
        return {
            "kind": self.kind,
            "part": self.part,
            "name": as_unicode(self.name),
            "from": None if self.old_name is None else as_unicode(self.old_name),
            "uuid": self.uuid and as_unicode(self.uuid),
            "before": self.before and self.before.sha256,
            "after": self.after and self.after.sha256,
            "bytes": {
                "before": self.before and self.before.size,
                "after": self.after and self.after.size,
            },
            "note": self.note,
            "remarks": [each._asdict() for each in self.remarks],
            "diff": None if diff is None else diff.patch().decode(errors="replace"),
            "words": None if diff is None or words is None else words_as_json(diff, words),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that differs between two fields.

    Attributes:
        before: the field as it was.
        after: the field as it is.
        changes: pages, then attachments, then indexes, in the order of their names.
        findings: what a review of the content finds in the pages of `after` that it did not find
            in those of `before`, in the order of `Finding.order`.
        audited: whether that was looked for.
        repacked: whether no file differs, and the archive is another one all the same; also where
            there is none any more.
        unpacked: whether there is none any more.
        notes: what is to be said of all of it.
    """

    before: Side
    after: Side
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    audited: bool = True
    repacked: bool = False
    unpacked: bool = False
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether pages, attachments and indexes are the same, byte by byte."""
        return not self.changes

    @property
    def keeps_pins(self) -> bool:
        """Whether all is as it was: the files, and the archive as well."""
        return self.same and not self.repacked

    def findings_in(self, name: str) -> Sequence[Finding]:
        """The new findings in one page."""
        return [finding for finding in self.findings if finding.file == name]

    def to_json(self, *, lines: bool = True, words: bool = False) -> dict[str, Any]:
        """The comparison as `comparison.schema.json` describes it.

        Arguments:
            lines: whether to show which lines differ.
            words: whether to show which words differ, too.
        """
        effort = Effort() if words else None
        return {
            "version": 1,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "same": self.same,
            "repacked": self.repacked,
            "notes": list(self.notes),
            "changes": [each.to_json(lines=lines, words=effort) for each in self.changes],
            "audited": self.audited,
            "findings": [finding.to_json() for finding in self.findings],
        }


def words_as_json(diff: PageDiff, effort: Effort) -> list[list[dict[str, str]]]:
    """The hunks of a page, each as its pieces of text: those that stay, go and come."""
    return [
        [{"kind": word.kind, "text": as_unicode(word.text)} for word in hunk.words]
        for hunk in words_of(diff, effort)
    ]
