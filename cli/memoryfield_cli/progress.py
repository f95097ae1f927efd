"""A bar on stderr for what takes long, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from memoryfield_readers import Field, Watch
    from memoryfield_validator import Progress

_BAR_FROM_PAGES = 1000


@contextmanager
def progress_bar(what: str, total: int, *, least: int = 1) -> Iterator[Callable[[], None]]:
    """A function to be called after each step; it draws a bar, or nothing where nobody looks.

    Arguments:
        what: what is being done.
        total: how many steps there are.
        least: from how many steps on a bar is worth it.
    """
    stderr = sys.stderr  # None, if the shell closed it
    if total < least or stderr is None or not stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


@contextmanager
def transfer_bar() -> Iterator[Watch]:
    """What `open_field` tells how far a transfer is; a bar stands from the first word to the last.

    Transfers that are over in one step show none.
    """
    stderr = sys.stderr
    if stderr is None or not stderr.isatty():
        yield lambda what, done, total: None
        return
    bars: dict[str, tuple[Bar, TaskID]] = {}

    def watch(what: str, done: int, total: int) -> None:
        if what not in bars and done < total:
            bars[what] = _transfer(what, total)
        if what in bars:
            bar, task = bars[what]
            bar.update(task, completed=done, total=total)
            if done >= total:  # there can be but one bar on a screen, and others follow
                bar.stop()
                del bars[what]

    try:
        yield watch
    finally:
        for bar, _ in bars.values():
            bar.stop()


def _transfer(what: str, total: int) -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    count = DownloadColumn() if what == "bytes" else MofNCompleteColumn()
    columns = (TextColumn("Fetching"), BarColumn(), count)
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("", total=total)


@contextmanager
def page_bar(field: Field) -> Iterator[Progress]:
    """A bar that counts the pages of a field while it is checked, if there are many."""
    with progress_bar("Checking", len(field.pages), least=_BAR_FROM_PAGES) as step:
        yield lambda name: step()
