"""Edits: what a writer says of its work is one thing, what it has left decides."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.exported import inputs_of, left_in, place_of
from tests.conformance.stand_ins import StandIn
from tests.conformance.suites import (
    RENAMED_PIN,
    STEEL,
    STEEL_PIN,
    Given,
    case_of,
    cases_of,
    edit,
    field,
    kit_suite,
    refused,
    suite_in,
)

from memoryfield_cli.conforming import edited
from memoryfield_validator.conformance import (
    EVERY_SOURCE,
    Adapter,
    Answer,
    BrokenCase,
    Case,
    Ours,
    Outcome,
    Suite,
    Task,
    fixtures,
    load_suite,
    run_cases,
    sources_of,
)
from memoryfield_validator.conformance.coverage import covered
from memoryfield_validator.conformance.export import export_suite
from memoryfield_validator.conformance.linting import lint_suite
from memoryfield_validator.conformance.raw_zip import DEFLATED, Header, ZipEntry, zip_bytes

A_ZIP_END = b"PK\x05\x06" + bytes(18)


class Writer:
    """A writer that does what a test says, and then answers."""

    name, release, profile = "writer", "1", "kit"
    takes_fields_for_pages = False
    checked = None

    def __init__(self, work: Callable[[Path], object], error: str | None = None) -> None:
        self._work, self._error = work, error
        self.answers = {"edit": frozenset({"error", "files", "digest"})}

    def answer(self, task: Task) -> Answer:
        """Do it, and say so."""
        self._work(task.path)
        return {"error": self._error}


def rename(path: Path) -> None:
    """What the case asks for, in a folder."""
    (path / "a.md").rename(path / "b.md")


def nothing(path: Path) -> None:
    """Leave it as it is."""


def put(case: Case, writer: Any, source: str = "directory") -> Outcome:
    """What comes of a case."""
    [outcome] = run_cases([case], writer, sources=[source])
    return outcome


def test_ours_passes_from_here(tmp_path: Path) -> None:
    """Our writer is asked from a directory and from archives, and nowhere else."""
    cases = cases_of(tmp_path, edit(), refused())
    outcomes = list(run_cases(cases, Ours(edited), sources=EVERY_SOURCE))
    assert {outcome.result for outcome in outcomes} == {"pass"}
    here = ["directory", "archive", "archive-deflated"]
    assert [outcome.source for outcome in outcomes] == here * 2
    [only] = cases_of(tmp_path, edit(sources=["archive"]))
    assert sources_of(only, EVERY_SOURCE) == ("archive", "archive-deflated")


def test_a_reader_is_not_asked(tmp_path: Path) -> None:
    """Without a writer there is nobody to ask."""
    outcome = put(case_of(edit(), tmp_path), Ours())
    assert outcome.result == "skipped"
    assert outcome.reason == "memoryfield-kit does not answer cases of kind edit"


def also(work: Callable[[Path], object]) -> Callable[[Path], None]:
    """What the case asks for, and something more."""

    def both(path: Path) -> None:
        rename(path)
        work(path)

    return both


def put_file(path: Path) -> None:
    """An empty file in a new folder."""
    path.parent.mkdir()
    path.touch()


def make_link(path: Path) -> None:
    """A link in the place of a file, which moves on to "c"."""
    path.rename(path.with_name("c"))
    path.symlink_to("c")


DONE: dict[str, tuple[Callable[[Path], object], str | None, set[str]]] = {
    "as asked": (rename, None, set()),
    "and a file beside it": (also(lambda path: (path.parent / "lock").touch()), None, set()),
    "and an empty folder": (also(lambda path: (path / "x").mkdir()), None, set()),
    "said and not done": (nothing, None, {"files", "digest"}),
    "done and not said": (rename, "batch-rejected", {"error"}),
    "with a file left behind": (also(lambda path: (path / ".tmp").touch()), None, {"files"}),
    "with a file in a folder": (also(lambda path: put_file(path / "x" / "y")), None, {"files"}),
    "with another byte": (
        also(lambda path: (path / "b.md").write_text(f"{STEEL}\n")), None, {"files", "digest"}),
    "as a link": (also(lambda path: make_link(path / "b.md")), None, {"files", "digest"}),
    "the field is gone": (
        lambda path: (path / "a.md").rename(path.parent / "x"), None, {"files", "digest"}),
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize(("work", "error", "differing"), DONE.values(), ids=DONE)
def test_what_is_left_decides(
    work: Callable[[Path], object], error: str | None, differing: set[str], tmp_path: Path
) -> None:
    """Every file is looked at, whatever the writer says."""
    outcome = put(case_of(edit(), tmp_path), Writer(work, error))
    assert outcome.result == ("fail" if differing else "pass")
    assert {each.key for each in outcome.differences} == differing


def test_after_an_error_nothing_has_changed(tmp_path: Path) -> None:
    """An error is no leave to have begun."""
    case = case_of(refused(), tmp_path)
    assert put(case, Writer(nothing, "batch-rejected")).result == "pass"
    assert put(case, Writer(nothing, "write-conflict")).result == "fail"
    begun = put(case, Writer(rename, "batch-rejected"))
    assert {each.key for each in begun.differences} == {"files", "digest"}


@pytest.mark.parametrize("data", [b"", b"PK", A_ZIP_END + b"x"], ids=["empty", "cut", "more"])
def test_a_broken_archive_is_a_failure(data: bytes, tmp_path: Path) -> None:
    """What no reader opens any more is no answer that could be right."""
    case = case_of(edit(), tmp_path)
    outcome = put(case, Writer(lambda path: path.write_bytes(data)), "archive")
    assert outcome.result == "fail"
    assert outcome.answered == {"error": None, "files": None, "digest": None}


ODD_ENTRIES: dict[str, tuple[ZipEntry, bool]] = {
    "a name that is not marked": (ZipEntry("\u00e9.txt".encode(), b"x"), True),
    "a name of code page 437": (ZipEntry(b"\x82.txt", b"x"), True),
    "debris that cannot be inflated": (ZipEntry(".x", b"x", DEFLATED, data=b"\xff"), False),
    "debris with another checksum": (
        ZipEntry(".x", b"x", central=Header(crc=1), local=Header(crc=1)), False),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "readable"), ODD_ENTRIES.values(), ids=ODD_ENTRIES)
def test_archives_are_read_as_the_standard_says(
    entry: ZipEntry, readable: bool, tmp_path: Path
) -> None:
    """A writer may mark names or not, and what cannot be read is a failure, debris as well."""
    attachment = {"name": "\u00e9.txt", "text": "x"}
    files = [{"name": "a.md", "text": STEEL}, attachment]
    after = [{"name": "b.md", "from": "a.md"}, attachment]
    case = case_of(edit(files=files, expect={"digest": "none", "files": after}), tmp_path)
    data = zip_bytes(ZipEntry("b.md", STEEL.encode()), entry)
    outcome = put(case, Writer(lambda path: path.write_bytes(data)), "archive")
    assert ("files" in {each.key for each in outcome.differences}) is not readable
    assert outcome.answered is not None
    assert (outcome.answered["files"] is None) is not readable


def test_an_archive_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    """Neither the old field nor the new one is there."""
    outcome = put(case_of(edit(), tmp_path), Writer(Path.unlink), "archive")
    assert (outcome.result, len(outcome.differences)) == ("fail", 2)


EDITING = """
os.rename(f"{asked['path']}/a.md", f"{asked['path']}/b.md")
with open(LOG, "a") as file:
    file.write(json.dumps([asked[key] for key in ("batch", "allow", "stamp", "pin")]))
