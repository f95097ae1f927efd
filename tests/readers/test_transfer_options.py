"""What a program may say about how sources elsewhere are reached, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest

from memoryfield_readers import LocationError, open_field
from memoryfield_readers.transfer.options import TransferOptions

LOCATIONS = (
    "https://127.0.0.1:1/f/",
    "s3://bucket/f/",
    "github://owner/repo",
    "git+https://127.0.0.1:1/f",
    "memory://f/",
)
NO_MAPPING: dict[str, tuple[Any, str]] = {
    "list": ([1], "a mapping from names to values, not list"),
    "pairs": ([("retries", 1)], "a mapping from names to values, not list"),
    "empty list": ([], "a mapping from names to values, not list"),
    "text": ("retries=1", "a mapping from names to values, not str"),
    "number": (0, "a mapping from names to values, not int"),
    "set": ({"anon"}, "a mapping from names to values, not set"),
    "name of None": ({None: 1}, "the name of an option must be text, not NoneType"),
    "name in bytes": ({"anon": True, b"retries": 1}, "must be text, not bytes"),
    "number for a name": ({1: 2}, "the name of an option must be text, not int"),
}


@pytest.mark.parametrize("location", LOCATIONS)
@pytest.mark.parametrize(("said", "expected"), NO_MAPPING.values(), ids=NO_MAPPING)
def test_no_mapping_from_names(said: Any, expected: str, location: str) -> None:
    """What is no such mapping is wrong usage, which says what is; no request is made."""
    with pytest.raises(LocationError) as caught:
        open_field(location, storage_options=said)
    assert expected in caught.value.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", "10"), ("timeout", 0), ("timeout", True), ("timeout", None),
        ("timeout", float("nan")), ("timeout", 10**400), ("timeout", [1]),
        ("retries", 1.0), ("retries", -1), ("retries", False), ("retries", 101), ("retries", None),
        ("anon", 1), ("anon", "true"), ("anon", None),
    ],
    ids=repr,
)  # fmt: skip
def test_values_that_make_no_sense(name: str, value: object) -> None:
    """The option is named, with what it may be."""
    with pytest.raises(LocationError, match=f"^the option {name} must be "):
        TransferOptions.of({name: value})


def test_no_options() -> None:
    """None of them is as good as no mapping."""
    assert TransferOptions.of(None) == TransferOptions.of({}) == TransferOptions()
