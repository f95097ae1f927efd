"""What a batch did, or would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memoryfield_readers import as_unicode
from memoryfield_validator import Finding

Kind: TypeAlias = Literal["added", "changed", "removed", "renamed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a field, before and after.

    Attributes:
        kind: "added", "changed", "removed" or "renamed"; what is renamed may be changed as well.
        name: its name now; of a file that is removed, the one it had.
        was: the name it had before, of one that is renamed; else None.
        before: its SHA-256 before, in hexadecimal; None for what is added.
        after: its SHA-256 now; None for what is removed.
    """

    kind: Kind
    name: str
    was: str | None
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a batch.

    Attributes:
        location: the field's location, as messages show it.
        before: its field pin before; None where it had neither page nor attachment.
        digest: its field pin now.
        archive_pin: its archive pin now; None for what is no archive, and for what was only tried.
        changes: each file that is another one now, in the order of names.
        findings: what the standard says of the changed files that it did not say before.
        notes: what a person should know beside that, one line each.
        dry_run: whether it was only tried, and nothing was written.
    """

    location: str
    before: str | None
    digest: str
    archive_pin: str | None
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    dry_run: bool = False

    def __str__(self) -> str:
        return self.digest

    def to_json(self) -> dict[str, Any]:
        """The answer of `memoryfield apply --format json` (schema "applied")."""
        return {
            "version": 1,
            "location": as_unicode(self.location),
            "dry_run": self.dry_run,
            "before": self.before,
            "digest": self.digest,
            "archive_pin": self.archive_pin,
            "changes": [
                {
                    "change": change.kind,
                    "name": as_unicode(change.name),
                    "was": None if change.was is None else as_unicode(change.was),
                    "before": change.before,
                    "after": change.after,
                }
                for change in self.changes
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "notes": [as_unicode(note) for note in self.notes],
        }
