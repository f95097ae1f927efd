"""The commands that write, on an archive in S3."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import KNOWN, KNOWN_PIN, Outcome, call, folder
from tests.readers.servers.s3_world import KEYS, S3World, s3_world

pytest.importorskip("s3fs")


@pytest.fixture
def s3() -> Iterator[S3World]:
    with s3_world() as world:
        yield world


@pytest.fixture
def bucket(s3: S3World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A bucket with nothing in it; the credentials stand in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS["key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS["secret"])
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.gate.url)
    monkeypatch.chdir(tmp_path)
    return s3.server.bucket()


def good(done: Outcome) -> str:
    assert done.code == 0, done.err
    return done.out


@pytest.mark.skipif(sys.platform == "win32", reason="the editor is a shell script")
def test_a_field_in_s3(s3: S3World, bucket: str, tmp_path: Path) -> None:
    """It is made, edited and unpacked like any other; who comes too late is told."""
    place = f"s3://{bucket}/notes.memoryfield.zip"
    first = good(call("init", place)).strip()
    assert call("init", place).code == 5
    assert good(call("new", place, "Steel woks")) == "steel-woks.md\n"
    assert good(call("write", place, "plan.txt", stdin=b"x")).startswith("added plan.txt\n")
    assert "renamed" in good(call("mv", "--links", place, "steel-woks.md", "woks.md"))
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho More. >> "$1"\n')
    script.chmod(0o755)
    good(call("edit", place, "woks.md", env={"EDITOR": str(script)}))
    assert call("rm", place, "plan.txt", "--expect", first).code == 5
    good(call("rm", place, "plan.txt"))
    good(call("unpack", place, "here"))
    assert sorted(path.name for path in Path("here").iterdir()) == ["index.md", "woks.md"]
    assert call("digest", "here").out == call("digest", place).out
    assert call("recover", place).code == 2


def test_packed_into_s3(s3: S3World, bucket: str, tmp_path: Path) -> None:
    """What is there is left alone, unless it is that very archive."""
    field = folder(tmp_path / "known", KNOWN)
    place = f"s3://{bucket}/known.memoryfield.zip"
    assert KNOWN_PIN in good(call("pack", field, "-o", place))
    assert good(call("pack", "--format", "json", field, "-o", place))
    folder(field, {"c.md": b"c\n"})
    assert call("pack", field, "-o", place).code == 5
    good(call("pack", "--replace", field, "-o", place))
    assert call("digest", field).out == call("digest", place).out
