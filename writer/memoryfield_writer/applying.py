"""A batch of edits applied to a field: whole or not at all (MF906, MF907, MF908)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memoryfield_readers import (
    DEFAULT_LIMITS,
    EmptyField,
    Field,
    InvalidBatch,
    Limits,
    Manifest,
    NotFound,
    Pins,
    PinText,
    Watch,
    WriteConflict,
    parse_pins,
    unwatched,
)
from memoryfield_readers.here import no_archive
from memoryfield_readers.holding import DEFAULT_WAIT
from memoryfield_validator import Finding

from .batch import Batch, Operation
from .plan import Plan
from .planning import allowed_ids, batch_of, manifest_before, plan_of, scan, steps_of
from .planning.step import Step
from .result import Applied
from .targets.choosing import NO_FIELD_HINT, target_of
from .targets.target import Persisted, Target

if TYPE_CHECKING:
    from .indexes.reindex import Reindex

_READ_ANEW = "read the field anew, and make the edit for what is there now"


def apply(
    location: str | os.PathLike[str],
    batch: Batch | Mapping[str, Any] | Iterable[Operation],
    expect: PinText | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    allow: Iterable[str] = (),
    dry_run: bool = False,
    wait: float = DEFAULT_WAIT,
    stamp: datetime | None = None,
    reindex: Reindex | None = None,
    storage_options: Mapping[str, Any] | None = None,
    watch: Watch = unwatched,
    waiting: Callable[[str], None] | None = None,
) -> Applied:
    """Apply a batch of edits to a field, all of it or nothing.

    The arguments are checked and the texts reviewed first; then the field is locked, read anew and
    compared, the edits are worked out in memory, and the pages that would be other ones are checked
    against the standard; only then it is written. What was wrong with a page before never stands in
    the way.

    Arguments:
        location: a folder or an archive on this machine, or an archive in S3.
        batch: the operations, or what `Batch.from_json` takes, parsed.
        expect: the pin that the field must have now: `field-sha256:…`, of an archive also
            `sha256:…`, or both.
        limits: upper bounds on the field before and after (MF607).
        allow: ids, or beginnings of ids, of rules of the content review (8xx) whose findings do not
            stand in the way.
        dry_run: whether to do everything but lock and write.
        wait: seconds to wait for another writer.
        stamp: the time, aware of its zone, for frontmatter that is filled in where pages are added
            and renewed where they are edited (MF909); None to write exactly the bytes given.
        reindex: what brings the field's vector indexes up to date; None to take out of them the
            rows of changed pages.
        storage_options: how a location elsewhere is reached, as `open_field` takes it.
        watch: is told how far a long transfer is.
        waiting: is told in a line that another writer is waited for.

    Raises:
        InvalidBatch: the batch means nothing, whatever the field.
        InvalidPin: `expect` is no pin, or of an archive where there is none.
        UnknownRequirement: `allow` names no rule of the content review.
        LocationError: the location is none, or cannot be written by this program.
        BatchRejected: the field is not one that the batch can be applied to, would break the
            standard in a way that it does not now, or would go beyond the limits.
        WriteConflict: the field, or a file of it, is another one than was expected (MF908).
        AmbiguousMatch: a text to replace does not stand in exactly one place (MF907).
        LimitExceeded: the field is beyond the limits as it is.
        LockTimeout: another writer holds the field for too long.
        NotFound: there is no field.
        MemoryfieldError: it cannot be read or written; it is as it was.
    """
    pins = parse_pins(expect)
    allowed = allowed_ids(allow)
    if stamp is not None and stamp.utcoffset() is None:
        raise InvalidBatch("the time of `stamp` has no zone", hint="give it one, such as UTC")
    steps = steps_of(batch_of(batch), _shown(location), limits)
    scan(steps, allowed)
    with _hint_where_missing():
        target = target_of(location, limits, storage_options, watch)
        steps = tuple(replace(step, location=target.location) for step in steps)
        asked = _Asked(steps, pins, limits, allowed, stamp, reindex)
        if dry_run:
            with target.seen() as field:
                ready = _ready(field, asked)
                return _applied(target, ready, Persisted(None), dry_run=True)
        with target.held(wait, waiting) as held:
            ready = _ready(held.field, asked)
            return _applied(target, ready, held.persist(ready.plan))


class _Asked(NamedTuple):
    """What `apply` was asked for, checked."""

    steps: Sequence[Step]
    pins: Pins
    limits: Limits
    allowed: frozenset[str]
    stamp: datetime | None
    reindex: Reindex | None


class _Ready(NamedTuple):
    """What is to be written, and what is to be said of it.

    Attributes:
        before: the manifest of the field as it is.
        plan: what is to be written, indexes included.
        findings: what the standard says of the edited pages that it did not say before.
        notes: what a person should know of the indexes.
    """

    before: Manifest
    plan: Plan
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def _ready(field: Field, asked: _Asked) -> _Ready:
    before = manifest_before(field)
    _compare(field, before, asked.pins)
    plan, findings = plan_of(
        asked.steps,
        field,
        before,
        limits=asked.limits,
        allowed=asked.allowed,
        stamp=asked.stamp,
    )
    notes: tuple[str, ...] = ()
    if field.indexes or asked.reindex is not None:
        from .indexes.keeping import kept

        plan, notes = kept(field, plan, asked.reindex)
    return _Ready(before, plan, findings, notes)


def _compare(field: Field, before: Manifest, pins: Pins) -> None:
    """See that the field is the one that was expected (MF908).

    Raises:
        WriteConflict: it is another one.
        InvalidPin: an archive is expected, and this is none.
    """
    if pins.archive is not None:
        actual = field.archive_digest()
        if actual is None:
            raise no_archive(field.location)
        _same(str(pins.archive), actual, field.location)
    if pins.field is not None:
        if not before.hashes:
            raise WriteConflict(
                f"expected {pins.field}, and there is neither page nor attachment",
                location=field.location,
                hint=_READ_ANEW,
            )
        _same(str(pins.field), before.digest, field.location)


def _same(expected: str, actual: str, location: str) -> None:
    if expected != actual:
        raise WriteConflict(
            f"is another one than was expected: expected {expected}, actual {actual}",
            location=location,
            hint=_READ_ANEW,
        )


def _applied(
    target: Target, ready: _Ready, persisted: Persisted, *, dry_run: bool = False
) -> Applied:
    before, plan = ready.before, ready.plan
    digest = plan.manifest.digest
    return Applied(
        target.location,
        None if not before.hashes else digest if plan.manifest == before else before.digest,
        digest,
        persisted.archive_pin,
        plan.changes,
        ready.findings,
        (*ready.notes, *persisted.notes),
        dry_run,
    )


@contextmanager
def _hint_where_missing() -> Iterator[None]:
    """Say how a field is made, where there is none."""
    try:
        yield
    except EmptyField:
        raise
    except NotFound as error:
        if error.entry is None and error.hint is None:
            error.hint = NO_FIELD_HINT
        raise


def _shown(location: object) -> str:
    """A location in messages before it has been taken apart: one may hold a credential."""
    if isinstance(location, os.PathLike):
        location = os.fspath(location)
    return location if isinstance(location, str) and "://" not in location else ""
