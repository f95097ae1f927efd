"""What the commands that change a field have in common: they apply a batch, and tell of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from memoryfield_readers import LimitExceeded, LocationError, visible

from .output import no_command, print_json, say, warn
from .progress import transfer_bar
from .standard_input import STDIN

if TYPE_CHECKING:
    from memoryfield_readers import Field
    from memoryfield_validator import Finding
    from memoryfield_writer.batch import Batch
    from memoryfield_writer.result import Applied, Change

    from .writing_options import Writing

_PIECE = 1024 * 1024


def now() -> datetime:
    """The time, in UTC and whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


@contextmanager
def keywords(how: Writing, *, stamp: bool) -> Iterator[dict[str, Any]]:
    """What `apply` is called with beside location and batch, with a bar for people who wait.

    Arguments:
        how: what the options say.
        stamp: whether frontmatter is filled in and renewed (MF909).
    """
    from .reindexing import reindexed

    with transfer_bar() as watch:
        yield {
            "expect": how.expect or None,
            "limits": how.limits,
            "allow": how.allow,
            "dry_run": how.dry_run,
            "wait": how.wait,
            "stamp": now() if stamp else None,
            "reindex": reindexed if how.index else None,
            "storage_options": how.storage_options,
            "watch": watch,
            "waiting": warn,
        }


def applied(location: str, batch: Batch, how: Writing, *, stamp: bool = False) -> Applied:
    """Apply a batch as the options say."""
    from memoryfield_writer.applying import apply

    refuse_stdin(location)
    with keywords(how, stamp=stamp) as given:
        return apply(location, batch, **given)


@contextmanager
def looked_at(location: str, how: Writing) -> Iterator[Field]:
    """A field as it is now: what an edit is made from."""
    from memoryfield_writer.putting import looked_at

    with (
        transfer_bar() as watch,
        looked_at(
            location, limits=how.limits, storage_options=how.storage_options, watch=watch
        ) as field,
    ):
        yield field


def refuse_stdin(location: str) -> None:
    """An archive that is piped in can be read, and there is no place to write it to.

    Raises:
        LocationError: the location is "-".
    """
    if location == STDIN:
        raise LocationError(
            "an archive on stdin can be read, not written",
            location=STDIN,
            hint="save it as a file first",
        )


def with_links_left(done: Applied, left: Sequence[Finding]) -> Applied:
    """The answer with links that lead nowhere now, but for those that it has already."""
    from dataclasses import replace

    told = {(each.rule, each.file, each.line, each.column) for each in done.findings}
    new = [each for each in left if (each.rule, each.file, each.line, each.column) not in told]
    return replace(done, findings=(*done.findings, *new))


def tell(done: Applied, how: Writing) -> None:
    """Print what changed, one file a line, and the field pin last; the rest goes to stderr."""
    tell_beside(done)
    with answer_of(done):
        if how.form == "json":
            print_json(done.to_json())
            return
        for change in done.changes:
            say(no_command(change_line(change)))
        say(done.digest)


def answer_of(done: Applied) -> AbstractContextManager[None]:
    """An answer on stdout to what was applied; see `told_if_unheard`."""
    is_written = bool(done.changes) and not done.dry_run
    return told_if_unheard(f"{done.location}: the batch is applied" if is_written else None)


@contextmanager
def told_if_unheard(what: str | None) -> Iterator[None]:
    """Say on stderr what was done, where stdout cannot say it: the exit code speaks of that alone.

    Arguments:
        what: what was done, for people; None for nothing that lasts.

    Raises:
        OSError: stdout cannot be written.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if what is not None and error.filename is None:
            warn(f"{what}; stdout cannot be written")
        raise


def tell_beside(done: Applied) -> None:
    """Say on stderr what the standard finds in the changed files, and what else is to be known.

    What is found at level info is in the answer as JSON alone: most new pages have some of that.
    """
    for finding in done.findings:
        if finding.level != "info":
            warn(_finding_line(finding))
    for note in done.notes:
        warn(f"{done.location}: {note}")
    if done.dry_run:
        warn(f"{done.location}: nothing was written, it was only tried")


def change_line(change: Change) -> str:
    """A change as a person reads it: `renamed a.md -> b.md`."""
    name = visible(change.name)
    if change.was is None:
        return f"{change.kind} {name}"
    edited = "" if change.before == change.after else " (changed)"
    return f"{change.kind} {visible(change.was)} -> {name}{edited}"


def _finding_line(finding: Finding) -> str:
    """A finding in one line, as the report begins it."""
    place = ":".join(
        str(part) for part in (finding.file, finding.line, finding.column) if part is not None
    )
    hint = f" ({finding.hint})" if finding.hint else ""
    where = f"{place} " if place else ""
    return f"{where}{finding.level} {finding.rule} {finding.message}{hint}"


def content_from_stdin(most: int, limit: str, *, typed: str | None = None) -> bytes:
    """All that stands on stdin.

    Arguments:
        most: bytes.
        limit: the limit that says so, as the command line has it.
        typed: what to type, for a person at a terminal; None if nobody should.

    Raises:
        LocationError: there is no stdin, or a terminal where nothing should be typed; or nothing
            stands there.
        LimitExceeded: there are more bytes than that.
    """
    stdin = sys.stdin
    if stdin is None or (typed is None and stdin.isatty()):
        raise LocationError("there is nothing on stdin", location=STDIN, hint="pipe it in")
    if stdin.isatty():
        warn(f"type {typed}, end with Ctrl-D")
    content = read_bounded(stdin.buffer, most)
    if content == b"":  # a program before the pipe has failed: no wish to empty a file
        hint = None if typed is None else 'a batch with "text": "" makes an empty file'
        raise LocationError("nothing came on stdin", location=STDIN, hint=hint)
    if content is None:
        hint = f"raise the limit with --limit {limit}=NUMBER"
        raise LimitExceeded(f"more than {most} bytes", location=STDIN, hint=hint)
    return content


def read_bounded(file: BinaryIO, most: int) -> bytes | None:
    """All that a file holds, or None if that is more than so many bytes."""
    content = bytearray()
    while True:
        wanted = min(_PIECE, most + 1 - len(content))
        piece = file.read(wanted)
        content += piece
        if len(content) > most:
            return None
        if len(piece) < wanted:  # not only nothing at all: a terminal would have to end twice
            return bytes(content)
