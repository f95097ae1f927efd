"""What the commands share that make vectors: which embedder it is, and how far it is."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from .output import warn

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from memoryfield_index.values import Embedder
    from memoryfield_readers import Watch

F = TypeVar("F", bound=Callable[..., Any])

AUTO = "auto"

_OPTIONS = (
    click.option(
        "--embedder",
        "embedder_name",
        metavar="NAME",
        show_default=AUTO,
        help="What makes the vectors: ollama, openai, fastembed, local, or that of a plugin; auto "
        "takes the first that can be had.",
    ),
    click.option(
        "--model",
        metavar="MODEL",
        help="The model, as the embedder calls it; goes with --embedder.",
    ),
    click.option(
        "--model-code",
        metavar="CODE",
        help="The full code, with its version, of a model that is not known by its name.",
    ),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """Which embedder is wanted.

    Attributes:
        name: as it was given; None where it was not.
        model: the model, as that embedder calls it; None for the embedder's own choice.
        code: the model code of a model that is not known by its name.
    """

    name: str | None = None
    model: str | None = None
    code: str | None = None


def embedder_options(command: F) -> F:
    """Which embedder is used, as a `Wish` named `wish`; a name that none has is wrong usage."""

    @functools.wraps(command)
    def with_wish(
        *args: Any,
        embedder_name: str | None,
        model: str | None,
        model_code: str | None,
        **others: Any,
    ) -> Any:
        if model is not None and (embedder_name in (None, AUTO) or ":" in str(embedder_name)):
            raise click.UsageError("--model goes with --embedder NAME, which says who runs it")
        if embedder_name:
            _refuse_unknown(embedder_name)
        return command(*args, wish=Wish(embedder_name, model, model_code), **others)

    wrapped: Callable[..., Any] = with_wish
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return cast("F", wrapped)


def _refuse_unknown(name: str) -> None:
    """Refuse a name that no embedder has, also where none would be asked.

    Raises:
        click.UsageError: neither this room nor a plugin has it.
    """
    from memoryfield_index.embedders.plugins import all_names

    kind, names = name.partition(":")[0], all_names()
    if kind not in names:
        raise click.UsageError(
            f"there is no embedder {kind!r}: the embedders here are {', '.join(names)}"
        )


@contextmanager
def chosen(wish: Wish) -> Iterator[Embedder]:
    """The embedder that is wanted, or the first that can be had; stderr says which it is.

    Raises:
        EmbedderUnavailable: there is none.
    """
    from memoryfield_index.embedders import Options, choose

    name = wish.name or AUTO
    if wish.model is not None:
        name = f"{name}:{wish.model}"
    embedder = choose(name, Options(code=wish.code), say=warn)
    try:
        yield embedder
    finally:
        embedder.close()


@contextmanager
def embedding_bar() -> Iterator[Watch]:
    """What is told how many pages have a vector: a bar with pages a second and the time left."""
    stderr = sys.stderr  # None, if the shell closed it
    if stderr is None or not stderr.isatty():
        yield lambda what, done, total: None
        return
    bar = _bar()
    task = bar.add_task("Embedding", total=None)

    def watch(what: str, done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)
        if total and done < total:
            bar.start()

    try:
        yield watch
    finally:
        bar.stop()


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Rate(ProgressColumn):
        """Pages a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:.1f} pages/s")

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
