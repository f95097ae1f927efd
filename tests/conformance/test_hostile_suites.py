"""A suite that somebody else wrote can neither write outside its folder nor exhaust a machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.suites import (
    STEEL,
    Given,
    archive,
    case_of,
    field,
    page_case,
    suite_in,
    toml,
)

from memoryfield_readers import DEFAULT_LIMITS, LocationError
from memoryfield_validator.conformance import (
    Archive,
    BrokenCase,
    CannotCarry,
    Case,
    File,
    load_suite,
    make_place,
    read_case,
)
from memoryfield_validator.conformance.export import export_suite

NAMES = [
    "../x", "x/../../y", "..", ".", "./x", "/x", "//x", "/", "x/", "x//y", "x/.", "x/..", "a\0b",
    "\0",
]  # fmt: skip
FILE_NAMES = [
    "../x.zip", "..", ".", "/x.zip", "x/y.zip", "x\\y.zip", "..\\x.zip", "a\0b.zip", "a\nb.zip",
    "a\x1b[2Jb.zip", "a\u202eb.zip",
]  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder for the scratch folder to be in, in which nothing else may appear."""
    folder = tmp_path / "outside"
    (folder / "scratch").mkdir(parents=True)
    yield folder
    assert [path.name for path in folder.iterdir()] == ["scratch"]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_lead_elsewhere_are_refused(name: str, tmp_path: Path) -> None:
    """A name that climbs, is absolute, has an empty component or a NUL is a broken case."""
    for what in ({"text": ""}, {"link": "a"}, {"special": "folder"}):
        with pytest.raises(BrokenCase, match=r"mf304-one\.toml: .*is no plain relative path"):
            case_of(field({"name": name, **what}), tmp_path)
    with pytest.raises(BrokenCase):
        File(name, b"")


def test_names_of_bytes_are_no_way_around(tmp_path: Path) -> None:
    """Base64 of `../x`, and of no name at all, is refused just as well."""
    for name in ("Li4veA==", ""):
        with pytest.raises(BrokenCase, match="is no plain relative path"):
            case_of(field({"name-base64": name, "text": ""}), tmp_path)


@pytest.mark.parametrize("name", FILE_NAMES)
def test_archives_stand_in_their_folder(name: str, tmp_path: Path) -> None:
    """The file name of an archive has neither a slash nor what a list of files cannot hold."""
    given = archive(archive={"file-name": name, "bytes": {"text": ""}})
    with pytest.raises(BrokenCase, match=r"mf604-archive\.toml: the file name .* is no plain name"):
        case_of(given, tmp_path)
    with pytest.raises(BrokenCase):
        Archive(name, b"")


def test_an_archive_may_hold_what_it_likes(outside: Path, tmp_path: Path) -> None:
    """Names within an archive are what such cases are about: they are written, never unpacked."""
    names = ("../../x", "/x", "a\0b", "")
    entries = [{"name": name, "text": "x"} for name in names]
    case = case_of(archive(archive={"entries": entries}), tmp_path)
    place = make_place(case, "archive", outside / "scratch")
    assert b"../../x" in place.read_bytes()
    assert list((outside / "scratch").iterdir()) == [place]


def made_by_hand(*files: File) -> Case:
    """A case that never stood in a file."""
    return Case("x", "field", "x", "x.", 1, (), {}, DEFAULT_LIMITS, None, files, None, {}, "1xx")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("name", ["x/y.md", "x/y/z.md", "x/../x/y.md"])
def test_nothing_is_written_through_a_link(name: str, outside: Path, tmp_path: Path) -> None:
    """A link in place of a folder above a file is not followed, whoever made the case."""
    target = tmp_path / "target"
    target.mkdir()
    link = File("x", link=str(target))
    for special in (None, "folder"):
        try:
            case = made_by_hand(link, File(name, b"" if special is None else None, special=special))
            make_place(case, "directory", outside / "scratch")
        except (CannotCarry, BrokenCase):
            for path in (outside / "scratch").glob("field"):
                path.rename(tmp_path / f"field {special}")
        else:
            pytest.fail("it was made")
    assert list(target.iterdir()) == []


def test_a_link_leads_out_and_stays_a_link(outside: Path, tmp_path: Path) -> None:
    """The target of a link is anything; it is neither read nor written."""
    case = case_of(field({"name": "a.md", "link": "../../../secret"}), tmp_path)
    place = make_place(case, "directory", outside / "scratch")
    assert os.readlink(place / "a.md") == "../../../secret"


