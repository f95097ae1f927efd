"""Where the map of a field goes, and what is printed of it."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import Field, as_unicode, local_path, visible

from .index_output import pages_text

if TYPE_CHECKING:
    from memoryfield_index.mapping import Map

_KINDS = (".html", ".htm", ".svg")
_MOST_LINES = 20
"""So many pairs are told to people; the map and JSON have the others, too."""

_BEGINNING = 8192
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")
_MOST_NAME = 100


def number_or_none(
    ctx: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """A bound as it was given; "nan" is within every range that click knows."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no distance", ctx, parameter)
    return value


def where_to(out: Path | None, field: Field) -> Path:
    """The file that a map is written to: what was asked for, or one named after the field.

    Nothing of a field is written over: not the archive that it is, and in its folder nothing but an
    older map; there, only if it was asked for.

    Raises:
        click.UsageError: it cannot be written there.
    """
    file = out or Path(f"{_file_name(field.name)}-map.html")
    real = Path(os.path.realpath(file))
    if file.suffix.lower() not in _KINDS or real.suffix.lower() != file.suffix.lower():
        raise click.UsageError(f"--out: the name of a map ends in {' or '.join(_KINDS)}")
    if file.is_dir() or not real.parent.is_dir():
        raise click.UsageError(f"{file} cannot be written: its folder is not there")
    home = local_path(field.resolved or field.location)
    if home is None:
        return file
    inside = real.is_relative_to(os.path.realpath(home))
    if inside and out is None:
        raise click.UsageError("this folder is the field: say with --out where the map goes")
    if inside and real.exists() and not _is_map(real):
        raise click.UsageError(f"{file} is a file of the field, and no map: it stays as it is")
    return file


def map_facts(drawn: Map, location: str, index: str, target: Path | None) -> dict[str, Any]:
    """What is on a map, and which pages say nearly the same, as JSON."""
    names = [as_unicode(spot.name) for spot in drawn.spots]
    return {
        "version": 1,
        "location": as_unicode(location),
        "index": as_unicode(index),
        "model": drawn.model,
        "out": None if target is None else as_unicode(str(target)),
        "near": drawn.near,
        "pages": len(names),
        "unmapped": drawn.unmapped,
        "pair_count": drawn.pair_count,
        "pairs": [
            {"distance": pair.distance, "pages": [names[pair.first], names[pair.second]]}
            for pair in drawn.pairs
        ],
        "notes": [as_unicode(note) for note in drawn.notes],
    }


def map_lines(drawn: Map, target: Path) -> list[str]:
    """What was drawn, and the pages that say nearly the same, for people."""
    count = drawn.pair_count
    said = "1 pair says" if count == 1 else f"{count:,} pairs say"
    lines = [f"{target}: {pages_text(len(drawn.spots))}, {said} nearly the same"]
    for pair in drawn.pairs[:_MOST_LINES]:
        names = f"{drawn.spots[pair.first].name}  {drawn.spots[pair.second].name}"
        lines.append(f"{pair.distance:.4f}  {names}")
    if count > _MOST_LINES:
        lines.append(f"and {count - _MOST_LINES:,} more")
    return [visible(line) for line in lines]


def _file_name(name: str) -> str:
    """The name of a field as a part of a file's name, whatever is in it."""
    return _NOT_IN_NAMES.sub("-", as_unicode(name)).strip(".-")[:_MOST_NAME] or "field"


def _is_map(file: Path) -> bool:
    from memoryfield_index.mapping import MARK

    try:
        with file.open("rb") as old:
            return MARK.encode() in old.read(_BEGINNING)
    except OSError:
        return False
