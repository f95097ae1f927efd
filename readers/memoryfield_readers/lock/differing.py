"""What differs between two entries of a lock file, by their hashes alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..display import shown
from ..entry import name_key
from ..names import PAGE_SUFFIX
from .values import LockedField

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Difference:
    """The names of what differs, each in the order of names.

    Attributes:
        added: pages and attachments that are new.
        removed: those that are gone.
        changed: those whose bytes differ.
        indexes: vector indexes that differ, are new or gone.
        repacked: whether the archive is another one.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    indexes: tuple[str, ...]
    repacked: bool

    @property
    def same_content(self) -> bool:
        """Whether all pages and attachments are the same, and so the field pin."""
        return not (self.added or self.removed or self.changed)

    def __bool__(self) -> bool:
        return not self.same_content or bool(self.indexes) or self.repacked

    def __str__(self) -> str:
        """What differs in words, such as "2 pages changed: `a.md`, `b.md`"."""
        parts = []
        for names, verb in (
            (self.changed, "changed"),
            (self.added, "added"),
            (self.removed, "removed"),
        ):
            pages = [name for name in names if name.endswith(PAGE_SUFFIX)]
            others = [name for name in names if not name.endswith(PAGE_SUFFIX)]
            parts += [_part(pages, "page", verb), _part(others, "attachment", verb)]
        parts.append(_part(self.indexes, "index", "changed", "indexes"))
        if self.repacked and not any(parts):
            parts.append("the archive was packed anew, and no file in it differs")
        return "; ".join(part for part in parts if part)


def difference(before: LockedField, after: LockedField) -> Difference:
    """What differs between two states of a field."""
    old, new = before.manifest.hashes, after.manifest.hashes
    return Difference(
        added=_in_order(set(new) - set(old)),
        removed=_in_order(set(old) - set(new)),
        changed=_differing(old, new, set(old) & set(new)),
        indexes=_differing(before.indexes, after.indexes, {*before.indexes, *after.indexes}),
        repacked=before.archive_pin != after.archive_pin,
    )


def _differing(old: Mapping[str, str], new: Mapping[str, str], names: set[str]) -> tuple[str, ...]:
    return _in_order({name for name in names if old.get(name) != new.get(name)})


def _in_order(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=name_key))


def _part(names: tuple[str, ...] | list[str], what: str, verb: str, plural: str = "") -> str:
    if not names:
        return ""
    count = f"1 {what}" if len(names) == 1 else f"{len(names)} {plural or f'{what}s'}"
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{count} {verb}: {', '.join(map(shown, names[:_MOST_NAMED]))}{more}"
