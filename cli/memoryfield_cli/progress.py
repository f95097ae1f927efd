"""A bar on stderr for what takes long, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from memoryfield_readers import Field, Watch
    from memoryfield_validator import Progress
    from memoryfield_validator.fixes import Proposal

_BAR_FROM_PAGES = 1000
_BAR_FROM_FIELDS = 2
_BAR_FROM_CHANGES = 200
_BAR_FROM_COMPARED = 200
_BAR_FROM_ASKED = 2


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


def bar_over_fields(
    what: str, count: int, *, streams: bool
) -> tuple[bool, AbstractContextManager[Callable[[], None]]]:
    """Whether it is fields that are counted, not their pages, and the bar that does so if it is.

    Arguments:
        what: what is being done to the fields.
        count: how many there are.
        streams: whether something is printed on stdout field by field.
    """
    on_screen = streams and sys.stdout.isatty()  # then that is progress
    if count < _BAR_FROM_FIELDS or on_screen:
        return False, nullcontext(lambda: None)
    return True, progress_bar(what, count)


def transfer_bar() -> AbstractContextManager[Watch]:
    """What `open_field` tells how far a transfer is; a bar stands from the first word to the last.

    Transfers that are over in one step show none.
    """
    return one_by_one("Fetching", 0)


def comparison_bar() -> AbstractContextManager[Watch]:
    """What `compare` tells how far it is: a bar for hashing, and one for pages, if it is much."""
    return one_by_one("Comparing", _BAR_FROM_COMPARED)


def search_bar() -> AbstractContextManager[Watch]:
    """What `search` tells how many pages it has read for their words: a bar, if there are many."""
    return one_by_one("Searching", _BAR_FROM_PAGES)


def server_bar() -> AbstractContextManager[Watch]:
    """What is told how far the check of a server is: a bar for each kind of thing it asks for."""
    return one_by_one("Asking", _BAR_FROM_ASKED)


def map_bar() -> AbstractContextManager[Watch]:
    """What is told how far a map is: a bar for reading, and one for comparing, if it is much."""
    return one_by_one("Drawing", _BAR_FROM_PAGES)


@contextmanager
def one_by_one(doing: str, least: int) -> Iterator[Watch]:
    """What shows one bar after the other, each from its first word to its last.

    Arguments:
        doing: what is being done.
        least: from how many steps on a bar is worth it.
    """
    stderr = sys.stderr
    if stderr is None or not stderr.isatty():
        yield lambda what, done, total: None
        return
    bars: dict[str, tuple[Bar, TaskID]] = {}

    def watch(what: str, done: int, total: int) -> None:
        if what not in bars and least <= total and done < total:
            bars[what] = _counting(doing, what, total)
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


def _counting(doing: str, what: str, total: int) -> tuple[Bar, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    count = DownloadColumn() if what == "bytes" else MofNCompleteColumn()
    columns = (TextColumn(doing), BarColumn(), count)
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("", total=total)


@contextmanager
def page_bar(field: Field) -> Iterator[Progress]:
    """A bar that counts the pages of a field while it is checked, if there are many."""
    with progress_bar("Checking", len(field.pages), least=_BAR_FROM_PAGES) as step:
        yield lambda name: step()


def change_bar(proposal: Proposal) -> AbstractContextManager[Callable[[], None]]:
    """A bar that counts the changes that are written, if there are many."""
    return progress_bar("Mending", len(proposal.changes), least=_BAR_FROM_CHANGES)


@contextmanager
def several_transfers() -> Iterator[Callable[[str], Watch]]:
    """What is told how far each of several fields is, by its name: a bar for each, side by side.

    A bar is there from the first word of a transfer that takes more than a step to its last.
    """
    stderr = sys.stderr
    if stderr is None or not stderr.isatty():
        yield lambda name: lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:

        def watch_of(name: str) -> Watch:
            tasks: dict[str, TaskID] = {}

            def watch(what: str, done: int, total: int) -> None:
                if what not in tasks and done < total:
                    tasks[what] = bar.add_task(f"Fetching {name}", total=total)
                if what in tasks:
                    bar.update(tasks[what], completed=done, total=total)
                    if done >= total:
                        bar.remove_task(tasks.pop(what))

            return watch

        yield watch_of
