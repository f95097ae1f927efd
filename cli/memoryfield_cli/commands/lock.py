"""`memoryfield lock`: keep the pins of fields in a lock file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memoryfield_readers import Limits, MemoryfieldError, Pins

from ..asking import can_ask
from ..files import LocalPath
from ..options import (
    LOCATION,
    PIN_OPTION,
    format_option,
    limits_option,
    source_options,
)
from ..output import print_json, warn
from ..progress import progress_bar, transfer_bar
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_readers.lock import LockFile

F = TypeVar("F", bound=Callable[..., Any])

_NOTHING = 1
_NOT_CHANGED = 1


def _without_mark(
    ctx: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Names as the lock file has them: `@notes` is `notes`, and each is named once."""
    return tuple(dict.fromkeys(name.removeprefix("@") for name in names))


def _lock_file(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path:
    from memoryfield_readers.lock import lock_or_here

    return path or lock_or_here()


def _names(*, required: bool) -> Callable[[F], F]:
    shown = "NAME..." if required else "[NAME]..."
    return click.argument(
        "names", nargs=-1, required=required, metavar=shown, callback=_without_mark
    )


_lock_option = click.option(
    "--lock-file",
    "path",
    type=LocalPath(dir_okay=False),
    callback=_lock_file,
    help="The lock file; else the nearest memoryfields.lock, in this folder or above it.",
)


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield lock add notes notes.memoryfield.zip
  memoryfield lock check
  memoryfield lock update notes
  memoryfield read @notes index.md

\b
Environment:
  MEMORYFIELD_LOCK       the lock file, instead of the nearest one
  MEMORYFIELD_STATE_DIR  where it is remembered which locations were typed here
""",
)
def command() -> None:
    """Keep the pins of fields in memoryfields.lock.

    A field that is in it is named NAME or @NAME everywhere, and nothing is read of it that is not
    what was locked. The file is for version control: small changes are small diffs, and it holds no
    time and no credential.

    What comes from someone else's lock file is fetched from public places alone, or from below its
    own folder; what you have added here yourself, from anywhere.
    """


@command.command(
    epilog="""\b
Examples:
  memoryfield lock add notes https://example.org/notes.memoryfield.zip
  memoryfield lock add notes github://owner/repo/notes@main
  memoryfield lock add notes ./notes --pin "$(memoryfield digest notes/)"
"""
)
@click.argument("name")
@click.argument("location", type=LOCATION)
@PIN_OPTION
@format_option("text", "json")
@_lock_option
@limits_option
@source_options
def add(
    name: str,
    location: str,
    pins: Pins,
    form: str,
    path: Path,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Read a field, all of it, and write its pins under a name.

    A path below the folder of the lock file is kept relative to it, any other one absolute. With
    --pin the field must be the one that you mean; without, it is believed as it comes: review it
    first, with `memoryfield audit`. A copy is kept beside the cache, so that the next `lock update`
    can show which lines are new.
    """
    from memoryfield_readers.lock.adding import add_field
    from memoryfield_readers.locked import keep_reviewed

    from ..locking import entry_as_json, line, say_forgotten, say_not_kept

    kept: list[str | None] = []
    with transfer_bar() as watch:
        entry, remembered = add_field(
            path,
            name,
            location,
            pins=pins,
            limits=limits,
            storage_options=storage_options,
            watch=watch,
            seen=lambda field: kept.append(keep_reviewed(field)),
        )
    if form == "json":
        print_json({"version": 1, "lock_file": str(path), "field": entry_as_json(entry)})
    else:
        line(f"{entry.name}: locked {entry.field_pin} in {path}")
    say_not_kept([entry.name], kept)
    if not remembered:
        say_forgotten(entry.name)


@command.command(
    epilog="""\b
Examples:
  memoryfield lock update
  memoryfield lock update notes --to v2
  memoryfield lock update notes --yes
"""
)
@_names(required=False)
@click.option(
    "--to",
    metavar="REF",
    help="Read this branch, tag or commit of a repository, or this version of an object in S3.",
)
@click.option("--yes", is_flag=True, help="Lock what is there now, and ask nobody.")
@format_option("text", "json")
@_lock_option
@limits_option
@source_options
def update(
    names: tuple[str, ...],
    to: str | None,
    yes: bool,
    form: str,
    path: Path,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Read fields anew, show what differs, and lock what you agree to.

    Without names, all fields are. What differs is shown page by page, with what a review of the
    content finds that was not there before; then you are asked. All that you agreed to is written
    at once, at the end. Exits with 1 if something differs and was not locked.
    """
    from memoryfield_readers.lock import read_lock
    from memoryfield_readers.lock.renewing import keep_trust, write_renewed

    from ..locking import answer, line, named, nothing_in, say_forgotten, say_not_kept

    if to is not None and len(names) != 1:
        raise click.UsageError("--to goes with one name")
    lock = read_lock(path, limits=limits)
    fields = named(lock, names)
    if not fields:
        nothing_in(lock)
        sys.exit(_NOTHING)
    updating = _Updating(lock, to, yes, form, limits, storage_options)
    for name in fields:
        updating.look_at(name)
    if updating.wanted:
        write_renewed(path, updating.wanted, limits=limits)
        for before, after in updating.wanted:
            if form == "text":
                line(f"{after.name}: locked {after.field_pin}")
            if not keep_trust(lock, before, after):
                say_forgotten(after.name)
    say_not_kept(updating.kept, updating.kept.values())
    if form == "json":
        print_json(answer(lock, fields=updating.answers))
    if updating.left and not yes:
        asked = "" if can_ask() else ": there is no terminal to ask on, add --yes if you are sure"
        warn(f"not locked as it is now: {', '.join(updating.left)}{asked}")
    sys.exit(updating.exit_code)


class _Updating:
    """Fields that are looked at one after the other, and what became of each."""

    def __init__(
        self,
        lock: LockFile,
        to: str | None,
        yes: bool,
        form: str,
        limits: Limits,
        storage_options: dict[str, Any],
    ) -> None:
        from memoryfield_readers.lock import LockedField

        self._lock = lock
        self._to = to
        self._yes = yes
        self._form = form
        self._reading: dict[str, Any] = {"limits": limits, "storage_options": storage_options}
        self.wanted: list[tuple[LockedField, LockedField]] = []
        self.left: list[str] = []
        self.kept: dict[str, str | None] = {}
        self.answers: list[dict[str, Any]] = []
        self.exit_code = 0

    def look_at(self, name: str) -> None:
        """Read one field anew, show what differs, and ask; an error keeps no other from it."""
        from memoryfield_readers.lock.renewing import renewed
        from memoryfield_readers.locked import keep_reviewed
        from memoryfield_validator.lock_review import review_renewal

        from ..locking import (
            complain_of,
            failure_as_json,
            is_wanted,
            line,
            print_review,
            renewal_as_json,
        )

        locked = self._lock.field(name)
        review = None
        try:
            with (
                transfer_bar() as watch,
                renewed(self._lock, locked, to=self._to, watch=watch, **self._reading) as now,
            ):
                if now.changed:
                    review = review_renewal(self._lock, now, watch=watch, **self._reading)
                    self.kept[name] = keep_reviewed(
                        now.field
                    )  # to compare the version after this one with
        except MemoryfieldError as error:
            complain_of(name, error)
            self.exit_code = max(self.exit_code, error.exit_code)
            self.answers.append(failure_as_json(locked, error))
            return
        state = "unchanged"
        if review is not None:
            print_review(self._lock, now, review, on_stderr=self._form == "json")
            if is_wanted(name, yes=self._yes, can_ask=can_ask()):
                state = "updated"
                self.wanted.append((now.before, now.after))
            else:
                state = "left"
                self.left.append(name)
                self.exit_code = max(self.exit_code, _NOT_CHANGED)
        elif self._form == "text":
            line(f"{name}: unchanged")
        self.answers.append(renewal_as_json(now, review, state=state))


@command.command(
    epilog="""\b
Examples:
  memoryfield lock remove notes
"""
)
@_names(required=True)
@format_option("text", "json")
@_lock_option
@limits_option
def remove(names: tuple[str, ...], form: str, path: Path, limits: Limits) -> None:
    """Take fields out of the lock file: all that are named, or none.

    What was fetched stays in the cache.
    """
    from memoryfield_readers.lock.adding import remove_fields

    from ..locking import answer, line

    lock = remove_fields(path, names, limits=limits)
    if form == "json":
        print_json(answer(lock, removed=list(names)))
        return
    for name in names:
        line(f"{name}: removed")


@command.command(
    epilog="""\b
Examples:
  memoryfield lock check
  memoryfield lock check notes --format json
"""
)
@_names(required=False)
@format_option("text", "json")
@_lock_option
@limits_option
@source_options
def check(
    names: tuple[str, ...],
    form: str,
    path: Path,
    limits: Limits,
    storage_options: dict[str, Any],
) -> None:
    """Say whether the lock file is still true of its sources; nothing is changed.

    Each field is read anew from its location, all of it, and not from a cache. Exits with 0 if all
    are as they were locked, with 3 if one is not, else with 4 if one cannot be had.
    """
    from memoryfield_readers.lock import read_lock
    from memoryfield_readers.lock.checking import check_fields, worst

    from ..locking import answer, checked_as_json, complain_of, line, named, nothing_in

    lock = read_lock(path, limits=limits)
    fields = named(lock, names)
    if not fields:
        nothing_in(lock)
        sys.exit(_NOTHING)
    found = {}
    with progress_bar("Checking", len(fields), least=2) as step:
        checking = check_fields(lock, fields, limits=limits, storage_options=storage_options)
        for one in checking:
            found[one.name] = one
            step()
    in_order = [found[name] for name in fields]
    for one in in_order:
        if one.error is not None:
            complain_of(one.name, one.error)
        if form == "text" and one.error is None:
            line(f"{one.name}: {one.difference}" if one.difference else f"{one.name}: true")
    if form == "json":
        print_json(answer(lock, fields=[checked_as_json(one) for one in in_order]))
    sys.exit(worst(in_order))


@command.command(
    epilog="""\b
Examples:
  memoryfield lock show
  memoryfield lock show notes --format json
"""
)
@_names(required=False)
@format_option("text", "json")
@_lock_option
@limits_option
def show(names: tuple[str, ...], form: str, path: Path, limits: Limits) -> None:
    """Show what the lock file says of fields; no source is asked.

    Exits with 1 if it names none.
    """
    from memoryfield_readers.lock import read_lock

    from ..locking import answer, entry_as_json, named, nothing_in, print_entry

    lock = read_lock(path, limits=limits)
    fields = named(lock, names)
    if form == "json":
        print_json(answer(lock, fields=[entry_as_json(each) for each in fields.values()]))
    else:
        for each in fields.values():
            print_entry(each)
    if not fields:
        nothing_in(lock)
        sys.exit(_NOTHING)
