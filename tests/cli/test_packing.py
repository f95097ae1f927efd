"""`pack`, `unpack`, `repack` and `recover` print what they made, and refuse what they must."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.command import GOOD, KNOWN, KNOWN_PIN, archive, call, folder
from tests.cli.harmless import assert_harmless

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

KNOWN_ARCHIVE = "sha256:45c0f2506b8745f2ec522425f9599914a29be4e1960f59e823f1e20173b753c1"
"""The known answer of the standard for the two pages of `KNOWN`."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a field that is packed to a known answer."""
    folder(tmp_path / "known", KNOWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pack(place: Path) -> None:
    """The archive is that of the standard, named after the field, with a checksum beside it."""
    done = call("pack", "known/")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["known.memoryfield.zip", KNOWN_PIN, KNOWN_ARCHIVE]
    packed = (place / "known.memoryfield.zip").read_bytes()
    assert f"sha256:{hashlib.sha256(packed).hexdigest()}" == KNOWN_ARCHIVE
    assert call("pin", "known.memoryfield.zip").out.split() == [KNOWN_PIN, KNOWN_ARCHIVE]
    line = (place / "known.memoryfield.zip.sha256").read_text()
    assert line == f"{KNOWN_ARCHIVE.removeprefix('sha256:')}  known.memoryfield.zip\n"


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="coreutils are not there")
def test_checksum_is_that_of_coreutils(place: Path) -> None:
    """Also for a name with a backslash in it."""
    name = "a\\b.memoryfield.zip"
    assert call("pack", "known", "-o", name).code == 0
    subprocess.run(
        ["sha256sum", "-c", f"{name}.sha256"], cwd=place, check=True, capture_output=True
    )


def test_pack_as_json(place: Path) -> None:
    """One closed object."""
    (place / "known" / ".DS_Store").write_bytes(b"x")
    done = call("pack", "--format", "json", "known", "--no-checksum")
    assert done.code == 0
    assert done.json == {
        "version": 1,
        "path": "known.memoryfield.zip",
        "digest": KNOWN_PIN,
        "archive_pin": KNOWN_ARCHIVE,
        "entries": 2,
        "bytes": 194,
        "left_out": 1,
        "unchanged": False,
    }
    assert "left out 1 file or folder that" in done.err
    assert not (place / "known.memoryfield.zip.sha256").exists()
    assert call("pack", "--format", "json", "known").json["unchanged"] is True


def test_pack_leaves_another_file_alone(place: Path) -> None:
    """Unless it is told to."""
    (place / "x.zip").write_bytes(b"mine")
    done = call("pack", "known", "-o", "x.zip")
    assert (done.code, done.out, done.err.count("\n")) == (5, "", 1)
    assert (place / "x.zip").read_bytes() == b"mine"
    assert call("pack", "known", "-o", "x.zip", "--replace").code == 0
    assert call("pin", "x.zip").out.split()[1] == KNOWN_ARCHIVE


def test_pack_refuses_what_it_cannot_do(place: Path) -> None:
    """With one line, and nothing is made."""
    folder(place / "empty", {})
    for arguments, code in [
        (["missing"], 4),
        (["known", "-o", "known/inside.zip"], 2),
        (["known", "-o", "missing/x.zip"], 4),
        (["-"], 2),
    ]:
        done = call("pack", *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (code, "", 1), (arguments, done.err)
    assert {path.name for path in place.iterdir()} == {"known", "empty"}


def test_unpack(place: Path) -> None:
    """The folder has what the archive had, and nothing stands in its way."""
    archive(place / "known.memoryfield.zip", KNOWN)
    done = call("unpack", "known.memoryfield.zip", "out")
    assert (done.code, done.out, done.err) == (0, f"out\n{KNOWN_PIN}\n", "")
    assert {path.name: path.read_bytes() for path in (place / "out").iterdir()} == KNOWN
    again = call("unpack", "--format", "json", "known.memoryfield.zip", "out")
    assert (again.code, again.out) == (5, "")
    done = call("unpack", "--format", "json", "known.memoryfield.zip", "other")
    assert done.json == {"version": 1, "path": "other", "digest": KNOWN_PIN, "files": 2}


def test_unpack_refuses_an_unsafe_archive(places: Path, place: Path) -> None:
    """And leaves nothing."""
    for name, code in {"unsafe": 3, "cut": 3, "missing": 4}.items():
        done = call("unpack", places / f"{name}.memoryfield.zip", "out")
        assert (done.code, done.out) == (code, "")
        assert not (place / "out").exists()


def test_repack(place: Path) -> None:
    """In place, an archive becomes the one that is the same everywhere."""
    entries = [ZipEntry(".DS_Store", b"x"), *(ZipEntry(n, KNOWN[n]) for n in ("b.md", "a.md"))]
    (place / "x.zip").write_bytes(zip_bytes(*entries, comment=b"mine"))
    done = call("repack", "x.zip", "--no-checksum")
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["x.zip", KNOWN_PIN, KNOWN_ARCHIVE]
    assert call("repack", "--format", "json", "x.zip").json["unchanged"] is True


def test_repack_unwraps(place: Path) -> None:
    """A folder in an archive is a field if it is named; else the hint names it."""
    wrapped = [ZipEntry(f"known/{name}", KNOWN[name]) for name in KNOWN]
    (place / "x.zip").write_bytes(zip_bytes(*wrapped))
    before = (place / "x.zip").read_bytes()
    done = call("repack", "x.zip")
    assert done.code in (2, 5)
    assert "--root known" in done.err
    done = call("repack", "--root", "known", "x.zip", "-o", "y.memoryfield.zip")
    assert done.code == 0, done.err
    assert done.out.splitlines()[1:] == [KNOWN_PIN, KNOWN_ARCHIVE]
    assert (place / "x.zip").read_bytes() == before


def test_recover_with_nothing_to_do(place: Path) -> None:
    """That is good news."""
    archive(place / "known.memoryfield.zip", KNOWN)
    for location in ("known", "known.memoryfield.zip"):
        done = call("recover", location)
        assert (done.code, done.err) == (0, "")
        assert done.out == f"{location}: nothing was left to do\n"
        assert call("recover", "--format", "json", location).json == {
            "version": 1,
            "location": location,
            "action": "nothing",
            "files": [],
        }
    assert call("recover", "missing").code == 4
    assert call("recover", "https://example.org/x.zip").code == 2


def test_names_are_shown_escaped(place: Path) -> None:
    """What is packed and where it goes cannot move the cursor."""
    name = "a \x1b[2J\u202e"
    folder(place / name, {"woks.md": GOOD})
    for arguments in (
        ["pack", name],
        ["unpack", f"{name}.memoryfield.zip", f"{name} out"],
        ["repack", f"{name}.memoryfield.zip"],
        ["recover", name],
        ["pack", f"{name} missing"],
        ["unpack", f"{name}.memoryfield.zip", f"{name} out"],
    ):
        done = call(*arguments)
        assert_harmless(done.stdout + done.stderr)
        json = call(arguments[0], "--format", "json", *arguments[1:])
        assert json.stdout.isascii()
        assert_harmless(json.stderr)
