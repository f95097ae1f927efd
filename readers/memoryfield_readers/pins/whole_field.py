"""A field that is hashed whole before a page of it is handed out: by its pin alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from ..errors import HARMLESS_FAULTS, MemoryfieldError, PageError, PinMismatch, UnsafeArchive
from ..field import Field
from ..manifest import Manifest
from ..page import UTF8_BOM
from .diagnosis import (
    CHANGED,
    GZIPPED,
    LINE_ENDS,
    LINE_ENDS_HINT,
    OTHER_PIN,
    diagnosed,
    mismatch,
    mismatch_of_error,
    not_a_file,
)
from .pin import Pin

_HEAD_BYTES = 8000
"""Git takes a file for binary that has a NUL byte among so many."""

_MOST_SINGLE = 400
"""In fields of more files it is not tried whether a single one of them was changed: for each, the
whole manifest is hashed anew."""


def manifest_of(field: Field, pin: Pin) -> Manifest:
    """The manifest of a field, whose pin it is.

    Raises:
        PinMismatch: the field has another pin, or an entry that no field can have that has a pin.
        MemoryfieldError: a file of it cannot be had; as `Field.manifest` raises.
    """
    if not field.pages and not field.attachments and not field.irregular:
        diagnosis, entry, hint = _fault(field) or ("there is no page and no attachment", None, None)
        raise _mismatch(field, pin, diagnosis, entry, hint=hint)
    try:
        manifest = field.manifest()
    except (PageError, UnsafeArchive) as error:  # a page to log in, say, or damaged data
        raise mismatch_of_error(
            error,
            str(pin),
            location=field.location,
            entry=None,
            actual="no pin",
            url=field.resolved,
        ) from error
    if manifest.digest == str(pin):
        return manifest
    diagnosis, entry, hint = _diagnosis(field, manifest, pin)
    size = sum(field.entry(name).size for name in manifest.hashes)
    raise _mismatch(field, pin, diagnosis, entry, actual=manifest.digest, size=size, hint=hint)


def _mismatch(
    field: Field,
    pin: Pin,
    diagnosis: str,
    entry: str | None,
    *,
    actual: str = "no pin",
    size: int | None = None,
    hint: str | None = None,
) -> PinMismatch:
    return mismatch(
        diagnosis,
        expected=str(pin),
        actual=actual,
        location=field.location,
        entry=entry,
        size=size,
        url=field.resolved,
        hint=hint,
    )


def _diagnosis(field: Field, manifest: Manifest, pin: Pin) -> tuple[str, str | None, str | None]:
    """What seems to have happened, to which file, and a hint if there is one for that."""
    fault = _fault(field)
    if fault is not None:
        return fault
    if field.archive_name is not None and field.archive_digest() == f"sha256:{pin.sha256}":
        return f"{OTHER_PIN} the archive: sha256:{pin.sha256}", None, None
    before: list[dict[str, str]] = [{} for _ in _UNDONE]
    empty: str | None = None
    for name in manifest.hashes:
        try:
            data = b"".join(field.chunks(name))
        except MemoryfieldError:  # it was here a moment ago: nothing is known of what it is now
            return CHANGED, name, None
        if not data:
            empty = empty or name
        odd = not_a_file(data[:_HEAD_BYTES], len(data), name)
        if odd is not None and data:
            return odd, name, None
        if len(manifest.hashes) <= _MOST_SINGLE:
            found, hint = diagnosed(data, _fits(manifest, name, pin), name=name)
            if data and found not in (CHANGED, GZIPPED):
                return found, name, hint
        text = b"\0" not in data[:_HEAD_BYTES]
        for hashes, (_, undone) in zip(before, _UNDONE, strict=True):
            hashes[name] = hashlib.sha256(undone(data) if text else data).hexdigest()
    for hashes, (diagnosis, _) in zip(before, _UNDONE, strict=True):
        if Manifest.of(hashes).digest == str(pin):
            return diagnosis, None, LINE_ENDS_HINT if diagnosis == LINE_ENDS else None
    if empty is not None:
        return f"{CHANGED}, and a file came empty", empty, None
    return CHANGED, None, None


def _fault(field: Field) -> tuple[str, str | None, str | None] | None:
    """What is wrong with the container, by which an entry may not be listed."""
    for fault in field.faults:
        if fault.rule not in HARMLESS_FAULTS:
            return fault.message, fault.entry, fault.hint
    return None


def _fits(manifest: Manifest, name: str, pin: Pin) -> Callable[[bytes], bool]:
    """Whether the field would have its pin if one file of it had other bytes."""

    def fits(data: bytes) -> bool:
        other = {**manifest.hashes, name: hashlib.sha256(data).hexdigest()}
        return Manifest(other).digest == str(pin)

    return fits


def _unix(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _windows(data: bytes) -> bytes:
    return _unix(data).replace(b"\n", b"\r\n")


def _without_mark(data: bytes) -> bytes:
    return data.removeprefix(UTF8_BOM)


def _with_mark(data: bytes) -> bytes:
    return UTF8_BOM + _without_mark(data)


_UNDONE: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    (LINE_ENDS, _unix),
    (LINE_ENDS, _windows),
    ("only byte-order marks were put before its files", _without_mark),
    ("only the byte-order marks before its files are gone", _with_mark),
)
"""What well-meaning programs do to all files of a field, and how it is undone."""
