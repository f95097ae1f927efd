"""The same files stand in every place that can carry them, and nothing else does."""

from __future__ import annotations

import os
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.suites import (
    STEEL,
    Given,
    archive,
    case_of,
    digest,
    field,
    page_case,
)

from memoryfield_readers import open_field
from memoryfield_validator.conformance import (
    SOURCES,
    CannotCarry,
    Case,
    File,
    Ours,
    make_place,
    run_cases,
    sources_of,
)
from memoryfield_validator.conformance.places import archive_bytes

FILES: list[Given] = [
    {"name": "b.md", "text": STEEL},
    {"name": "a.md", "pieces": [{"repeat": "xy\r\n", "times": 30_000}]},
    {"name": "x/y/pan.png", "base64": "/wA="},
    {"name": "x/é\u0301 ok.txt", "text": ""},
    {"name": "empty/folder", "special": "folder"},
]
CONTENT = {
    "b.md": STEEL.encode(),
    "a.md": b"xy\r\n" * 30_000,
    "x/y/pan.png": b"\xff\0",
    "x/é\u0301 ok.txt": b"",
}


def made(case: Case, source: str, folder: Path) -> Path:
    """The place that is made of a case, in a folder of its own."""
    scratch = folder / source
    scratch.mkdir()
    return make_place(case, source, scratch)


def test_a_directory_holds_the_files(tmp_path: Path) -> None:
    """Each file has its bytes, each folder that is to be empty is, and there is nothing else."""
    root = made(case_of(field(*FILES), tmp_path), "directory", tmp_path)
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    files = {name: path.read_bytes() for name, path in found.items() if path.is_file()}
    assert files == CONTENT
    assert set(found) - set(files) == {"x", "x/y", "empty", "empty/folder"}


def test_archives_hold_the_files(tmp_path: Path) -> None:
    """Stored in the order of the case, deflated in the opposite one: neither may matter."""
    case = case_of(field(*FILES), tmp_path)
    orders = []
    for source, method in (("archive", 0), ("archive-deflated", 8)):
        with zipfile.ZipFile(made(case, source, tmp_path)) as unzipped:
            names = unzipped.namelist()
            assert {n: unzipped.read(n) for n in names if not n.endswith("/")} == CONTENT
            assert set(names) - set(CONTENT) == {"empty/folder/"}
            methods = {info.compress_type for info in unzipped.infolist() if info.file_size}
            assert methods == {method}
            assert unzipped.testzip() is None
            orders.append(names)
    assert orders[0][:4] == ["b.md", "a.md", "x/y/pan.png", "x/é\u0301 ok.txt"]
    assert orders[1] == orders[0][::-1]


def test_all_sources_have_one_digest(tmp_path: Path) -> None:
    """What our own readers find is the same everywhere."""
    files = [each for each in FILES if "special" not in each]
    case = case_of(field(*files), tmp_path)
    digests = set()
    for source in SOURCES:
        with open_field(made(case, source, tmp_path)) as opened:
            digests.add(opened.digest())
    assert len(digests) == 1


def test_an_archive_of_a_case_is_its_bytes(tmp_path: Path) -> None:
    """It is given under its own name, from one source, and by no other way."""
    given = archive(archive={"file-name": "My field.ZIP", "bytes": {"base64": "UEs="}})
    case = case_of(given, tmp_path)
    assert sources_of(case) == ("archive",)
    place = made(case, "archive", tmp_path)
    assert (place.name, place.read_bytes()) == ("My field.ZIP", b"PK")


def test_a_page_is_a_field_of_one(tmp_path: Path) -> None:
    """A page stands as `page.md`, in a directory and in archives."""
    case = case_of(page_case(), tmp_path)
    assert sources_of(case) == SOURCES
    root = made(case, "directory", tmp_path)
    assert [path.name for path in root.iterdir()] == ["page.md"]
    assert (root / "page.md").read_bytes() == case.given
    with zipfile.ZipFile(made(case, "archive", tmp_path)) as unzipped:
        assert {name: unzipped.read(name) for name in unzipped.namelist()} == {
            "page.md": case.given
        }


