"""Host names in URLs that pass for other ones (MF806)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from memoryfield_readers import shown

from .look_alikes import LOOK_LATIN
from .scripts import script_of

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}+\Z")
_LONGEST_SCHEME = 31
_AUTHORITY = re.compile(r"[^\s/?#\\<>\"'`()\[\]{}|^]{1,1000}+")
_PREFIX = "xn--"
_LONGEST_LABEL = 63
_DOTS = re.compile("[.\u3002\uff0e\uff61]")

_ONE_SCRIPT_WITH_LATIN = (
    frozenset({"Latin", "Han", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Han", "Bopomofo"}),
    frozenset({"Latin", "Han", "Hangul"}),
)


class LookAlike(NamedTuple):
    """A URL whose host name passes for another one: where it begins, and what is wrong."""

    offset: int
    problem: str


def look_alikes(text: str) -> Iterator[LookAlike]:
    """The URLs with such a host name, in the order of the text."""
    if text.isascii() and _PREFIX not in text.lower() and "%" not in text:
        return
    at = text.find("://")
    while at >= 0:
        scheme = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
        authority = _AUTHORITY.match(text, at + 3)
        if scheme and authority:
            problem = _problem(_host(authority[0]))
            if problem:
                yield LookAlike(scheme.start(), problem)
        at = text.find("://", at + 3)


def _host(authority: str) -> str:
    """The host name without user and port, with percent-encoding decoded."""
    host = authority.rpartition("@")[2].partition(":")[0]
    return unquote(host) if "%" in host else host


def _problem(host: str) -> str | None:
    if host.isascii() and _PREFIX not in host.lower():
        return None
    for label in _DOTS.split(host):
        name = _decoded(label)
        letters = [(letter, script) for letter in name if (script := script_of(letter))]
        scripts = {script for _, script in letters}
        if len(scripts) > 1 and not any(map(scripts.issubset, _ONE_SCRIPT_WITH_LATIN)):
            return f"mixes scripts ({', '.join(sorted(scripts))}) in {_both(label, name)}"
        if letters and all(letter in LOOK_LATIN for letter, _ in letters):
            kinds = " and ".join(sorted(scripts))
            return f"has {kinds} letters alone that look like Latin ones in {_both(label, name)}"
    return None


def _decoded(label: str) -> str:
    """A label in lower case, decoded if it is in the form for the wire and can be."""
    label = label.lower()
    if not label.startswith(_PREFIX) or len(label) > _LONGEST_LABEL:
        return label
    try:
        return label.removeprefix(_PREFIX).encode("ascii").decode("punycode").lower()
    except UnicodeError:
        return label


def _both(label: str, name: str) -> str:
    """A label as it stands, and what it says where that is something else."""
    odd = [f"U+{ord(letter):04X}" for letter in dict.fromkeys(name) if not letter.isascii()]
    more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
    decoded = "" if name == label.lower() else f", that is {shown(name)}"
    return f"{shown(label)}{decoded}: {', '.join(odd[:5])}{more}"
