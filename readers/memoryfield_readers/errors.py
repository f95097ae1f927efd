"""What can go wrong, as one tree.

MemoryfieldError
├── LocationError          the location is not one this program can read          exit 2
├── UnknownLimit           there is no limit of that name                         exit 2
├── InvalidPin             the text is no pin, or the pin is not for such a field exit 2
├── LockFileError          the lock file cannot be used as it is                  exit 2
├── PinMismatch            what came is not what was pinned                       exit 3
├── IndexMismatch          a vector index is not of this field or model           exit 3
├── UnsafeArchive          the archive breaks MF601-MF607: it is refused          exit 3
├── LimitExceeded          more than the limits allow (MF607)                     exit 3
├── SourceUnavailable      the source cannot be had just now, or is incomplete    exit 4
│   ├── NotFound           it is not there: the only error that means "absent"    exit 4
│   │   └── EmptyField     it is there, and has neither page nor attachment       exit 1
│   ├── AccessDenied       it may be there, but not for us                        exit 4
│   └── SourceChanged      it changed while it was being read                     exit 4
├── PageError              an entry is there, but is not a readable page          exit 4
├── EmbedderUnavailable    what makes vectors cannot be had                       exit 4
├── LockTimeout            another writer holds the field for too long            exit 4
├── WriteConflict          what would be written over is not what was expected    exit 5
├── AmbiguousMatch         a text to replace stands nowhere, or in several places exit 5
└── BatchRejected          a batch of edits cannot be applied to this field       exit 5
    └── InvalidBatch       it is no batch, whatever the field                     exit 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .display import shown

_MOST_NAMED = 5
"""So many files are named in a message."""


class MemoryfieldError(Exception):
    """Something about a field, its source or its location stands in the way.

    Attributes:
        message: what is wrong, in one line.
        location: the location that was asked for, or None.
        entry: the entry within it (a relative path), or None.
        hint: what to do about it, or None.
        exit_code: what the `memoryfield` command exits with.
    """

    exit_code: ClassVar[int] = 4

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        entry: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.entry = entry
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross to another process as what it is, whatever the constructor of its class takes."""
        return type(self).__new__, (type(self), *self.args), dict(self.__dict__)

    def __str__(self) -> str:
        place = ": ".join(part for part in (self.location, self.entry) if part)
        return f"{place}: {self.message}" if place else self.message


class LocationError(MemoryfieldError):
    """The text is not a location this program can read."""

    exit_code = 2


class UnknownLimit(MemoryfieldError):
    """There is no limit of that name, or its value is not a positive whole number."""

    exit_code = 2


class InvalidPin(MemoryfieldError):
    """The text is no pin, or what it is to pin is of another kind."""

    exit_code = 2


class LockFileError(MemoryfieldError):
    """The lock file cannot be read, or says something that means nothing.

    `location` is the path of the file.
    """

    exit_code = 2


