"""5xx: vector indexes. What is in SQLite indexes is found once; here it becomes findings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryfield_readers import MemoryfieldError, is_side_file
from memoryfield_spec import model_of

from ..registry import Findings, Rule, field_rule
from ..review import Review
from ..sqlite_index import HOW_TO_INSTALL, SQLITE_HEADER, RowFaults, Tally

_LARGE_FROM = 100
_COMMON_MODEL = "nomic-embed-text-v1.5"
_SUFFIX = ".sqlite3"
_TEXTUAL = (".csv", ".json", ".jsonl")
_DIGIT = re.compile("[0-9]")

_WAL_MODE = b"\2\2"
_WAL_MODE_AT = 18


@field_rule("MF501")
def large_field_ships_index(rule: Rule, review: Review) -> Findings:
    """A field of 100 pages or more ships an index."""
    count = len(review.field.pages)
    if count >= _LARGE_FROM and not any(_indexes(review)):
        yield rule.finding(None, f"there are {count} pages and no vector index")


@field_rule("MF502")
def named_after_model(rule: Rule, review: Review) -> Findings:
    """The name of an index begins with a known model code, or has a version in it."""
    for name in _indexes(review):
        stem = name.removesuffix(_SUFFIX)
        if stem != name and not model_of(name) and not _DIGIT.search(stem):
            yield rule.finding(name, "its name does not tell the model and its version")


@field_rule("MF503")
def not_textual(rule: Rule, review: Review) -> Findings:
    """No index is in a textual format."""
    for name in _indexes(review):
        if name.lower().endswith(_TEXTUAL):
            yield rule.finding(name, "a vector index in a textual format")


@field_rule("MF507")
def has_common_model(rule: Rule, review: Review) -> Findings:
    """One of the indexes is for the model that everyone can run."""
    models = [model_of(name) for name in _indexes(review)]
    if models and not any(model and model.code == _COMMON_MODEL for model in models):
        yield rule.finding(None, f"no vector index is made with `{_COMMON_MODEL}`")


@field_rule("MF508")
def one_file(rule: Rule, review: Review) -> Findings:
    """An index has nothing beside it, and is not in WAL mode."""
    for name in review.field.indexes:
        if is_side_file(name):
            yield rule.finding(name, "a file that SQLite left beside a vector index")
    for name in _indexes(review):
        if _is_in_wal_mode(name, review):
            yield rule.finding(name, "is in WAL mode")


@field_rule("MF504")
def is_sound(rule: Rule, review: Review) -> Findings:
    """An SQLite index opens, passes a quick check, and has the columns of the suggested table."""
    yield from _not_run(rule, review)
    for verdict in review.index_review.verdicts:
        if verdict.unsound is not None:
            yield rule.finding(verdict.name, verdict.unsound)


@field_rule("MF505")
def matches_pages(rule: Rule, review: Review) -> Findings:
    """An SQLite index has one row for each page as it stands, and no other."""
    yield from _not_run(rule, review)
    for name, faults in _read_rows(review):
        yield from _told(rule, name, faults.stale, "the row is not of the page as it stands")
        yield from _told(rule, name, faults.surplus, "a row too many: the page is gone or has one")
        yield from _told(rule, name, faults.missing, "a page without a row")


@field_rule("MF506")
def has_sound_embeddings(rule: Rule, review: Review) -> Findings:
    """Every embedding has the model's dimension, is finite and is not all zero."""
    yield from _not_run(rule, review)
    for name, faults in _read_rows(review):
        yield from _told(rule, name, faults.length, "an embedding of a wrong length")
        yield from _told(rule, name, faults.not_finite, "an embedding that is not finite")
        yield from _told(rule, name, faults.zero, "an embedding of nothing but zeros")


@field_rule("MF509")
def names_only_pages(rule: Rule, review: Review) -> Findings:
    """`pages` is a table, and its rows name pages and nothing else."""
    yield from _not_run(rule, review)
    for verdict in review.index_review.verdicts:
        if verdict.not_a_table is not None:
            yield rule.finding(verdict.name, f"its `pages` is {verdict.not_a_table}, not a table")
    for name, faults in _read_rows(review):
        yield from _told(rule, name, faults.foreign, "a row that names no page")


def _indexes(review: Review) -> Iterator[str]:
    """The names of all vector indexes, without what SQLite left beside them."""
    for name in review.field.indexes:
        if not is_side_file(name):
            yield name
    for name in review.field.attachments:
        if model_of(name) is not None:
            yield name


def _is_in_wal_mode(name: str, review: Review) -> bool:
    """Whether a file is an SQLite database that says it is in WAL mode."""
    end = _WAL_MODE_AT + len(_WAL_MODE)
    beginning = b""
    try:
        for chunk in review.field.chunks(name):
            beginning += chunk[:end]
            if len(beginning) >= end:
                break
    except MemoryfieldError:
        return False  # MF105 or a fault of the container has said so
    is_database = beginning.startswith(SQLITE_HEADER)
    return is_database and beginning[_WAL_MODE_AT:end] == _WAL_MODE


def _read_rows(review: Review) -> Iterator[tuple[str, RowFaults]]:
    """The indexes of which the rows were read, each with what is wrong with them."""
    for verdict in review.index_review.verdicts:
        if verdict.rows is not None:
            yield verdict.name, verdict.rows


def _told(rule: Rule, name: str, tally: Tally, fault: str) -> Findings:
    if tally.count:
        yield rule.finding(name, f"{fault}: {tally}")


def _not_run(rule: Rule, review: Review) -> Findings:
    """Say that the rule was not run, if there is an index and nothing to read it with."""
    reason = review.index_review.not_run
    if reason is not None:
        yield rule.finding(None, f"was not run: {reason}", hint=HOW_TO_INSTALL, level="info")
