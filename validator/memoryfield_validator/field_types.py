"""The types of the defined frontmatter fields, by `frontmatter.schema.json` (MF305, MF306, MF308).

`jsonschema` judges, with format checks of our own, since its own ones depend on what else is
installed. Nearly every page is valid, so a quick judge made from the same schema goes first: it
waves through what is valid, and whatever it does not understand is left to `jsonschema`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping as MappingABC
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from memoryfield_readers.frontmatter import STR, TIMESTAMP, Frontmatter, Mapping, Node, Scalar
from memoryfield_spec import schema

from .datetimes import read_moment

DATETIME_FIELDS = ("created", "updated")

_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")

Formats: TypeAlias = MappingABC[str, Callable[[str], bool]]


class TypeProblem(NamedTuple):
    """A field whose value is not what the schema wants.

    Attributes:
        field: the name of the field.
        keyword: the schema's key word that fails: "type", "pattern", "format" and so on.
    """

    field: str
    keyword: str


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID in the form 8-4-4-4-12 of hexadecimal digits (RFC 9562)."""
    return _UUID.fullmatch(text) is not None


def is_datetime(text: str) -> bool:
    """Whether a text is an ISO 8601 date or datetime that the calendar has."""
    return read_moment(text) is not None


FORMATS: Formats = {"uuid": is_uuid, "iso-8601-datetime": is_datetime}


@cache
def defined_fields() -> tuple[str, ...]:
    """The names of the fields that the schema defines."""
    return tuple(schema("frontmatter")["properties"])


def type_problems(frontmatter: Frontmatter) -> list[TypeProblem]:
    """What the schema finds wrong with the defined fields; the order is the schema's.

    A bare date where a datetime belongs is judged by its text: that it is bare is MF304's matter.
    """
    nodes = frontmatter.nodes
    fields = {name: _json_value(name, nodes[name]) for name in defined_fields() if name in nodes}
    if _surely_valid()(fields):
        return []
    return [
        TypeProblem(str(error.absolute_path[0]), str(error.validator))
        for error in _validator().iter_errors(fields)
    ]


class _NotText:
    """Stands for what is no text to YAML but is carried as text: no schema lets it pass."""


def _json_value(name: str, node: Node) -> Any:
    if not isinstance(node, Scalar):
        return {} if isinstance(node, Mapping) else []
    is_text = node.tag == STR or (node.tag == TIMESTAMP and name in DATETIME_FIELDS)
    return node.value if is_text or not isinstance(node.value, str) else _NotText()


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator, FormatChecker

    checker = FormatChecker(formats=())  # none of its own
    for name, check in FORMATS.items():
        checker.checkers[name] = (_for_strings(check), ())
    return Draft202012Validator(schema("frontmatter"), format_checker=checker)


def _for_strings(check: Callable[[str], bool]) -> Callable[[object], bool]:
    """A format check that lets pass what is no string, as `format` has it; `type` judges that."""
    return lambda value: not isinstance(value, str) or check(value)


@cache
def _surely_valid() -> Callable[[MappingABC[str, Any]], bool]:
    """A judge that says True only of what is valid, made from the schema."""
    checks = {
        name: check
        for name, part in schema("frontmatter")["properties"].items()
        if (check := _string_check(part)) is not None
    }

    def judge(fields: MappingABC[str, Any]) -> bool:
        for name, value in fields.items():
            check = checks.get(name)
            if check is None or not isinstance(value, str) or not check(value):
                return False
        return True

    return judge


def _string_check(part: MappingABC[str, Any]) -> Callable[[str], bool] | None:
    """The check of a string that a sub-schema demands; None if it says more than we read here."""
    demands = set(part) - {"title", "description", "examples"}
    if part.get("type") != "string" or not demands <= {"type", "pattern", "format"}:
        return None
    pattern = re.compile(part.get("pattern", ""))
    is_format = FORMATS[part["format"]] if "format" in part else None

    def check(text: str) -> bool:
        return pattern.search(text) is not None and (is_format is None or is_format(text))

    return check
