"""All of a store as one value, and as JSON: what is exported, restored, and kept in a JSON store.

One line for each record, in the order of their ids, and only ASCII: small changes make small
diffs, and the same store gives the same bytes wherever it is written.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from .errors import UPDATE, StoreError
from .record import MOST_NOTE_BYTES, MOST_REVISION, Note, Origin, Record

FORMAT: Final = "memoryfield-notes"
VERSION: Final = 1

_UNKNOWN = "\ufffd"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIN = re.compile(r"field-sha256:[0-9a-f]{64}")
_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_TOP = frozenset({"format", "version", "name", "location", "pin", "floor", "records"})
_RECORD = frozenset({"id", "name", "text", "parent", "rev", "sha256", "pin", "orphan", "note"})
_NOTE = frozenset({"text", "sha256", "pin", "written"})


@dataclass(frozen=True, slots=True)
class Document:
    """All that a store holds.

    Attributes:
        origin: which field it is about.
        floor: no new record begins at this revision or below.
        records: the records, in the order of their ids.
    """

    origin: Origin
    floor: int = 0
    records: tuple[Record, ...] = ()


def render(document: Document) -> bytes:
    """The JSON of a document, with a line feed at its end."""
    return b"".join(pieces(document.origin, document.floor, document.records))


def pieces(origin: Origin, floor: int, records: Iterable[Record]) -> Iterator[bytes]:
    """The same, piece by piece, for who has the records one after the other."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": origin.name,
        "location": origin.location,
        "pin": origin.pin,
        "floor": floor,
    }
    yield json.dumps(head)[:-1].encode() + b', "records": ['
    before = b"\n"
    for record in records:
        yield before + json.dumps(_as_json(record)).encode()
        before = b",\n"
    yield b"\n]}\n"


def _as_json(record: Record) -> dict[str, Any]:
    note = record.note
    return {
        "id": record.id,
        "name": record.name,
        "text": record.text,
        "parent": record.parent,
        "rev": record.rev,
        "sha256": record.sha256,
        "pin": record.pin,
        "orphan": record.orphan,
        "note": None
        if note is None
        else {
            "text": note.text,
            "sha256": note.sha256,
            "pin": note.pin,
            "written": note.written,
        },
    }


def parse(data: bytes, location: str) -> Document:
    """Read a document, and believe nothing of it that is not as it should be.

    Arguments:
        data: the JSON.
        location: where it came from, for messages.

    Raises:
        StoreError: it is no such document, or one of a newer version.
    """
    try:
        top = json.loads(data.decode(), object_pairs_hook=_without_twins, parse_constant=_refused)
        return _document(top)
    except RecursionError:
        reason = "it is nested too deeply"
    except (UnicodeDecodeError, ValueError) as error:
        reason = str(error)
    except _NewerVersion as newer:
        raise StoreError(
            f"was made by a newer version of this program: its format is {newer}, "
            f"and {VERSION} is known",
            location=location,
            hint=UPDATE,
        ) from None
    raise StoreError(
        f"is no store of notes that can be read: {reason}; nothing was changed",
        location=location,
        hint="move the file away, then restore a backup or begin anew",
    ) from None


class _NewerVersion(Exception):
    """The version of a document that is not known yet."""


def _document(top: Any) -> Document:
    if not isinstance(top, dict) or top.get("format") != FORMAT:
        raise ValueError(f'its "format" is not "{FORMAT}"')
    version = _whole(top.get("version"), "version", 1)
    if version > VERSION:
        raise _NewerVersion(version)
    _check_keys(top, _TOP, "the document")
    origin, floor = checked_head(top["name"], top["location"], top["pin"], top["floor"])
    if not isinstance(top["records"], list):
        raise ValueError("records is no list")
    records = tuple(map(_record, top["records"]))
    ids = [record.id for record in records]
    if any(one >= two for one, two in pairwise(ids)):
        raise ValueError("the records are not in the order of their ids, each once")
    return Document(origin, floor, records)


