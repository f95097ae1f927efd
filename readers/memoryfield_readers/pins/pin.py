"""A pin: what names the bytes of an archive, or the content of a field, once and for all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ..display import shown
from ..errors import InvalidPin

_PIN = re.compile(r"(field-sha256|sha256):([0-9a-f]{64})")
_HOW = "write sha256: (of an archive) or field-sha256: (of a field), and 64 hexadecimal digits"


class PinKind(Enum):
    """What a pin is of; the value is what stands before its colon."""

    ARCHIVE = "sha256"
    FIELD = "field-sha256"


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin, taken apart (SPEC.md, "Digests and pins").

    Attributes:
        kind: whether it is of an archive's bytes or of a field however it travels.
        sha256: its 64 hexadecimal digits, in lower case.
    """

    kind: PinKind
    sha256: str

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.sha256}"


@dataclass(frozen=True, slots=True)
class Pins:
    """What a field must match: a pin of its archive, one of the field, both, or neither."""

    archive: Pin | None = None
    field: Pin | None = None

    def __bool__(self) -> bool:
        return self.archive is not None or self.field is not None


def parse_pin(text: str) -> Pin:
    """The pin that a text says; capital letters are taken, and made small.

    Raises:
        InvalidPin: it is too short or too long, of another algorithm, or no pin at all.
    """
    found = _PIN.fullmatch(text.lower()) if isinstance(text, str) and text.isascii() else None
    if found is None:
        raise InvalidPin(f"{_quoted(text)} is no pin: {_what_is_wrong(text)}", hint=_HOW)
    return Pin(PinKind(found[1]), found[2])


def parse_pins(texts: str | Pin | Pins | Iterable[str | Pin] | None) -> Pins:
    """The pins that one or several texts say, at most one of each kind.

    Raises:
        InvalidPin: as `parse_pin` does, or two pins of one kind differ.
    """
    found: dict[PinKind, Pin] = {}
    if texts is None:
        return Pins()
    if isinstance(texts, Pins):
        return texts
    for text in (texts,) if isinstance(texts, str | Pin) else texts:
        pin = text if isinstance(text, Pin) else parse_pin(text)
        if found.setdefault(pin.kind, pin) != pin:
            raise InvalidPin(f"two pins {pin.kind.value}: that differ: nothing can match both")
    return Pins(found.get(PinKind.ARCHIVE), found.get(PinKind.FIELD))


def _blank(text: str) -> str:
    blank = text[-1] if text != text.rstrip() else text[0]
    return {" ": "a space", "\n": "a line feed", "\t": "a tab"}.get(blank, "a blank")


def _quoted(text: object) -> str:
    return shown(text[:100]) if isinstance(text, str) and text else repr(text)[:100]


def _what_is_wrong(text: object) -> str:
    if not isinstance(text, str):
        return "it is no text"
    if not text:
        return "it is empty"
    several = text.lower().replace(",", " ").split()
    if len(several) > 1 and all(map(_PIN.fullmatch, several)):
        return "it is two pins in one: give each its own --pin"
    if text != text.strip():
        return f"it {'ends' if text != text.rstrip() else 'begins'} with {_blank(text)}"
    algorithm, colon, digits = text.partition(":")
    if not colon:
        return "no algorithm and colon stand before it"
    if algorithm.lower() not in ("sha256", "field-sha256"):
        return f"the algorithm {_quoted(algorithm)} is not one of the standard"
    if len(digits) != 64:
        return f"{len(digits)} digits where there are 64"
    return "not all are hexadecimal digits"
