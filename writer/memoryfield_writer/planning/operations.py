"""Operations done one after the other on a virtual field, each seeing what those before made."""

from __future__ import annotations

from collections.abc import Iterable

from memoryfield_readers import AmbiguousMatch, shown
from memoryfield_readers.names import PAGE_SUFFIX, Role, role

from ..batch import (
    AddAttachment,
    AddPage,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from .matching import MOST_TOLD, Matches, matches
from .names import INDEX_HINT
from .step import Step
from .virtual_field import VirtualField

_READ_ANEW = "read it anew, and make the edit for what is there now"


def perform(steps: Iterable[Step], virtual: VirtualField) -> None:
    """Do operations in order.

    Arguments:
        steps: the operations, whose arguments have been checked.
        virtual: the field, which is left half changed where one cannot be done.

    Raises:
        BatchRejected: one cannot be done.
        WriteConflict: a file is another one than its `if_sha256` says.
        AmbiguousMatch: a text to replace does not stand in exactly one place (MF907).
        MemoryfieldError: a file cannot be read.
    """
    unlinked: list[tuple[Step, str]] = []
    for step in steps:
        operation = step.operation
        if isinstance(operation, AddPage | AddAttachment):
            _check_free(step, operation.name, virtual)
            virtual.add(operation.name, _content(step))
        elif isinstance(operation, ReplacePage | ReplaceAttachment):
            _check_there(step, operation.name, operation.if_sha256, virtual)
            _refuse_index(step, operation.name)
            virtual.write(operation.name, _content(step))
        elif isinstance(operation, ReplaceText):
            _replace_text(step, operation, virtual)
        elif isinstance(operation, RemovePage | RemoveAttachment):
            _check_there(step, operation.name, operation.if_sha256, virtual)
            if _is_link(operation.name, virtual):
                unlinked.append((step, operation.name))
            else:
                _refuse_linked(step, operation.name, virtual)
            virtual.remove(operation.name)
        else:
            _rename(step, operation, virtual)
    for step, name in unlinked:
        _check_other_links(step, name, virtual)


def _content(step: Step) -> bytes:
    if step.content is None:
        raise AssertionError("what is written was checked before")
    return step.content


def _check_free(step: Step, name: str, virtual: VirtualField, leaving: str | None = None) -> None:
    """See that a name can be given to a file.

    Raises:
        BatchRejected: it is another one's, or differs from one only by case (MF106).
    """
    if name in virtual:
        hint = "`memoryfield write` replaces it" if leaving is None else "remove that one first"
        raise step.rejected("there is already a file of that name", entry=name, hint=hint)
    if name in virtual.field.links:
        raise step.rejected(
            "a link has that name until the batch is done",
            entry=name,
            hint="remove it in a batch before, or replace the text that it leads to",
        )
    if name in virtual.field.folders:
        raise step.rejected("there is already a sub-directory of that name", entry=name)
    if any(entry.path == name for entry in virtual.field.irregular):
        raise step.rejected("there is already something of that name, no regular file", entry=name)
    other = virtual.collision(name, leaving)
    if other is not None:
        raise step.rejected(
            f"differs from {shown(other)} only by case or Unicode normalisation: on other systems "
            "both are one file",
            entry=name,
            rules=("MF106",),
        )


def _check_there(step: Step, name: str, digest: str | None, virtual: VirtualField) -> None:
    """See that a file is there, and that it is the one that is meant.

    Raises:
        BatchRejected: there is no such file.
        WriteConflict: it is another one.
    """
    if name not in virtual:
        what = "page" if name.endswith(PAGE_SUFFIX) else "attachment"
        raise step.rejected(f"there is no such {what}", entry=name, hint=_hint(name, virtual))
    if digest is None:
        return
    actual = virtual.sha256(name)
    if actual != digest.lower():
        raise step.conflict(
            f"is another one than was meant: expected SHA-256 {digest.lower()}, actual {actual}",
            entry=name,
            hint=_READ_ANEW,
        )


def _hint(name: str, virtual: VirtualField) -> str | None:
    import difflib

    if name in virtual.field.folders:
        return "it is a sub-directory, which is no part of the field"
    near = difflib.get_close_matches(name, list(virtual), n=1)
    return f"did you mean {shown(near[0])}?" if near else None


def _refuse_index(step: Step, name: str) -> None:
    if role(name) is Role.INDEX:
        raise step.rejected("is a vector index", entry=name, hint=INDEX_HINT)


def _rename(step: Step, operation: RenamePage | RenameAttachment, virtual: VirtualField) -> None:
    name, to = operation.name, operation.to
    _check_there(step, name, operation.if_sha256, virtual)
    _refuse_index(step, name)
    if to == name:
        raise step.rejected("has that name already", entry=name)
    _check_free(step, to, virtual, leaving=name)
    if _is_link(name, virtual):
        raise step.rejected(
            f"is a link to {shown(virtual.field.links[name])}, which cannot be renamed here",
            entry=name,
            hint="remove the link, and add the text as a page of its own",
        )
    _refuse_linked(step, name, virtual)
    virtual.rename(name, to)


def _is_link(name: str, virtual: VirtualField) -> bool:
    """Whether a symbolic link of the field stands under a name, not a file that took its place."""
    slot = virtual.slot(name)
    return slot is not None and slot.origin is not None and slot.origin in virtual.field.links


def _refuse_linked(step: Step, name: str, virtual: VirtualField) -> None:
    """See that no link leads to a file that leaves its place.

    Raises:
        BatchRejected: one does.
    """
    slot = virtual.slot(name)
    links = [] if slot is None else [n for n in virtual.names_of(slot.key) if n != name]
    if links:
        raise step.rejected(
            f"the link {shown(links[0])} leads to it and would lead to nothing",
            entry=name,
            hint=f"remove {shown(links[0])} first, in the same batch if you like",
        )


def _check_other_links(step: Step, name: str, virtual: VirtualField) -> None:
    """See that a link that goes may not be the way of another one to their file.

    Raises:
        BatchRejected: it may be.
    """
    path = virtual.field.links[name]
    others = [n for n in virtual.names_of(path) if n != name and _is_link(n, virtual)]
    if others:
        raise step.rejected(
            f"the link {shown(others[0])} leads to the same file, perhaps through this link",
            entry=name,
            hint="remove both in one batch, or this one by hand",
        )


def _replace_text(step: Step, operation: ReplaceText, virtual: VirtualField) -> None:
    if operation.name is not None:
        _check_there(step, operation.name, operation.if_sha256, virtual)
        pages: Iterable[tuple[str, bytes]] = ((operation.name, virtual.content(operation.name)),)
    else:
        pages = ((name, content) for name, _, content in virtual.pages())
    old = operation.old.encode()
    found = matches(old, pages)
    if found.count != 1 or found.at is None:
        raise _ambiguous(step, operation, found)
    name, at = found.at
    content = virtual.content(name)
    edited = b"".join((content[:at], operation.new.encode(), content[at + len(old) :]))
    virtual.write(name, edited)


def _ambiguous(step: Step, operation: ReplaceText, found: Matches) -> AmbiguousMatch:
    text = shown(operation.old, 60)
    where = "in the page" if operation.name is not None else "in any page of the field"
    if not found.count:
        message = f"{text} stands nowhere {where}"
        hint = "it is compared byte for byte: blanks, line ends and accents count"
    else:
        places = ", ".join(f"{shown(name)} line {line}" for name, line in found.candidates)
        more = f" and {found.count - MOST_TOLD} more" if found.count > MOST_TOLD else ""
        message = f"{text} stands in {found.count} places: {places}{more}"
        hint = "give more of the text around it, so that it stands there once"
        if operation.name is None and len({name for name, _ in found.candidates}) > 1:
            hint += ", or name the page"
    return AmbiguousMatch(
        step.told(message),
        location=step.location,
        entry=operation.name,
        hint=hint,
        candidates=found.candidates,
        count=found.count,
        operation=step.number,
    )
