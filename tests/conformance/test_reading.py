"""A case says what is meant: every form of bytes, of names and of archives, and what is chosen."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.suites import (
    Given,
    archive,
    case_of,
    cases_of,
    dated,
    digest,
    field,
    page_case,
    suite_in,
    toml,
)

from memoryfield_readers import DEFAULT_LIMITS, Limits
from memoryfield_spec import examples
from memoryfield_validator.conformance import (
    Archive,
    BrokenCase,
    File,
    NoSuchCase,
    Suite,
    load_suite,
)

FORMS: dict[str, tuple[dict[str, Any], bytes]] = {
    "text": ({"text": "é\n"}, b"\xc3\xa9\n"),
    "no text": ({"text": ""}, b""),
    "line ends": ({"text": "a\r\nb\rc\n"}, b"a\r\nb\rc\n"),
    "control characters": ({"text": "\x00\x1b\x7f"}, b"\x00\x1b\x7f"),
    "base64": ({"base64": "/wD+"}, b"\xff\x00\xfe"),
    "base64 in lines": ({"base64": " /w\n\tD+\n"}, b"\xff\x00\xfe"),
    "base64 with padding": ({"base64": "/w=="}, b"\xff"),
    "no base64": ({"base64": ""}, b""),
    "one piece": ({"pieces": [{"text": "a"}]}, b"a"),
    "pieces": (
        {"pieces": [{"text": "é"}, {"base64": "/w=="}, {"repeat": "ab", "times": 3}, {"text": ""}]},
        b"\xc3\xa9\xffababab",
    ),
    "once": ({"pieces": [{"repeat": "é", "times": 1}]}, b"\xc3\xa9"),
}


@pytest.mark.parametrize(("given", "content"), FORMS.values(), ids=FORMS)
def test_every_form_gives_bytes(given: dict[str, Any], content: bytes, tmp_path: Path) -> None:
    """A form gives the same bytes in a file, in a page, in an entry and as a whole archive."""
    assert case_of(field({"name": "a.md", **given}), tmp_path).files == (File("a.md", content),)
    assert case_of(page_case(page=given), tmp_path).given == content
    assert case_of(archive(archive={"bytes": given}), tmp_path).given == Archive(
        "field.memoryfield.zip", content
    )
    entries = [{"name": "a.md", **given}]
    assert _unpacked(case_of(archive(archive={"entries": entries}), tmp_path).given) == {
        "a.md": content
    }


def _unpacked(given: object) -> dict[str, bytes]:
    """What another program than ours finds in an archive."""
    assert isinstance(given, Archive)
    with zipfile.ZipFile(BytesIO(given.data)) as unzipped:
        return {name: unzipped.read(name) for name in unzipped.namelist()}


def test_an_example_is_the_text_of_the_standard(tmp_path: Path) -> None:
    """`example` stands for the bytes of the example of that id in SPEC.md."""
    case = case_of(field({"name": "example.md", "example": "bare-date"}), tmp_path)
    assert case.files[0].content == examples()["bare-date"].text.encode()
    assert b"created: 2026" in case.files[0].content


def test_files_of_every_kind(tmp_path: Path) -> None:
    """A link has its target, a FIFO and an empty folder their word, and none of them content."""
    case = case_of(
        field(
            {"name": "a.md", "link": "../b"},
            {"name": "f", "special": "fifo"},
            {"name": "x/y", "special": "folder"},
        ),
        tmp_path,
    )
    assert case.files == (
        File("a.md", link="../b"),
        File("f", special="fifo"),
        File("x/y", special="folder"),
    )


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """The bytes of a name survive: surrogate escaped in a field, as they are in an archive."""
    name = {"name-base64": "Y2Fm6S5tZA==", "text": ""}  # café.md in Latin-1
    case = case_of(field(name), tmp_path)
    assert case.files[0].name.encode("utf-8", "surrogateescape") == b"caf\xe9.md"
    given = case_of(archive(archive={"entries": [name]}), tmp_path).given
    assert isinstance(given, Archive)
    assert given.data.count(b"caf\xe9.md") == 2


def test_text_names_of_an_archive_are_marked_where_they_must_be(tmp_path: Path) -> None:
    """Another reader finds a name beyond ASCII as it was written."""
    entries = [{"name": "é.md", "text": "x"}, {"name": "a.md", "text": "y"}]
    given = case_of(archive(archive={"entries": entries}), tmp_path).given
    assert _unpacked(given) == {"é.md": b"x", "a.md": b"y"}


def test_deflated_entries_need_no_compressor(tmp_path: Path) -> None:
    """An entry of method 8 is stored blocks of at most 65535 bytes, which any reader reads."""
    pieces = [{"repeat": "x", "times": 65_536}]
    entries = [{"name": "a.md", "method": 8, "pieces": pieces}, {"name": "b.md", "method": 8}]
    given = case_of(archive(archive={"entries": entries}), tmp_path).given
    assert _unpacked(given) == {"a.md": b"x" * 65_536, "b.md": b""}
    assert isinstance(given, Archive)
    assert b"\x00\xff\xff\x00\x00" + b"x" * 65_535 + b"\x01\x01\x00\xfe\xffx" in given.data


def test_an_archive_says_what_it_is_told_to_say(tmp_path: Path) -> None:
    """What stands around the entries, in headers and at the end, stands where it belongs."""
    made = {
        "file-name": "x y.zip",
        "prefix": {"text": "<prefix>"},
        "entries": [
            {"name": "a.md", "text": "a", "gap": {"text": "<gap>"},
             "local": {"name-base64": "/w==", "date": 1}, "central": {"comment": {"text": "<c>"}}},
        ],
        "before-directory": {"text": "<directory>"},
        "before-end": {"text": "<end>"},
        "comment": {"text": "<comment>"},
        "suffix": {"text": "<suffix>"},
        "end": {"entries-here": 513},
        "cut": 1,
    }  # fmt: skip
    given = case_of(archive(archive=made), tmp_path).given
    assert isinstance(given, Archive)
    assert given.file_name == "x y.zip"
    order = [b"<prefix>", b"<gap>", b"PK\3\4", b"\xffa<directory>", b"PK\1\2", b"a.md<c><end>"]
    order += [b"PK\5\6\0\0\0\0\x01\x02\x01\0", b"\x09\0<comment><suffix"]
    places = [given.data.index(each) for each in order]
    assert places == sorted(places)
    assert given.data.endswith(b"<suffix")


def test_all_of_an_archive_can_be_cut_off(tmp_path: Path) -> None:
    """`cut` takes bytes from the end, down to none at all."""
    made = {"bytes": {"text": "abc"}}
    for cut, left in ((1, b"ab"), (3, b"")):
        given = case_of(archive(archive=made | {"cut": cut}), tmp_path).given
        assert isinstance(given, Archive)
        assert given.data == left


def test_limits_are_those_of_the_standard_but_for_the_named(tmp_path: Path) -> None:
    """A case changes the limits that it names, and no others."""
    assert case_of(field(), tmp_path).limits == DEFAULT_LIMITS
    case = case_of(field(limits={"page-bytes": 5, "ratio": 1}), tmp_path)
    assert case.limits == Limits(page_bytes=5, ratio=1)
    assert case.settings == {"page-bytes": 5, "ratio": 1}


def test_a_suite_is_in_the_order_of_groups_and_ids(tmp_path: Path) -> None:
    """The order does not depend on the file system; what is no `.toml` is no case."""
    root = suite_in(tmp_path, digest(), dated("mf304-b"), field(id="mf304-a"), archive())
    (root / "cases" / "3xx" / "notes.md").write_text("no case")
    (root / "cases" / "README.md").write_text("no group")
    ids = [case.id for case in load_suite(root).cases]
    assert ids == ["mf304-a", "mf304-b", "mf604-archive", "digest-one"]


BOTH = field(id="mf104-both", requirements=["MF104", "MF305"])


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tuple(cases_of(tmp_path, BOTH, field(id="mf304-a"), archive(), digest())))


@pytest.mark.parametrize(
    ("beginnings", "ids"),
    [
        ([], "mf104-both mf304-a mf604-archive digest-one"),
        (["mf304-a"], "mf304-a"),
        (["mf30"], "mf104-both mf304-a"),
        (["MF305"], "mf104-both"),
        (["6xx"], "mf604-archive"),
        (["dig"], "digest-one"),
        (["digest-one", "MF1"], "mf104-both digest-one"),
        (["mf1", "mf104-both"], "mf104-both"),
    ],
)
def test_chosen_by_id_requirement_or_group(
    beginnings: list[str], ids: str, suite: Suite, tmp_path: Path
) -> None:
    """Each beginning adds the cases whose id, requirement or group begins so, in either case.

    A suite that is loaded for them holds these cases and no others.
    """
    assert [case.id for case in suite.chosen(beginnings)] == ids.split()
    root = suite_in(tmp_path, BOTH, field(id="mf304-a"), archive(), digest())
    loaded = load_suite(root, beginnings)
    assert loaded.chosen(beginnings) == loaded.cases
    assert [case.id for case in loaded.cases] == ids.split()


@pytest.mark.parametrize("wrong", [{"title": "."}, {"id": 3}, {"requirements": ["MF3", 4]}])
def test_a_case_that_is_not_wanted_is_not_judged(wrong: Given, tmp_path: Path) -> None:
    """Unless nothing can be said of what it is about before that."""
    root = suite_in(tmp_path, field(id="mf304-a"), digest())
    (root / "cases" / "digests" / "x.toml").write_text(toml(digest("digest-two") | wrong))
    if "title" in wrong:
        assert [case.id for case in load_suite(root, ["mf304"]).cases] == ["mf304-a"]
    else:
        with pytest.raises(BrokenCase, match=r"x\.toml: "):
            load_suite(root, ["mf304"])
    with pytest.raises(BrokenCase, match=r"x\.toml: "):
        load_suite(root, ["digest"])


@pytest.mark.parametrize("text", ["[", 'id = "mf304-a"\nrequirements = []\n'])
def test_what_breaks_a_suite_breaks_it_for_every_choice(text: str, tmp_path: Path) -> None:
    """What is no TOML, or has the id of another case."""
    root = suite_in(tmp_path, field(id="mf304-a"), digest())
    (root / "cases" / "digests" / "x.toml").write_text(text)
    with pytest.raises(BrokenCase):
        load_suite(root, ["digest-one"])


@pytest.mark.parametrize("beginning", ["304", "mf305-both", "both", "9xx", "mf304-ab", " mf304"])
def test_a_beginning_that_fits_nothing_is_refused(beginning: str, suite: Suite) -> None:
    """Nothing is run for a word that is spelled wrongly, also beside one that fits."""
    with pytest.raises(NoSuchCase, match="no case has an id or a requirement") as caught:
        suite.chosen(["mf1", beginning])
    assert repr(beginning) in str(caught.value)
