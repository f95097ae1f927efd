"""The types of the defined fields are those of the schema, however quickly they are judged."""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from memoryfield_readers import Frontmatter, FrontmatterState
from memoryfield_readers.frontmatter import Mapping, Node, Scalar, Sequence
from memoryfield_spec import schema
from memoryfield_validator.field_types import (
    FORMATS,
    TypeProblem,
    _string_check,
    _surely_valid,
    defined_fields,
    is_datetime,
    is_uuid,
    type_problems,
)

UUID = "6aa615f0-486f-48a7-a210-ba4f5ff18c8b"


def mutated(texts: list[str]) -> st.SearchStrategy[str]:
    """Texts of which a character may be left out, doubled or replaced."""

    def change(parts: tuple[str, int, int, str]) -> str:
        text, at, drop, put = parts
        at %= len(text) + 1
        return text[:at] + put + text[at + drop :]

    any_text, odd = st.sampled_from(texts), st.sampled_from(["", *"09-:Zz \nTgA+٣"])
    changes = st.tuples(any_text, st.integers(0, 40), st.integers(0, 1), odd)
    return any_text | changes.map(change)


TEXTS = (
    mutated([UUID, UUID.upper(), "00000000-0000-0000-0000-000000000000", f"urn:uuid:{UUID}"])
    | mutated(["2026-08-22", "2026-08-22T14:30:00Z", "2024-02-29 23:59:60+02:00", "2026-08-22T14"])
    | st.sampled_from(["", " ", "\t\r\n", "\u3000", "\u200b", "x", "no", "\x00", "\x0b"])
    | st.text(max_size=5)
)
JSON: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.builds(list),
    st.builds(dict),
)
FIELDS = st.dictionaries(st.sampled_from(defined_fields()), TEXTS | JSON)


@cache
def pure() -> Any:
    """The schema and its formats, as any program would check them."""
    checker = FormatChecker(formats=())

    @checker.checks("uuid")
    def _uuid(value: object) -> bool:
        return not isinstance(value, str) or is_uuid(value)

    @checker.checks("iso-8601-datetime")
    def _datetime(value: object) -> bool:
        return not isinstance(value, str) or is_datetime(value)

    return Draft202012Validator(schema("frontmatter"), format_checker=checker)


def problems(fields: dict[str, Any]) -> set[tuple[str, str]]:
    """Field and key word of everything that the schema refuses."""
    return {(str(e.absolute_path[0]), str(e.validator)) for e in pure().iter_errors(fields)}


def node(value: Any) -> Node:
    """A value as frontmatter holds it."""
    if isinstance(value, list):
        return Sequence((), 0, 0)
    if isinstance(value, dict):
        return Mapping((), 0, 0)
    tags = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}
    return Scalar(str(value), tags[type(value)], value, "", 0, 0)


def nodes(fields: MappingABC[str, Any]) -> dict[str, Node]:
    """Values as frontmatter holds them, by field."""
    return {name: node(value) for name, value in fields.items()}


def frontmatter(fields: dict[str, Node]) -> Frontmatter:
    """Frontmatter with these fields."""
    pairs = tuple((Scalar(name, "str", name, "", 0, 0), value) for name, value in fields.items())
    return Frontmatter(FrontmatterState.PARSED, Mapping(pairs, 0, 0))


@settings(max_examples=500, deadline=None)
@given(FIELDS)
@example({"title": "\n"})
@example({"uuid": UUID + "\n"})
@example({"created": "2026-08-22\n"})
def test_what_is_waved_through_is_valid(fields: dict[str, Any]) -> None:
    """The quick judge lets pass only what the schema lets pass."""
    if _surely_valid(nodes(fields)):
        assert problems(fields) == set()


@settings(max_examples=500, deadline=None)
@given(FIELDS)
def test_verdict_is_that_of_the_schema(fields: dict[str, Any]) -> None:
    """All together they find exactly what `jsonschema` finds, field by field."""
    found = type_problems(frontmatter(nodes(fields)))
    assert set(found) == problems(fields)
    assert len(set(found)) == len(found)


@given(
    st.dictionaries(
        st.sampled_from([*defined_fields()]), st.sampled_from(["x", UUID, "2026-08-22"])
    )
)
def test_plain_valid_fields_take_the_quick_way(fields: dict[str, str]) -> None:
    """The quick judge understands the whole schema: what is valid does not need `jsonschema`."""
    assert _surely_valid(nodes(fields)) == (problems(fields) == set())


@pytest.mark.parametrize("name", defined_fields())
@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("timestamp", "2026-08-22"),
        ("float", ".nan"),
        ("float", "-.inf"),
        ("int", "9" * 4400),
        ("binary", "aGVhdA=="),
        ("merge", "<<"),
        ("value", "="),
    ],
)
def test_what_is_carried_as_text_is_no_text(name: str, tag: str, text: str) -> None:
    """What is text only because JSON has no equal is refused; a bare date has its own id."""
    found = type_problems(frontmatter({name: Scalar(text, tag, text, "", 0, 0)}))
    is_date = tag == "timestamp" and name in ("created", "updated")
    assert found == ([] if is_date else [TypeProblem(name, "type")])


@pytest.mark.parametrize(
    "demands", [{"type": "string", "minLength": 1}, {"type": "integer"}, {"enum": ["x"]}, {}]
)
def test_what_the_quick_judge_does_not_understand_is_left_to_jsonschema(
    demands: dict[str, object],
) -> None:
    """A demand that is not read has no quick check, so that nothing is waved through by it."""
    assert _string_check(demands) is None
    assert _string_check({"type": "string", "description": "x"}) is not None


def test_fields_that_are_not_defined_are_never_wrong() -> None:
    """Other fields are nobody's business, and none of the defined ones is demanded."""
    assert type_problems(frontmatter({"author": node(5), "Title": node(None)})) == []
    assert type_problems(frontmatter({})) == []


def test_formats_of_the_schema_are_known() -> None:
    """Each format that the schema names has a check, and no check is for nothing."""
    parts = schema("frontmatter")["properties"].values()
    named = {part["format"] for part in parts if "format" in part}
    assert named == set(FORMATS)


def test_formats_do_not_depend_on_what_is_installed() -> None:
    """Only our own checks run: a value that the schema calls fine is fine for `jsonschema`, too."""
    assert problems({"created": "2026-08-22"}) == set()
    assert problems({"uuid": UUID.upper()}) == set()
    assert problems({"uuid": UUID.replace("-", "")}) == {("uuid", "format")}
