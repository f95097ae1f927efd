"""What travels between the parts of a run: which field, what is done to it, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from memoryfield_readers import MemoryfieldError

Kind: TypeAlias = Literal["validate", "audit", "pin", "index"]
State: TypeAlias = Literal["done", "failed", "same"]

KINDS: tuple[Kind, ...] = ("validate", "audit", "pin", "index")
"""What can be done to each field."""


@dataclass(frozen=True, slots=True)
class Target:
    """One field that is meant.

    Attributes:
        location: as `open_field` takes it.
        version: what is another text when the field is another one; None where that is only known
            when the field is opened.
        host: whom it is asked of, such as "s3://bucket" or "example.org"; "" for this machine.
        known: the version of which there is a result already; None if there is none. It is for who
            opens the field to see whether it is the same.
        trusted: whether a person chose the location; one of someone else's lock file may lead to
            public places alone, which is seen when it is opened.
    """

    location: str
    version: str | None = None
    host: str = ""
    known: str | None = None
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Refused:
    """A location or pattern that stands for no field.

    Attributes:
        location: as it was given, as far as that may be shown.
        error: why.
        given: what tells it from others that are shown alike; it is never shown or sent.
    """

    location: str
    error: MemoryfieldError
    given: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Job:
    """What is done to each field.

    Attributes:
        kind: what.
        options: how, as JSON carries it: no secret is among them.
        seconds: how long one try may take.
        memory: bytes that the process of one try may use; None for no bound.
        retries: how often a try is made again that failed for a reason that may pass.
    """

    kind: Kind
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 300.0
    memory: int | None = None
    retries: int = 2


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one field: a line of the results.

    Attributes:
        job: what was done.
        location: where the field is.
        version: its version, as far as it is known by now.
        state: "done"; "failed", with an error; or "same", where the older result still holds.
        attempts: how many tries it took.
        seconds: how long the last try took.
        pages: how many pages it has; None where it could not be read.
        size: bytes of its pages and attachments; None where it could not be read.
        field_pin: its field pin, where the job found it.
        archive_pin: its archive pin, where the job found it.
        result: what the job gives, as JSON carries it; None if it failed.
        error: `kind`, `message`, `hint` and `exit_code` of what stood in the way; None if nothing.
    """

    job: Kind
    location: str
    version: str | None
    state: State
    attempts: int = 1
    seconds: float = 0.0
    pages: int | None = None
    size: int | None = None
    field_pin: str | None = None
    archive_pin: str | None = None
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
