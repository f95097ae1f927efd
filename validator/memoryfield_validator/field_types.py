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
    if _surely_valid(nodes):
        return []
    fields = {name: _json_value(name, nodes[name]) for name in defined_fields() if name in nodes}
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


def _surely_valid(nodes: MappingABC[str, Node]) -> bool:
    """A quick judge, made from the schema, that says True only of what is valid."""
    for name, check in _string_checks():
        node = nodes.get(name)
        if node is not None and (
            node.__class__ is not Scalar or node.tag != STR or check is None or not check(node.text)
        ):
            return False
    return True


@cache
def _string_checks() -> tuple[tuple[str, Callable[[str], object] | None], ...]:
    """For each defined field what a string must meet; None where the schema says more than that."""
    return tuple(
        (name, _string_check(part)) for name, part in schema("frontmatter")["properties"].items()
    )


def _string_check(part: MappingABC[str, Any]) -> Callable[[str], object] | None:
    demands = set(part) - {"title", "description", "examples"}
    if demands == {"type"}:
        found: Callable[[str], object] | None = _anything
    elif demands == {"type", "pattern"}:
        found = re.compile(part["pattern"]).search
    elif demands == {"type", "format"}:
        found = FORMATS.get(part["format"])
    else:
        found = None
    return found if part.get("type") == "string" else None


def _anything(text: str) -> bool:
    return True
