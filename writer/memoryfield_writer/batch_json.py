"""Batches as JSON (schema "batch"), read with care: what they say comes from anybody."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias

from memoryfield_readers import InvalidBatch, shown

from .batch import (
    AddAttachment,
    AddPage,
    Batch,
    Operation,
    RemoveAttachment,
    RemovePage,
    RenameAttachment,
    RenamePage,
    ReplaceAttachment,
    ReplacePage,
    ReplaceText,
)
from .naming import is_page

VERSION = 1

_HASH = re.compile("[0-9A-Fa-f]{64}")
_HASH_DIGITS = "64 hexadecimal digits"
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a truth value"),
    (int, "a number"),
    (float, "a number"),
    (str, "a text"),
    (list, "a list"),
    (Mapping, "an object"),
    (type(None), "null"),
)
_Reader: TypeAlias = "Callable[[_Object], Operation]"


def read_batch(value: str | bytes | Mapping[str, Any]) -> Batch:
    """A batch from JSON, as text or parsed.

    Arguments:
        value: the text, as UTF-8 where it is bytes, or the object that it says.

    Raises:
        InvalidBatch: it is no JSON, or no batch; the message names the place, as in
            `operations[3].name`, counted from 0.
    """
    parsed = _parsed(value) if isinstance(value, str | bytes) else value
    top = _Object(parsed, "the batch", "", None)
    top.only("version", "operations")
    version = top.value("version")
    if isinstance(version, bool) or not isinstance(version, int | float) or version != VERSION:
        raise top.error("version", f"must be {VERSION}: this program knows no other form")
    operations = top.value("operations")
    if not isinstance(operations, list | tuple):
        raise top.error("operations", f"must be a list, not {_kind(operations)}")
    if not operations:
        raise top.error("operations", "is empty: say what is to be changed")
    return Batch(_operation(each, number) for number, each in enumerate(operations))


def batch_as_json(batch: Batch) -> dict[str, Any]:
    """A batch as `read_batch` takes it.

    Raises:
        InvalidBatch: a name or a text of it is no Unicode text, so that JSON cannot carry it.
    """
    return {
        "version": VERSION,
        "operations": [_as_json(operation, n) for n, operation in enumerate(batch, start=1)],
    }


def _parsed(text: str | bytes) -> object:
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise InvalidBatch(
                f"is not valid UTF-8 at byte {error.start} (0x{text[error.start]:02X})",
                hint="save the batch as UTF-8",
            ) from None
    try:
        return json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object, parse_constant=_no_number
        )
    except json.JSONDecodeError as error:
        raise InvalidBatch(
            f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}",
        ) from None
    except RecursionError:
        raise InvalidBatch("is no batch: it is nested too deeply") from None
    except ValueError:  # an integer of more digits than Python takes
        raise InvalidBatch("is no batch: it has a number of thousands of digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidBatch(f"the key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise InvalidBatch(f"is no JSON: {name} is no number there")


class _Object:
    """An object of a batch and its place, so that every error can name what is wrong."""

    def __init__(self, value: object, what: str, place: str, number: int | None) -> None:
        """Take a value that must be an object.

        Arguments:
            value: the value.
            what: what it is called, where it is none.
            place: where it stands; empty for the batch as a whole.
            number: which operation it is, from 1; None for the batch as a whole.

        Raises:
            InvalidBatch: it is none.
        """
        self._place = place
        self._number = number
        if not isinstance(value, Mapping):
            raise InvalidBatch(f"{what} must be an object, not {_kind(value)}", operation=number)
        self._values = value

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def only(self, *known: str) -> None:
        """See that there is no other key.

        Raises:
            InvalidBatch: there is one.
        """
        for key in self._values:
            if key not in known:
                name = key if isinstance(key, str) else repr(key)
                where = f"{self._place} has" if self._place else "the batch has"
                raise InvalidBatch(
                    f"{where} a key {shown(name)} that means nothing",
                    hint="the keys there are: " + ", ".join(known),
                    operation=self._number,
                )

    def value(self, key: str) -> object:
        """What stands under a key.

        Raises:
            InvalidBatch: nothing does.
        """
        if key not in self._values:
            raise self.error(key, "is missing")
        return self._values[key]

    def text(self, key: str, *, empty: bool = False) -> str:
        """The text under a key.

        Raises:
            InvalidBatch: it is no text, no Unicode text, or empty where it must not be.
        """
        value = self.value(key)
        if not isinstance(value, str):
            raise self.error(key, f"must be a text, not {_kind(value)}")
        if not value and not empty:
            raise self.error(key, "is empty")
        at = _half_pair(value)
        if at is not None:
            raise self.error(key, f"is no Unicode text: half a surrogate pair at character {at}")
        return value

    def hash(self) -> str | None:
        """The `if_sha256`, in lower case; None where there is none.

        Raises:
            InvalidBatch: it is no SHA-256.
        """
        if "if_sha256" not in self:
            return None
        digest = self.text("if_sha256")
        if not _HASH.fullmatch(digest):
            raise self.error("if_sha256", f"must be {_HASH_DIGITS}, not {shown(digest)}")
        return digest.lower()

    def content(self) -> str | bytes:
        """The content, under `text` or `base64`.

        Raises:
            InvalidBatch: there is none, or two, or it is no Base64.
        """
        if ("text" in self) == ("base64" in self):
            what = "both `text` and `base64`" if "text" in self else "neither `text` nor `base64`"
            raise InvalidBatch(
                f"{self._place} has {what}: exactly one says what the file holds",
                operation=self._number,
            )
        if "text" in self:
            return self.text("text", empty=True)
        encoded = self.text("base64", empty=True)
        try:
            return base64.b64decode(encoded.encode(), validate=True)
        except binascii.Error:
            raise self.error(
                "base64", "must be Base64 with its padding, and without line ends"
            ) from None

    def error(self, key: str, problem: str) -> InvalidBatch:
        """The error of a key."""
        place = f"{self._place}.{key}" if self._place else key
        return InvalidBatch(f"{place} {problem}", operation=self._number)


def _kind(value: object) -> str:
    return next((name for kind, name in _KINDS if isinstance(value, kind)), type(value).__name__)


def _half_pair(text: str) -> int | None:
    """The place of a lone surrogate in a text, or None."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def _operation(value: object, number: int) -> Operation:
    place = f"operations[{number}]"
    fields = _Object(value, place, place, number + 1)
    op = fields.text("op")
    if op not in _READERS:
        known = ", ".join(_READERS)
        raise fields.error("op", f"is {shown(op)}, and must be one of {known}")
    keys, read = _READERS[op]
    fields.only("op", *keys)
    return read(fields)