class PinMismatch(MemoryfieldError):
    """What came is not what was pinned (MF904).

    Attributes:
        expected: the pin or SHA-256 that was wanted; "" where it is the names that differ.
        actual: that of what came; "" where nothing came that could be hashed.
        size: how many bytes came; None where that says nothing.
        url: where they came from in the end, after redirects; None where that says nothing.
        diagnosis: what seems to have happened, in words.
    """

    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        entry: str | None = None,
        hint: str | None = None,
        expected: str = "",
        actual: str = "",
        size: int | None = None,
        url: str | None = None,
        diagnosis: str = "",
    ) -> None:
        """Say what differs; see the attributes."""
        super().__init__(message, location=location, entry=entry, hint=hint)
        self.expected = expected
        self.actual = actual
        self.size = size
        self.url = url
        self.diagnosis = diagnosis


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a container breaks the standard, found while it was opened or read.

    Attributes:
        rule: the requirement that is broken, such as "MF606".
        message: what is wrong and what was seen.
        entry: the entry at fault (its path as the archive names it), or None for the whole.
        hint: what to do about it, or None for the requirement's own hint.
    """

    rule: str
    message: str
    entry: str | None = None
    hint: str | None = None


HARMLESS_FAULTS = frozenset({"MF609"})
"""Faults that no reader refuses an archive for."""


class UnsafeArchive(MemoryfieldError):
    """The archive breaks the rules that keep two readers from seeing two archives (MF601-MF607).

    Attributes:
        faults: every fault that was found, the first of which is the message.
    """

    exit_code = 3

    def __init__(self, faults: tuple[Fault, ...], *, location: str | None = None) -> None:
        first = faults[0]
        what = "no readable archive" if first.rule == "MF601" else "unsafe archive"
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(
            f"{what}, {first.rule}: {first.message}{more}",
            location=location,
            entry=first.entry,
            hint=first.hint or "run `memoryfield validate` on it to see every fault",
        )
        self.faults = faults


class LimitExceeded(MemoryfieldError):
    """The field, or one of its files, is larger than the limits allow (MF607)."""

    exit_code = 3


class SourceUnavailable(MemoryfieldError):
    """The source cannot be read just now, or what it gave is incomplete.

    Attributes:
        got: the files that had come when a read of several broke off.
        missing: the files of that read that had not.
        busy: for how many seconds whoever was asked wants to be left alone, having more to do than
            it can: 0.0 where it does not say how long; None where that is not the reason.
    """

    got: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    busy: float | None = None

    def broken_off(self, got: Sequence[str], missing: Sequence[str]) -> Self:
        """The same error, of a read of several files that got some of them."""
        first = ", ".join(shown(name) for name in missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        message = (
            f"{self.message}; {len(got)} of {len(got) + len(missing)} files had come, "
            f"not {first}{more}"
        )
        error = type(self)(message, location=self.location, hint=self.hint)
        error.got, error.missing, error.busy = tuple(got), tuple(missing), self.busy
        return error


class NotFound(SourceUnavailable):
    """The location or entry does not exist."""


class EmptyField(NotFound):
    """The field is there, and has neither page nor attachment: nothing can be pinned."""

    exit_code = 1


class AccessDenied(SourceUnavailable):
    """The location or entry may not be read with the rights at hand."""


class SourceChanged(SourceUnavailable):
    """The source changed while it was being read."""


class PageError(MemoryfieldError):
    """The entry exists but cannot be read as a page or attachment (MF105)."""


class WriteConflict(MemoryfieldError):
    """What would be written over is not what was expected; nothing was changed."""

    exit_code = 5


class LockTimeout(MemoryfieldError):
    """Another writer holds the field, and did not let go of it in time; nothing was changed."""


class AmbiguousMatch(MemoryfieldError):
    """A text to replace does not stand in exactly one place (MF907); nothing was changed.

    Attributes:
        candidates: where it stands, as many places as are told: the file and the line, from 1;
            none where it stands nowhere.
        count: in how many places it stands.
        operation: which operation of the batch asked for it, from 1.
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        entry: str | None = None,
        hint: str | None = None,
        candidates: Sequence[tuple[str, int]] = (),
        count: int = 0,
        operation: int | None = None,
    ) -> None:
        """Say where it stands; see the attributes."""
        super().__init__(message, location=location, entry=entry, hint=hint)
        self.candidates = tuple(candidates)
        self.count = count
        self.operation = operation


class BatchRejected(MemoryfieldError):
    """A batch of edits cannot be applied to the field as it is; nothing was changed (MF906).

    Attributes:
        operation: which operation stands in the way, from 1; None for the batch as a whole.
        rules: the requirements that the field would break, such as "MF307".
    """

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        location: str | None = None,
        entry: str | None = None,
        hint: str | None = None,
        operation: int | None = None,
        rules: Sequence[str] = (),
    ) -> None:
        """Say what stands in the way; see the attributes."""
        super().__init__(message, location=location, entry=entry, hint=hint)
        self.operation = operation
        self.rules = tuple(rules)


class InvalidBatch(BatchRejected):
    """What was given is no batch, whatever the field: no JSON of that schema, or against itself."""

    exit_code = 2


class EmbedderUnavailable(MemoryfieldError):
    """The program, service or model that makes vectors cannot be had."""


class IndexMismatch(MemoryfieldError):
    """A vector index is not of this field or this model, or not what it should be."""

    exit_code = 3
