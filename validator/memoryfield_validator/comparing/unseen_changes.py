"""Pages whose bytes changed and whose text did not: only line ends, or a byte-order mark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_LAST_LINE_END = re.compile(rb"(?:\r\n|\r|\n)\Z")
_NAMES = {b"\r\n": "CRLF", b"\n": "LF", b"\r": "CR"}


def unseen_change(before: bytes, after: bytes) -> str | None:
    """What changed in a page whose text is the same line by line; None if its text is not.

    Arguments:
        before: the bytes that it had; they differ from those that it has.
        after: the bytes that it has.
    """
    told = list(_told(before, after))
    return f"only {' and '.join(told)}" if told else None


def _told(before: bytes, after: bytes) -> Iterator[str]:
    old, new = before.removeprefix(_BOM), after.removeprefix(_BOM)
    if _lines(old) != _lines(new):
        return
    if (before == old) != (after == new):
        yield f"a byte-order mark was {'added' if before == old else 'removed'} at the beginning"
    had, has = (text.endswith((b"\n", b"\r")) for text in (old, new))
    if had != has:
        yield f"the line end at the end was {'added' if has else 'removed'}"
        old, new = (_LAST_LINE_END.sub(b"", text) for text in (old, new))
    counts, new_counts = _line_ends(old), _line_ends(new)
    if counts != new_counts:
        yield f"line ends changed from {counts} to {new_counts}"
    elif old != new:
        yield "line ends changed places"


def _lines(text: bytes) -> bytes:
    """The text with line ends of one kind, and none at its end."""
    return _LINE_END.sub(b"\n", text).removesuffix(b"\n")


def _line_ends(text: bytes) -> str:
    counts = Counter(_LINE_END.findall(text))
    return " and ".join(f"{counts[end]:,} {name}" for end, name in _NAMES.items() if counts[end])
