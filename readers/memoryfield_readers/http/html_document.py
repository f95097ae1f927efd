"""Whether what came is an HTML document: a login page, an error page, the index of a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..markdown.code import without_comments

HEAD_BYTES = 4096
"""So many bytes of a body are enough to tell."""

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_PROLOGUE = re.compile(r"\ufeff?\s*+(?:<\?xml[^<>]{0,200}+>\s*+)?", re.IGNORECASE)
_START = re.compile(r"<!doctype\s++html\b|<(?:html|head|body|title|meta)(?=[\s>])", re.IGNORECASE)


def is_said_to_be_html(headers: Mapping[str, str]) -> bool:
    """Whether the headers of an answer, their names in lower case, say that it is HTML."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() in _HTML_TYPES


def is_html_document(headers: Mapping[str, str], head: bytes) -> bool:
    """Whether an answer is said to be HTML, and begins as a document of it does.

    A page that is said to be HTML, as by a server that does not know `.md`, is a page as long as
    it does not begin so; and what only begins so, under another type, may be about HTML.

    Arguments:
        headers: those of the answer, their names in lower case.
        head: the first bytes of the body; HEAD_BYTES of them are enough.
    """
    if not is_said_to_be_html(headers):
        return False
    text = without_comments(head[:HEAD_BYTES].decode("utf-8", "replace"))
    prologue = _PROLOGUE.match(text)
    return _START.match(text, prologue.end() if prologue else 0) is not None
