"""Where an answer goes on: texts that only this process can have made."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from enum import StrEnum
from typing import Any, Final

from .refusals import Refusal

_MARK_BYTES: Final = 16
MOST_CURSOR: Final = 16_000
"""Characters of a cursor."""

_AGAIN = "leave the cursor out, and ask anew"


class Kind(StrEnum):
    """What goes on at a cursor, and what the cursor holds."""

    PIECE = "piece"  # a page: field, pin, number of the page, number of the character
    NOTE = "note"  # a note: field, pin, number of the page, revision, number of the character
    REST = "rest"  # other pages: field, pin, numbers of the pages
    HITS = "hits"  # pages that were found: fields with pins, and rows of `finding`
    PAGES = "pages"  # the list of pages of a field: field, pin, number of the next
    FIELDS = "fields"  # the list of fields: number of the next
    RESOURCES = "resources"  # the list of resources: field, pin, number of the next page


class Cursors:
    """Makes cursors, and tells its own from any others."""

    def __init__(self) -> None:
        """Begin, with a key of its own: cursors of another process mean nothing here."""
        self._key = secrets.token_bytes(32)

    def seal(self, kind: Kind, *content: Any) -> str:
        """A cursor.

        Arguments:
            kind: what goes on.
            content: what JSON can carry.
        """
        body = json.dumps([kind, *content], separators=(",", ":")).encode("ascii")
        return base64.urlsafe_b64encode(self._mark(body) + body).decode("ascii").rstrip("=")

    def open(self, cursor: str) -> tuple[Kind, list[Any]]:
        """The kind and content of a cursor.

        Raises:
            Refusal: it was not made here, or not as it is.
        """
        raw = _decoded(cursor)
        mark, body = raw[:_MARK_BYTES], raw[_MARK_BYTES:]
        if not hmac.compare_digest(mark, self._mark(body)):
            raise Refusal("this is no cursor that this server gave", _AGAIN)
        kind, *content = json.loads(body)
        return Kind(kind), content

    def _mark(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, "sha256")[:_MARK_BYTES]


def _decoded(cursor: str) -> bytes:
    if len(cursor) > MOST_CURSOR or not cursor.isascii():
        return b""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    # Of several texts for the same bytes, one was given.
    same = base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=") == cursor
    return raw if same else b""


def short_pin(pin: str) -> str:
    """As much of a pin as tells two states of a field apart."""
    return pin.rpartition(":")[2][:20]
