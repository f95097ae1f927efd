"""How far the work on many fields is, for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from .output import warn
from .progress import one_by_one

if TYPE_CHECKING:
    from memoryfield_fleet import Kind
    from memoryfield_fleet.results import Totals
    from memoryfield_readers import Watch

Tell: TypeAlias = "Callable[[Totals], None]"

_DOING = {"validate": "Checking", "audit": "Reviewing", "pin": "Pinning", "index": "Indexing"}
_LONG = 4 * 1024 * 1024
"""So many bytes of results are read in a moment."""


def reading_bar() -> AbstractContextManager[Watch]:
    """What is told how much of the results of earlier runs is read: a bar, if they are many."""
    return one_by_one("Reading results", _LONG)


@contextmanager
def fleet_bar(kind: Kind, dashboard: str | None, *, prints: bool) -> Iterator[Tell]:
    """What is told the totals so far; a line on stderr shows them, if that is a terminal.

    Arguments:
        kind: what is done to each field.
        dashboard: where a browser shows more of it, which is told there; None for nowhere.
        prints: whether rows are printed on stdout, which are progress enough on a terminal.
    """
    stderr = sys.stderr  # None, if the shell closed it
    if stderr is None or not stderr.isatty():
        yield lambda totals: None
        return
    if dashboard is not None:
        warn(f"a browser shows how it goes: {dashboard}")
    if prints and sys.stdout.isatty():
        yield lambda totals: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn(_DOING[kind]),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_counts(0, 0, 0), total=None)

        def tell(totals: Totals) -> None:
            text = _counts(totals.done, totals.failed, totals.reused)
            bar.update(task, description=text, completed=totals.done + totals.failed)

        yield tell


def _counts(done: int, failed: int, reused: int) -> str:
    from memoryfield_fleet.results.wording import counted

    parts = [counted(done + failed, "field")]
    parts += [f"{reused:,} known before"] if reused else []
    parts += [f"{failed:,} failed"] if failed else []
    return ", ".join(parts)
