"""`memoryfield search`."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from memoryfield_readers import (
    Limits,
    MemoryfieldError,
    PinMismatch,
    Pins,
    as_unicode,
    visible,
    visible_lines,
)

from ..embedding import AUTO, Wish, embedder_options
from ..noting_options import Wanted, shown_notes_options
from ..noting_output import brief, print_note
from ..noting_reading import notes_shown
from ..opening import opened
from ..options import LOCATION, format_option, limits_option, pin_options, source_options
from ..output import complain, print_json, say, warn, without_commands
from ..progress import search_bar

if TYPE_CHECKING:
    from memoryfield_index.searching import Answer, Hit
    from memoryfield_notes.showing import PageNotes, Shown
    from memoryfield_readers import Field


def _number(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """A number that is one: click lets "nan" through any range."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no distance", ctx=ctx, param=parameter)
    return value


@click.command(
    epilog="""\b
Examples:
  memoryfield search --all my-field/ "which woks conduct heat"
  memoryfield search --hybrid --read -k 1 notes.memoryfield.zip a.md
  memoryfield search --all --format json fields/a fields/b woks
"""
)
@click.argument("locations", type=LOCATION, nargs=-1, required=True, metavar="LOCATION...")
@click.argument("question", metavar="QUERY")
@click.option(
    "-k",
    "most",
    type=click.IntRange(min=1, max=1000),
    default=10,
    show_default=True,
    help="How many pages to show at most.",
)
@click.option(
    "--max-distance",
    type=click.FloatRange(min=0, max=2),
    callback=_number,
    metavar="D",
    help="The cosine distance beyond which a page is no answer; without it, what was measured for "
    "the model.",
)
@click.option("--hybrid", is_flag=True, help="Rank by words, too: for rare names and identifiers.")
@click.option("--lexical", is_flag=True, help="Rank by words alone, and use no index.")
@click.option("--weak", is_flag=True, help="Also show what is probably no answer.")
@click.option("--all", "everything", is_flag=True, help="Also rank index.md and listing.md.")
@embedder_options
@click.option("--read", "reading", is_flag=True, help="Print the pages, too.")
@shown_notes_options
@format_option("text", "json")
@limits_option
@source_options
@pin_options
def command(
    locations: tuple[str, ...],
    question: str,
    most: int,
    max_distance: float | None,
    hybrid: bool,
    lexical: bool,
    weak: bool,
    everything: bool,
    wish: Wish,
    reading: bool,
    noting: Wanted,
    form: str,
    limits: Limits,
    storage_options: dict[str, Any],
    pins: Pins,
    offline: bool,
) -> None:
    """Find the pages that answer a question.

    The best come first. An index of a field is used if its model can be had: `auto` is what made
    it, if that is on this machine. Pages that it does not know as they stand are found by their
    words. Without an index all are, by BM25 over whole pages, and so is every page whose name,
    title or summary holds the query as it stands.

    Each page is shown with its cosine distance to the query: 0 for the same, 2 for the opposite.
    What is too far away, or has too few words of the query, is not shown. If you keep a note on a
    page (see `memoryfield note`), how it begins stands below. If nothing is left, text
    output is empty and the exit code is 1. A field that cannot be read is reported, the others are
    searched, and the exit code is that of the error.
    """
    from memoryfield_index.embedders import Options
    from memoryfield_index.searching import Asked, Embedders, search

    if hybrid and lexical:
        raise click.UsageError("--hybrid and --lexical exclude each other")
    if pins and len(locations) > 1:
        raise click.UsageError("a pin is of one field: give one location")
    if noting.store is not None and len(locations) > 1:
        raise click.UsageError("--store is of one field: give one location")
    exit_code = 0
    with ExitStack() as stack:
        named = wish.name or AUTO
        if wish.model is not None:
            named = f"{named}:{wish.model}"
        embedders = Embedders(named, Options(code=wish.code))
        stack.callback(embedders.close)
        fields: list[Field] = []
        opened_as: dict[str, tuple[str, Field]] = {}
        for location in dict.fromkeys(locations):
            try:
                manager = opened(location, limits, storage_options, pins, offline)
                fields.append(stack.enter_context(manager))
                opened_as[fields[-1].location] = location, fields[-1]
            except PinMismatch:
                raise  # who is being fooled about one field is shown none
            except MemoryfieldError as error:
                if len(locations) == 1:
                    raise
                complain(error)
                exit_code = max(exit_code, error.exit_code)
        asked = Asked(
            how="lexical" if lexical else "hybrid" if hybrid else "semantic",
            most=most,
            max_distance=max_distance,
            everything=everything,
            weak=weak,
        )
        with search_bar() as watch:
            answer = search(fields, question, embedders, asked, watch=watch)
        for note in answer.notes:
            warn(note)
        for problem in answer.errors:
            complain(problem)
            exit_code = max(exit_code, problem.exit_code)
        if answer.how == "lexical" and not lexical:
            warn("ranked by words alone (BM25), without a vector index")
        on_hits: list[Shown | None] = []
        noted: dict[str, PageNotes] = {}
        for hit in answer.hits:
            named_as, field = opened_as[hit.location]
            if hit.location not in noted:
                noted[hit.location] = stack.enter_context(notes_shown(named_as, noting, limits))
            on_hits.append(noted[hit.location].of(hit.page, field.pages))
    if form == "json":
        print_json(_as_json(answer, on_hits, question, reading=reading))
    elif answer.hits:
        with without_commands():
            for hit, on_hit in zip(answer.hits, on_hits, strict=True):
                _print(hit, on_hit, several=len(locations) > 1, reading=reading)
    if not answer.hits and not exit_code:
        warn(_nothing(answer))
        exit_code = 1
    sys.exit(exit_code)


def _print(hit: Hit, note: Shown | None, *, several: bool, reading: bool) -> None:
    distance = "  word" if hit.distance is None else f"{hit.distance:.4f}"
    field = f"{visible(hit.field)}  " if several else ""
    stale = "  (changed since it was indexed)" if hit.stale else ""
    say(f"{distance}  {field}{visible(hit.filename)}  {visible(hit.page.title)}{stale}", bold=True)
    if note is not None and not reading:
        say(f"  note  {brief(note.revision, note.note.text, stale=note.stale)}")
    if reading:
        if note is not None:
            print_note(hit.filename, note)
            say(f"==> {visible(hit.filename)} <==", bold=True)
        text = visible_lines(hit.page.text)
        say(text, end="" if text.endswith("\n") else "\n")
        say("")
        return
    summary = hit.page.frontmatter.text("summary")
    if summary is not None:
        say(f"        {visible(summary)}")


def _as_json(
    answer: Answer, notes: list[Shown | None], question: str, *, reading: bool
) -> dict[str, Any]:
    results = []
    for hit, note in zip(answer.hits, notes, strict=True):
        result = hit.as_result()
        if note is not None:
            result["reader_note"] = note.to_json()
        if reading:
            result["text"] = hit.page.text
        results.append(result)
    return {"version": 1, "query": as_unicode(question), "ranking": answer.how, "results": results}


def _nothing(answer: Answer) -> str:
    """Why nothing is shown."""
    nearest = answer.nearest
    if nearest is None:
        return "nothing was found"
    name = nearest.filename
    if answer.how == "lexical":
        return f"nothing says enough of the query; most of it says {name} (--weak shows it)"
    return (
        f"nothing is near enough; the nearest is {name}, at {nearest.distance:.4f} "
        "(--weak shows it, as does a larger --max-distance)"
    )
