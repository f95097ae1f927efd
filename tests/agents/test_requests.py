"""Which fields a server is started with, and the names that they have."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryfield_agents import AmbiguousName, Request
from memoryfield_agents.fields.requests import NAME, fitting_name, named, requests_of
from memoryfield_readers import LocationError


@pytest.mark.parametrize(
    ("text", "location", "name"),
    [
        ("notes=my-field/", "my-field/", "notes"),
        ("my-field/", "my-field/", None),
        ("n=@handbook", "@handbook", "n"),
        ("@handbook", "@handbook", None),
        ("@a=b", "@a=b", None),
        ("https://h/x?a=b", "https://h/x?a=b", None),
        ("web=https://h/x?a=b", "https://h/x?a=b", "web"),
        ("s3://bucket/a=b/", "s3://bucket/a=b/", None),
        ("C:\\fields\\a=b", "C:\\fields\\a=b", None),
        ("win=C:\\fields\\a=b", "C:\\fields\\a=b", "win"),
        (".\\a=b", ".\\a=b", None),
        ("./a=b", "./a=b", None),
        ("x=y=z", "y=z", "x"),
        ("git@host:a=b", "git@host:a=b", None),
        ("=a", "=a", None),
        ("n=a\nb", "a\nb", "n"),
    ],
)
def test_a_name_and_a_location(text: str, location: str, name: str | None) -> None:
    assert Request.parse(text) == Request(location, name)


@pytest.mark.parametrize("name", ["A", "a_b", "-a", "a-", "a b", "\xe4", "a" * 65, "a.b", "a\n"])
def test_what_is_no_name(name: str) -> None:
    """A URL, a tool and a path have the name as it is."""
    with pytest.raises(LocationError, match="is no name for a field") as caught:
        Request.parse(f"{name}=https://user:secret@host/")
    assert "secret" not in str(caught.value)
    assert "./PATH" in str(caught.value.hint)


def test_a_name_without_a_location() -> None:
    with pytest.raises(LocationError, match="no location behind the name"):
        Request.parse("notes=")


def test_a_text_that_stands_twice_asks_once() -> None:
    assert requests_of(["a", "b", "a"]) == (Request("a"), Request("b"))
    assert requests_of(["n=a", "n=a"]) == (Request("a", "n"),)


def test_a_name_that_is_given_twice() -> None:
    with pytest.raises(AmbiguousName, match="b"):
        requests_of(["n=a", "n=b"])


def test_fields_of_one_name() -> None:
    """Their own names clash, or that of one with the name given to the other."""
    for texts, own in (
        (["x/notes", "y/notes"], ["Notes", "notes"]),
        (["notes=x", "y"], ["a", "notes"]),
        (["y", "notes=x"], ["notes", "a"]),
        (["@notes", "notes=x"], ["a", "b"]),
    ):
        with pytest.raises(AmbiguousName, match="two fields would have this name") as caught:
            named(requests_of(texts), own)
        assert "NAME=LOCATION" in str(caught.value.hint)


def test_no_credential_is_told() -> None:
    with pytest.raises(AmbiguousName) as caught:
        requests_of(["n=https://me:secret@host/a/", "n=https://host/b/?token=secret"])
    assert "secret" not in str(caught.value)


def test_a_locked_field_has_its_name_in_the_lock_file() -> None:
    requests = named(requests_of(["@handbook", "@Big_Woks", "x=@woks"]), ["main", "main", "main"])
    assert [each.name for each in requests] == ["handbook", "big-woks", "x"]


@settings(max_examples=80)
@given(st.text(max_size=100))
@example("")
@example("a" * 63 + ".b")
@example("\u0130")
def test_any_field_has_a_name_that_fits(own: str) -> None:
    """Also one whose folder has a name that no URL could have."""
    assert NAME.fullmatch(fitting_name(own))


def test_names_stay_readable() -> None:
    assert fitting_name("My Field (2026)") == "my-field-2026"
    assert fitting_name("\u65e5\u672c") == "field"
