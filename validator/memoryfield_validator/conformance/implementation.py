"""The seam between the runner and what it judges: our own implementation, or any other one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from memoryfield_readers import Limits

from ..validation import Profile
from .case import Answer, Case
from .errors import Skip


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A place that is no path on this machine.

    Attributes:
        location: what a person would type.
        options: how it is reached, as `open_field` takes them.
    """

    location: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Task:
    """A case, put into a source: what an implementation is asked.

    Attributes:
        case: the case; an implementation must not look at what it expects.
        source: what carries it.
        place: the folder or the archive, or where that is if it is elsewhere.
    """

    case: Case
    source: str
    place: Path | Elsewhere

    @property
    def path(self) -> Path:
        """The folder or the archive, for an implementation that takes paths alone.

        Raises:
            Skip: it is elsewhere.
        """
        if isinstance(self.place, Elsewhere):
            raise Skip("it takes nothing but paths on this machine")
        return self.place


class Editor(Protocol):
    """Applies a batch of edits to a field.

    A validator writes nothing: whoever has a writer hands it in.
    """

    def __call__(
        self,
        path: Path,
        batch: str,
        *,
        expect: str | None,
        allow: Sequence[str],
        stamp: datetime | None,
        limits: Limits,
    ) -> None:
        """Apply a batch.

        Arguments:
            path: the folder or the archive.
            batch: the batch, as JSON text that may be none.
            expect: the pin that the field has to have, or None.
            allow: what a review may find in the new text.
            stamp: the present instant, where frontmatter is to be kept and renewed; or None.
            limits: how large a field may be.

        Raises:
            BatchRejected, AmbiguousMatch, WriteConflict: it is not applied.
            MemoryfieldError: something else stands in the way.
        """
        ...


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
