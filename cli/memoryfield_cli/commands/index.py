"""`memoryfield index`: build, verify, look at and draw vector indexes."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Field,
    Limits,
    MemoryfieldError,
    Pins,
    as_unicode,
    local_path,
)

from ..destinations import write_report
from ..embedding import AUTO, Wish, chosen, embedder_options, embedding_bar
from ..files import LocalPath
from ..index_output import (
    FINDINGS,
    built_line,
    info_facts,
    info_lines,
    named,
    no_index,
    pages_text,
    verification_facts,
    verification_lines,
)
from ..map_charting import charted
from ..map_output import map_facts, map_lines, number_or_none, where_to
from ..opening import opened
from ..options import (
    LOCATION,
    format_option,
    limits_option,
    location_argument,
    pin_options,
    source_options,
)
from ..output import complain, print_json, say, warn
from ..usage import Group

if TYPE_CHECKING:
    from memoryfield_index.info import IndexInfo
    from memoryfield_index.places import Place
    from memoryfield_index.storage import Index
    from memoryfield_index.values import Recipe
    from memoryfield_index.verifying import Verification

_SUFFIX = ".sqlite3"


@click.group(
    cls=Group,
    epilog="""\b
Examples:
  memoryfield index build my-field/
  memoryfield index verify my-field/
  memoryfield index info my-field/
  memoryfield index map my-field/

\b
Environment:
  OLLAMA_HOST           where Ollama listens
  OPENAI_API_KEY        for a server that wants one
  MEMORYFIELD_CACHE_DIR where indexes of fields stand that cannot be written
""",
)
def command() -> None:
    """Build, verify, look at and draw vector indexes, by which a field is searched.

    An index can be thrown away at any time, and made again. It stands in the field if that is a
    folder of this machine; for any other field, it stands in the cache.
    """


@command.command(
    epilog="""\b
Examples:
  memoryfield index build my-field/
  memoryfield index build my-field/ --embedder local
  memoryfield index build notes.memoryfield.zip --format json
"""
)
@location_argument
@embedder_options
@click.option(
    "--out",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="Where to write the index; its name begins with the model code, and ends in .sqlite3.",
)
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def build(
    location: str,
    wish: Wish,
    out: Path | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Make the vector index of a field, or bring it up to date.

    Only pages that changed are embedded. The old index serves until the new one is whole; a build
    that was interrupted goes on where it was. Pages that cannot be embedded are named, and the exit
    code is 1 then; the rest is indexed all the same.
    """
    from memoryfield_index.build_facts import build_facts
    from memoryfield_index.building import rebuild
    from memoryfield_index.places import place_for

    with (
        opened(location, limits, storage_options, pins, offline) as field,
        chosen(wish) as embedder,
        embedding_bar() as watch,
    ):
        recipe = embedder.recipe
        if out is not None:
            _refuse_name(out, recipe)
        stats = rebuild(field, embedder, out or place_for(field, recipe.model), watch=watch)
        where = field.location
    if stats.anew is not None:
        warn(f"{stats.path}: built anew: {stats.anew}")
    for note in stats.notes:
        warn(note)
    if stats.shortened:
        names = named([name for name, _ in stats.shortened])
        warn(f"{pages_text(len(stats.shortened))} too long to be embedded whole: {names}")
    for name, reason in stats.failed:
        warn(f"{name}: has no vector: {reason}")
    if not stats.pages:
        warn("no page has a vector: nothing was written")
    if form == "json":
        print_json(build_facts(stats, recipe, where))
    elif stats.pages:
        say(built_line(stats))
    if stats.failed:
        sys.exit(FINDINGS)


