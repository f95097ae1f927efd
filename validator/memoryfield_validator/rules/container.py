"""1xx: the container, whatever carries it."""

from __future__ import annotations

import unicodedata

from memoryfield_readers import (
    HARMLESS_FAULTS,
    MOST_POINTER_BYTES,
    EntryKind,
    MemoryfieldError,
    is_debris,
    is_lfs_pointer,
    shown,
    topmost_debris,
)
from memoryfield_spec import Level, catalogue

from ..naming import folded, is_reserved
from ..registry import Findings, Rule, field_rule
from ..review import Review

_ALL = frozenset(catalogue())
_GIVE_RIGHTS = "give the right to read it, or check again when it can be read"


@field_rule("MF101")
def has_page(rule: Rule, review: Review) -> Findings:
    """A field has at least one page at its root; a fault that is told and hides one says enough."""
    if review.field.pages or _is_hidden_by(_ALL & review.ids, review):
        return
    message, hint = "there is no page at the root", None
    tops = sorted({path.partition("/")[0] for path in review.nested_pages})
    if _is_hidden_by(_ALL, review):
        message = "there is no page at the root that can be read"
        hint = (
            "check by all rules, without --select, --ignore and --profile, to see what is at fault"
        )
    elif review.wrapper is not None:
        hint = f"the pages are in {shown(review.wrapper + '/')}: see MF608"
    elif tops:
        hint = "there are pages in " + ", ".join(shown(f"{top}/") for top in tops[:3])
        hint += ": give that folder, or move them to the root"
        if len(tops) > 1:
            hint += "; where each is a field, check them with --each"
    yield rule.finding(None, message, hint=hint)


@field_rule("MF102")
def pages_at_root(rule: Rule, review: Review) -> Findings:
    """Pages stand only at the root; a wrapped field is reported once, as MF608."""
    if review.wrapper is not None:
        return
    for path in review.nested_pages:
        folder = path.rpartition("/")[0]
        yield rule.finding(path, f"stands in {shown(folder + '/')}, so it is not a page")


@field_rule("MF103")
def no_folders(rule: Rule, review: Review) -> Findings:
    """Sub-directories are no part of the field."""
    closed = {e.path: e.problem for e in review.nested if e.kind is EntryKind.UNREADABLE}
    for folder in review.field.folders:
        if folder == review.wrapper:
            continue
        note = f" (it cannot be read: {closed[folder]})" if folder in closed else ""
        yield rule.finding(f"{folder}/", f"a sub-directory is no part of the field{note}")


@field_rule("MF104")
def no_debris(rule: Rule, review: Review) -> Findings:
    """Producers do not ship debris; in a live directory it is normal, and told as info."""
    found = list(review.field.debris)
    for entry in review.nested:
        slash = "/" if entry.kind is EntryKind.DIRECTORY else ""
        top = topmost_debris(entry.path + slash)
        if top is not None:
            found.append(top)
    level: Level | None = None if review.field.archive_name is not None else "info"
    for path in dict.fromkeys(found):
        yield rule.finding(path, f"{shown(path)} is debris, which readers ignore", level=level)


@field_rule("MF105")
def regular_files(rule: Rule, review: Review) -> Findings:
    """A page or attachment is a regular file, and can be read."""
    for entry in review.field.irregular:
        if entry.kind is EntryKind.UNREADABLE:
            message = f"{shown(entry.path)} cannot be read: {entry.problem}"
            yield rule.finding(entry.path, message, hint=_GIVE_RIGHTS)
        else:
            yield rule.finding(entry.path, f"{shown(entry.path)} is {entry.problem}")
    for name, error in review.unreadable:
        message = f"{shown(name)} {error.message}"
        yield rule.finding(name, message, hint=error.hint or _GIVE_RIGHTS)


@field_rule("MF106")
def names_apart(rule: Rule, review: Review) -> Findings:
    """No two root files differ only by case or Unicode normalisation."""
    first: dict[str, str] = {}
    for name in review.field.entries:
        key = folded(name)
        if key in first:
            other = first[key]
            how = "case" if unicodedata.normalize("NFC", name) != unicodedata.normalize(
                "NFC", other
            ) else "Unicode normalisation"  # fmt: skip
            yield rule.finding(name, f"differs from {shown(other)} only by {how}")
        else:
            first[key] = name


@field_rule("MF107")
def no_reserved_names(rule: Rule, review: Review) -> Findings:
    """No root file has a name that Windows reserves."""
    for name in review.field.entries:
        if is_reserved(name):
            device = name.partition(".")[0]
            yield rule.finding(name, f"Windows reserves {shown(device)} for a device")


@field_rule("MF108")
def no_lfs_pointers(rule: Rule, review: Review) -> Findings:
    """No page, index or attachment is a Git LFS pointer in place of its content."""
    pointers = list(review.pointers)
    for name in (*review.field.attachments, *review.field.indexes):
        if review.field.entries[name].size <= MOST_POINTER_BYTES and _is_pointer(name, review):
            pointers.append(name)
    for name in pointers:
        yield rule.finding(name, "a Git LFS pointer stands in place of the content")


def _is_hidden_by(ids: frozenset[str], review: Review) -> bool:
    """Whether there may be a page that faults with these ids keep from being listed."""
    field = review.field
    faults = [fault for fault in field.faults if fault.rule in ids - HARMLESS_FAULTS]
    names = [fault.entry for fault in faults if fault.entry]
    if "MF105" in ids:
        names += [entry.path for entry in field.irregular]
    names = [name for name in names if "/" not in name and not is_debris(name)]
    if any(name.endswith(".md") for name in names):
        return True
    return bool(faults) and not field.entries and not review.nested


def _is_pointer(name: str, review: Review) -> bool:
    try:
        return is_lfs_pointer(b"".join(review.field.chunks(name)))
    except MemoryfieldError:
        return False  # MF105 or MF601 has said so
