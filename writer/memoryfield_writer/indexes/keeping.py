"""The vector indexes of a field in the same swap as its pages: no row is left that is stale."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from memoryfield_readers import (
    Field,
    Limits,
    MemoryfieldError,
    SourceChanged,
    is_side_file,
    memory_field,
    shown,
)
from memoryfield_readers.errors import IndexMismatch
from memoryfield_readers.names import PAGE_SUFFIX

from ..plan import Plan, Put
from .pruning import Moved, pruned
from .reindex import Reindex

_ENDING = ".sqlite3"
_SIDE_ENDINGS = ("-wal", "-shm", "-journal")
_MAGIC = b"SQLite format 3\0"
_MOST_NAMED = 3
_BUILD = "`memoryfield index build` makes a new one"


class _Touched(NamedTuple):
    """The pages that a plan changes.

    Attributes:
        names: those whose rows go; what has a name now that was free before is among them.
        moved: those that have another name and the same content, by the name they had.
    """

    names: frozenset[str]
    moved: dict[str, Moved]

    @property
    def stale(self) -> str:
        """The pages whose rows are stale where they stay, as a message has them."""
        names = sorted({*self.names, *self.moved} - {each.to for each in self.moved.values()})
        first = ", ".join(map(shown, names[:_MOST_NAMED]))
        more = len(names) - _MOST_NAMED
        return f"{first} and {more} more" if more > 0 else first


def kept(field: Field, plan: Plan, reindex: Reindex | None) -> tuple[Plan, tuple[str, ...]]:
    """A plan that leaves no stale row in the SQLite indexes of a field, and what to say of it.

    The rows of changed pages go (MF505), unless the indexes are brought up to date. A page that has
    another name, and is the same, keeps its row under that name. An index that a program has open,
    as the files beside it show, is left alone, and so is one that cannot be written anew safely.

    Arguments:
        field: the field before.
        plan: what is going to be done to it.
        reindex: what brings an index up to date; None to take rows out only.

    Raises:
        SourceChanged: an index is not what was read of it before.
        MemoryfieldError: as `reindex` raises.
    """
    touched = _touched(plan)
    if not touched.names and not touched.moved:
        return plan, ()
    puts: dict[str, Put] = {}
    notes: list[str] = []
    names = [name for name in _indexes(field, plan) if _may_be_written(field, name, touched, notes)]
    after = None if reindex is None or not names else _after(field, plan)
    if reindex is not None and not any(name.endswith(_ENDING) for name in field.indexes):
        notes.append("there is no vector index to bring up to date: `memoryfield index build`")
    for name in names:
        try:
            old = field.content(name)
        except SourceChanged:
            raise
        except MemoryfieldError as error:
            notes.append(f"{shown(name)} is left as it is: {error.message}; {_BUILD}")
            continue
        new = _kept(name, old, touched, notes, reindex, after)
        if new != old:
            path = field.links.get(name, name)
            puts[path] = Put(new, was=path)
    return (replace(plan, puts={**plan.puts, **puts}) if puts else plan), tuple(notes)


def _kept(
    name: str,
    old: bytes,
    touched: _Touched,
    notes: list[str],
    reindex: Reindex | None,
    after: Field | None,
) -> bytes:
    """An index without the rows of changed pages, or up to date; as it is if neither can be had."""
    pruning = pruned(old, touched.names, touched.moved)
    new = old if pruning is None else pruning.data
    if reindex is not None and after is not None:
        try:
            return reindex(after, name, new)
        except IndexMismatch as error:
            notes.append(f"{shown(name)} was not brought up to date: {error.message}")
    if pruning is None:
        if not old.startswith(_MAGIC):
            notes.append(f"{shown(name)} is no SQLite file, and is left as it is; {_BUILD}")
            return new
        stale = f"its rows of {touched.stale} are stale"
        notes.append(f"{shown(name)} could not be pruned: {stale}; {_BUILD}")
    return new


def _touched(plan: Plan) -> _Touched:
    names: set[str] = set()
    moved: dict[str, Moved] = {}
    for change in plan.changes:
        names.add(change.name)
        if change.was is None:
            continue
        if change.before is not None and change.before == change.after:
            moved[change.was] = Moved(change.name, bytes.fromhex(change.before))
        else:
            names.add(change.was)
    pages = frozenset(name for name in names if name.endswith(PAGE_SUFFIX))
    return _Touched(pages, {was: each for was, each in moved.items() if was.endswith(PAGE_SUFFIX)})


def _indexes(field: Field, plan: Plan) -> Iterator[str]:
    """The SQLite indexes that the plan leaves there."""
    gone = {*plan.removes, *plan.puts}
    for name in field.indexes:
        if name.endswith(_ENDING) and not is_side_file(name) and name not in gone:
            yield name


def _may_be_written(field: Field, name: str, touched: _Touched, notes: list[str]) -> bool:
    """Whether an index may be written: a log beside it would be played into another one (MF508)."""
    beside = [name + ending for ending in _SIDE_ENDINGS if name + ending in field.indexes]
    if not beside:
        return True
    notes.append(
        f"{shown(name)} is left as it is: {shown(beside[0])} is beside it; its rows of "
        f"{touched.stale} are stale; {_BUILD}"
    )
    return False


def _after(field: Field, plan: Plan) -> Field:
    """The field as it is going to be, in memory."""
    now = time.time_ns()
    files: dict[str, bytes] = {}
    times: dict[str, int] = {}
    gone = frozenset(plan.removes)
    names = [name for name in (*field.pages, *field.attachments) if name not in gone]
    left = [name for name in names if field.links.get(name, name) not in plan.puts]
    field.prepare(left)
    for name in left:
        files[name] = field.content(name)
        modified = field.entry(name).modified_ns
        if modified is not None:
            times[name] = modified
    for name in names:
        put = plan.puts.get(field.links.get(name, name))
        if put is not None:
            files[name], times[name] = put.content, now
    for path, put in plan.puts.items():
        if "/" not in path and path not in files and path not in field.indexes:
            files[path] = put.content
            kept_time = put.moved and put.was in field.entries
            modified = field.entry(put.was).modified_ns if kept_time and put.was else None
            times[path] = now if modified is None else modified
    most = max(map(len, files.values()), default=1)
    limits = Limits(  # it was within limits when it was planned
        entries=len(files) + 1,
        page_bytes=most + 1,
        file_bytes=most + 1,
        total_bytes=sum(map(len, files.values())) + 1,
    )
    return memory_field(files, field.name, field.location, limits=limits, modified_ns=times)
