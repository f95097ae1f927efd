"""The pins are those of the standard, and coreutils agree."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from tests.cli.command import GOOD, KNOWN, KNOWN_PIN, archive, call, folder, spawn
from tests.cli.coreutils import needs_coreutils, shell

from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

FILES = {
    "b.md": b"b\r\n",
    "a.md": GOOD,
    "a-b.md": b"",
    "B.md": b"\xff\x00",
    "a.b.md": b"\xef\xbb\xbf",
    "\u00e9t\u00e9.md": b"summer\n",
    "z z.md": b"blank\n",
    "10.md": b"10\n",
    "9.md": b"9\n",
}
"""Names that a locale would sort otherwise than their bytes."""


def test_known_answer(places: Path) -> None:
    """The pin of the standard's own example, as a folder and as an archive."""
    for place in ("known", "known.memoryfield.zip"):
        assert call("digest", places / place).out == f"{KNOWN_PIN}\n"


def test_manifest_of_the_known_answer(places: Path) -> None:
    """The manifest is the lines whose hash is the pin."""
    lines = "".join(f"{hashlib.sha256(data).hexdigest()}  {n}\n" for n, data in KNOWN.items())
    for place in ("known", "known.memoryfield.zip"):
        assert call("digest", "--manifest", places / place).out == lines


@needs_coreutils
def test_coreutils_agree(tmp_path: Path) -> None:
    """The pin is what the two commands of the help print."""
    path = folder(tmp_path / "field", FILES)
    pin = call("digest", path).out
    by_hand = shell("(export LC_ALL=C; sha256sum *.md | sha256sum)", path)
    assert pin.encode() == b"field-sha256:" + by_hand.split()[0] + b"\n"
    assert spawn("digest", "--help").out.count("(export LC_ALL=C; sha256sum *.md | sha256sum)") == 1


@needs_coreutils
def test_manifest_in_a_pipe_gives_the_pin(tmp_path: Path) -> None:
    """`digest --manifest | sha256sum` gives the pin, and `sha256sum --check` takes the manifest."""
    path = folder(tmp_path / "field", FILES | {"heat.csv": b"1,2\n"})
    piped = shell("memoryfield digest --manifest . | sha256sum", path)
    assert call("digest", path).out.encode() == b"field-sha256:" + piped.split()[0] + b"\n"
    checked = shell("memoryfield digest --manifest . | LC_ALL=C.UTF-8 sha256sum --check", path)
    assert checked.count(b": OK\n") == len(FILES) + 1


@needs_coreutils
@pytest.mark.parametrize("name", ["a\\b.md", "a\nb.md", "a\rb.md", "\\.md", "a\\nb.md"])
def test_names_that_could_imitate_a_line(name: str, tmp_path: Path) -> None:
    """A name with a backslash or a line end is escaped just as coreutils escape it."""
    path = folder(tmp_path / "field", {"a.md": b"a\n", name: b"b\n", "z.md": b"z\n"})
    by_hand = shell("export LC_ALL=C; sha256sum *.md", path)
    assert spawn("digest", "--manifest", path).stdout == by_hand


@needs_coreutils
def test_archive_pin_is_the_hash_of_the_file(places: Path) -> None:
    """`digest --archive` prints what `sha256sum FILE` does."""
    for place in ("good", "known", "warned"):
        name = f"{place}.memoryfield.zip"
        by_hand = shell(f"sha256sum {name}", places)
        assert call("digest", "--archive", places / name).out == f"sha256:{by_hand.decode()[:64]}\n"


