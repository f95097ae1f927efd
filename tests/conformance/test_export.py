"""The export is the suite: nothing is lost on the way, and the same bytes come out everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.exported import Object, answered, inputs_of, place_of, place_to_edit
from tests.conformance.suites import (
    Given,
    archive,
    dated,
    digest,
    field,
    kit_suite,
    page_case,
    suite_in,
)

from memoryfield_readers import LocationError
from memoryfield_spec import standard
from memoryfield_validator import registered
from memoryfield_validator.conformance import fixtures, load_suite
from memoryfield_validator.conformance.export import export_suite
from memoryfield_validator.conformance.judging import is_same_json

ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
ODD: list[Given] = [
    field(
        {"name": "a.md", "text": "1"},
        {"name": "A.md", "text": "2"},
        {"name": "con.md", "text": "3"},
        {"name": "\u00e9.md", "text": "3"},
        {"name-base64": "6S5tZA==", "text": "4"},
        {"name": "b.md", "link": "a.md"},
        {"name": "f", "special": "fifo"},
        {"name": "e/mpty", "special": "folder"},
        {"name": "x/a\nb", "text": "5"},
        {"name": "x/.git/HEAD", "text": "8"},
        {"name": "x/.gitignore", "text": "9"},
        {"name": "x/y.txt", "text": "6"},
        {"name": "X/z.txt", "text": "7"},
        id="mf105-odd",
        requirements=["MF105"],
        sources=["directory"],
    ),
    field(files=[], id="mf101-none", requirements=["MF101"]),
    archive(archive={"file-name": "My field (2).ZIP", "bytes": {"text": "x"}}),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of a small suite with odd files."""
    root = tmp_path_factory.mktemp("suite")
    suite_in(root, dated(), page_case(), digest(), *ODD)
    export_suite(load_suite(root), root / "export")
    return root / "export"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of the suite of the kit."""
    export = tmp_path_factory.mktemp("whole") / "export"
    export_suite(kit_suite(), export)
    return export


def tree(folder: Path) -> dict[str, str | None]:
    """Everything below a folder, with the digest of each file."""
    return {
        path.relative_to(folder).as_posix(): None
        if path.is_dir()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
    }


def test_what_an_export_holds(small: Path) -> None:
    """What any file system can hold stands as a file; what not, as content of its digest."""
    contents = {hashlib.sha256(text.encode()).hexdigest() for text in "234578"}
    assert {name for name, digest in tree(small).items() if digest is not None} == {
        "README.md", "SHA256SUMS", "SPEC.md", "expected.json",
        "fields/mf304-dated/a.md", "archives/mf304-dated/field.memoryfield.zip",
        "fields/digest-one/a.md", "fields/digest-one/b.md",
        "archives/digest-one/field.memoryfield.zip",
        "archives/mf101-none/field.memoryfield.zip",
        "fields/mf105-odd/a.md", "fields/mf105-odd/x/.gitignore", "fields/mf105-odd/x/y.txt",
        "archives/mf604-archive/My field (2).ZIP",
        "pages/mf302-page.md",
        *(f"content/{digest}" for digest in contents),
    }  # fmt: skip
    assert (small / "fields" / "mf101-none").is_dir()
    assert (small / "README.md").read_bytes() == (fixtures() / "export-README.md").read_bytes()
    assert (small / "SPEC.md").read_bytes() == standard().encode()


def test_what_is_to_be_made(small: Path) -> None:
    """A link, a FIFO, a folder, and every name that some file system refuses or confuses."""
    [odd] = [given for case, given in inputs_of(small) if case["id"] == "mf105-odd"]
    content = {text: f"content/{hashlib.sha256(text.encode()).hexdigest()}" for text in "234578"}
    assert odd["make"] == [
        {"name": "A.md", "content": content["2"]},
        {"name": "con.md", "content": content["3"]},
        {"name": "\u00e9.md", "content": content["3"]},
        {"name-hex": "e92e6d64", "content": content["4"]},
        {"name": "b.md", "link": "a.md"},
        {"name": "f", "special": "fifo"},
        {"name": "e/mpty", "special": "folder"},
        {"name": "x/a\nb", "content": content["5"]},
        {"name": "x/.git/HEAD", "content": content["8"]},
        {"name": "X/z.txt", "content": content["7"]},
    ]


def test_what_is_told_of_a_case(small: Path) -> None:
    """Each case says what is given; each input, where it stands and what is expected there."""
    document = json.loads((small / "expected.json").read_text("ascii"))
    assert (document["version"], document["spec"]) == (1, 1)
    cases = {case["id"]: case for case in document["cases"]}
    one = cases["mf304-dated"]
    assert {key: one[key] for key in one if key != "inputs"} == {
        "id": "mf304-dated", "kind": "field", "title": "The case mf304-dated",
        "why": "It shows something.", "requirements": ["MF304"], "limits": {}, "pin": None,
        "audit": False,
    }  # fmt: skip
    assert [given["source"] for given in one["inputs"]] == ["directory", "archive"]
    [page] = cases["mf302-page"]["inputs"]
    assert page == {
        "source": "page",
        "path": "pages/mf302-page.md",
        "make": [],
        "expected": {
            "state": "parsed",
            "frontmatter": {"a": 1, "b": [True, "x"]},
            "body": "Steel.\n",
            "error": None,
        },
    }


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="there is no sha256sum")
@pytest.mark.parametrize("which", ["small", "whole"])
def test_the_sums_can_be_checked(which: str, request: pytest.FixtureRequest) -> None:
    """`sha256sum --check` succeeds, and it covers every file but the sums themselves."""
    export: Path = request.getfixturevalue(which)
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=export, check=True
    )
    lines = (export / "SHA256SUMS").read_text("ascii").splitlines()
    files = {
        name: digest for name, digest in tree(export).items() if digest and name != "SHA256SUMS"
    }
    assert dict(line.split("  ", 1)[::-1] for line in lines) == files
    assert lines == sorted(lines, key=lambda line: line.split("  ", 1)[1])


def test_sums_notice_a_change(small: Path, tmp_path: Path) -> None:
    """A file of which one byte is another one is found."""
    copy = shutil.copytree(small, tmp_path / "copy")
    (copy / "fields" / "digest-one" / "a.md").write_text("b\n")
    command = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    done = subprocess.run(command, cwd=copy, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"fields/digest-one/a.md" in done.stdout


def test_every_path_exists(whole: Path) -> None:
    """What `expected.json` names is there, and what is there is named."""
    named = {"README.md", "SHA256SUMS", "SPEC.md", "expected.json"}
    for case, given in inputs_of(whole):
        after = [case["after"]] if case.get("after") else []
        for place in (given, *after):
            assert (whole / place["path"]).exists(), place["path"]
            made = [told["content"] for told in place["make"] if "content" in told]
            named |= {place["path"], *made}
        named |= {case["batch"]} if "batch" in case else set()
    for name, hash in tree(whole).items():
        above = {Path(*Path(name).parts[:depth]).as_posix() for depth in (2, 3)}
        assert name in named or hash is None or above & named
    assert all((whole / name).exists() for name in named)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_two_exports_are_the_same(small: Path, tmp_path: Path, umask: None) -> None:
    """Neither the umask nor a clock, nor the order of a file system, leaves a trace."""
    suite_in(tmp_path, *ODD[::-1], digest(), page_case(), dated())
    export_suite(load_suite(tmp_path), tmp_path / "export")
    assert tree(tmp_path / "export") == tree(small)


@pytest.mark.skipif(not ALL, reason="it takes long: set MEMORYFIELD_CRASH_ALL=1")
def test_two_exports_of_the_kit_are_the_same(whole: Path, tmp_path: Path) -> None:
    """So it is with all cases, in an empty folder that is already there."""
    export_suite(kit_suite(), tmp_path)
    assert tree(tmp_path) == tree(whole)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="not all names can be made there")
def test_the_export_is_faithful(whole: Path, tmp_path: Path) -> None:
    """Our implementation passes every input, judged by nothing but what the export says.

    Every third one, that is, as `make conformance` puts all of them; and with
    MEMORYFIELD_CRASH_ALL=1 in the environment all.
    """
    before = tree(whole)
    wrong, judged = [], set()
    for number, (case, given) in enumerate(inputs_of(whole)):
        if _is_ahead(case, given) or (number % 3 and not ALL):
            continue
        if case["kind"] == "edit":
            if given["source"] != "directory":  # the runner puts these
                continue
            place = place_to_edit(case, given, whole, tmp_path)
        else:
            place = place_of(given, whole, tmp_path)
        answer = answered(case, place)
        judged.add((case["kind"], given["source"]))
        wrong += [
            (case["id"], given["source"], key)
            for key, expected in given["expected"].items()
            if not is_same_json(expected, answer[key])
        ]
    assert wrong == []
    assert judged >= {("field", "directory"), ("field", "archive"), ("archive", "archive"),
                      ("page", "page"), ("digest", "directory"),
                      ("edit", "directory")}  # fmt: skip
    assert tree(whole) == before


def _is_ahead(case: Object, given: Object) -> bool:
    """Whether a case needs what our validator does not check yet."""
    found = [finding["rule"] for finding in given["expected"].get("findings", [])]
    needed = {*case["requirements"], *found}
    return not needed <= registered() | {id for id in needed if id.startswith("MF9")}


@pytest.mark.parametrize("name", ["notes.md", ".hidden", "folder/"])
def test_a_folder_that_is_not_empty_is_left_alone(name: str, tmp_path: Path) -> None:
    """Nothing is written among what is there."""
    suite = load_suite(suite_in(tmp_path / "suite", field()))
    target = tmp_path / "target"
    target.mkdir()
    if name.endswith("/"):
        (target / name).mkdir()
    else:
        (target / name).write_text("x")
    before = tree(target)
    with pytest.raises(LocationError, match="is not empty"):
        export_suite(suite, target)
    assert tree(target) == before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """What is no folder is refused, and untouched."""
    suite = load_suite(suite_in(tmp_path / "suite", field()))
    (tmp_path / "file").write_text("x")
    for target in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(LocationError, match="cannot be written"):
            export_suite(suite, target)
    assert (tmp_path / "file").read_text() == "x"


def test_folders_above_are_made(tmp_path: Path) -> None:
    """A new folder in a new folder is fine; what was written is counted."""
    suite = load_suite(suite_in(tmp_path / "suite", field(), page_case()))
    written = export_suite(suite, tmp_path / "x" / "y")
    assert written.cases == 2
    assert written.files == sum(
        digest is not None for digest in tree(tmp_path / "x" / "y").values()
    )
