"""What is wrong with a batch whatever the field: found before a lock is taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args

from memoryfield_readers import BatchRejected, InvalidBatch, Limits, name_key, shown
from memoryfield_readers.limits import raise_limit
from memoryfield_readers.names import PAGE_SUFFIX

from ..batch import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemoveAttachment,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from .names import check_new_name
from .step import Step

_HASH = re.compile("[0-9A-Fa-f]{64}")
_OPERATIONS = get_args(Operation)
_OF_ATTACHMENTS = (AddAttachment, ReplaceAttachment, RemoveAttachment, RenameAttachment)
_HASH_HINT = "write 64 hexadecimal digits, as `sha256sum` prints them"


def batch_of(given: Batch | Mapping[str, object] | Iterable[Operation]) -> Batch:
    """A batch, from whatever stands for one.

    Raises:
        InvalidBatch: it is none, or has no operations.
    """
    if isinstance(given, Mapping):
        return Batch.from_json(given)
    if isinstance(given, str | bytes | bytearray) or not isinstance(given, Iterable):
        raise InvalidBatch(
            f"{type(given).__name__} is no batch",
            hint="give a Batch, operations, or what `Batch.from_json` makes of JSON",
        )
    batch = given if isinstance(given, Batch) else Batch(given)
    if not batch.operations:
        raise InvalidBatch("the batch has no operations", hint="say what is to be changed")
    return batch


def steps_of(batch: Batch, location: str, limits: Limits) -> tuple[Step, ...]:
    """The operations of a batch, each of them checked as far as that needs no field.

    Arguments:
        batch: the batch.
        location: the field's location, as messages show it.
        limits: how large a file may be.

    Raises:
        InvalidBatch: an operation is none, or against itself.
        BatchRejected: a file would have a name that none may be given.
        BatchRejected: a file would be larger than the limits allow (MF607).
    """
    count = len(batch)
    return tuple(
        _checked(Step(operation, number, count, location), limits)
        for number, operation in enumerate(batch, start=1)
    )


def _checked(step: Step, limits: Limits) -> Step:
    operation = step.operation
    if not isinstance(operation, _OPERATIONS):
        kind = type(operation).__name__
        raise InvalidBatch(
            f"{kind} is no operation, at place {step.number} of the batch", operation=step.number
        )
    _check_name(step)
    if not isinstance(operation, AddPage | AddAttachment):
        _check_hash(step, operation.if_sha256)
    if isinstance(operation, RenamePage | RenameAttachment):
        check_new_name(step, _file_name(step, "to", operation.to))
    elif isinstance(operation, ReplaceText):
        _check_text(step, "old", operation.old)
        _check_text(step, "new", operation.new)
        if not operation.old:
            raise step.invalid("`old` is empty: an empty text stands everywhere")
    elif isinstance(operation, AddPage | ReplacePage):
        return _with_content(step, operation.text, limits)
    elif isinstance(operation, AddAttachment | ReplaceAttachment):
        if not isinstance(operation.data, bytes):
            raise step.invalid(f"`data` must be bytes, not {type(operation.data).__name__}")
        return _with_content(step, operation.data, limits)
    return step


def _check_name(step: Step) -> None:
    operation = step.operation
    name = operation.name
    if isinstance(operation, ReplaceText) and name is None:
        if operation.if_sha256 is not None:
            raise step.invalid(
                "`if_sha256` without `name`: no page is meant that could have it",
                hint="name the page, or leave `if_sha256` out",
            )
        return
    name = _file_name(step, "name", name)
    is_page = name.endswith(PAGE_SUFFIX)
    if is_page == isinstance(operation, _OF_ATTACHMENTS):
        kind = type(operation).__name__
        other = "a page" if is_page else "no page, whose name would end in .md"
        raise step.invalid(f"{shown(name)} is {other}, and {kind} is for the other kind")
    if isinstance(operation, AddPage | AddAttachment):
        check_new_name(step, name)
        return
    try:
        name_key(name)
    except UnicodeEncodeError as error:  # no file can have it on any system
        raise step.invalid(
            f"`name` is no Unicode text: there is half a surrogate pair at {error.start}"
        ) from None


def _file_name(step: Step, what: str, name: object) -> str:
    """What is given for a name, if it is text."""
    if not isinstance(name, str):
        raise step.invalid(f"`{what}` must be text, not {type(name).__name__}")
    if not name:
        raise step.invalid(f"`{what}` is empty")
    return name


def _check_hash(step: Step, digest: object) -> None:
    if digest is None:
        return
    if not isinstance(digest, str) or not _HASH.fullmatch(digest):
        raise step.invalid("`if_sha256` is no SHA-256", hint=_HASH_HINT)


def _check_text(step: Step, what: str, text: object) -> None:
    if not isinstance(text, str):
        raise step.invalid(f"`{what}` must be text, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise step.invalid(
            f"`{what}` is no Unicode text: there is half a surrogate pair at {error.start}"
        ) from None


def _with_content(step: Step, content: object, limits: Limits) -> Step:
    if isinstance(content, str):
        _check_text(step, "text", content)
        content = content.encode()
    if not isinstance(content, bytes):
        raise step.invalid(f"`text` must be text or bytes, not {type(content).__name__}")
    check_size(str(step.operation.name), len(content), step.location, limits)
    return replace(step, content=content)


def check_size(name: str, size: int, location: str, limits: Limits) -> None:
    """See that a file is not larger than a reader takes it (MF607).

    Raises:
        BatchRejected: it is.
    """
    if size > most_bytes(name, limits)[0]:
        raise too_large(name, str(size), location, limits)


def most_bytes(name: str, limits: Limits) -> tuple[int, str]:
    """How many bytes a file may have, and the limit that says so."""
    if name.endswith(PAGE_SUFFIX) and limits.page_bytes <= limits.file_bytes:
        return limits.page_bytes, "page-bytes"
    return limits.file_bytes, "file-bytes"


def too_large(name: str, size: str, location: str, limits: Limits) -> BatchRejected:
    """The error for a file that would be larger than a reader takes it (MF607).

    Arguments:
        name: its name.
        size: how many bytes it would have, as a message says it.
        location: of the field.
        limits: how many it may have.
    """
    most, limit = most_bytes(name, limits)
    return BatchRejected(
        f"would have {size} bytes, over the limit of {most} (MF607)",
        location=location,
        entry=name,
        hint=raise_limit(limit),
        rules=("MF607",),
    )
