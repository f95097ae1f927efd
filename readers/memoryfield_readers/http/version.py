"""What a server says of the version of a file, and of the part of it that it sends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_STRONG_TAG = re.compile(r'"[!#-~]{0,254}"')
_A_DATE = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", re.ASCII)
_PART = re.compile(r"bytes +(\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII | re.IGNORECASE)
_NO_PART = re.compile(r"bytes +\*/(\d{1,18})", re.ASCII | re.IGNORECASE)


class Part(NamedTuple):
    """Bytes of a file, as a Content-Range names them.

    Attributes:
        start: the first of them.
        end: the one behind the last.
        size: bytes of the whole file.
    """

    start: int
    end: int
    size: int

    @property
    def bytes(self) -> int:
        """How many there are."""
        return self.end - self.start


def part_of(headers: Mapping[str, str]) -> Part | None:
    """The part that an answer holds; None where it does not say that, or makes no sense.

    Several parts in one body, and a part of an unknown size, are no such part.

    Arguments:
        headers: those of the answer, by names in lower case.
    """
    match = _PART.fullmatch(headers.get("content-range", "").strip())
    if match is None:
        return None
    start, last, size = (int(digits) for digits in match.groups())
    return Part(start, last + 1, size) if start <= last < size else None


def size_without_part(headers: Mapping[str, str]) -> int | None:
    """The size of the file, where there is no part to send; None where that is not said."""
    match = _NO_PART.fullmatch(headers.get("content-range", "").strip())
    return None if match is None else int(match[1])


class Version(NamedTuple):
    """The version of a file.

    Attributes:
        tag: the entity tag as it came, weak or strong; None for none.
        modified: the time of its last change as it came; None for none.
    """

    tag: str | None = None
    modified: str | None = None

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Version:
        """The version of which an answer is."""
        return cls(headers.get("etag", "").strip() or None, headers.get("last-modified") or None)

    @property
    def strong_tag(self) -> str | None:
        """The entity tag, if it stands for the very bytes, and is fit to be sent back."""
        return self.tag if self.tag is not None and _STRONG_TAG.fullmatch(self.tag) else None

    @property
    def condition(self) -> dict[str, str]:
        """The header that makes a part depend on this version; none where that cannot be said."""
        if self.strong_tag is not None:
            return {"If-Range": self.strong_tag}
        # RFC 9110, 13.1.5: no weak tag, and no date where there is a tag
        if self.tag is None and self.modified is not None and _A_DATE.fullmatch(self.modified):
            return {"If-Range": self.modified}
        return {}

    @property
    def whole_condition(self) -> dict[str, str]:
        """The header that makes the whole file depend on this version; none likewise."""
        if self.strong_tag is not None:
            return {"If-Match": self.strong_tag}
        date = self.condition.get("If-Range")
        return {} if date is None else {"If-Unmodified-Since": date}

    def differs(self, other: Version) -> bool:
        """Whether two answers are of two versions; what only one of them says proves nothing."""
        if self.tag is not None and other.tag is not None:
            if self.tag != other.tag:
                return True
            if self.strong_tag is not None:
                return False
        return None not in (self.modified, other.modified) and self.modified != other.modified

    @property
    def is_known(self) -> bool:
        """Whether there is anything by which a change would be seen."""
        return self.tag is not None or self.modified is not None
