"""A file that is no case is refused, by its name and with what is wrong; nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conformance.suites import (
    Given,
    archive,
    case_of,
    digest,
    field,
    page_case,
    suite_in,
    toml,
)

from memoryfield_validator.conformance import BrokenCase, load_suite, read_case

RAW = {
    "no TOML": (b"id = ", "is no TOML"),
    "no bytes": (b"", "'id' is a required property"),
    "not UTF-8": (b'id = "\xff"', "is no TOML: 'utf-8' codec"),
    "a key twice": (b'id = "a"\nid = "b"', "is no TOML: Cannot overwrite a value"),
    "a number of 5000 digits": (b"spec = " + b"1" * 5000, "is no TOML"),
    "nested without end": (b"x = " + b"[" * 100_000, "is no TOML"),
    "half a character": (rb'id = "\ud800"', "is no TOML"),
}


@pytest.mark.parametrize(("data", "says"), RAW.values(), ids=RAW)
def test_what_is_no_toml_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    """Bytes that cannot be read are a broken case, and no crash."""
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(BrokenCase) as caught:
        read_case(path, "1xx")
    assert caught.value.location == str(path)
    assert says in caught.value.message


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """A folder in place of a case is named."""
    with pytest.raises(BrokenCase, match="cannot be read") as caught:
        read_case(tmp_path, "1xx")
    assert caught.value.location == str(tmp_path)


def entry(**changes: Any) -> Given:
    """An archive of one entry, with changes."""
    return archive(archive={"entries": [{"name": "a.md", "text": "", **changes}]})


def file(**given: Any) -> Given:
    """A field of one file, given so."""
    return field(given)


ONCE = {"repeat": "x", "times": 1}
PIN = "sha256:" + "0" * 64
READ = {"state": "absent", "body": ""}
ERROR = {"rule": "MF301", "line": 1, "column": 1}

BROKEN: dict[str, tuple[Given, str]] = {
    "unknown key": (field(titel="x"), "'titel' was unexpected"),
    "no kind": (field(kind=None), "'kind' is a required property"),
    "no title": (field(title=None), "'title' is a required property"),
    "no expectation": (field(expect=None), "'expect' is a required property"),
    "unknown kind": (field(kind="folder"), "kind: 'folder' is not one of"),
    "id with a slash": (field() | {"id": "a/b"}, "id: 'a/b' does not match"),
    "id with a line end": (field() | {"id": "a\n"}, "id: 'a\\n' does not match"),
    "id in capitals": (field() | {"id": "A"}, "id: 'A' does not match"),
    "title with a full stop": (field(title="A case."), "title: 'A case.' does not match"),
    "title with a line end": (field(title="A case\n"), "title: 'A case\\n' does not match"),
    "why without one": (field(why="So"), "why: 'So' does not match"),
    "why with a line end": (field(why="So.\n"), "why: 'So.\\n' does not match"),
    "another revision": (field(spec=2), "spec: 1 was expected"),
    "a fraction": (field(spec=1.0), "whole numbers only, and not 1.0"),
    "no requirement": (field(requirements=["MF1"]), "requirements.0: 'MF1' does not match"),
    "requirement with a line end": (field(requirements=["MF101\n"]), "requirements.0: 'MF101\\n'"),
    "requirement twice": (field(requirements=["MF101"] * 2), "has non-unique elements"),
    "no limits": (field(limits={}), "limits: {} should be non-empty"),
    "unknown limit": (field(limits={"pages": 1}), "limits: 'pages' is not one of"),
    "limit of zero": (field(limits={"entries": 0}), "limits.entries: 0 is less than the minimum"),
    "limit below zero": (field(limits={"ratio": -1}), "limits.ratio: -1 is less than"),
    "limit of true": (field(limits={"ratio": True}), "limits.ratio: True is not of type"),
    "limit no JSON can carry": (field(limits={"ratio": 2**53}), "is greater than the maximum"),
    "no source": (field(sources=[]), "sources: [] should be non-empty"),
    "unknown source": (field(sources=["s3"]), "sources.0: 's3' is not one of"),
    "pin of no form": (digest(pin="sha256:00"), "pin: 'sha256:00' does not match"),
    "pin with a line end": (digest(pin=f"{PIN}\n"), f"pin: '{PIN}\\n' does not match"),
    # kinds
    "field without files": (field(files=None), "'files' is a required property"),
    "field and page": (field(page={"text": ""}), "the case: `page` does not go with"),
    "field and archive": (field(archive={"entries": []}), "the case: `archive` does not go with"),
    "field with a pin": (field(pin=PIN), "the case: `pin` does not go with"),
    "archive without one": (archive(archive=None), "'archive' is a required property"),
    "archive with sources": (archive(sources=["archive"]), "the case: `sources` does not go with"),
    "page without one": (page_case(page=None), "'page' is a required property"),
    "page with limits": (page_case(limits={"ratio": 1}), "the case: `limits` does not go with"),
    "digest of nothing": (digest(files=None), "is not valid under any of the given schemas"),
    "digest of both": (digest(archive={"entries": []}), "is valid under each of"),
    # files
    "no name": (file(text=""), "files.0: {'text': ''} is not valid under any"),
    "empty name": (file(name="", text=""), "files.0.name: '' should be non-empty"),
    "two names": (file(**{"name": "a", "name-base64": "YQ==", "text": ""}), "is valid under each"),
    "no content": (file(name="a"), "files.0: {'name': 'a'} is not valid under any"),
    "two contents": (file(name="a", text="", base64=""), "files.0: {'name': 'a', 'text': ''"),
    "two long contents": (file(name="a", text="x" * 9000, link="b"), "is valid under each of"),
    "link and content": (file(name="a", text="", link="b"), "files.0"),
    "unknown special": (file(name="a", special="socket"), "'socket' is not one of"),
    "unknown key of a file": (file(name="a", text="", mode=1), "'mode' was unexpected"),
    "text that is a number": (file(name="a", text=1), "files.0.text: 1 is not of type 'string'"),
    "name twice": (field({"name": "a", "text": ""}, {"name": "a", "link": "b"}), "two files have"),
    "below a file": (field({"name": "a", "text": ""}, {"name": "a/b", "text": ""}), "no folder"),
    "below a link": (field({"name": "a/b/c", "text": ""}, {"name": "a", "link": "/"}), "no folder"),
    # content
    "no base64": (file(name="a", base64="a-b"), "files.0.base64: 'a-b' does not match"),
    "base64 of no length": (file(name="a", base64="abcde"), "base64 cannot be read"),
    "base64 cut off": (file(name="a", base64="YQ="), "base64 cannot be read"),
    "no pieces": (file(name="a", pieces=[]), "files.0.pieces: [] should be non-empty"),
    "empty piece": (file(name="a", pieces=[{}]), "files.0.pieces.0: {} is not valid"),
    "repeat without times": (file(name="a", pieces=[{"repeat": "x"}]), "'times' is a dependency"),
    "times without repeat": (file(name="a", pieces=[{"text": "", "times": 2}]), "'repeat' is a"),
    "no times": (file(name="a", pieces=[ONCE | {"times": 0}]), "0 is less than the minimum"),
    "absurd times": (file(name="a", pieces=[ONCE | {"times": 10**12}]), "pieces repeat to more"),
    "absurd repeat": (file(name="a", pieces=[ONCE | {"repeat": "x" * 1001}]), "is too long"),
    "unknown example": (file(name="a", example="no-such"), "SPEC.md has no example 'no-such'"),
    # archives
    "neither bytes nor entries": (archive(archive={}), "archive: {} is not valid under any"),
    "bytes and entries": (
        archive(archive={"bytes": {"text": ""}, "entries": []}), "archive: {'bytes'"),
    "bytes and a suffix": (
        archive(archive={"bytes": {"text": ""}, "suffix": {"text": "x"}}), "'suffix' is not one"),
    "more cut than there is": (
        archive(archive={"bytes": {"text": "abc"}, "cut": 4}), "`cut` is more than the 3 bytes"),
    "two contents of an entry": (entry(base64=""), "archive.entries.0: {'name': 'a.md'"),
    "unknown descriptor": (entry(descriptor="long"), "entries.0.descriptor: 'long' is not one"),
    "header that says nothing": (entry(local={}), "entries.0.local: {} should be non-empty"),
    "header of two names": (
        entry(local={"name": "a", "name-base64": "YQ=="}), "entries.0.local: {'name': 'a'"),
    "header key unknown": (entry(central={"mode": 1}), "entries.0.central: Additional"),
    "more than a record holds": (entry(local={"date": 65_536}), "record of the archive cannot be"),
    "less than a record holds": (entry(central={"crc": -1}), "record of the archive cannot be"),
    "flags no record holds": (entry(flags=2**70), "record of the archive cannot be"),
    "name no record holds": (
        entry(name="x" * 65_536), "a record of the archive cannot be written"),
    # expectations
    "unknown verdict": (
        field(expect={"verdict": "good", "pages": [], "digest": "none"}), "expect.verdict: 'good'"),
    "no digest": (field(expect={"verdict": "valid", "pages": []}), "expect: 'digest' is a"),
    "digest of no form": (
        field(expect={"verdict": "valid", "pages": [], "digest": "x"}), "expect.digest: 'x'"),
    "digest with a line end": (
        field(expect={"verdict": "valid", "pages": [], "digest": "none\n"}),
        "expect.digest: 'none\\n' does not match"),
    "line without a column": (
        field(expect={"verdict": "valid", "pages": [], "digest": "none", "findings": [
            {"rule": "MF101", "level": "error", "file": "a", "line": 1}]}),
        "expect.findings.0: 'column' is a dependency of 'line'"),
    "parsed without fields": (page_case(expect=READ | {"state": "parsed"}), "expect: {'state'"),
    "broken without an error": (page_case(expect=READ | {"state": "broken"}), "expect: {'state'"),
    "absent with an error": (page_case(expect=READ | {"error": ERROR}), "expect"),
    "fields that are no JSON": (
        page_case(expect=READ | {"state": "parsed", "frontmatter": "{x}"}),
        "expect.frontmatter: is no JSON"),
    "fields without bounds": (
        page_case(expect=READ | {"state": "parsed", "frontmatter": "[1e999]"}), "out of range"),
    "proof of a page": (page_case(expect={"digest": "none"}), "expect: 'state' is a required"),
    "findings of a digest": (digest(expect={"digest": "none", "findings": []}), "'findings' was"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_case_is_refused(given: Given, says: str, tmp_path: Path) -> None:
    """The error names the file and the place within it, says what is wrong, and is short."""
    path = tmp_path / "broken.toml"
    path.write_bytes(toml(given).encode())
    with pytest.raises(BrokenCase) as caught:
        read_case(path, "3xx")
    assert caught.value.location == str(path)
    assert says in caught.value.message
    assert len(caught.value.message) < 450
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("given", [field(), archive(), page_case(), digest(), entry(), file(
    name="a", pieces=[ONCE | {"times": 2}])], ids=lambda given: given["kind"])  # fmt: skip
def test_what_the_broken_cases_are_made_of_is_whole(given: Given, tmp_path: Path) -> None:
    """Without the one thing that is wrong, each of them would be read."""
    assert case_of(given, tmp_path).id == given["id"]


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    """An id names one case, whatever the groups."""
    root = suite_in(tmp_path, field(id="mf304-a"))
    suite_in(root, field(id="mf304-a"), groups={"mf304-a": "4xx"})
    with pytest.raises(BrokenCase, match="2 cases have the id mf304-a"):
        load_suite(root)


def test_a_suite_without_a_case_is_refused(tmp_path: Path) -> None:
    """A folder that is no suite does not pass for an empty one."""
    (tmp_path / "cases").mkdir()
    for root in (tmp_path, tmp_path / "cases"):
        with pytest.raises(BrokenCase, match="there is no case"):
            load_suite(root)
