"""Files of this machine, as options take them: what is a URL is refused as it was typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_TELLING = re.compile(r"[@?#]")


class LocalPath(click.Path):
    """A path; of a URL, it would lose a slash, and a message would show what nobody has typed."""

    def __init__(self, **settings: Any) -> None:
        """See `click.Path`; the value is a `Path`."""
        super().__init__(path_type=Path, **settings)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, unless it is empty, which would be the folder one is in, or a URL."""
        if value == "":
            self.fail("a path cannot be empty: write . for this folder", param, ctx)
        if isinstance(value, str):
            refuse_url(value, param, ctx, kind="file" if self.file_okay else "folder")
        return super().convert(value, param, ctx)


def refuse_url(
    text: str,
    parameter: click.Parameter | None,
    ctx: click.Context | None,
    *,
    kind: str = "file",
) -> None:
    """Take nothing that begins as a URL does.

    Arguments:
        text: what was typed.
        parameter: what it is for.
        ctx: of the command.
        kind: what is wanted.

    Raises:
        click.BadParameter: this does.
    """
    scheme = _SCHEME.match(text)
    if scheme is not None:
        shown = scheme[0] + "..." if _TELLING.search(text) else text  # it may hold a password
        message = f"{shown} is a URL, and this takes a {kind} of this machine"
        raise click.BadParameter(message, ctx, parameter)
