"""Archives made by the writers that people use are accepted, and are the same field."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryfield_readers import inspect_field, open_field

PAGES = {
    "index.md": b"---\ntitle: Woks\n---\n" + b"Carbon fibre woks conduct heat unevenly.\n" * 200,
    "empty.md": b"",
    "noise.bin": bytes(range(256)) * 8,
    "caf\u00e9.txt": b"coffee\n",
}
Writer = Callable[[Path, Path], None]


class Pipe(io.BytesIO):
    """A pipe, as far as a writer can tell: what is written cannot be mended afterwards."""

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise io.UnsupportedOperation("seek")

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")


def _by_zipfile(
    method: int, *, seekable: bool = True, zip64: bool = False, folders: bool = False
) -> Writer:
    def write(folder: Path, archive: Path) -> None:
        target = io.BytesIO() if seekable else Pipe()
        with zipfile.ZipFile(target, "w", method) as into:
            if folders:
                into.mkdir("log")
                into.writestr("log/today.txt", b"nothing\n")
            for path in sorted(folder.iterdir()):
                with into.open(path.name, "w", force_zip64=zip64) as entry:
                    entry.write(path.read_bytes())
            into.comment = b"written by zipfile"
        archive.write_bytes(target.getvalue())

    return write


def _by_command(*command: str, stdin: bool = False, stdout: bool = False) -> Writer:
    """A command run in the field's folder; `ARCHIVE` and `FILES` stand for what they say."""

    def write(folder: Path, archive: Path) -> None:
        if shutil.which(command[0]) is None:
            pytest.skip(f"there is no `{command[0]}` here")
        names = sorted(os.listdir(folder))
        filled: list[str] = []
        for word in command:
            filled += names if word == "FILES" else [word.replace("ARCHIVE", str(archive))]
        done = subprocess.run(
            filled,
            cwd=folder,
            input="\n".join(names) if stdin else None,
            capture_output=True,
            encoding="utf-8" if stdin else None,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            check=True,
        )
        if stdout:
            archive.write_bytes(done.stdout)

    return write


