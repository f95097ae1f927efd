"""Manifest and digest: what `sha256sum` prints, the same for a field however it travels."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.readers.examples import examples

from memoryfield_readers import Manifest, NotFound, UnsafeArchive, open_field
from memoryfield_validator.conformance.raw_zip import (
    DEFLATED,
    STORED,
    Descriptor,
    Header,
    ZipEntry,
    zip_bytes,
)

KNOWN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"


def _fill(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def _digest(folder: Path) -> str:
    with open_field(folder) as field:
        return field.digest()


def _coreutils() -> tuple[int, ...]:
    """The version of `sha256sum`, if it is that of GNU coreutils, else nothing."""
    if shutil.which("sha256sum") is None:
        return ()
    done = subprocess.run(["sha256sum", "--version"], capture_output=True, check=False)
    found = re.match(rb"sha256sum \(GNU coreutils\) (\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found else ()


def test_the_known_answer(tmp_path: Path) -> None:
    """The standard's own example: `a.md` of "a" and `b.md` of "b"."""
    _fill(tmp_path, {"a.md": b"a\n", "b.md": b"b\n"})
    with open_field(tmp_path) as field:
        assert field.digest() == KNOWN
        hashes = [hashlib.sha256(letter + b"\n").hexdigest() for letter in (b"a", b"b")]
        assert field.manifest().text == f"{hashes[0]}  a.md\n{hashes[1]}  b.md\n"


SHELL_CASES = {
    "pages": ["a.md", "b.md", "a-b.md", "ab.md", "B.md"],
    "attachments": ["a.md", "data.csv", "Makefile", "+.txt"],
    "other letters": ["é.md", "日本.md", "\U0001f600.md", "\uff41.md", "e\u0301.md", "z.md"],
    "blanks": [" a.md", "a b.md", "a .md", "a\t.md"],
    "a hyphen first": ["-a.md", "--help.md"],
    "backslashes": ["a\\b.md", "\\.md", "\\n.md", "a\\\\.md", "plain.md"],
    "line feeds": ["a\nb.md", "\n.md", "plain.md"],
    "no UTF-8": [os.fsdecode(b"\xff.md"), os.fsdecode(b"caf\xe9.md"), "a.md"],
    "carriage returns": ["a\rb.md", "\r.md", "a\r\n.md", "plain.md"],
}


@pytest.mark.parametrize("names", SHELL_CASES.values(), ids=SHELL_CASES)
def test_the_digest_is_what_coreutils_prints(names: list[str], tmp_path: Path) -> None:
    """`sha256sum * | sha256sum` in the field's folder gives the pin, whatever the names."""
    version = _coreutils()
    if version < (9, 0):
        pytest.skip("GNU coreutils 9, which escapes CR too, is not here")
    _fill(tmp_path, {name: f"content of {name!a}\n".encode() for name in names})
    script = "export LC_ALL=C; sha256sum -- * > ../printed; sha256sum < ../printed"
    (tmp_path / "field").mkdir()
    for name in names:
        os.rename(tmp_path / name, tmp_path / "field" / name)
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path / "field", capture_output=True, check=True
    )
    printed = (tmp_path / "printed").read_bytes()
    with open_field(tmp_path / "field") as field:
        assert os.fsencode(field.manifest().text) == printed
        assert field.digest() == f"field-sha256:{done.stdout.decode()[:64]}"


def test_only_pages_and_attachments_count(tmp_path: Path) -> None:
    """Debris, sub-directories, indexes and the carrier's own are not in the digest."""
    _fill(tmp_path, {"a.md": b"a\n", "b.md": b"b\n"})
    _fill(tmp_path, {".hidden.md": b"x", "a.md~": b"x", "Thumbs.db": b"x", "m.sqlite3": b"x"})
    _fill(tmp_path, {"m.sqlite3-wal": b"x", "a.sync-conflict-1.md": b"x"})
    for name in ("log", ".git", "__MACOSX"):
        (tmp_path / name).mkdir()
        _fill(tmp_path / name, {"c.md": b"c\n"})
    assert _digest(tmp_path) == KNOWN


@pytest.mark.parametrize("name", ["c.md", "c.txt", "c", "m.sqlite", "m.sqlite3.md", "C.MD"])
def test_every_page_and_attachment_counts(name: str, tmp_path: Path) -> None:
    """Any other file at the root changes the digest, also an empty one."""
    _fill(tmp_path, {"a.md": b"a\n", "b.md": b"b\n", name: b""})
    assert _digest(tmp_path) != KNOWN


def test_a_field_of_nothing_has_no_digest(tmp_path: Path) -> None:
    """Without a page or attachment there is nothing that a pin could cover."""
    _fill(tmp_path, {"m.sqlite3": b"", ".x": b""})
    for location in (tmp_path, zip_bytes(), zip_bytes(ZipEntry("log/a.md", b"a\n"))):
        with open_field(location) as field, pytest.raises(NotFound):
            field.digest()


