"""What `memoryfield lock` prints: entries, what differs, and what became of each field."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memoryfield_readers import DEFAULT_LIMITS, as_unicode, visible

from .asking import agreed
from .noting_options import Wanted
from .noting_reading import notes_shown
from .output import no_command, say, warn, without_commands

if TYPE_CHECKING:
    from memoryfield_readers import MemoryfieldError
    from memoryfield_readers.lock import LockedField, LockFile
    from memoryfield_readers.lock.checking import Checked
    from memoryfield_readers.lock.differing import Difference
    from memoryfield_readers.lock.renewing import Renewal
    from memoryfield_validator.lock_review import LockReview

_LABELS = {
    "location": "location",
    "resolved": "resolved",
    "field_pin": "field pin",
    "archive_pin": "archive pin",
    "pages": "pages",
    "attachments": "attachments",
    "indexes": "indexes",
    "bytes": "bytes",
    "archive_bytes": "archive",
}


def line(text: str) -> None:
    """Print one line, whatever names it holds."""
    say(no_command(visible(text)))


def answer(lock: LockFile, **facts: Any) -> dict[str, Any]:
    """A JSON answer about a lock file."""
    return {"version": 1, "lock_file": as_unicode(str(lock.path)), **facts}


def entry_as_json(locked: LockedField) -> dict[str, Any]:
    """An entry as JSON has it; the hashes of its files stand in the lock file."""
    pages = sum(name.endswith(".md") for name in locked.manifest.hashes)
    return {
        "name": locked.name,
        "location": as_unicode(locked.location),
        "resolved": None if locked.resolved is None else as_unicode(locked.resolved),
        "field_pin": str(locked.field_pin),
        "archive_pin": None if locked.archive_pin is None else str(locked.archive_pin),
        "pages": pages,
        "attachments": len(locked.manifest.hashes) - pages,
        "indexes": len(locked.indexes),
        "bytes": locked.size,
        "archive_bytes": locked.archive_size,
    }


def print_entry(locked: LockedField) -> None:
    """Print an entry for people, its name first."""
    say(locked.name, bold=True)
    facts = entry_as_json(locked)
    for key, label in _LABELS.items():
        value = facts[key]
        if value not in (None, 0) or key == "pages":
            told = f"{value:,}" if isinstance(value, int) else value
            line(f"  {label:<12} {told}")


def difference_as_json(found: Difference | None) -> dict[str, Any] | None:
    """The names of what differs, and the wrong numbers of bytes, as JSON has them."""
    if found is None:
        return None
    names = {
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "indexes": found.indexes,
    }
    told: dict[str, Any] = {key: list(map(as_unicode, each)) for key, each in names.items()}
    return {**told, "repacked": found.repacked, "sizes": list(found.sizes)}


def error_as_json(error: MemoryfieldError | None) -> dict[str, Any] | None:
    """What stood in the way of a field."""
    if error is None:
        return None
    return {"message": as_unicode(str(error)), "exit_code": error.exit_code}


def checked_as_json(found: Checked) -> dict[str, Any]:
    """What came of checking a field."""
    return {
        "name": found.name,
        "true": None if found.error is not None else found.is_true,
        "resolved": None if found.resolved is None else as_unicode(found.resolved),
        "difference": difference_as_json(found.difference),
        "error": error_as_json(found.error),
    }


def renewal_as_json(
    renewal: Renewal, review: LockReview | None, *, state: str = "unchanged"
) -> dict[str, Any]:
    """A field that was read anew, what differs in it, and what became of it."""
    comparison = None if review is None else review.comparison
    return {
        "name": renewal.before.name,
        "state": state,
        "before": entry_as_json(renewal.before),
        "after": entry_as_json(renewal.after),
        "difference": difference_as_json(renewal.difference),
        "comparison": None if comparison is None else comparison.to_json(),
        "error": None,
    }


def failure_as_json(locked: LockedField, error: MemoryfieldError) -> dict[str, Any]:
    """A field that could not be read anew, in the same shape."""
    nothing = dict.fromkeys(("after", "difference", "comparison"))
    before = entry_as_json(locked)
    told = {"name": locked.name, "state": "failed", "before": before, **nothing}
    return {**told, "error": error_as_json(error)}


def print_review(lock: LockFile, renewal: Renewal, review: LockReview, *, on_stderr: bool) -> None:
    """Show what a new entry would change, with the notes on pages that it would change.

    Arguments:
        lock: the lock file.
        renewal: the field.
        review: what differs in it.
        on_stderr: whether stdout is for JSON, so that a person is shown it beside that.
    """
    from contextlib import redirect_stdout

    if not on_stderr:
        _print_review(lock, renewal, review)
    elif sys.stderr is not None:
        with redirect_stdout(sys.stderr):
            _print_review(lock, renewal, review)


def _print_review(lock: LockFile, renewal: Renewal, review: LockReview) -> None:
    name = renewal.before.name
    before, after = renewal.before, renewal.after
    found = renewal.difference
    line(f"{name}: {found}" if found else f"{name}: no file differs")
    if before.location != after.location:
        line(f"{name}: from {after.location}, not {before.location}")
    if after.resolved != before.resolved and after.resolved is not None:
        line(f"{name}: now read as {after.resolved}")
    if review.problem:
        warn(f"{name}: what was locked cannot be had any more, so no lines are shown")
        warn(review.problem)
    if review.comparison is not None and not review.comparison.same:
        from memoryfield_readers.lock import location_of

        from .comparison_notes import notes_on
        from .comparison_output import comparison_text

        place = location_of(lock, before, resolved=False)
        with notes_shown(place, Wanted(), DEFAULT_LIMITS) as kept:
            notes = notes_on(review.comparison, [kept], before.manifest.hashes)
        text = comparison_text(
            review.comparison,
            words=False,
            colour=sys.stdout.isatty(),
            encoding=sys.stdout.encoding,
            notes=notes,
        )
        with without_commands():
            say(no_command(text), end="")


def is_wanted(name: str, *, yes: bool, can_ask: bool) -> bool:
    """Whether a new entry is to be written: `--yes` says so, or the person who is asked."""
    return yes or (can_ask and agreed(f"{name}: lock it as it is now?"))


def named(lock: LockFile, names: tuple[str, ...]) -> Mapping[str, LockedField]:
    """The fields of these names, or all, sorted.

    Raises:
        LocationError: there is no field of such a name.
    """
    wanted = names or tuple(sorted(lock.fields))
    return {name: lock.field(name) for name in wanted}


def nothing_in(lock: LockFile) -> None:
    """Say that a lock file names no field."""
    warn(f"{lock.path}: there is no field in it")


def say_forgotten(name: str) -> None:
    """Say that a location that was typed could not be remembered."""
    warn(
        f"{name}: it could not be remembered that you typed this location, so that it will be "
        "taken for someone else's: set MEMORYFIELD_STATE_DIR to a folder that can be written"
    )


def say_not_kept(names: Iterable[str], problems: Iterable[str | None]) -> None:
    """Say in one note of which fields there is no copy to compare with later, and why.

    Arguments:
        names: the fields.
        problems: why there is none of each; None where there is one.
    """
    lost = [(name, why) for name, why in zip(names, problems, strict=True) if why is not None]
    if lost:
        named = ", ".join(name for name, _ in lost)
        warn(
            f"{named}: no copy is kept, and the next `lock update` can show fewer lines: "
            f"{lost[0][1]}"
        )


def complain_of(name: str, error: MemoryfieldError) -> None:
    """Print the error of a field on stderr, in one line that names it."""
    warn(f"{name}: {error} ({error.hint})" if error.hint else f"{name}: {error}")
