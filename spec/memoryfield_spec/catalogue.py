"""The requirements of the standard as data: one immutable value an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One normative sentence of the standard, with what explains it.

    Attributes:
        id: `MF` and three digits; it never changes its meaning and is never used again.
        level: "error" for MUST, "warning" for SHOULD, "info" for MAY.
        keyword: the RFC 2119 key word of the statement, such as "MUST NOT".
        classes: who answers for it: "producer", "reader", "validator", "server", "writer".
        section: the slug of the section of SPEC.md in which the statement stands.
        origin: "draft-0.1" for what the public draft demands, "kit" for what was added.
        title: a short noun phrase without a full stop.
        statement: the normative sentence, word for word as in SPEC.md.
        why: what breaks otherwise.
        good: an example that obeys, as text of one or more lines.
        bad: an example that does not.
        hint: one imperative sentence that says what to do about a finding.
    """

    id: str
    level: Level
    keyword: str
    classes: tuple[str, ...]
    section: str
    origin: str
    title: str
    statement: str
    why: str
    good: str
    bad: str
    hint: str


class UnknownRequirement(LookupError):
    """The given id is not in the catalogue.

    Attributes:
        id: the id that was asked for.
        nearest: the ids that resemble it most, the best first; it may be empty.
    """

    def __init__(self, id: str, nearest: tuple[str, ...] = ()) -> None:
        """Keep the id that was asked for, and the ids that resemble it."""
        super().__init__(id, nearest)
        self.id = id
        self.nearest = nearest

    def __str__(self) -> str:
        """Say which id is unknown, and which ones may have been meant."""
        text = f"there is no requirement {self.id!r}"
        return f"{text}; you may have meant {', '.join(self.nearest)}" if self.nearest else text


@cache
def catalogue() -> Mapping[str, Requirement]:
    """All requirements by id, in ascending order; every call gives the same read-only mapping."""
    import tomllib
    from importlib.resources import files

    text = files("memoryfield_spec").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            id: Requirement(id=id, **{**fields, "classes": tuple(fields["classes"])})
            for id, fields in sorted(tomllib.loads(text).items())
        }
    )


def requirement(id: str) -> Requirement:
    """The requirement with an id.

    Arguments:
        id: the id as it is written in the standard, such as "MF304".

    Raises:
        UnknownRequirement: the catalogue has no such id.
    """
    known = catalogue()
    if id in known:
        return known[id]
    from difflib import get_close_matches

    raise UnknownRequirement(id, tuple(get_close_matches(id.upper(), known, n=3)))
