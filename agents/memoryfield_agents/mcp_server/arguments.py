"""What an agent asks for, checked: whatever a client sends becomes a value or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from .cursors import MOST_CURSOR
from .refusals import Refusal
from .sizing import LEAST_POINTS, MOST_POINTS, short

Mode = Literal["semantic", "hybrid", "lexical"]

MOST_NAMES: Final = 20
MOST_RESULTS: Final = 50
MOST_QUESTION: Final = 2000
MOST_NOTE: Final = 65_536
"""Characters of a note; a store counts its bytes."""

MOST_WHOLE: Final = 2**53 - 1
"""The largest whole number that every reader of JSON keeps."""

_MOST_NAME: Final = 1200
_MOST_FIELD: Final = 200


@dataclass(frozen=True, slots=True)
class Listing:
    """Which fields there are; or, with one, its pages."""

    field: str | None
    reload: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be found, in one field or in all."""

    query: str
    field: str | None
    k: int
    mode: Mode


@dataclass(frozen=True, slots=True)
class Reading:
    """Which pages are to be read, by names or URIs."""

    names: tuple[str, ...]
    field: str | None
    most: int


@dataclass(frozen=True, slots=True)
class Setting:
    """Which note is to be set on which page, and the revision that was read before."""

    field: str | None
    page: str
    revision: int
    text: str


def listing_of(given: Mapping[str, Any]) -> Listing:
    """The arguments of `list_fields`; Refusal if they mean nothing."""
    _only(given, "field", "reload")
    reload = given.get("reload")
    if reload is not None and not isinstance(reload, bool):
        raise Refusal("reload is true or false")
    return Listing(_text(given, "field", _MOST_FIELD), bool(reload))


def question_of(given: Mapping[str, Any]) -> Question:
    """The arguments of `search`; Refusal if they mean nothing."""
    _only(given, "query", "field", "k", "mode")
    query = _text(given, "query", MOST_QUESTION)
    if query is None or not query.strip():
        raise Refusal("query is missing", "say in a few words what the page is to be about")
    mode = given.get("mode") or "semantic"
    if mode not in get_args(Mode):
        raise Refusal(f"mode is one of {', '.join(get_args(Mode))}")
    k = _number(given, "k", 5, 1, MOST_RESULTS)
    return Question(query, _text(given, "field", _MOST_FIELD), k, cast("Mode", mode))


def reading_of(given: Mapping[str, Any]) -> Reading:
    """The arguments of `read_pages`; Refusal if they mean nothing."""
    _only(given, "names", "field", "max_bytes")
    names = given.get("names")
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list) or not names:
        raise Refusal("names is a list of names of pages", "search finds them")
    if len(names) > MOST_NAMES:
        raise Refusal(f"at most {MOST_NAMES} pages are read at once", "ask several times")
    if not all(isinstance(each, str) and 0 < len(each) <= _MOST_NAME for each in names):
        raise Refusal("a name of a page is a text, and no longer than a name can be")
    most = _number(given, "max_bytes", MOST_POINTS, LEAST_POINTS, MOST_POINTS)
    return Reading(tuple(dict.fromkeys(names)), _text(given, "field", _MOST_FIELD), most)


def setting_of(given: Mapping[str, Any]) -> Setting:
    """The arguments of `set_note`; Refusal if they mean nothing."""
    _only(given, "field", "page", "revision", "text")
    page = _text(given, "page", _MOST_NAME)
    if not page:
        raise Refusal("page is missing", "name it as read_pages does")
    text = _text(given, "text", MOST_NOTE)
    if text is None:
        raise Refusal("text is missing", 'give the note; "" takes it away')
    if given.get("revision") is None:
        raise Refusal("revision is missing", "read_pages gives it: read the page first")
    revision = _number(given, "revision", 1, 1, MOST_WHOLE, exact=True)
    return Setting(_text(given, "field", _MOST_FIELD), page, revision, text)


def cursor_of(given: Mapping[str, Any]) -> str:
    """The argument of `read_more`; Refusal if there is none."""
    _only(given, "cursor")
    cursor = _text(given, "cursor", MOST_CURSOR)
    if not cursor:
        raise Refusal("cursor is missing", "it stands in an answer that was cut")
    return cursor


def _only(given: Mapping[str, Any], *known: str) -> None:
    for name in given:
        if name not in known:
            raise Refusal(
                f"there is no argument {short(str(name), 200)!r}", f"there is {', '.join(known)}"
            )


def _text(given: Mapping[str, Any], name: str, most: int) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refusal(f"{name} is a text")
    if len(value) > most:
        raise Refusal(f"{name} is longer than {most:,} characters")
    return value


def _number(
    given: Mapping[str, Any], name: str, usual: int, least: int, most: int, *, exact: bool = False
) -> int:
    """A number, brought within its bounds; with `exact`, one outside of them is refused."""
    value = given.get(name)
    if value is None:
        return usual
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or value < 1 or (exact and value > most):
        raise Refusal(f"{name} is a whole number from {least:,} to {most:,}")
    return max(least, min(value, most))