def _by_git(folder: Path, archive: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no `git` here")
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        [*identity, "commit", "-qm", "pages"],
        ["archive", "--format=zip", "-o", str(archive), "HEAD"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, env=_no_git_configuration())


def _no_git_configuration() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


WRITERS: dict[str, Writer] = {
    "zipfile, stored": _by_zipfile(zipfile.ZIP_STORED),
    "zipfile, deflated": _by_zipfile(zipfile.ZIP_DEFLATED),
    "zipfile, folders": _by_zipfile(zipfile.ZIP_DEFLATED, folders=True),
    "zipfile, stored to a pipe": _by_zipfile(zipfile.ZIP_STORED, seekable=False),
    "zipfile, deflated to a pipe": _by_zipfile(zipfile.ZIP_DEFLATED, seekable=False),
    "zipfile, zip64": _by_zipfile(zipfile.ZIP_DEFLATED, zip64=True),
    "zipfile, zip64 to a pipe": _by_zipfile(zipfile.ZIP_DEFLATED, seekable=False, zip64=True),
    "zip": _by_command("zip", "-q", "ARCHIVE", "FILES"),
    "zip, stored": _by_command("zip", "-q0", "ARCHIVE", "FILES"),
    "zip, best": _by_command("zip", "-q9X", "ARCHIVE", "FILES"),
    "zip, recursive": _by_command("zip", "-qr", "ARCHIVE", "."),
    "zip, with descriptors": _by_command("zip", "-qfd", "ARCHIVE", "FILES"),
    "zip, zip64": _by_command("zip", "-qfz", "ARCHIVE", "FILES"),
    "zip, to a pipe": _by_command("zip", "-q", "-", "FILES", stdout=True),
    "zip, names from a pipe": _by_command("zip", "-q", "ARCHIVE", "-@", stdin=True),
    "zip, UTF-8": _by_command("zip", "-qUN=UTF8", "ARCHIVE", "FILES"),
    "jar": _by_command("jar", "--create", "--file", "ARCHIVE", "FILES"),
    "jar, stored": _by_command("jar", "cf0M", "ARCHIVE", "FILES"),
    "jar, no manifest": _by_command("jar", "cfM", "ARCHIVE", "FILES"),
    "bsdtar": _by_command("bsdtar", "--format", "zip", "-cf", "ARCHIVE", "FILES"),
    "7z": _by_command("7z", "a", "-bso0", "-tzip", "ARCHIVE", "FILES"),
    "git archive": _by_git,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory that is the field."""
    path = tmp_path / "field"
    path.mkdir()
    for name, content in PAGES.items():
        (path / name).write_bytes(content)
    return path


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_real_archive_is_the_same_field(writer: Writer, folder: Path, tmp_path: Path) -> None:
    """It opens, its pages are those of the directory, byte for byte, and so is its digest."""
    with open_field(folder) as field:
        digest = field.digest()
    archive = tmp_path / "field.memoryfield.zip"
    writer(folder, archive)
    with open_field(archive) as field:
        assert {fault.rule for fault in field.faults} <= {"MF609"}
        names = (*field.pages, *field.attachments)
        assert {name: b"".join(field.chunks(name)) for name in names} == PAGES
        assert field.digest() == digest
        assert list(field.damaged()) == []
        assert field.name == "field"


def test_zipfile_appending_a_page_again_is_refused(folder: Path, tmp_path: Path) -> None:
    """Mode "a" leaves two entries of one name, of which neither is served."""
    archive = tmp_path / "field.zip"
    _by_zipfile(zipfile.ZIP_DEFLATED)(folder, archive)
    with (
        zipfile.ZipFile(archive, "a") as into,
        pytest.warns(UserWarning, match=r"Duplicate name: 'index\.md'"),
    ):
        into.writestr("index.md", b"# New\n")
    with inspect_field(archive) as field:
        assert [(fault.rule, fault.entry) for fault in field.faults] == [("MF604", "index.md")]
        assert field.pages == ("empty.md",)


def test_zipfile_with_other_methods_is_refused(tmp_path: Path) -> None:
    """Archives that only some readers can inflate are refused, though they are whole."""
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        archive = tmp_path / f"{method}.zip"
        with zipfile.ZipFile(archive, "w", method) as into:
            into.writestr("a.md", b"# A\n")
        with inspect_field(archive) as field:
            assert [(fault.rule, fault.entry) for fault in field.faults] == [("MF605", "a.md")]


def test_an_encrypted_archive_is_refused(folder: Path, tmp_path: Path) -> None:
    """A password-protected archive by `zip` names each entry that cannot be read."""
    archive = tmp_path / "secret.zip"
    _by_command("zip", "-q", "-P", "secret", "ARCHIVE", "index.md")(folder, archive)
    with inspect_field(archive) as field:
        assert [(fault.rule, fault.entry) for fault in field.faults] == [("MF605", "index.md")]


def test_links_kept_by_zip_are_refused(folder: Path, tmp_path: Path) -> None:
    """`zip -y` keeps a symbolic link as an entry whose content is its target: MF605."""
    (folder / "link.md").symlink_to("/etc/passwd")
    archive = tmp_path / "links.zip"
    _by_command("zip", "-qy", "ARCHIVE", "FILES")(folder, archive)
    with inspect_field(archive) as field:
        faults = [fault for fault in field.faults if fault.rule != "MF609"]
        assert [(fault.rule, fault.entry) for fault in faults] == [("MF605", "link.md")]
        assert "link.md" not in field.pages


def test_a_zipped_folder_has_no_pages_at_its_root(folder: Path, tmp_path: Path) -> None:
    """A folder zipped in place of its contents is never stripped: it has no page."""
    archive = tmp_path / "wrapped.zip"
    with zipfile.ZipFile(archive, "w") as into:
        for name, content in PAGES.items():
            into.writestr(f"my-field/{name}", content)
    with open_field(archive) as field:
        assert (field.pages, field.attachments, field.folders) == ((), (), ("my-field",))
        assert len(list(field.nested())) == len(PAGES)


def test_what_finder_adds_is_debris(tmp_path: Path) -> None:
    """`__MACOSX/` and `._` files are debris: not pages, not in the digest."""
    archive = tmp_path / "mac.zip"
    with zipfile.ZipFile(archive, "w") as into:
        into.writestr("a.md", b"a\n")
        into.writestr("b.md", b"b\n")
        into.writestr("__MACOSX/._a.md", b"\x00\x05\x16\x07")
        into.writestr("._b.md", b"\x00\x05\x16\x07")
        into.writestr(".DS_Store", b"\0")
    with open_field(archive) as field:
        assert field.pages == ("a.md", "b.md")
        assert field.debris == (".DS_Store", "._b.md", "__MACOSX/")
        known = "61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"
        assert field.digest() == f"field-sha256:{known}"
