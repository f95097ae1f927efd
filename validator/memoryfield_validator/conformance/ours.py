"""Our own implementation, as the runner asks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryfield_readers import (
    AmbiguousMatch,
    BatchRejected,
    Field,
    FrontmatterState,
    InvalidBatch,
    LimitExceeded,
    MemoryfieldError,
    WriteConflict,
    inspect_field,
    name_key,
    open_field,
)
from memoryfield_spec import __version__

from ..finding import Finding
from ..registry import registered
from ..sqlite_index import ROW_RULES, why_not_run
from ..validation import Profile, validate
from .case import PAGE_NAME, Answer, Case
from .errors import NoAnswer, Skip
from .implementation import Editor, Elsewhere, Task
from .judging import ANSWERS, BY_LISTS

_PLACE = ("rule", "level", "file", "line", "column")
_REFUSALS: tuple[tuple[type[MemoryfieldError], str], ...] = (
    (InvalidBatch, "invalid-batch"),  # which is a `BatchRejected` as well
    (BatchRejected, "batch-rejected"),
    (LimitExceeded, "batch-rejected"),  # the field that is given is within the limits
    (AmbiguousMatch, "ambiguous-match"),
    (WriteConflict, "write-conflict"),
)


class Ours:
    """The readers and the validator of this kit, and a writer if there is one."""

    name = "memoryfield-kit"
    release = __version__
    profile: Profile = "kit"
    takes_fields_for_pages = True

    def __init__(self, editor: Editor | None = None) -> None:
        """Answer whatever can be asked.

        Arguments:
            editor: what applies edits; without it, cases of kind edit are skipped.
        """
        self._editor = editor
        self.answers: Mapping[str, frozenset[str]] = {
            kind: frozenset(keys)
            for kind, keys in ANSWERS.items()
            if kind != "edit" or editor is not None
        }
        self._not_run = ROW_RULES if why_not_run() else frozenset[str]()
        self.checked: frozenset[str] | None = registered() - self._not_run

    def answer(self, task: Task) -> Answer:
        """What our readers and our validator make of a task."""
        case = task.case
        try:
            if case.kind == "digest":
                return _proof(task)
            if case.kind == "edit":
                return self._edited(task)
            location, options = _where(task)
            with inspect_field(location, limits=case.limits, storage_options=options) as field:
                if case.kind == "page":
                    return _reading(field)
                return _report(field, self._not_run, audit=case.audit)
        except MemoryfieldError as error:
            raise NoAnswer(str(error)) from error

    def _edited(self, task: Task) -> Answer:
        case, edit = task.case, task.case.edit
        if self._editor is None or edit is None:
            raise Skip("there is no writer here")
        stamp = None if edit.stamp is None else datetime.fromisoformat(edit.stamp)
        how: dict[str, Any] = {"expect": case.pin, "allow": edit.allow, "stamp": stamp}
        try:
            self._editor(task.path, edit.batch, limits=case.limits, **how)
        except tuple(kind for kind, _ in _REFUSALS) as error:
            return {"error": next(code for kind, code in _REFUSALS if isinstance(error, kind))}
        return {"error": None}


def _where(task: Task) -> tuple[Path | str, Mapping[str, Any]]:
    """The location of a task, and how it is reached."""
    if isinstance(task.place, Elsewhere):
        return task.place.location, task.place.options
    return task.place, {}


def _report(field: Field, not_run: Iterable[str], *, audit: bool) -> Answer:
    report = validate(field, ignore=[*not_run, *BY_LISTS], audit=audit)
    told = [_place(finding) for finding in report.findings]
    files = {one["file"] for one in told if one["level"] == "error" and one["file"] is not None}
    return {
        "verdict": report.verdict,
        "findings": told,
        "files": sorted(files, key=name_key),
        "pages": list(field.pages),
        "digest": report.digest,
    }


def _place(finding: Finding) -> dict[str, Any]:
    told = finding.to_json()
    return {key: told[key] for key in _PLACE}


def _reading(field: Field) -> Answer:
    page = field.page(PAGE_NAME)
    frontmatter = page.frontmatter
    error = frontmatter.error
    parsed = frontmatter.state is FrontmatterState.PARSED
    return {
        "state": frontmatter.state.value,
        "frontmatter": dict(frontmatter.fields) if parsed else None,
        "body": page.body,
        "error": None if error is None else {"rule": error.rule, **error.position._asdict()},
    }


def _proof(task: Task) -> Answer:
    case: Case = task.case
    location, options = _where(task)
    with inspect_field(location, limits=case.limits, storage_options=options) as inspected:
        archive_pin = inspected.archive_digest()
    digest = manifest = None
    try:
        with open_field(location, limits=case.limits, storage_options=options) as field:
            manifest, digest = field.manifest().text, field.digest()
    except MemoryfieldError:
        pass  # a field that is refused, or that has nothing to pin, has no field pin
    fits = None
    if case.pin is not None:
        fits = case.pin in (digest, archive_pin)
    return {"digest": digest, "manifest": manifest, "archive-pin": archive_pin, "fits": fits}
