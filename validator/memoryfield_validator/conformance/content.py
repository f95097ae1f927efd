"""The bytes that a case gives: text, base64, pieces of both, or an example of the standard."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from memoryfield_spec import examples

from .errors import BrokenCase

FORMS = ("text", "base64", "pieces", "example")


def content_of(given: Mapping[str, Any]) -> bytes | None:
    """The bytes that one of the keys of `FORMS` gives; None where there is none of them.

    Raises:
        BrokenCase: what is given is no base64, or no example of SPEC.md.
    """
    if "text" in given:
        return str(given["text"]).encode()
    if "base64" in given:
        return from_base64(given["base64"])
    if "pieces" in given:
        return b"".join(map(_piece, given["pieces"]))
    if "example" in given:
        example = examples().get(given["example"])
        if example is None:
            raise BrokenCase(f"SPEC.md has no example {given['example']!r}")
        return example.text.encode()
    return None


def name_of(given: Mapping[str, Any]) -> str:
    """The name of a file or an entry; bytes that are not UTF-8 are surrogate escaped."""
    if "name-base64" in given:
        return from_base64(given["name-base64"]).decode("utf-8", "surrogateescape")
    return str(given["name"])


def name_bytes(given: Mapping[str, Any]) -> bytes | str:
    """The name of an archive entry: its bytes, or text that is marked as UTF-8 where it must be."""
    return from_base64(given["name-base64"]) if "name-base64" in given else str(given["name"])


def from_base64(text: str) -> bytes:
    """The bytes of base64 text, in which white space does not count."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except binascii.Error as error:
        raise BrokenCase(f"base64 cannot be read: {error}") from None


def _piece(piece: Mapping[str, Any]) -> bytes:
    if "repeat" in piece:
        return str(piece["repeat"]).encode() * int(piece["times"])
    return content_of(piece) or b""
