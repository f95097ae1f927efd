"""Options and arguments of the commands that make archives and folders of fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from .options import LOCATION

F = TypeVar("F", bound=Callable[..., Any])


def output_option(help: str) -> Callable[[F], F]:
    """`-o`, as `output`."""
    return click.option(
        "-o", "--output", type=click.Path(readable=False), metavar="FILE", help=help
    )


replace_option = click.option(
    "--replace", is_flag=True, help="Let the new archive take the place of one that is there."
)
checksum_option = click.option(
    "--no-checksum", is_flag=True, help="Write no file ARCHIVE.sha256 beside the archive."
)


def archive_argument(command: F) -> F:
    """ARCHIVE, as `location`."""
    return click.argument("location", type=LOCATION, metavar="ARCHIVE")(command)
