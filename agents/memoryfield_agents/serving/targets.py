"""What a request asks for: its target is decoded once, and what cannot be a name is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

MOST_TARGET: Final = 4096
"""Bytes of a path; names of files have 255 at most, and each may be three characters here."""

MOST_QUERY: Final = 16_384
"""Bytes of a query: 2,000 characters may need as many as this, percent-encoded."""

_MOST_FIELDS = 20
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})?")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_ENCODED_AGAIN = re.compile("%[0-9A-Fa-f]{2}")


class BadTarget(Exception):
    """A target that no name of a file has (MF706).

    Attributes:
        status: what to answer.
        reason: why, in one line.
    """

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


@dataclass(frozen=True, slots=True)
class Target:
    """A path that may be looked up among names.

    Attributes:
        path: the decoded path, without the slash in front.
        doubtful: whether it is encoded twice: if no file has this very name, it is no mistake
            but an attempt.
    """

    path: str
    doubtful: bool


def target_of(raw: bytes) -> Target:
    """The target of a request.

    Arguments:
        raw: its path, as the client sent it, without the query.

    Raises:
        BadTarget: nothing of this kind can be a name (MF706).
    """
    if len(raw) > MOST_TARGET:
        raise BadTarget("the path is too long", 414)
    if not raw.startswith(b"/"):
        raise BadTarget("the path does not begin with a slash")
    try:
        path = _ESCAPE.sub(_byte, raw[1:]).decode()
    except UnicodeDecodeError:
        raise BadTarget("the path is not UTF-8") from None
    if _CONTROL.search(path):
        raise BadTarget("the path has a control character")
    if "\\" in path:
        raise BadTarget("the path has a backslash")
    parts = path.split("/")
    if "." in parts or ".." in parts or "" in parts[:-1]:
        raise BadTarget("the path has a part that leads elsewhere")
    return Target(path, _ENCODED_AGAIN.search(path) is not None)


def _byte(escape: re.Match[bytes]) -> bytes:
    if escape[1] is None:
        raise BadTarget("a percent sign stands alone in the path")
    byte = bytes.fromhex(escape[1].decode("ascii"))
    if byte == b"/":
        raise BadTarget("no name has a slash in it")
    return byte


def query_of(raw: bytes) -> dict[str, str]:
    """The fields of a query; of one that stands twice the first counts.

    Raises:
        BadTarget: it is too long, or has too many fields.
    """
    if len(raw) > MOST_QUERY:
        raise BadTarget("the query is too long", 414)
    try:
        pairs = parse_qsl(
            raw.decode("latin-1"),
            keep_blank_values=True,
            errors="replace",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError:
        raise BadTarget("the query has too many fields") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found
