"""`memoryfield cache`: look after what was fetched."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import as_unicode, visible

from ..asking import agreed
from ..options import format_option
from ..output import print_bytes, print_json, say, warn
from ..progress import progress_bar
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_readers.cache import Cache, DamagedObject, Pruned

_BAR_FROM_OBJECTS = 200
_MISMATCH = 3
_NOT_DONE = 4


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield cache info
  memoryfield cache verify
  memoryfield cache prune --max-size 1GB

\b
Environment:
  MEMORYFIELD_CACHE_DIR   the folder of the cache, instead of the one of this user
  MEMORYFIELD_CACHE_SIZE  how much it may hold, such as 500MB; else it is 2GiB, and an
                          eighth of that for copies of what was locked beside it
""",
)
def command() -> None:
    """Look after what was fetched.

    The cache holds files by the hash that they have, for all programs of this user, and each is
    hashed again whenever it is used. What was not used for longest goes when it becomes too large.
    """


@command.command(
    epilog="""\b
Examples:
  memoryfield cache info
  memoryfield cache info --format json
"""
)
@format_option("text", "json")
def info(form: str) -> None:
    """Show where the cache is, and how much it holds."""
    from memoryfield_readers.cache import size_text

    cache = _cache()
    found, copies = cache.info(), _copies().info()
    if form == "json":
        counts = {"objects": found.objects, "bytes": found.bytes}
        counts |= {"unfinished": found.unfinished, "unfinished_bytes": found.unfinished_bytes}
        counts |= {"reviewed": copies.objects, "reviewed_bytes": copies.bytes}
        limits = {"limit": found.most, "reviewed_limit": copies.most}
        print_json(_answer(cache, **counts, others=found.others, **limits))
        return
    say(f"directory   {visible(str(cache.path))}")
    say(f"objects     {found.objects:,} ({size_text(found.bytes)})")
    say(f"unfinished  {found.unfinished:,} ({size_text(found.unfinished_bytes)})")
    if copies.objects:
        of = "" if copies.most is None else f" of {size_text(copies.most)}"
        say(f"reviewed    {copies.objects:,} ({size_text(copies.bytes)}{of} for what was locked)")
    if found.most is not None:
        say(f"limit       {size_text(found.most)}")
    if found.others:
        say(f"others      {found.others:,} (not made by the cache, which leaves them alone)")


@command.command(
    epilog="""\b
Examples:
  memoryfield cache verify
  memoryfield cache verify --remove
  memoryfield cache verify --format json
"""
)
@click.option("--remove", is_flag=True, help="Remove the files that are not what they should be.")
@format_option("text", "json")
def verify(remove: bool, form: str) -> None:
    """Hash every object, and name those that are damaged; the copies of what was locked, too.

    Exits with 3 if there are such that are not what their names say, also if they were removed.
    None is ever handed out: it is fetched again when it is needed.
    """
    cache = _cache()
    both = (cache, _copies())
    total = sum(each.info().objects for each in both)
    damaged: list[dict[str, Any]] = []
    with progress_bar("Hashing", total, least=_BAR_FROM_OBJECTS) as step:
        for each in both:
            for one in each.verify(lambda what, done, of: step()):
                gone = remove and each.discard(one)
                damaged.append({**_told(one), "removed": gone})
                if form == "text":
                    end = ", and was removed" if gone else ""
                    say(visible(f"{one.path}: {one.message}") + end)
    if form == "json":
        print_json(_answer(cache, objects=total, damaged=damaged))
    else:
        say(f"{_count(total, 'object')}, {len(damaged) or 'none'} damaged")
    left = [one for one in damaged if not one["removed"]]
    for note in (note for each in both for note in each.notes) if left else ():
        warn(note)
    if damaged and not remove:
        warn("`memoryfield cache verify --remove` removes what is damaged")
    if damaged:
        sys.exit(_MISMATCH)


@command.command(
    epilog="""\b
Examples:
  memoryfield cache prune
  memoryfield cache prune --max-size 1GB
"""
)
@click.option(
    "--max-size",
    "most",
    metavar="SIZE",
    help="How much may stay, such as 500MB, 1GiB or 1000000. By default, what the cache may hold.",
)
@format_option("text", "json")
def prune(most: str | None, form: str) -> None:
    """Remove what was not used for longest.

    This goes on until no more is left than may be, of which an eighth at most are copies of what
    was locked. Downloads that nobody has gone on with for a week are removed, too.
    """
    from memoryfield_readers.cache import parse_size
    from memoryfield_readers.locked.reviewed import share_of

    said = None if most is None else parse_size(most, "--max-size")
    cache = _cache()
    limit = cache.most if said is None else said
    cache.info()  # what cannot be listed is told of the whole, not of the copies in it
    copies = _copies().prune(share_of(limit))
    _tell(cache, copies + cache.prune(sys.maxsize if limit is None else limit - copies.left), form)


@command.command(
    epilog="""\b
Examples:
  memoryfield cache clear
  memoryfield cache clear --yes
"""
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@format_option("text", "json")
def clear(yes: bool, form: str) -> None:
    """Remove all that the cache holds; asks before.

    The copies of what was locked, which `lock update` compares with, go, too. Only what the cache
    has made is removed. Exits with 1 if the answer is no.
    """
    from memoryfield_readers.cache import size_text

    cache, copies = _cache(), _copies()
    if not yes:
        found, kept = cache.info(), copies.info()
        objects, size = found.objects + kept.objects, found.bytes + kept.bytes
        what = f"{_count(objects, 'object')} ({size_text(size)})"
        if not agreed(f"Remove {what} from {cache.path}?"):
            warn("nothing was removed")
            sys.exit(1)
    _tell(cache, cache.clear() + copies.clear(), form)


@command.command(
    "dir",
    epilog="""\b
Examples:
  memoryfield cache dir
  du -sh "$(memoryfield cache dir)"
""",
)
@format_option("text", "json")
def directory(form: str) -> None:
    """Print the folder of the cache, whether or not it is there yet."""
    cache = _cache()
    if form == "json":
        print_json(_answer(cache))
    else:
        print_bytes(os.fsencode(cache.path) + b"\n")


def _cache() -> Cache:
    from memoryfield_readers.cache import Cache

    cache = Cache.default()
    if cache.problem is not None:
        warn(f"the cache cannot be used: {cache.problem}")
    return cache


def _copies() -> Cache:
    from memoryfield_readers.locked import reviewed_copies

    return reviewed_copies()


def _answer(cache: Cache, **facts: Any) -> dict[str, Any]:
    return {"version": 1, "path": as_unicode(str(cache.path)), **facts}


def _told(damaged: DamagedObject) -> dict[str, Any]:
    return {
        "path": as_unicode(str(damaged.path)),
        "message": as_unicode(damaged.message),
        "expected": damaged.expected,
        "actual": damaged.actual or None,
        "size": damaged.size,
    }


def _tell(cache: Cache, pruned: Pruned, form: str) -> None:
    """Say what was removed; what could not be is told on stderr, and is exit 4."""
    from memoryfield_readers.cache import size_text

    if form == "json":
        counts = {"objects": pruned.objects, "unfinished": pruned.unfinished}
        print_json(_answer(cache, **counts, bytes=pruned.bytes, left=pruned.left))
    else:
        what = _count(pruned.objects, "object")
        if pruned.unfinished:
            what += f" and {_count(pruned.unfinished, 'unfinished file')}"
        say(f"removed {what} ({size_text(pruned.bytes)}), {size_text(pruned.left)} left")
    if pruned.problem is not None:
        warn(f"not all could be removed: {pruned.problem}")
        sys.exit(_NOT_DONE)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