def checked_head(name: Any, location: Any, pin: Any, floor: Any) -> tuple[Origin, int]:
    """Which field it is about, and the floor, if they are what they can be.

    Raises:
        ValueError: they are not; the message says what is wrong.
    """
    if _text(pin, "pin") and not _PIN.fullmatch(pin):
        raise ValueError("the pin is no field pin")
    origin = Origin(_text(name, "name"), _text(location, "location"), pin)
    return origin, _whole(floor, "floor", 0)


def _record(value: Any) -> Record:
    if not isinstance(value, dict):
        raise ValueError("a record is no object")
    _check_keys(value, _RECORD, "a record")
    parent, orphan, note = value["parent"], value["orphan"], value["note"]
    if not isinstance(orphan, bool):
        raise ValueError("orphan is neither true nor false")
    return checked_record(
        Record(
            id=_text(value["id"], "id"),
            name=_text(value["name"], "name"),
            text=_text(value["text"], "text"),
            parent=None if parent is None else _text(parent, "parent"),
            rev=_whole(value["rev"], "rev", 1),
            sha256=_text(value["sha256"], "sha256"),
            pin=_text(value["pin"], "pin"),
            orphan=orphan,
            note=None if note is None else _note(note),
        )
    )


def _note(value: Any) -> Note:
    if not isinstance(value, dict):
        raise ValueError("a note is no object")
    _check_keys(value, _NOTE, "a note")
    return Note(*(_text(value[name], name) for name in ("text", "sha256", "pin", "written")))


def checked_record(record: Record) -> Record:
    """The record, if it says what a record can say.

    Its types are those of `Record` already.

    Raises:
        ValueError: it does not; the message says what is wrong.
    """
    note = record.note
    if not record.id or not record.name.endswith(".md"):
        raise ValueError("a record has no id, or no name of a page")
    if not _SHA256.fullmatch(record.sha256) or not _PIN.fullmatch(record.pin):
        raise ValueError(f"the hash or the pin of {record.name!a} is none")
    if not 1 <= record.rev <= MOST_REVISION:
        raise ValueError(f"the revision of {record.name!a} is out of range")
    if not (record.orphan or _is_text_of(record)):
        raise ValueError(f"the text of {record.name!a} is not what its hash says")
    if record.orphan and (record.text or note is None):
        raise ValueError(f"{record.name!a} is an orphan that has a text, or no note")
    if note is not None:
        if not note.text or len(note.text.encode()) > MOST_NOTE_BYTES:
            raise ValueError(f"the note on {record.name!a} is empty or too long")
        if not _SHA256.fullmatch(note.sha256) or not _PIN.fullmatch(note.pin):
            raise ValueError(f"the hash or the pin of the note on {record.name!a} is none")
        if not _WRITTEN.fullmatch(note.written):
            raise ValueError(f"the time of the note on {record.name!a} is none")
    return record


def _is_text_of(record: Record) -> bool:
    """Whether a text can be that of a page with the hash: a mark of byte order is no text."""
    if _UNKNOWN in record.text:  # bytes that are not UTF-8 have become this
        return True
    text = record.text.encode()
    return any(record.sha256 == sha256(each + text).hexdigest() for each in (b"", BOM_UTF8))


def _check_keys(value: Mapping[str, Any], known: frozenset[str], what: str) -> None:
    if value.keys() != known:
        odd = sorted(value.keys() ^ known)[0]
        raise ValueError(f"{what} has {'an unknown' if odd in value else 'no'} key {odd!a}")


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    value.encode()  # UnicodeEncodeError, a ValueError: half of a pair is no text
    return value


def _whole(value: Any, name: str, least: int) -> int:
    if type(value) is not int or not least <= value <= MOST_REVISION:
        raise ValueError(f"{name} is no whole number from {least} on")
    return value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")
