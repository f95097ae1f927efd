"""What is done to one field, here and now."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memoryfield_readers import (
    EmbedderUnavailable,
    Field,
    LimitExceeded,
    MemoryfieldError,
    as_unicode,
    inspect_field,
    local_path,
    open_field,
)

from ..values import Job, Kind, Row, Target
from .answers import Answer, error_facts, failed, may_pass
from .cutting import within_bounds
from .options import ids_of, limits_of

if TYPE_CHECKING:
    from memoryfield_index.values import Embedder
    from memoryfield_validator import Report

_FIELD_PIN = "field-sha256:"
_REFUSED = 60.0
"""Seconds in which an embedder that could not be had is not looked for again."""


@dataclass(slots=True)
class Tools:
    """What is dear to make, and is kept from one field to the next.

    Attributes:
        embedder: what made vectors last; None for nothing yet.
        wish: how it was asked for.
        refusal: why it cannot be had, and until when it is not asked for again; None if it can.
    """

    embedder: Embedder | None = None
    wish: tuple[str, str | None] | None = None
    refusal: tuple[EmbedderUnavailable, float] | None = None

    def embedder_of(self, options: Mapping[str, Any]) -> Embedder:
        """The embedder that a job wants; raises `EmbedderUnavailable`."""
        from memoryfield_index.embedders import Options, choose

        wish = (options.get("embedder", "auto"), options.get("model_code"))
        if wish != self.wish:
            self.close()
            self.wish, self.refusal = wish, None
        if self.embedder is None:
            if self.refusal is not None and time.monotonic() < self.refusal[1]:
                raise self.refusal[0].with_traceback(None)
            try:
                self.embedder = choose(wish[0], Options(code=wish[1]))
            except EmbedderUnavailable as error:
                self.refusal = error, time.monotonic() + _REFUSED
                raise
        return self.embedder

    def close(self) -> None:
        """Let go of everything."""
        if self.embedder is not None:
            self.embedder.close()
            self.embedder = None


def prepare(job: Job, target: Target) -> None:
    """Load what takes its time and is the same for each field, before the time of one counts."""
    if job.kind in ("validate", "audit"):
        import memoryfield_validator  # noqa: F401
    elif job.kind == "index":
        import memoryfield_index.building  # noqa: F401
    if target.location[:5].lower() == "s3://":
        with suppress(ImportError):  # which is told when the field is opened
            import s3fs  # type: ignore[import-untyped]  # noqa: F401

            import memoryfield_readers.s3.session  # noqa: F401


def run(job: Job, target: Target, tools: Tools) -> Answer:
    """Do a job on one field; what stands in the way is part of the answer.

    Arguments:
        job: what.
        target: on which field. With a field pin for its version, it must be that very field.
        tools: what is kept from one field to the next.
    """
    started = time.perf_counter()
    try:
        with ExitStack() as stack:
            field = stack.enter_context(_opened(job, target))
            row = _JOBS[job.kind](job, target, field, tools)
    except MemoryfieldError as error:
        answer = failed(job, target, error_facts(error), passing=may_pass(error))
        row, passing, busy = answer.row, answer.passing, getattr(error, "busy", None)
    else:
        passing, busy = False, None
    return Answer(replace(row, seconds=time.perf_counter() - started), passing, busy)


def _opened(job: Job, target: Target) -> Field:
    # A check tells what is wrong with a container; all else has to do with sound ones alone.
    opening = inspect_field if job.kind in ("validate", "audit") else open_field
    version = target.version or ""
    return opening(
        target.location,
        pin=version if version.startswith(_FIELD_PIN) else None,
        limits=limits_of(job.options),
        storage_options=job.options.get("storage_options"),
        trusted=target.trusted,
    )


def _check(job: Job, target: Target, field: Field, tools: Tools) -> Row:
    from memoryfield_validator import REVIEW, Request, Settings, check_field

    with suppress(LimitExceeded):  # which is a finding, and told as such
        field.prepare_all()
    if (same := _same(job, target, field)) is not None:
        return same
    select = (REVIEW,) if job.kind == "audit" else ids_of(job.options, "select")
    settings = Settings(select, ids_of(job.options, "ignore"), limits=limits_of(job.options))
    profile = job.options.get("profile", "kit")
    report = check_field(field, Request(settings, profile=profile)).report
    assert report is not None  # noqa: S101 - there is one of each field that was opened
    row = _row(job, target, field, report.digest)
    if report.unread:
        return _unread(row, report)
    return replace(row, result=within_bounds(report.to_json()))


def _unread(row: Row, report: Report) -> Row:
    """The row of a field that was not read whole: it passed no check, whatever was found."""
    first, more = report.unread[0], len(report.unread) - 1
    for error in report.unread:
        if may_pass(error) and local_path(row.location) is None:
            raise error  # it may be read the next time
    facts = error_facts(first)
    if more:
        facts["message"] += f" (and {more} more could not be read)"
    return replace(row, state="failed", error=facts)


def _pin(job: Job, target: Target, field: Field, tools: Tools) -> Row:
    digest = field.digest()
    if (same := _same(job, target, field)) is not None:
        return same
    row = _row(job, target, field, digest)
    result = {
        "version": 1,
        "location": as_unicode(field.location),
        "digest": digest,
        "archive_pin": row.archive_pin,
        "resolved": None if field.resolved is None else as_unicode(field.resolved),
        "pages": row.pages,
        "bytes": row.size,
    }
    return replace(row, result=result)


def _index(job: Job, target: Target, field: Field, tools: Tools) -> Row:
    from memoryfield_index.build_facts import build_facts
    from memoryfield_index.building import rebuild
    from memoryfield_index.places import cache_folder
    from memoryfield_index.storage import file_name

    digest = field.digest()
    embedder = tools.embedder_of(job.options)
    # Into the cache, wherever the field is: work on many fields changes none.
    stats = rebuild(field, embedder, cache_folder(field) / file_name(embedder.recipe.model))
    result = build_facts(stats, embedder.recipe, field.location)
    return replace(_row(job, target, field, digest), result=within_bounds(result))


_JOBS: Mapping[Kind, Callable[[Job, Target, Field, Tools], Row]] = {
    "validate": _check,
    "audit": _check,
    "pin": _pin,
    "index": _index,
}


def _row(job: Job, target: Target, field: Field, digest: str | None) -> Row:
    archive_pin = _archive_pin(field)
    known = [field.entry(name).size for name in (*field.pages, *field.attachments)]
    return Row(
        job.kind,
        target.location,
        target.version or field.resolved or archive_pin or digest,
        "done",
        pages=len(field.pages),
        size=sum(known),
        field_pin=digest,
        archive_pin=archive_pin,
    )


def _same(job: Job, target: Target, field: Field) -> Row | None:
    """The row of a field of which there is a result already; None if it is another one by now."""
    if target.known is None or target.version is not None:
        return None
    version = field.resolved or _archive_pin(field)  # the first is one with a commit
    if version is None:
        with suppress(MemoryfieldError):  # what has no pin is never known to be the same
            version = field.digest()
    if version is None or version != target.known:
        return None
    return Row(job.kind, target.location, version, "same", pages=len(field.pages))


def _archive_pin(field: Field) -> str | None:
    with suppress(MemoryfieldError):  # which is told where all of the archive is needed
        return field.archive_digest()
    return None
