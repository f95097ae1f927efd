"""`memoryfield cache`: look after what was fetched."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import as_unicode, visible

from ..asking import agreed
from ..options import format_option
from ..output import print_bytes, print_json, say, warn
from ..progress import progress_bar
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_index.pruning import Removed
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
    Vector indexes of fields that cannot be written, and the vectors of pages, stand there, too.
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
    from memoryfield_index.pruning import MOST_BYTES, stock
    from memoryfield_readers.cache import size_text

    cache = _cache()
    found, copies = cache.info(), _copies().info()
    made = stock(cache.path)
    if form == "json":
        counts = {"objects": found.objects, "bytes": found.bytes}
        counts |= {"unfinished": found.unfinished, "unfinished_bytes": found.unfinished_bytes}
        counts |= {"reviewed": copies.objects, "reviewed_bytes": copies.bytes}
        counts |= {"indexes": made.indexes, "index_bytes": made.index_bytes}
        counts |= {"vectors": made.vectors, "vector_bytes": made.vector_bytes}
        limits = {"limit": found.most, "reviewed_limit": copies.most, "index_limit": MOST_BYTES}
        print_json(_answer(cache, **counts, others=found.others, **limits))
        return
    say(f"directory   {visible(str(cache.path))}")
    say(f"objects     {found.objects:,} ({size_text(found.bytes)})")
    say(f"unfinished  {found.unfinished:,} ({size_text(found.unfinished_bytes)})")
    if copies.objects:
        of = "" if copies.most is None else f" of {size_text(copies.most)}"
        say(f"reviewed    {copies.objects:,} ({size_text(copies.bytes)}{of} for what was locked)")
    if made.files:
        say(f"indexes     {made.indexes:,} ({size_text(made.index_bytes)})")
        say(f"vectors     {made.vectors:,} ({size_text(made.vector_bytes)})")
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

    Vector indexes and vectors that were made are read, too. Exits with 3 if there are files that
    are not what they should be, also if they were removed. None is ever handed out: it is fetched
    or made again when it is needed.
    """
    from memoryfield_index.pruning import files

    cache = _cache()
    both = (cache, _copies())
    total = sum(each.info().objects for each in both)
    made = files(cache.path)
    damaged: list[dict[str, Any]] = []
    with progress_bar("Hashing", total + len(made), least=_BAR_FROM_OBJECTS) as step:
        for each in both:
            for one in each.verify(lambda what, done, of: step()):
                gone = remove and each.discard(one)
                damaged.append({**_told(one), "removed": gone})
                if form == "text":
                    end = ", and was removed" if gone else ""
                    say(visible(f"{one.path}: {one.message}") + end)
        for path in made:
            damaged += _checked(path, remove=remove, form=form)
            step()
    if form == "json":
        print_json(_answer(cache, objects=total, indexes_and_vectors=len(made), damaged=damaged))
    else:
        what = _count(total, "object")
        if made:
            what += f" and {_files(len(made))}"
        say(f"{what}, {len(damaged) or 'none'} damaged")
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
    was locked. Downloads that nobody has gone on with for a week are removed, too. Vector indexes
    and vectors may have 2 GiB of their own; with --max-size, what the others leave of that.
    """
    from memoryfield_index.pruning import prune as prune_made
    from memoryfield_readers.cache import parse_size
    from memoryfield_readers.locked.reviewed import share_of

    said = None if most is None else parse_size(most, "--max-size")
    cache = _cache()
    limit = cache.most if said is None else said
    cache.info()  # what cannot be listed is told of the whole, not of the copies in it
    copies = _copies().prune(share_of(limit))
    pruned = copies + cache.prune(sys.maxsize if limit is None else limit - copies.left)
    made = prune_made(cache.path, (), None if said is None else max(0, said - pruned.left))
    _tell(cache, pruned, made, form)


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
    has made is removed, also vector indexes and vectors. Exits with 1 if the answer is no.
    """
    from memoryfield_index.pruning import clear as clear_made
    from memoryfield_index.pruning import stock
    from memoryfield_readers.cache import size_text

    cache, copies = _cache(), _copies()
    if not yes:
        found, kept = cache.info(), copies.info()
        objects, size = found.objects + kept.objects, found.bytes + kept.bytes
        what = f"{_count(objects, 'object')} ({size_text(size)})"
        made = stock(cache.path)
        if made.files:
            what += f" and {_files(made.files)} ({size_text(made.bytes)})"
        if not agreed(f"Remove {what} from {cache.path}?"):
            warn("nothing was removed")
            sys.exit(1)
    _tell(cache, cache.clear() + copies.clear(), clear_made(cache.path), form)


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


def _checked(path: Path, *, remove: bool, form: str) -> list[dict[str, Any]]:
    """What is wrong with an index or a file of vectors, as JSON has it; nothing if it is sound."""
    from memoryfield_index.checking import fault_of_file
    from memoryfield_index.pruning import remove as remove_made

    try:
        size = path.stat().st_size
    except OSError:
        return []  # it went meanwhile
    fault = fault_of_file(path)
    if fault is None:
        return []
    problem = remove_made(path) if remove else None
    if problem is not None:
        warn(f"cannot be removed: {problem}")
    gone = remove and problem is None
    if form == "text":
        say(visible(f"{path}: {fault}") + (", and was removed" if gone else ""))
    told = {"path": as_unicode(str(path)), "message": as_unicode(fault), "size": size}
    return [{**told, "expected": None, "actual": None, "removed": gone}]


def _tell(cache: Cache, pruned: Pruned, made: Removed, form: str) -> None:
    """Say what was removed; what could not be is told on stderr, and is exit 4."""
    from memoryfield_readers.cache import size_text

    if form == "json":
        counts = {"objects": pruned.objects, "unfinished": pruned.unfinished}
        of_made = {"files": made.files, "bytes": made.bytes, "left": made.left}
        sizes = {"bytes": pruned.bytes, "left": pruned.left}
        print_json(_answer(cache, **counts, **sizes, indexes_and_vectors=of_made))
    else:
        what = _count(pruned.objects, "object")
        if pruned.unfinished:
            what += f" and {_count(pruned.unfinished, 'unfinished file')}"
        say(f"removed {what} ({size_text(pruned.bytes)}), {size_text(pruned.left)} left")
        if made.files:
            size, left = size_text(made.bytes), size_text(made.left)
            say(f"removed {_files(made.files)} ({size}), {left} left")
    problems = [each for each in (pruned.problem, made.problem) if each is not None]
    for problem in problems:
        warn(f"not all could be removed: {problem}")
    if problems:
        sys.exit(_NOT_DONE)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _files(number: int) -> str:
    return f"{_count(number, 'file')} of indexes and vectors"
