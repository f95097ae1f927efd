"""The seam between the runner and what it judges: our own implementation, or any other one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..validation import Profile
from .case import Answer, Case


@dataclass(frozen=True, slots=True)
class Task:
    """A case, put into a source: what an implementation is asked.

    Attributes:
        case: the case; an implementation must not look at what it expects.
        source: what carries it.
        path: the folder or the archive.
    """

    case: Case
    source: str
    path: Path


class Implementation(Protocol):
    """Something that reads fields and says what it makes of them.

    Attributes:
        name: its name.
        release: its version.
        profile: whether it judges by the standard or by the public draft alone.
        answers: the keys that it answers, by kind of case; other kinds are not put to it.
        checked: the ids of the requirements that it checks; None for all.
        takes_fields_for_pages: whether it reads a page out of a field from any source; if not, it
            is given the page as a file.
    """

    name: str
    release: str
    profile: Profile
    answers: Mapping[str, frozenset[str]]
    checked: frozenset[str] | None
    takes_fields_for_pages: bool

    def answer(self, task: Task) -> Answer:
        """The answer to a task.

        Raises:
            Skip: the task cannot be put to this implementation.
            NoAnswer: there was none.
        """
        ...
