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
    """
    One normative sentence of the standard, with what explains it.

    :ivar id: ``MF`` and three digits; it never changes its meaning and is never used again.
    :ivar level: ``error`` for MUST, ``warning`` for SHOULD, ``info`` for MAY.
    :ivar keyword: the RFC 2119 key word of the statement, such as ``MUST NOT``.
    :ivar classes: who answers for it: producer, reader, validator, server, writer.
    :ivar section: the slug of the section of SPEC.md in which the statement stands.
    :ivar origin: ``draft-0.1`` for what the public draft demands, ``kit`` for what was added.
    :ivar title: a short noun phrase without a full stop.
    :ivar statement: the normative sentence, word for word as in SPEC.md.
    :ivar why: what breaks otherwise.
    :ivar good: an example that obeys, as text of one or more lines.
    :ivar bad: an example that does not.
    :ivar hint: one imperative sentence that says what to do about a finding.
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
    """
    The given id is not in the catalogue.

    :ivar id: the id that was asked for.
    :ivar nearest: the ids that resemble it most, the best first; it may be empty.
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
    """
    Give all requirements by id, in ascending order of id.

    :return: a mapping that cannot be changed; every call gives the same one.
    """
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
    """
    Give the requirement with an id.

    :param id: the id as it is written in the standard, such as ``MF304``.
    :raises UnknownRequirement: if the catalogue has no such id.
    """
    known = catalogue()
    if id in known:
        return known[id]
    from difflib import get_close_matches

    raise UnknownRequirement(id, tuple(get_close_matches(id.upper(), known, n=3)))
