"""From checked operations and a field to a plan."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memoryfield_readers import (
    AccessDenied,
    EmptyField,
    EntryKind,
    Field,
    Limits,
    Manifest,
    PageError,
)
from memoryfield_validator import Finding

from ..plan import Plan
from .bounds import check_bounds
from .judging import judge
from .net_effect import effects_of, plan_from
from .operations import perform
from .stamping import stamp_pages
from .step import Step
from .uuids import check_unique, stated_uuids
from .virtual_field import VirtualField

NO_FILES = Manifest({})
"""The manifest of a field that has neither page nor attachment, and no pin."""


_IRREGULAR = (
    "a field with it has no pin, so that nothing can be changed: remove it yourself, with `rm`"
)
_UNREADABLE = "make it readable (`chmod u+r`), or remove it yourself, with `rm`"


class Planned(NamedTuple):
    """A plan, and what is to be said of it.

    Attributes:
        plan: what is to be written.
        findings: what the standard says of the edited pages that it did not say before.
    """

    plan: Plan
    findings: tuple[Finding, ...]


def manifest_before(field: Field) -> Manifest:
    """The manifest of a field before an edit; of no files where it has none to be pinned.

    Raises:
        MemoryfieldError: a file cannot be read; as `Field.manifest` raises.
    """
    try:
        return field.manifest()
    except EmptyField:
        return NO_FILES
    except AccessDenied as error:
        error.hint = error.hint or _UNREADABLE
        raise
    except PageError as error:
        unreadable = any(
            entry.kind is EntryKind.UNREADABLE
            for entry in field.irregular
            if entry.path == error.entry
        )
        error.hint = error.hint or (_UNREADABLE if unreadable else _IRREGULAR)
        raise


def plan_of(
    steps: Sequence[Step],
    field: Field,
    before: Manifest,
    *,
    limits: Limits,
    allowed: frozenset[str],
    stamp: datetime | None = None,
) -> Planned:
    """Work out what a batch makes of a field; nothing is written.

    Arguments:
        steps: the operations of the batch, whose arguments have been checked.
        field: the field, read under its lock.
        before: its manifest.
        limits: upper bounds.
        allowed: the ids of rules of the review that let everything pass.
        stamp: the time for frontmatter that is filled in and renewed (MF909); None for exactly the
            bytes that were given.

    Raises:
        BatchRejected: an operation cannot be done, or the field would break the standard anew.
        WriteConflict: a file is another one than was meant.
        AmbiguousMatch: a text to replace does not stand in exactly one place (MF907).
        MemoryfieldError: a file cannot be read.
    """
    virtual = VirtualField(field)
    perform(steps, virtual)
    effects = effects_of(virtual)
    uuids = stated_uuids(effects, virtual)
    if stamp is not None and stamp_pages(effects, virtual, stamp):
        effects = effects_of(virtual)
    check_bounds(effects, virtual, limits)
    findings = judge(effects, virtual, allowed)
    check_unique(uuids, virtual)
    return Planned(plan_from(effects, virtual, before), findings)
