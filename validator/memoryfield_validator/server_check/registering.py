"""Where the rules on servers are registered: one id, one requirement, one check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from memoryfield_spec import catalogue

from ..registry import Findings, NotChecked, Rule, matching
from .visit import Visit

ServerCheck: TypeAlias = "Callable[[Rule, Visit], Findings]"
BoundServerChecks: TypeAlias = "tuple[tuple[Rule, ServerCheck], ...]"

_CHECKS: dict[str, ServerCheck] = {}


class NotOfServer(NotChecked):
    """The requirements that were selected say nothing of a server."""

    def __str__(self) -> str:
        return f"{self.id} selects no requirement that is checked on a server: those are MF7"


def server_rule(id: str) -> Callable[[ServerCheck], ServerCheck]:
    """A decorator that registers a check of a live server under the id of its requirement."""

    def register(check: ServerCheck) -> ServerCheck:
        _CHECKS[id] = check
        return check

    return register


def server_rules(
    *, select: Iterable[str] | None = None, ignore: Iterable[str] | None = None
) -> BoundServerChecks:
    """The rules to run, in the order of their ids.

    Arguments:
        select: ids or beginnings of ids; None for all.
        ignore: ids or beginnings of ids.

    Raises:
        UnknownRequirement: a pattern matches no id.
        NotOfServer: a pattern selects nothing that is checked on a server.
    """
    ids = frozenset(_CHECKS)
    if select is not None:
        chosen: set[str] = set()
        for pattern in select:
            found = matching([pattern]) & ids
            if not found:
                raise NotOfServer(pattern)
            chosen |= found
        ids = frozenset(chosen)
    ids -= matching(ignore or ())
    return tuple(
        (Rule(id, requirement.level, requirement.hint), _CHECKS[id])
        for id, requirement in catalogue().items()
        if id in ids
    )
