"""A bar on stderr for what takes long, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
