"""Who each page is, whose child, and which pages cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.notes.sample_fields import ONE, TWO, field_of, page

from memoryfield_notes.identity import Seen, sight_of, uuid_of
from memoryfield_readers import EmptyField, Limits, memory_field


def seen_of(pages: dict[str, str | bytes]) -> dict[str, Seen]:
    with field_of(pages) as field:
        return {each.name.removesuffix(".md"): each for each in sight_of(field).pages}


def test_what_is_seen_of_a_field() -> None:
    pages: dict[str, str | bytes] = {"a": page("A", ONE.upper()), "b": "B"}
    with field_of(pages, "my-field") as field:
        sight = sight_of(field)
        assert (sight.name, sight.location, sight.pin) == ("my-field", "<memory>", field.digest())
        assert [each.name for each in sight.pages] == ["a.md", "b.md"]
        assert [each.id for each in sight.pages] == [ONE, "b.md"]
        for each in sight.pages:
            found = field.page(each.name)
            assert (each.text, each.sha256) == (found.text, found.sha256)
        assert uuid_of(field.page("a.md")) == ONE
        assert uuid_of(field.page("b.md")) is None


@pytest.mark.parametrize(
    "stated",
    [
        ONE[:-1],
        ONE + "0",
        f"{{{ONE}}}",
        f"urn:uuid:{ONE}",
        "x",
        f'"{ONE}\\n"',
        ONE.replace("-", ""),
        "[]",
    ],
)
def test_what_is_no_uuid_names_nobody(stated: str) -> None:
    assert seen_of({"a": page("A", stated)})["a"].id == "a.md"


def test_a_uuid_that_two_pages_state_is_neithers() -> None:
    seen = seen_of({"a": page("A", ONE), "b": page("B", ONE.upper()), "c": page("C", TWO, ONE)})
    assert [each.id for each in seen.values()] == ["a.md", "b.md", TWO]
    assert seen["c"].parent == ONE


@pytest.mark.parametrize(
    ("stated", "parent"),
    [
        ("a", ONE),
        ("a.md", ONE),
        (ONE.upper(), ONE),
        ("b", "b.md"),
        (TWO.upper(), TWO),
        ("ghost", "ghost"),
        ("A", "A"),
        ('""', None),
        ("[a, b]", None),
        ("x" * 1001, None),
        ('"\\uD800"', None),
        ("c", "c.md"),
    ],
)
def test_parents(stated: str, parent: str | None) -> None:
    pages: dict[str, str | bytes] = {"a": page("A", ONE), "b": "B", "c": page("C", parent=stated)}
    assert seen_of(pages)["c"].parent == parent


def test_pages_that_cannot_be_read_are_told() -> None:
    files = {"a.md": b"x" * 99, "b.md": b"B", "\udcff.md": b"C"}
    with memory_field(files, limits=Limits(page_bytes=50)) as field:
        sight = sight_of(field)
        assert [each.name for each in sight.pages] == ["b.md"]
        assert {*sight.unread} == {"a.md", "\udcff.md"}
        assert sight.pin == field.digest()


def test_an_empty_field_has_no_pin() -> None:
    with memory_field({}) as field, pytest.raises(EmptyField):
        sight_of(field)


@given(st.dictionaries(st.sampled_from("abc"), st.binary(max_size=80), min_size=1))
def test_any_bytes_have_an_identity(files: dict[str, bytes]) -> None:
    fields = {f"{name}.md": b"---\nuuid: " + data for name, data in files.items()}
    with memory_field(fields) as field:
        pages = sight_of(field).pages
    assert len({each.id for each in pages}) == len(pages) == len(files)
    for each in pages:
        each.text.encode()
        assert each.id in (each.name, each.id.lower())
        assert each.parent is None