@pytest.mark.parametrize(
    "given",
    [
        field({"name": "../../evil.md", "text": "x"}),
        archive(archive={"file-name": "../../../evil.zip", "bytes": {"text": ""}}),
        field(id="mf304-one") | {"id": "../evil"},
    ],
    ids=["file", "archive", "id"],
)
def test_an_export_stays_in_its_folder(given: Given, outside: Path, tmp_path: Path) -> None:
    """A suite with such a name is not exported at all."""
    root = suite_in(tmp_path / "suite", field(id="mf304-good"))
    (root / "cases" / "3xx" / "evil.toml").write_bytes(toml(given).encode())
    with pytest.raises(BrokenCase):
        export_suite(load_suite(root), outside / "scratch")
    assert list((outside / "scratch").iterdir()) == []


def test_an_export_does_not_follow_a_link_in_its_place(tmp_path: Path) -> None:
    """A link to nowhere in place of the folder is refused; what it names is not made."""
    suite = load_suite(suite_in(tmp_path / "suite", field()))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(LocationError, match="cannot be written"):
        export_suite(suite, tmp_path / "link")
    assert not (tmp_path / "nowhere").exists()


MOST_FILE = 1024 * 1024
MOST_REPEATED = 16 * 1024 * 1024


def test_a_case_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    """So many bytes are read, and one more to know that there are more."""
    path = tmp_path / "mf304-one.toml"
    text = toml(field()).encode()
    path.write_bytes(text + b"#" * (MOST_FILE - len(text)))
    assert read_case(path, "3xx").id == "mf304-one"
    with path.open("ab") as file:
        file.write(b"#")
    with pytest.raises(BrokenCase, match="is longer than 1048576 bytes") as caught:
        read_case(path, "3xx")
    assert caught.value.location == str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such device")
def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    """A link to a device is no case of a suite; one that is read all the same is not read on."""
    root = suite_in(tmp_path, field())
    (root / "cases" / "3xx" / "x.toml").symlink_to("/dev/zero")
    assert [case.id for case in load_suite(root).cases] == ["mf304-one"]
    with pytest.raises(BrokenCase, match="is longer than 1048576 bytes"):
        read_case(root / "cases" / "3xx" / "x.toml", "3xx")


def repeated(*times: int, of: str = "x" * 1000) -> list[Given]:
    """Files that repeat a text so many times."""
    return [
        {"name": f"{number}.md", "pieces": [{"repeat": of, "times": count}]}
        for number, count in enumerate(times)
    ]


def test_repeated_bytes_are_bounded_in_all(tmp_path: Path) -> None:
    """The bound is for all pieces of a case together, so that several files are no way around."""
    page = {"name": "a.md", "text": STEEL}
    fits, over = MOST_REPEATED // 4000, MOST_REPEATED // 1000 + 1
    assert len(case_of(field(page, *repeated(fits // 2, fits // 2)), tmp_path).files) == 3
    says = "its pieces repeat to more than 16777216 bytes"
    for files in (
        repeated(over),
        repeated(*[over // 8 + 1] * 8),
        repeated(over // 2, of="é" * 1000),
    ):
        with pytest.raises(BrokenCase, match=says) as caught:
            case_of(field(page, *files), tmp_path)
        assert caught.value.location == str(tmp_path / "mf304-one.toml")


def test_repeated_bytes_are_bounded_everywhere(tmp_path: Path) -> None:
    """Also in an archive, in a page, and where no schema has looked yet."""
    many = {"pieces": [{"repeat": "x" * 1000, "times": MOST_REPEATED // 1000 + 1}]}
    for given in (
        archive(archive={"entries": [{"name": "a.md", **many}]}),
        archive(archive={"entries": [{"name": "a.md", "text": "", "data": many}]}),
        archive(archive={"entries": [], "suffix": many}),
        archive(archive={"bytes": many}),
        page_case(page=many),
        field(other={"deep": [[many]]}),
    ):
        with pytest.raises(BrokenCase, match="its pieces repeat to more than"):
            case_of(given, tmp_path)


def test_as_many_repeated_bytes_as_the_bound_are_made(tmp_path: Path) -> None:
    """A byte counts as one: the bound is told in bytes."""
    files = repeated(MOST_REPEATED // 512, of="x" * 512)
    [file] = case_of(field(*files), tmp_path).files
    assert len(file.content or b"") == MOST_REPEATED