@command.command(
    epilog="""\b
Examples:
  memoryfield index verify my-field/
  memoryfield index verify my-field/ --sample 5
  memoryfield index verify my-field/ --format json
"""
)
@location_argument
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Embed so many pages again, which nobody can foresee, and compare the vectors.",
)
@embedder_options
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def verify(
    location: str,
    sample: int | None,
    wish: Wish,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Hold the indexes of a field against its pages.

    Each page has one row, which is of the page as it stands and has a sound vector, and there is no
    other row: else the exit code is 1. With --sample, vectors are made again, by what made them if
    that runs here and else by what is named; if they are others, or an index is damaged, the exit
    code is 3.
    """
    from memoryfield_index.places import indexes_of

    code = 0
    found: list[Verification] = []
    with opened(location, limits, storage_options, pins, offline) as field:
        where = field.location
        places = indexes_of(field)
        for place in places:
            try:
                found.append(_verified(place, field, sample or 0, wish))
            except MemoryfieldError as error:
                complain(error)
                code = max(code, error.exit_code)
    if not places:
        code = no_index(where)
    if form == "json":
        print_json(
            {
                "version": 1,
                "location": as_unicode(where),
                "indexes": [verification_facts(each) for each in found],
            }
        )
    for each in found:
        if form == "text":
            say("\n".join(verification_lines(each)))
        if each.mismatch is not None:
            complain(each.mismatch)
            code = max(code, each.mismatch.exit_code)
        if not each.is_sound:
            code = max(code, FINDINGS)
    sys.exit(code)


@command.command(
    epilog="""\b
Examples:
  memoryfield index info my-field/
  memoryfield index info my-field/ --format json
"""
)
@click.argument("location", type=LOCATION, metavar="LOCATION|FILE")
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def info(
    location: str,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Show what the indexes of a field, or an index that is a file, say of themselves.

    Nothing of it is proved: `index verify` does that.
    """
    from memoryfield_index.info import info as info_of
    from memoryfield_index.places import indexes_of
    from memoryfield_index.storage import open_index

    code = 0
    found: list[IndexInfo] = []
    file = local_path(location)
    if file is not None and file.name.endswith(_SUFFIX) and not file.is_dir():
        with open_index(file) as index:
            found.append(info_of(index))
    else:
        with opened(location, limits, storage_options, pins, offline) as field:
            places = indexes_of(field)
            for place in places:
                try:
                    with place.open() as index:
                        found.append(info_of(index))
                except MemoryfieldError as error:
                    complain(error)
                    code = max(code, error.exit_code)
            if not places:
                code = no_index(field.location)
    if form == "json":
        print_json({"version": 1, "indexes": [info_facts(each) for each in found]})
    else:
        say("\n".join(info_lines(each) for each in found), end="")
    sys.exit(code)


@command.command(
    "map",
    epilog="""\b
Examples:
  memoryfield index map my-field/
  memoryfield index map my-field/ --out map.svg
  memoryfield index map my-field/ --near 0.01 --format json
""",
)
@location_argument
@click.option(
    "--out",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="The map to write, .html or .svg; else NAME-map.html in this folder, with --format text.",
)
@click.option(
    "--near",
    type=click.FloatRange(0, 2),
    callback=number_or_none,
    metavar="D",
    show_default="0.02",
    help="Up to which cosine distance two pages say nearly the same.",
)
@click.option(
    "--index",
    "file",
    type=LocalPath(dir_okay=False),
    metavar="FILE",
    help="The index to draw; else the first of the field that can be drawn.",
)
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def map_command(
    location: str,
    out: Path | None,
    near: float | None,
    file: Path | None,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Draw the pages of a field as points, near to each other where they say alike.

    Pages that say nearly the same are joined, and listed. A map is one file that needs no network:
    a web page, or an SVG. A page whose vector is not of it as it stands is not on the map.
    """
    from memoryfield_index.mapping import html_of, svg_of

    with opened(location, limits, storage_options, pins, offline) as field:
        target = where_to(out, field) if out is not None or form == "text" else None
        drawn, index, code = charted(field, file, near)
        where = field.location
    if drawn is None:
        sys.exit(code)
    for note in drawn.notes:
        warn(note)
    if target is not None:
        write_report(target, (svg_of if target.suffix.lower() == ".svg" else html_of)(drawn))
    if form == "json":
        print_json(map_facts(drawn, where, index, target))
    elif target is not None:
        say("\n".join(map_lines(drawn, target)))


def _refuse_name(out: Path, recipe: Recipe) -> None:
    from memoryfield_index.storage.schema import SUFFIX, file_name, is_index_of

    file_name(recipe.model)  # what is no model code, no index could be told of again
    if not is_index_of(out.name, recipe.model):
        raise click.UsageError(
            f"--out: the name of this index begins with {recipe.model} and ends in {SUFFIX}"
        )


def _verified(place: Place, field: Field, sample: int, wish: Wish) -> Verification:
    from memoryfield_index.verifying import verify as verify_index

    with ExitStack() as stack:
        index: Index = stack.enter_context(place.open())
        if not sample:
            return verify_index(index, field)
        embedder = stack.enter_context(chosen(_wish_for(index, wish)))
        watch = stack.enter_context(embedding_bar())
        return verify_index(index, field, embedder=embedder, sample=sample, watch=watch)


def _wish_for(index: Index, wish: Wish) -> Wish:
    """The embedder that was named, or else the one that an index may have started."""
    from memoryfield_index.unasked import named_by

    if wish.name is not None:
        return wish
    if index.recipe is None:
        return Wish(f"{AUTO}:{index.model_code}" if index.model_code else AUTO, code=wish.code)
    [named] = named_by(index)
    return Wish(named.name, code=wish.code or named.code)