_letters = st.characters(exclude_characters="/\\:", exclude_categories=["Cs", "Cc"])
_names = st.text(_letters, min_size=1, max_size=12).map(lambda name: name + ".md")
# Stored before a descriptor, content may not hold the signature of a record.
_short = st.binary(max_size=60).filter(lambda data: b"PK" not in data)
_contents = st.one_of(_short, st.binary(max_size=3).map(lambda data: data * 5000))
_stamps = st.tuples(
    st.integers(1980, 2107), st.integers(1, 12), st.integers(1, 28),
    st.integers(0, 23), st.integers(0, 59), st.integers(0, 29).map(lambda half: half * 2),
)  # fmt: skip


@examples(60)
@given(st.data())
def test_a_directory_and_all_its_archives_are_one_field(data: st.DataObject) -> None:
    """Order, compression, times, descriptors and comments of an archive do not touch the digest."""
    files = data.draw(st.dictionaries(_names, _contents, min_size=1, max_size=6))
    assume(not any(len(name.encode()) > 200 for name in files))
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder), files)
        with open_field(folder) as field:
            assume(field.pages)  # not if every name is debris
            digest, manifest = field.digest(), field.manifest()
        archive = Path(folder) / ".field.zip"
        with zipfile.ZipFile(archive, "w") as into:
            for name in data.draw(st.permutations(sorted(files))):
                info = zipfile.ZipInfo(name, data.draw(_stamps))
                info.compress_type = data.draw(st.sampled_from([STORED, DEFLATED]))
                into.writestr(info, files[name])
            into.comment = data.draw(st.binary(max_size=9).filter(lambda text: b"PK" not in text))
        ours = zip_bytes(
            *(
                ZipEntry(
                    name, files[name], data.draw(st.sampled_from([STORED, DEFLATED])),
                    zip64=data.draw(st.booleans()),
                    descriptor=data.draw(st.sampled_from([None, Descriptor.SIGNED])),
                )
                for name in data.draw(st.permutations(sorted(files)))
            )
        )  # fmt: skip
        for location in (archive, ours):
            with open_field(location) as field:
                assert field.digest() == digest
                assert field.manifest() == manifest
                assert dict(field.manifest().hashes) == {
                    name: hashlib.sha256(files[name]).hexdigest() for name in field.pages
                }


_any_names = st.text(min_size=1, max_size=8, alphabet=st.sampled_from("a\n\r\\nr 0"))
_hashes = st.sampled_from(["0" * 64, "1" * 64])
_manifests = st.dictionaries(_any_names, _hashes, max_size=4)


@examples(500)
@given(_manifests, _manifests)
def test_two_manifests_never_have_one_text(first: dict[str, str], second: dict[str, str]) -> None:
    """Names with line ends and backslashes cannot imitate the lines of another field."""
    assert (first == second) == (Manifest.of(first).text == Manifest.of(second).text)
    assert (first == second) == (Manifest.of(first).digest == Manifest.of(second).digest)


def test_a_name_cannot_imitate_a_line() -> None:
    """The attack spelled out: one file whose name holds the line of a second."""
    honest = Manifest.of({"a.md": "0" * 64, "b.md": "1" * 64})
    forged = Manifest.of({f"a.md\n{'1' * 64}  b.md": "0" * 64})
    assert honest.text.count("\n") == 2
    assert forged.text == f"\\{'0' * 64}  a.md\\n{'1' * 64}  b.md\n"


@examples(200)
@given(st.dictionaries(st.text(max_size=5), _hashes, max_size=5))
def test_lines_are_in_the_order_of_bytes(hashes: dict[str, str]) -> None:
    """Whatever order the names come in, lines are sorted by the bytes of the UTF-8 name."""
    names = list(Manifest.of(hashes).hashes)
    assert names == sorted(names, key=lambda name: name.encode("utf-8"))
    assert Manifest.of(dict(reversed(hashes.items()))) == Manifest.of(hashes)


def test_the_archive_pin_is_the_hash_of_the_file(tmp_path: Path) -> None:
    """`sha256:` and what `sha256sum` prints for the archive, also for one that is refused."""
    data = zip_bytes(ZipEntry("a.md", bytes(600_000)))
    (tmp_path / "f.zip").write_bytes(data)
    with open_field(tmp_path / "f.zip") as field:
        assert field.archive_digest() == f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_damaged_content_has_no_digest() -> None:
    """A page whose CRC does not hold is in no digest: the whole is refused."""
    says = Header(crc=1)
    with open_field(zip_bytes(ZipEntry("a.md", b"a\n", local=says, central=says))) as field:
        with pytest.raises(UnsafeArchive):
            field.digest()
        with pytest.raises(UnsafeArchive):
            field.manifest()