def test_no_files_make_an_empty_place(tmp_path: Path) -> None:
    """A field without a file is an empty folder, and an archive that another reader opens."""
    case = case_of(field(files=[]), tmp_path)
    assert list(made(case, "directory", tmp_path).iterdir()) == []
    with zipfile.ZipFile(made(case, "archive", tmp_path)) as unzipped:
        assert unzipped.namelist() == []


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (None, ("directory", "archive", "archive-deflated")),
        (["directory"], ("directory",)),
        (["archive"], ("archive", "archive-deflated")),
        (["archive", "directory"], ("directory", "archive", "archive-deflated")),
    ],
)
def test_a_case_says_what_can_carry_it(
    sources: list[str] | None, expected: tuple[str, ...], tmp_path: Path
) -> None:
    """`sources` names kinds of sources; an archive is one whether it is deflated or not."""
    for given in (field(sources=sources), digest(sources=sources)):
        assert sources_of(case_of(given, tmp_path)) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
def test_links_and_fifos_are_what_they_are(tmp_path: Path) -> None:
    """A link keeps its text, even to nowhere, and a FIFO is one that nobody writes to."""
    files: list[Given] = [
        {"name": "a.md", "link": "no/where"},
        {"name": "x/b.md", "link": "../x"},
        {"name": "f", "special": "fifo"},
    ]
    case = case_of(field(*files), tmp_path)
    root = made(case, "directory", tmp_path)
    assert os.readlink(root / "a.md") == "no/where"
    assert os.readlink(root / "x" / "b.md") == "../x"
    assert (root / "f").is_fifo()


@pytest.mark.parametrize("file", [{"link": "b.md"}, {"special": "fifo"}])
def test_an_archive_cannot_hold_links_and_fifos(file: Given, tmp_path: Path) -> None:
    """They are refused, and not written as something else."""
    case = case_of(field({"name": "a.md", **file}), tmp_path)
    for source in ("archive", "archive-deflated"):
        with pytest.raises(CannotCarry, match=r"'a\.md'"):
            made(case, source, tmp_path)
    with pytest.raises(CannotCarry):
        archive_bytes(case.files)


@pytest.mark.parametrize("name", ["x" * 300 + ".md", "x/" * 3000 + "a.md"])
def test_what_the_file_system_cannot_hold_is_skipped(name: str, tmp_path: Path) -> None:
    """A name that is too long is no fault of whoever is judged: the case is skipped, with why."""
    case = case_of(field({"name": name, "text": ""}, sources=["directory"]), tmp_path)
    with pytest.raises(CannotCarry, match="this machine cannot make"):
        made(case, "directory", tmp_path)
    [outcome] = run_cases([case], Ours(), scratch=tmp_path)
    assert outcome.result == "skipped"
    assert "this machine cannot make" in (outcome.reason or "")


def test_an_archive_name_that_cannot_be_is_skipped(tmp_path: Path) -> None:
    """So is an archive whose file name is too long."""
    case = case_of(archive(archive={"file-name": "x" * 300, "bytes": {"text": ""}}), tmp_path)
    with pytest.raises(CannotCarry, match="this machine cannot write"):
        made(case, "archive", tmp_path)


def test_two_names_of_one_file_are_skipped(tmp_path: Path) -> None:
    """Where a file system makes one file of two names, neither passes for both."""
    both = field({"name": "a.md", "text": "1"}, {"name": "A.md", "text": "2"})
    case = case_of(both, tmp_path)
    (tmp_path / "probe").touch()
    if not (tmp_path / "PROBE").exists():
        root = made(case, "directory", tmp_path)
        assert sorted(path.read_text() for path in root.iterdir()) == ["1", "2"]
        case = replace(case, given=(File("a.md", b"1"), File("a.md", b"2")))
    (tmp_path / "again").mkdir()
    with pytest.raises(CannotCarry, match=r"this machine cannot make '[aA]\.md'"):
        made(case, "directory", tmp_path / "again")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
def test_a_name_that_is_not_utf_8_stands_on_disk(tmp_path: Path) -> None:
    """Its bytes are the name, and an archive has the same ones."""
    case = case_of(field({"name-base64": "6S5tZA==", "text": "x"}), tmp_path)
    assert os.listdir(os.fsencode(made(case, "directory", tmp_path))) == [b"\xe9.md"]
    assert made(case, "archive", tmp_path).read_bytes().count(b"\xe9.md") == 2