say({"id": id, "result": {"error": None}})
"""


def test_an_adapter_is_given_the_batch(tmp_path: Path) -> None:
    """The batch comes as the text that it is, with all that belongs to it."""
    answers = {"edit": ["error", "files", "digest"]}
    text = '{"version": 1, "operations": [{"op": "rename", "name": "a.md", "to": "b.md"}]} '
    how = {"batch": text, "allow": ["MF8"], "stamp": "2026-12-01T12:00:00Z"}
    case = case_of(edit(edit=how, pin=STEEL_PIN), tmp_path)
    stand_in = StandIn(tmp_path, EDITING, answers=answers)
    with Adapter(stand_in.command) as adapter:
        assert put(case, adapter).result == "pass"
    told = json.loads(stand_in.log.read_text().partition("case\n")[2].partition("bye")[0])
    assert told == [text, ["MF8"], "2026-12-01T12:00:00Z", STEEL_PIN]


def test_an_adapter_that_does_not_edit_is_not_asked(tmp_path: Path) -> None:
    """It says what it answers, and need not know that there are edits."""
    stand_in = StandIn(tmp_path)
    with Adapter(stand_in.command) as adapter:
        outcome = put(case_of(edit(), tmp_path), adapter)
    assert (outcome.result, outcome.reason) == (
        "skipped", "stand-in does not answer cases of kind edit")  # fmt: skip
    assert stand_in.heard == ["start", "hello", "bye"]


def test_errors_need_not_be_told_apart(tmp_path: Path) -> None:
    """A writer without names for its errors is judged by what it leaves."""
    writer = Writer(nothing, "no idea")
    writer.answers = {"edit": frozenset({"files"})}
    assert put(case_of(refused(), tmp_path), writer).result == "pass"
    assert put(case_of(edit(), tmp_path), writer).result == "fail"


ADDING = {"op": "add", "name": "c.md", "text": 1}
BROKEN: dict[str, tuple[Given, str]] = {
    "no edit": ({"edit": None}, "'edit' is a required property"),
    "no files": ({"files": None}, "'files' is a required property"),
    "an edit in another kind": (
        field(edit={"operations": []}), "`edit` does not go with kind field"),
    "no operations": ({"edit": {"allow": ["MF8"]}}, "is not valid under any"),
    "both forms": ({"edit": {"operations": [], "batch": ""}}, "valid under each of"),
    "an operation that is none": ({"edit": {"operations": [1]}}, "1 is not of type 'object'"),
    "an unknown key": ({"edit": {"operations": [], "x": 1}}, "'x' was unexpected"),
    "an array in an operation": ({"edit": {"operations": [{"x": [1]}]}}, "is not of type"),
    "to allow what is no review": ({"edit": {"operations": [], "allow": ["MF3"]}}, "not match"),
    "a stamp without a zone": (
        {"edit": {"operations": [], "stamp": "2026-12-01T12:00:00"}}, "does not match"),
    "a stamp that is none": (
        {"edit": {"operations": [], "stamp": "2026-13-01T12:00:00Z"}}, "is no instant"),
    "no outcome": ({"expect": {"digest": STEEL_PIN}}, "is not valid under any"),
    "both outcomes": (
        {"expect": {"digest": STEEL_PIN, "error": "write-conflict", "files": []}}, "valid under"),
    "an unknown error": ({"expect": {"digest": STEEL_PIN, "error": "oops"}}, "is not one of"),
    "a file without content": (
        {"expect": {"digest": STEEL_PIN, "files": [{"name": "a.md"}]}}, "is not valid under any"),
    "a file from nowhere": (
        {"expect": {"digest": STEEL_PIN, "files": [{"name": "a.md", "from": "c.md"}]}},
        "there is no file 'c.md' before"),
    "a file above the root": (
        {"expect": {"digest": STEEL_PIN, "files": [{"name": "../a.md", "text": ""}]}},
        "no plain relative path"),
    "another requirement": ({"requirements": ["MF307"]}, "'MF307' is not one of"),
    "a review": ({"audit": True}, "`audit` does not go with kind edit"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_edit(changes: Given, message: str, tmp_path: Path) -> None:
    """A case that is not in the form is refused, with what is wrong."""
    given = changes if "kind" in changes else edit(**changes)
    with pytest.raises(BrokenCase, match=message):
        case_of(given, tmp_path)


LINTED: dict[str, tuple[Given, str]] = {
    "another pin": (
        {"expect": {"digest": STEEL_PIN, "files": [{"name": "b.md", "from": "a.md"}]}},
        f"the digest is {STEEL_PIN}, and the files make it {RENAMED_PIN}"),
    "a file twice": (
        {"expect": {"digest": RENAMED_PIN, "files": [{"name": "b.md", "from": "a.md"}] * 2}},
        "a file stands twice in `expect.files`"),
    "another order": (
        {"expect": {"digest": RENAMED_PIN, "files": [
            {"name": "x/y", "text": ""}, {"name": "b.md", "from": "a.md"}]}},
        "the files that are expected are not in the order of the bytes of their names"),
    "a FIFO": (
        {"files": [{"name": "a.md", "text": STEEL}, {"name": "f", "special": "fifo"}]},
        "a FIFO can be in no edit: no pin would say what came of it"),
    "no batch": ({"edit": {"batch": "[]"}}, "the batch is no JSON object with version 1"),
    "no JSON": ({"edit": {"batch": "{"}}, "the batch is no JSON object with version 1"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), LINTED.values(), ids=LINTED)
def test_lint_finds_what_cannot_be(changes: Given, message: str, tmp_path: Path) -> None:
    """An expectation that contradicts itself is found before anybody is judged by it."""
    found = [one.message for one in lint_suite(suite_in(tmp_path, edit(**changes)))]
    assert message in found


def test_lint_is_content_with_an_edit(tmp_path: Path) -> None:
    """A good case has no problem, with debris, a folder, an index and a sub-directory."""
    files: list[Given] = [
        {"name": ".x", "text": ""}, {"name": "a.md", "text": STEEL}, {"name": "e", "special":
         "folder"}, {"name": "n.sqlite3", "text": ""}, {"name": "x/y.md", "text": ""},
    ]  # fmt: skip
    after = [{"name": f["name"], "from": f["name"]} for f in files if "text" in f]
    after[1]["name"] = "b.md"
    rest = edit(files=files, expect={"digest": RENAMED_PIN, "files": after})
    no_batch = refused("invalid-batch", why="Another.", edit={"batch": "{"})
    root = suite_in(tmp_path, rest, no_batch)
    assert [one for one in lint_suite(root) if one.place.startswith("mf906-")] == []
    assert put(case_of(rest, tmp_path), Ours(edited)).result == "pass"


def test_two_edits_of_one_field_are_two_cases(tmp_path: Path) -> None:
    """The input is the field and what is to be done to it."""
    same = edit(id="mf906-again", title="Another", why="Another.")
    other = edit({"op": "remove", "name": "b.md"}, id="mf906-other", title="A third", why="A.")
    found = [one.message for one in lint_suite(suite_in(tmp_path, edit(), same, other))]
    assert [text for text in found if "input" in text] == ["has the input of mf906-again"]


def test_a_writer_is_shown_to_obey(tmp_path: Path) -> None:
    """No edit breaks a requirement: only a writer could."""
    found = covered(cases_of(tmp_path, edit(), refused()))
    assert found == {("MF906", "obeys"): ["mf906-edit", "mf906-refused"]}


def test_an_edit_is_exported(tmp_path: Path) -> None:
    """The batch and the files afterwards are there; after an error they are those before."""
    export_suite(load_suite(suite_in(tmp_path / "suite", edit(), refused())), tmp_path / "export")
    export = tmp_path / "export"
    cases = {case["id"]: (case, given) for case, given in inputs_of(export)}
    case, given = cases["mf906-edit"]
    assert json.loads((export / case["batch"]).read_bytes()) == {
        "version": 1, "operations": [{"op": "rename", "name": "a.md", "to": "b.md"}]}  # fmt: skip
    assert (case["allow"], case["stamp"]) == ([], None)
    assert case["after"] == {"path": "edits/mf906-edit/after", "make": []}
    assert (export / case["after"]["path"] / "b.md").read_text("utf-8") == STEEL
    assert given["expected"]["error"] is None
    case, given = cases["mf906-refused"]
    assert (case["after"], given["expected"]["error"]) == (None, "batch-rejected")
    assert given["expected"]["files"] == left_in(export / "fields" / "mf906-refused")


def test_the_files_exported_are_those_expected(tmp_path: Path) -> None:
    """In the export of the kit, what stands in `after` is what `expected` says, for each edit."""
    edits = Suite(tuple(case for case in kit_suite().cases if case.edit is not None))
    export, seen = tmp_path / "export", 0
    export_suite(edits, export)
    for case, given in inputs_of(export):
        if case["after"] and given["source"] == "directory":
            scratch = tmp_path / str(case["id"])
            scratch.mkdir()
            seen += 1
            assert left_in(place_of(case["after"], export, scratch)) == given["expected"]["files"]
    assert seen > 50


def test_the_example_of_the_handbook_is_a_case(tmp_path: Path) -> None:
    """What the README shows of an edit is one that our writer passes."""
    text = (fixtures() / "README.md").read_text(encoding="utf-8")
    shown = text.partition("### An edit")[2].partition("```toml\n")[2].partition("```")[0]
    outcome = put(case_of(edit() | tomllib.loads(shown), tmp_path), Ours(edited))
    assert outcome.result == "pass"


def test_the_kit_asks_much_of_writers() -> None:
    """Each operation and each error has its cases, for each of the four requirements."""
    cases = [case for case in kit_suite().cases if case.edit is not None]
    assert len(cases) >= 50
    for id in ("MF906", "MF907", "MF908", "MF909"):
        assert sum(id in case.requirements for case in cases) >= 10
    errors = {case.expect.get("error") for case in cases}
    assert errors == {None, "invalid-batch", "batch-rejected", "ambiguous-match", "write-conflict"}
