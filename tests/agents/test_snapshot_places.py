"""The same digest and options are the same bytes, wherever the field lives, in every process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, GOOD, archive, call, folder, neutral_environment
from tests.readers.locked_fields import AT, lock_location
from tests.readers.places import Place, packed, place

from memoryfield_agents.snapshots import SessionSnapshot, snapshot
from memoryfield_readers import PinMismatch, SourceUnavailable, memory_field, open_field

FILES = {
    "index.md": GOOD,
    "b.md": b"b\r\n" * 200,
    "a.md": "caf\u00e9 \u202e\n".encode(),
    "été 1.md": b"\xef\xbb\xbfno line end",
    "latin.md": b"caf\xe9\n",
    "pan.png": bytes(range(256)),
    "notes~": b"debris\n",
}
BUDGET = 1_700
"""With which some pages are left out."""


def expected() -> str:
    with memory_field(FILES) as field:
        found = snapshot(field, budget=BUDGET)
    assert found.included
    assert found.left_out
    return found.text


@pytest.fixture(
    scope="module",
    params=["folder", "archive", "served", "served-with-archive", "archive-by-http", "git"],
)
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The field at one of the places."""
    with place(request.param, tmp_path_factory.mktemp("place"), FILES) as made:
        yield made


def test_the_same_bytes_wherever_it_lives(at: Place) -> None:
    """And the text names no place."""
    with at.open() as field:
        found = snapshot(field, budget=BUDGET)
        assert found.text == expected()
        assert found.digest == field.digest()
        assert field.location not in found.text


def test_an_archive_in_any_order_packed_anyhow() -> None:
    """Neither the order of its entries nor their compression is seen."""
    for files in (FILES, dict(reversed(FILES.items()))):
        with open_field(packed(files)) as field:
            assert snapshot(field, budget=BUDGET).text == expected()


SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LANG": "C", "LC_ALL": "C", "HOME": "/none"},
    {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LANG": "tr_TR.UTF-8", "PYTHONUTF8": "1"},
    {"PYTHONHASHSEED": "3", "PYTHONIOENCODING": "ascii", "COLUMNS": "20", "PYTHONUNBUFFERED": "1"},
)


def test_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    """Whatever its hash seed, time zone, language, encoding and folder: prompt caches hold."""
    places = [
        folder(tmp_path / "x" / "one", dict(reversed(FILES.items()))),
        archive(tmp_path / "y.memoryfield.zip", FILES),
        folder(tmp_path / "z", FILES),
    ]
    os.utime(places[0] / "a.md", (0, 0))
    for where, surroundings in zip(places, SURROUNDINGS, strict=True):
        done = subprocess.run(
            [COMMAND, "snapshot", "--budget", str(BUDGET), where.name],
            cwd=where.parent,
            env=neutral_environment() | surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        assert done.stdout == expected().encode()
        assert done.stderr == b""


def test_a_locked_field_with_and_without_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`@NAME` gives the same bytes, offline from the cache too; one that was changed gives none."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with place("archive-by-http", tmp_path, FILES) as made:
        lock_location(made.location, made.open, tmp_path, monkeypatch)
        assert call("fetch", "--locked").code == 0
        kept = SessionSnapshot(AT, budget=BUDGET, storage_options={"retries": 0})
        assert kept.text == expected()
        made.put({**FILES, "a.md": b"another\n"})
    for options in ([], ["--offline"]):
        done = call("snapshot", AT, "--budget", str(BUDGET), *options)
        assert (done.code, done.stdout) == (0, expected().encode()), done.err
    assert SessionSnapshot(AT, budget=BUDGET, offline=True).text == expected()
    assert not kept.refresh()
    assert call("cache", "clear", "--yes").code == 0
    done = call("snapshot", AT, "--offline")
    assert (done.code, done.stdout) == (4, b"")
    with pytest.raises(SourceUnavailable):
        kept.refresh()


def test_what_is_not_what_was_pinned_gives_none(tmp_path: Path) -> None:
    """By a pin on the command line and in Python."""
    where = folder(tmp_path / "f", FILES)
    with open_field(where) as field:
        pin = field.digest()
    options = ("--pin", pin, "--budget", str(BUDGET))
    assert call("snapshot", where, *options).stdout == expected().encode()
    (where / "latin.md").write_bytes(b"caf\xe8\n")
    done = call("snapshot", where, *options)
    assert (done.code, done.stdout) == (3, b"")
    with pytest.raises(PinMismatch):
        SessionSnapshot(str(where), pin=pin)