def _add(fields: _Object) -> Operation:
    name, content = fields.text("name"), fields.content()
    if is_page(name):
        return AddPage(name, content)
    return AddAttachment(name, _bytes(content))


def _replace(fields: _Object) -> Operation:
    name, content, digest = fields.text("name"), fields.content(), fields.hash()
    if is_page(name):
        return ReplacePage(name, content, digest)
    return ReplaceAttachment(name, _bytes(content), digest)


def _replace_text(fields: _Object) -> Operation:
    name = fields.text("name") if "name" in fields else None
    old, new = fields.text("old"), fields.text("new", empty=True)
    digest = fields.hash()
    if digest is not None and name is None:
        raise fields.error("if_sha256", "needs a name: no page is meant that could have it")
    return ReplaceText(old, new, name, digest)


def _remove(fields: _Object) -> Operation:
    name, digest = fields.text("name"), fields.hash()
    return RemovePage(name, digest) if is_page(name) else RemoveAttachment(name, digest)


def _rename(fields: _Object) -> Operation:
    name, to, digest = fields.text("name"), fields.text("to"), fields.hash()
    if is_page(name):
        return RenamePage(name, to, digest)
    return RenameAttachment(name, to, digest)


_READERS: Mapping[str, tuple[tuple[str, ...], _Reader]] = {
    "add": (("name", "text", "base64"), _add),
    "replace": (("name", "text", "base64", "if_sha256"), _replace),
    "replace-text": (("name", "old", "new", "if_sha256"), _replace_text),
    "remove": (("name", "if_sha256"), _remove),
    "rename": (("name", "to", "if_sha256"), _rename),
}


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _as_json(operation: Operation, number: int) -> dict[str, Any]:
    said: dict[str, Any] = {"op": operation.op}
    if operation.name is not None:
        said["name"] = operation.name
    if isinstance(operation, AddPage | ReplacePage):
        said |= _content_as_json(operation.text)
    elif isinstance(operation, AddAttachment | ReplaceAttachment):
        said |= _content_as_json(operation.data)
    elif isinstance(operation, ReplaceText):
        said |= {"old": operation.old, "new": operation.new}
    elif isinstance(operation, RenamePage | RenameAttachment):
        said["to"] = operation.to
    if not isinstance(operation, AddPage | AddAttachment) and operation.if_sha256 is not None:
        said["if_sha256"] = operation.if_sha256
    for key, value in said.items():
        if _half_pair(value) is not None:
            raise InvalidBatch(
                f"JSON cannot carry `{key}` of operation {number}: it is no Unicode text",
                operation=number,
            )
    return said


def _content_as_json(content: str | bytes) -> dict[str, str]:
    if isinstance(content, str):
        return {"text": content}
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}
