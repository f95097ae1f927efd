"""A file is put in its place, whether one is there, comes, or goes meanwhile."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import GOOD, KNOWN, folder

from memoryfield_readers import BatchRejected, WriteConflict
from memoryfield_readers.holding import held_field
from memoryfield_writer.putting import put
from memoryfield_writer.result import Applied

SECONDS = 60


@pytest.fixture
def field(tmp_path: Path) -> Path:
    return folder(tmp_path / "field", {"woks.md": GOOD, **KNOWN})


def kinds(applied: Applied) -> list[tuple[str, str]]:
    return [(change.kind, change.name) for change in applied.changes]


def test_added_and_replaced(field: Path) -> None:
    """Pages and attachments alike."""
    for name in ("new.md", "new.txt"):
        assert kinds(put(str(field), name, b"1\n")) == [("added", name)]
        assert kinds(put(str(field), name, b"2\n")) == [("changed", name)]
        assert kinds(put(str(field), name, b"2\n")) == []
        assert (field / name).read_bytes() == b"2\n"


def test_a_page_is_stamped_as_what_it_is(field: Path) -> None:
    """A new one is filled in, one that is there keeps what it was."""
    stamp = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
    put(str(field), "new.md", b"# New\n", stamp=stamp)
    put(str(field), "woks.md", b"# Other\n", stamp=stamp)
    assert b"title: New\n" in (field / "new.md").read_bytes()
    assert b"title: Carbon Fibre Woks\n" in (field / "woks.md").read_bytes()


def while_it_waits(field: Path, name: str, meanwhile: Callable[[], object]) -> Applied:
    """What comes of a file that is put while another writer does something."""
    waits = threading.Event()
    done: list[Applied] = []

    def write() -> None:
        waiting: dict[str, Any] = {"wait": SECONDS, "waiting": lambda line: waits.set()}
        done.append(put(str(field), name, b"mine\n", **waiting))

    thread = threading.Thread(target=write)
    with held_field(field, wait=0, location="field"):
        thread.start()
        assert waits.wait(SECONDS)
        meanwhile()
    thread.join(SECONDS)
    [applied] = done
    return applied


def test_the_file_comes_meanwhile(field: Path) -> None:
    """It is replaced then."""
    applied = while_it_waits(field, "new.md", lambda: (field / "new.md").write_bytes(b"theirs\n"))
    assert kinds(applied) == [("changed", "new.md")]
    assert (field / "new.md").read_bytes() == b"mine\n"


def test_the_file_goes_meanwhile(field: Path) -> None:
    """It is added then."""
    applied = while_it_waits(field, "a.md", (field / "a.md").unlink)
    assert kinds(applied) == [("added", "a.md")]
    assert (field / "a.md").read_bytes() == b"mine\n"


def test_only_if_it_is_that_file(field: Path) -> None:
    """Otherwise nothing is added or replaced."""
    known = hashlib.sha256(KNOWN["a.md"]).hexdigest()
    assert kinds(put(str(field), "a.md", b"1\n", if_sha256=known)) == [("changed", "a.md")]
    with pytest.raises(WriteConflict):
        put(str(field), "a.md", b"2\n", if_sha256=known)
    with pytest.raises(BatchRejected):
        put(str(field), "new.md", b"2\n", if_sha256=known)
    assert (field / "a.md").read_bytes() == b"1\n"
    assert not (field / "new.md").exists()


def test_what_is_rejected_is_not_tried_again(field: Path) -> None:
    """The reason is told as it is."""
    with pytest.raises(BatchRejected, match="MF301"):
        put(str(field), "a.md", b"---\ntitle: a: b\n---\nText\n")