def test_pin_is_the_same_however_the_field_travels(tmp_path: Path) -> None:
    """Neither order, compression, times nor what is no part of the field change the pin."""
    path = folder(tmp_path / "field", FILES)
    pin = call("digest", path).out
    backwards = [ZipEntry(name, data) for name, data in reversed(FILES.items())]
    squeezed = [ZipEntry(name, data, method=DEFLATED) for name, data in FILES.items()]
    beside = [ZipEntry(".DS_Store", b"x"), ZipEntry("log/x.md", b"x"), ZipEntry("m.sqlite3", b"x")]
    for number, entries in enumerate([backwards, squeezed, [*beside, *backwards]]):
        packed = tmp_path / f"{number}.memoryfield.zip"
        packed.write_bytes(zip_bytes(*entries))
        assert call("digest", packed).out == pin
    for name in FILES:
        os.utime(path / name, (0, 0))
    folder(path, {".DS_Store": b"x", "b.md~": b"x", "m.sqlite3": b"x", "m.sqlite3-wal": b"x"})
    folder(path / "log", {"x.md": b"x"})
    folder(path / ".git", {"x.md": b"x"})
    assert call("digest", path).out == pin


@pytest.mark.parametrize("changed", ["renamed", "added", "removed", "edited", "attached"])
def test_any_change_of_the_field_changes_the_pin(changed: str, tmp_path: Path) -> None:
    """Pages, attachments and their names are covered, to the last byte."""
    files = dict(FILES)
    if changed == "renamed":
        files["c.md"] = files.pop("b.md")
    elif changed == "added":
        files["c.md"] = b""
    elif changed == "removed":
        del files["a-b.md"]
    elif changed == "edited":
        files["b.md"] = b"b\n"
    else:
        files["heat.csv"] = b""
    before = call("digest", folder(tmp_path / "before", FILES)).out
    assert call("digest", folder(tmp_path / "after", files)).out != before
    assert call("digest", archive(tmp_path / "after.zip", files)).out != before


def test_pin_is_the_one_of_every_command(places: Path) -> None:
    """`validate`, `info` and `digest` name the same pin, as text and as JSON."""
    for place in ("known", "known.memoryfield.zip"):
        location = places / place
        assert KNOWN_PIN in call("validate", location).out
        assert f"digest       {KNOWN_PIN}\n" in call("info", location).out
        assert call("validate", "--format", "json", location).json["digest"] == KNOWN_PIN
        assert call("info", "--format", "json", location).json["digest"] == KNOWN_PIN


def test_attachments_alone_have_a_pin(tmp_path: Path) -> None:
    """A folder without a page is no good field, but what is there can be pinned."""
    path = folder(tmp_path / "field", {"heat.csv": b"1\n"})
    assert call("digest", path).code == 0
    assert call("validate", path).code == 1


@pytest.mark.parametrize("options", [[], ["--manifest"]])
def test_nothing_to_pin(options: list[str], tmp_path: Path) -> None:
    """Debris, indexes and sub-directories alone leave nothing to pin."""
    path = folder(tmp_path / "field", {".x.md": b"x", "m.sqlite3": b"x"})
    folder(path / "log", {"x.md": b"x"})
    done = call("digest", *options, path)
    assert (done.code, done.stdout) == (1, b"")
    assert done.err == f"memoryfield: {path}: there is no page to pin\n"


def test_damaged_archive_has_an_archive_pin_only_if_it_is_safe(places: Path) -> None:
    """Even the hash of the file is refused, so that no unsafe archive gets pinned."""
    done = call("digest", "--archive", places / "unsafe.memoryfield.zip")
    assert (done.code, done.stdout) == (3, b"")


def test_json_holds_both_pins(tmp_path: Path) -> None:
    """As JSON, `digest` gives field pin and archive pin, and with `--manifest` the hashes."""
    path = folder(tmp_path / "known", KNOWN)
    answer = call("digest", "--format", "json", path).json
    assert answer == {
        "version": 1, "location": str(path), "digest": KNOWN_PIN, "archive_pin": None,
    }  # fmt: skip
    full = call("digest", "--manifest", "--format", "json", path).json
    hashes = [hashlib.sha256(KNOWN[name]).hexdigest() for name in ("a.md", "b.md")]
    assert full == answer | {
        "manifest": [
            {"name": name, "sha256": digest}
            for name, digest in zip(("a.md", "b.md"), hashes, strict=True)
        ]
    }
