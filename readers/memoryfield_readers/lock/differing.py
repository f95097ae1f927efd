"""What differs between two entries of a lock file, by their hashes alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..display import shown
from ..entry import name_key
from ..names import PAGE_SUFFIX
from ..pins.diagnosis import NO_ARCHIVE_ANY_MORE
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
        repacked: whether the archive is another one, is new or gone.
        unpacked: whether there is no archive any more.
        sizes: what is wrong with `bytes` or `archive_bytes` of the same content, in words, one for
            each.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    indexes: tuple[str, ...]
    repacked: bool
    unpacked: bool = False
    sizes: tuple[str, ...] = ()

    @property
    def same_content(self) -> bool:
        """Whether all pages and attachments are the same, and so the field pin."""
        return not (self.added or self.removed or self.changed)

    def __bool__(self) -> bool:
        return not self.same_content or bool(self.indexes or self.sizes) or self.repacked

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
        if self.unpacked:
            parts.append(NO_ARCHIVE_ANY_MORE)
        elif self.repacked and not any(parts):
            parts.append("the archive was packed anew, and no file in it differs")
        return "; ".join(part for part in (*parts, *self.sizes) if part)


def difference(before: LockedField, after: LockedField) -> Difference:
    """What differs between two states of a field."""
    old, new = before.manifest.hashes, after.manifest.hashes
    return Difference(
        added=_in_order(set(new) - set(old)),
        removed=_in_order(set(old) - set(new)),
        changed=_differing(old, new, set(old) & set(new)),
        indexes=_differing(before.indexes, after.indexes, {*before.indexes, *after.indexes}),
        repacked=before.archive_pin != after.archive_pin,
        unpacked=before.archive_pin is not None and after.archive_pin is None,
        sizes=_wrong_sizes(before, after),
    )


def _wrong_sizes(before: LockedField, after: LockedField) -> tuple[str, ...]:
    """The numbers of bytes that the same content cannot have had."""
    wrong = []
    if before.field_pin == after.field_pin and before.size != after.size:
        wrong.append(contradiction("bytes", before.size, after.size))
    same_archive = before.archive_pin is not None and before.archive_pin == after.archive_pin
    if same_archive and before.archive_size != after.archive_size:
        wrong.append(contradiction("archive_bytes", before.archive_size, after.archive_size))
    return tuple(wrong)


def contradiction(key: str, locked: int | None, actual: int | None) -> str:
    """What is wrong with a lock file that has another number of bytes than what it pins."""
    return f"the lock file contradicts itself: `{key}` is {locked}, and what it pins has {actual}"


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
