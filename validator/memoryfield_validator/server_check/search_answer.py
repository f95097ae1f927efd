"""What a server answers to a search, taken apart without trust (MF704)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from memoryfield_readers import is_page_name, shown
from memoryfield_readers.http.statuses import phrase

from .asking import NOT_FOUND, OK, Answer
from .described import Described

_MOST_RESULTS = 20_000
"""Results of one answer that are looked at: more than there can be pages."""


class Problem(NamedTuple):
    """One way in which an answer fails.

    Attributes:
        way: the same for each answer that fails so.
        message: what was seen.
    """

    way: str
    message: str


class SearchAnswer(NamedTuple):
    """An answer to a search.

    Attributes:
        path: what was asked for.
        status: the number.
        names: the file names of the results, as far as there are some.
        problems: what is wrong with its shape, one of each way.
    """

    path: str
    status: int
    names: frozenset[str]
    problems: tuple[Problem, ...]

    @property
    def is_offered(self) -> bool:
        """Whether there is a search at all."""
        return self.status != NOT_FOUND


def read_search_answer(answer: Answer, pages: Mapping[str, Described] | None) -> SearchAnswer:
    """Take an answer apart.

    Arguments:
        answer: what came.
        pages: what the pages of the field are; None where that is not known.
    """
    found: dict[str, Problem] = {}
    names: set[str] = set()
    for problem in _problems(answer, pages, names):
        found.setdefault(problem.way, problem)
    return SearchAnswer(answer.path, answer.status, frozenset(names), tuple(found.values()))


def _problems(
    answer: Answer, pages: Mapping[str, Described] | None, names: set[str]
) -> Iterator[Problem]:
    if answer.status != OK:
        yield Problem("status", f"is answered with {phrase(answer.status)}, not 200")
        return
    try:
        value = json.loads(answer.data.decode(), parse_constant=_refuse)
    except UnicodeDecodeError:
        yield Problem("json", "the answer is not UTF-8, so no JSON")
        return
    except RecursionError:
        yield Problem("json", "the answer is nested too deeply to be read")
        return
    except ValueError as error:
        yield Problem("json", f"the answer is no valid JSON: {error}")
        return
    if not isinstance(value, dict):
        yield Problem("object", f"the answer is {_kind(value)}, not an object")
        return
    results = value.get("results")
    if not isinstance(results, list):
        what = _kind(results) if "results" in value else "missing"
        yield Problem("results", f"`results` is {what}, not an array")
        return
    before = math.inf
    for result in results[:_MOST_RESULTS]:
        if not isinstance(result, dict):
            yield Problem("result", f"a result is {_kind(result)}, not an object")
            continue
        yield from _wrong_with(result, pages, names)
        score = result.get("score", None)
        if "score" not in result:
            continue
        number = _number(score)
        if number is None:
            yield Problem("score", f"a `score` is {_kind(score)}, not a number")
            continue
        if number > before:
            yield Problem("order", "a result with a higher `score` comes after one with a lower")
        before = number


def _wrong_with(
    result: Mapping[str, Any], pages: Mapping[str, Described] | None, names: set[str]
) -> Iterator[Problem]:
    name = result.get("filename")
    if not isinstance(name, str):
        what = _kind(name) if "filename" in result else "missing"
        yield Problem("filename", f"the `filename` of a result is {what}, not a text")
        return
    names.add(name)
    if name not in pages if pages is not None else not is_page_name(name):
        yield Problem("filename", f"a result names {shown(name)}, which is no page of the field")
    if "frontmatter" not in result:
        yield Problem("frontmatter", f"the result for {shown(name)} has no `frontmatter`")
        return
    given = result["frontmatter"]
    if given is not None and not isinstance(given, dict):
        yield Problem("frontmatter", f"a `frontmatter` is {_kind(given)}, not an object or null")
        return
    page = pages.get(name) if pages is not None else None
    if page is None:
        return
    if page.keys is None:
        if given:
            yield Problem(
                "fields", f"`frontmatter` is not null, though {shown(name)} has none to use"
            )
    elif given is None:
        yield Problem("fields", f"`frontmatter` is null, though {shown(name)} has one")
    elif lacking := sorted(page.keys - set(given)):
        yield Problem(
            "fields", f"the `frontmatter` of {shown(name)} lacks its field {shown(lacking[0])}"
        )


def _number(value: object) -> float | None:
    """A number that is one; a number too large for anything is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _kind(value: object) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    kinds = {dict: "an object", list: "an array", str: "a text", int: "a number"}
    return kinds.get(type(value), "no finite number")
