"""Pages as resources: `memoryfield://NAME/PAGE`."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from .refusals import Refusal

TEMPLATE: Final = "memoryfield://{field}/{page}"
_SCHEME: Final = "memoryfield:"
_URI = re.compile(r"memoryfield://(?P<field>[^/?#]+)/(?P<page>[^/?#]+)")


def uri_of(field: str, page: str) -> str:
    """The URI of a page of a held field."""
    return f"memoryfield://{field}/{quote(page, safe='', errors='surrogateescape')}"


def is_uri(text: str) -> bool:
    """Whether a text is meant as such a URI."""
    return text.lower().startswith(_SCHEME)


def parts_of(uri: str) -> tuple[str, str]:
    """The names of field and page in a URI; its escapes are undone once.

    Raises:
        Refusal: it is no URI of a page.
    """
    found = _URI.fullmatch(uri)
    if found is None:
        raise Refusal("this is no URI of a page", f"they are of the form {TEMPLATE}")
    raw = found["page"].encode("utf-8", "surrogatepass")
    return found["field"], unquote_to_bytes(raw).decode("utf-8", "surrogateescape")
