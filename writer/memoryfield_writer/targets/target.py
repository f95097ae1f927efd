"""The seam between what a batch means and how files come to their place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeAlias

from memoryfield_readers import Field

from ..plan import Plan

Waiting: TypeAlias = Callable[[str], None]
"""Told once, in a line for people, that another writer has the field and is waited for."""


class Persisted(NamedTuple):
    """What came of a plan that was carried out.

    Attributes:
        archive_pin: the archive pin now; None for what is no archive.
        notes: what a person should know, one line each.
    """

    archive_pin: str | None
    notes: tuple[str, ...] = ()


class Held(Protocol):
    """A field that no other writer changes for as long as it is held.

    Attributes:
        field: the field, read anew under the lock. It may have neither page nor attachment.
    """

    @property
    def field(self) -> Field:
        """The field, read anew under the lock."""
        ...

    def persist(self, plan: Plan) -> Persisted:
        """Carry out a plan, whole or not at all. Called at most once.

        A plan with neither puts nor removes writes nothing.

        Raises:
            WriteConflict: the field is no longer what was read: somebody did not ask for the lock.
            MemoryfieldError: it cannot be written; the field is as it was.
        """
        ...


class Target(Protocol):
    """A place where a field is that can be written."""

    @property
    def location(self) -> str:
        """The place, as messages show it."""
        ...

    def held(self, wait: float, waiting: Waiting | None) -> AbstractContextManager[Held]:
        """Lock the field, finish or undo what a killed writer left, and read it.

        Arguments:
            wait: seconds to wait for another writer.
            waiting: told once that one is waited for.

        Raises:
            LockTimeout: another writer had it for longer.
            NotFound: there is no such field.
            MemoryfieldError: it cannot be read or not be locked.
        """
        ...

    def seen(self) -> AbstractContextManager[Field]:
        """The field as it is, without a lock and without a write: for what is only tried.

        Raises:
            NotFound: there is no such field.
            MemoryfieldError: it cannot be read.
        """
        ...
