"""Limits: their defaults, and how a command line changes them."""

from __future__ import annotations

import pytest

from memoryfield_readers import DEFAULT_LIMITS, Limits, UnknownLimit


def test_the_defaults() -> None:
    """The defaults are those of the standard (MF607)."""
    assert Limits() == DEFAULT_LIMITS
    assert Limits(
        entries=16_384, page_bytes=2**20, file_bytes=2**26, total_bytes=2**28,
        directory_bytes=2**22, ratio=100,
    ) == DEFAULT_LIMITS  # fmt: skip
    assert Limits.names() == (
        "entries", "page-bytes", "file-bytes", "total-bytes", "directory-bytes", "ratio",
    )  # fmt: skip


def test_settings_change_some_and_leave_the_rest() -> None:
    """Each setting changes one limit; the last of a name counts; the old ones stay as they were."""
    limits = Limits(ratio=7)
    changed = limits.with_settings(["entries=5", "page-bytes=1_000", "entries=6"])
    assert changed == Limits(entries=6, page_bytes=1000, ratio=7)
    assert limits == Limits(ratio=7)
    assert limits.with_settings([]) == limits


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("", "page-bytes"),
        ("=5", "page-bytes"),
        ("pages=5", "page-bytes"),
        ("page_bytes=5", "page-bytes"),
        ("Entries=5", "page-bytes"),
        ("entries", "entries=1000000"),
        ("entries=", "entries=1000000"),
        ("entries=0", "entries=1000000"),
        ("entries=-1", "entries=1000000"),
        ("entries=many", "entries=1000000"),
        ("entries=1.5", "entries=1000000"),
        ("entries=1=2", "entries=1000000"),
        ("entries=" + "9" * 5000, "entries=1000000"),
    ],
)
def test_a_setting_that_is_none(setting: str, hint: str) -> None:
    """An unknown name, or a value that is no positive whole number, gets the way out told."""
    with pytest.raises(UnknownLimit) as caught:
        Limits().with_settings([setting])
    assert caught.value.exit_code == 2
    assert hint in (caught.value.hint or "")
