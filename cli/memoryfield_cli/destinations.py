"""Where reports go: formats, each to stdout or to a file of its own."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import click

from memoryfield_readers import SourceUnavailable, local_path

from .files import refuse_url

FORMATS = ("text", "json", "jsonl", "sarif", "junit", "github")


class Destination(NamedTuple):
    """One format, and where it goes.

    Attributes:
        form: one of `FORMATS`.
        file: the file to write, or None for stdout.
    """

    form: str
    file: Path | None


METAVAR = "FORMAT[:FILE]"
"""How the help shows a format with its file."""


def parse_formats(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Destination, ...]:
    """`FORMAT` or `FORMAT:FILE`, each as a `Destination`."""
    parsed = []
    for value in values:
        form, colon, file = value.partition(":")
        if form not in FORMATS:
            known = ", ".join(map(repr, FORMATS))
            raise click.BadParameter(f"{form!r} is not one of {known}.", ctx, parameter)
        if colon and not file:
            raise click.BadParameter(f"there is no file behind {form}:", ctx, parameter)
        refuse_url(file, parameter, ctx)
        parsed.append(Destination(form, Path(file) if file else None))
    return tuple(parsed)


def complete_formats(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """The formats that begin with what is typed so far."""
    return [form for form in FORMATS if form.startswith(incomplete)]


def destinations(
    formats: Sequence[Destination], output: Path | None, *, stdout_is_taken: bool = False
) -> tuple[Destination, ...]:
    """Where each format goes: `--output` is the file of the one that has none.

    Arguments:
        formats: as they were asked for; none is text.
        output: the file of `--output`.
        stdout_is_taken: whether something else is printed: then there may be no report at all.

    Raises:
        click.UsageError: two reports would go to one place, or a folder is not there.
    """
    chosen = list(formats)
    if not chosen and (output is not None or not stdout_is_taken):
        chosen = [Destination("text", None)]
    if output is not None:
        without = [one for one in chosen if one.file is None]
        if len(without) != 1:
            raise click.UsageError("--output needs exactly one --format that has no file")
        at = chosen.index(without[0])
        chosen[at] = Destination(without[0].form, output)
    to_stdout = sum(one.file is None for one in chosen)
    if to_stdout and stdout_is_taken:
        raise click.UsageError("--diff goes to stdout: give the report a file")
    if to_stdout > 1:
        raise click.UsageError("only one format can go to stdout: give the others files")
    files = [os.path.realpath(one.file) for one in chosen if one.file is not None]
    if len(set(files)) < len(files):
        raise click.UsageError("two formats would go to one file")
    for one in chosen:
        if one.file is not None and (one.file.is_dir() or not one.file.absolute().parent.is_dir()):
            raise click.UsageError(f"{one.file} cannot be written: its folder is not there")
    return tuple(chosen)


def keep_out_of(fields: Iterable[str], chosen: Sequence[Destination]) -> None:
    """Refuse to write a report over a field that is checked, or into one.

    Raises:
        click.UsageError: a file is one of the locations, or lies in one.
    """
    paths = [os.path.realpath(path) for each in fields if (path := local_path(each)) is not None]
    for one in chosen:
        if one.file is None:
            continue
        file = Path(os.path.realpath(one.file))
        if any(file.is_relative_to(path) for path in paths):
            raise click.UsageError(f"{one.file} would change a field that is checked")


def write_report(file: Path, text: str) -> None:
    """Write a report whole: a reader sees the old file or the new one, never half of it.

    What is no regular file, such as a pipe, is written as it is; so is what stdout or stderr goes
    to, as `/dev/stdout` does: to replace that would take away what others wrote there.

    Raises:
        SourceUnavailable: it cannot be written.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        stream = _stream_to(file)
        if stream is not None:
            stream.write(content)
            stream.flush()
        elif file.exists() and not file.is_file():
            file.write_bytes(content)
        else:
            _replace(Path(os.path.realpath(file)), content)  # a link stays a link
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise SourceUnavailable(message, location=str(file)) from error


def _stream_to(file: Path) -> BinaryIO | None:
    """The stream of this process that goes to a file, or None."""
    for stream in (sys.stdout, sys.stderr):
        try:
            buffer: BinaryIO = stream.buffer
            if os.path.samestat(os.fstat(buffer.fileno()), os.stat(file)):
                stream.flush()
                return buffer
        except (AttributeError, OSError, ValueError):  # closed, no file, or nothing there yet
            continue
    return None


def _replace(file: Path, content: bytes) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o666 & ~_umask()
    descriptor, made = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as new:
            new.write(content)
        os.chmod(made, mode)
        os.replace(made, file)
    finally:
        Path(made).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def append(file: Path, text: str) -> None:
    """Add to the end of a file that others write to as well."""
    with file.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as end:
        end.write(text)
