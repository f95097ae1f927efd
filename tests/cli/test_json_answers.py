"""With `--format json`, stdout holds one JSON text in pure ASCII, and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import FAULTY, GOOD, KNOWN_PIN, archive, call, folder, spawn

from memoryfield_spec import catalogue, schema

PAGES = {
    "woks.md": GOOD,
    "broken.md": b"---\ntitle: a: b\n---\nBody\n",
    "absent.md": b"---\n\nProse between rules.\n\n---\nMore\n",
    "empty.md": b"",
    "latin.md": b"---\ntitle: caf\xe9\n---\ncaf\xe9\n",
    "odd.md": (
        '---\ntitle: "caf\u00e9 \\u202e \\e[2J \\0 \\ud7ff \U0001f9ea"\nn: .nan\ni: -.inf\n'
        f"d: 2026-04-05\nbig: {'9' * 5000}\nbin: !!binary aGk=\n? [1, 2]\n: x\n"
        "1: one\nset: !!set {a, b}\nempty:\n---\n\x1b[2J\u202e\x00 line \u2028 \U000e0041\n"
    ).encode(),
    "bom.md": b"\xef\xbb\xbf" + GOOD,
    "\u00e9t\u00e9.md": GOOD,
    "notes.txt": b"An attachment.\n",
}
COMMANDS = {
    "validate": ["validate", "FIELD"],
    "validate several": ["validate", "FIELD", "FIELD"],
    "info": ["info", "FIELD"],
    "ls": ["ls", "FIELD"],
    "ls in full": ["ls", "--all", "--long", "FIELD"],
    "read": ["read", "FIELD", *sorted(name for name in PAGES if name.endswith(".md"))],
    "pin": ["pin", "FIELD"],
    "diff": ["diff", "FIELD", "FIELD"],
    "snapshot": ["snapshot", "FIELD", "--name", "\u202e\x1b"],
    "explain": ["explain", "MF801"],
    "rules": ["rules"],
    "apply": ["apply", "--dry-run", "--allow", "MF8", "FIELD", "-"],
    "new": ["new", "--dry-run", "FIELD", "X"],
    "write": ["write", "--dry-run", "FIELD", "notes.txt"],
    "edit": ["edit", "FIELD", "woks.md"],
    "rm": ["rm", "--dry-run", "FIELD", "odd.md"],
    "mv": ["mv", "--dry-run", "FIELD", "\u00e9t\u00e9.md", "ete.md"],
    "recover": ["recover", "FIELD"],
}
WRITING = ("apply", "new", "write", "edit", "rm", "mv")
"""The commands that change a field, and answer with what they changed."""

TYPED = json.dumps(
    {
        "version": 1,
        "operations": [
            {"op": "add", "name": "new.txt", "text": "\x1b[2J\u202e"},
            {"op": "rename", "name": "latin.md", "to": "roman.md"},
            {"op": "remove", "name": "bom.md"},
        ],
    }
).encode()


@pytest.fixture(scope="module", params=["folder", "archive"])
def field(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field of pages that are hard to write as JSON, in a place with such a name."""
    root = tmp_path_factory.mktemp("json")
    if request.param == "archive":
        return archive(root / "caf\u00e9 \u202e\x1b.memoryfield.zip", PAGES)
    return folder(root / "caf\u00e9 \u202e\x1b", PAGES)


def strict(data: bytes) -> Any:
    """The value of a JSON text; NaN, Infinity and keys that stand twice are refused."""

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(data.decode("ascii"), parse_constant=refuse, object_pairs_hook=once)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_answer_is_json_in_ascii(arguments: list[str], encoding: str, field: Path) -> None:
    """Whatever a field holds, the answer parses, is ASCII, and can be written as UTF-8 again."""
    command = [str(field) if each == "FIELD" else each for each in arguments]
    command[1:1] = ["--format", "json"]
    done = call(*command, encoding=encoding, stdin=TYPED, env={"EDITOR": "true"})
    assert done.code == (1 if command[0] == "validate" else 0), done.err
    if command[0] not in WRITING:  # they tell there what else is to be known
        assert done.stderr == b""
    answer = strict(done.stdout)
    assert done.stdout.endswith(b"\n")
    json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    if command[0] in ("validate", *WRITING):
        wanted = schema("report" if command[0] == "validate" else "applied")
        Draft202012Validator(wanted).validate(answer)


def test_several_locations_are_one_answer(places: Path) -> None:
    """Several locations give a list of reports, also if all but one cannot be had."""
    names = ("good", "missing", "unsafe.memoryfield.zip", "known")
    done = call("validate", "--format", "json", *(places / name for name in names))
    answer = strict(done.stdout)
    Draft202012Validator(schema("report")).validate(answer)
    found = [Path(report["location"]).name for report in answer["reports"]]
    assert found == ["good", "unsafe.memoryfield.zip", "known"]
    assert done.err.count("\n") == 1
    one = call("validate", "--format", "json", places / "good", places / "missing")
    assert len(strict(one.stdout)["reports"]) == 1


def test_nothing_to_answer_leaves_stdout_empty(places: Path) -> None:
    """Where no location could be had there is no report, and so no JSON."""
    done = call("validate", "--format", "json", places / "missing", places / "fifo")
    assert (done.code, done.stdout) == (4, b"")
    assert done.err.count("\n") == 2


def test_report_of_a_good_field(places: Path) -> None:
    """The report is the one of the standard, with the pin that `digest` prints."""
    done = call("validate", "--format", "json", places / "good")
    assert done.json == {
        "version": 1,
        "location": str(places / "good"),
        "verdict": "valid",
        "digest": call("digest", places / "good").out.strip(),
        "pages": 1,
        "findings": [],
        "summary": {"error": 0, "warning": 0, "info": 0},
    }


def test_finding_in_a_report(places: Path) -> None:
    """A finding names rule, level, file, line and column, and is the same in text."""
    done = call("validate", "--format", "json", places / "faulty")
    (finding,) = done.json["findings"]
    assert (finding["rule"], finding["level"], finding["fixable"]) == ("MF304", "error", True)
    assert (finding["file"], finding["line"], finding["column"]) == ("woks.md", 3, 10)
    text = call("validate", places / "faulty").out
    place = places / "faulty" / "woks.md"
    assert text.splitlines()[0] == f"{place}:3:10 error MF304 {finding['message']}"
    assert f"hint: {finding['hint']}\n" in text


@pytest.mark.parametrize("name", ["unsafe", "text", "zero", "cut"])
def test_report_of_an_unsafe_archive(name: str, places: Path) -> None:
    """An archive that others refuse is findings to `validate`; it has no field pin."""
    done = call("validate", "--format", "json", places / f"{name}.memoryfield.zip")
    Draft202012Validator(schema("report")).validate(done.json)
    assert done.code == 1
    assert (done.json["verdict"], done.json["digest"]) == ("invalid", None)
    assert any(f["rule"] in ("MF601", "MF603") for f in done.json["findings"])
    assert done.json["pages"] == (1 if name == "unsafe" else 0)
    assert done.stderr == b""


def test_info_answers_with_facts(places: Path) -> None:
    """`info` counts, sums up, and gives both pins of an archive."""
    in_folder = call("info", "--format", "json", places / "known").json
    in_archive = call("info", "--format", "json", places / "known.memoryfield.zip").json
    assert in_folder == {
        "version": 1,
        "name": "known",
        "location": str(places / "known"),
        "resolved": None,
        "kind": "directory",
        "title": None,
        "pages": 2,
        "attachments": 0,
        "indexes": 0,
        "debris": 0,
        "bytes": 4,
        "digest": KNOWN_PIN,
        "archive_pin": None,
    }
    pin = call("digest", "--archive", places / "known.memoryfield.zip").out.strip()
    assert in_archive == in_folder | {
        "location": str(places / "known.memoryfield.zip"),
        "kind": "archive",
        "archive_pin": pin,
    }
    empty = call("info", "--format", "json", places / "empty").json
    assert (empty["pages"], empty["bytes"], empty["digest"]) == (0, 0, None)


def test_ls_answers_with_rows(tmp_path: Path) -> None:
    """A row holds name, role, size, time and title; `--all` also lists what is no page."""
    files = {"b.md": GOOD, "a.md": b"a\n", "heat.csv": b"1\n", "x.sqlite3": b"", "b.md~": b""}
    path = folder(tmp_path / "field", files)
    (path / "log").mkdir()
    for name in files:
        os.utime(path / name, (86_400, 86_400))
    answer = call("ls", "--format", "json", path).json
    page = {"role": "page", "modified": "1970-01-02T00:00:00Z"}
    assert answer == {
        "version": 1,
        "location": str(path),
        "entries": [
            {"name": "a.md", "size": 2, "title": "a"} | page,
            {"name": "b.md", "size": len(GOOD), "title": "Carbon Fibre Woks"} | page,
        ],
    }
    assert call("ls", "--long", "--format", "json", path).json == answer
    full = call("ls", "--all", "--format", "json", path).json["entries"]
    assert [(row["name"], row["role"], row["size"], row["title"]) for row in full[2:]] == [
        ("heat.csv", "attachment", 2, None),
        ("x.sqlite3", "index", 0, None),
        ("b.md~", "debris", None, None),
        ("log/", "directory", None, None),
    ]
    nothing = call("ls", "--format", "json", folder(tmp_path / "none", {}))
    assert (nothing.code, nothing.json["entries"]) == (1, [])


def test_read_answers_with_the_state_of_the_frontmatter(tmp_path: Path) -> None:
    """Absent, parsed and broken are told apart, and what is broken says where."""
    path = folder(tmp_path / "field", PAGES)
    names = ["woks.md", "broken.md", "absent.md", "latin.md", "odd.md", "bom.md"]
    answer = call("read", "--format", "json", path, *names).json
    assert (answer["version"], answer["location"]) == (1, str(path))
    pages = dict(zip(names, answer["pages"], strict=True))
    assert [page["name"] for page in answer["pages"]] == names
    assert [page["state"] for page in answer["pages"]] == [
        "parsed", "broken", "absent", "broken", "parsed", "parsed",
    ]  # fmt: skip
    assert pages["woks.md"]["frontmatter"]["created"] == "2026-03-01T09:00:00Z"
    assert pages["woks.md"]["body"].startswith("Carbon fibre woks conduct")
    assert pages["broken.md"]["frontmatter"] is None
    error = pages["broken.md"]["error"]
    assert (error["rule"], error["line"], error["column"]) == ("MF301", 2, 9)
    assert pages["broken.md"]["body"] == "Body\n"
    assert (pages["absent.md"]["error"], pages["absent.md"]["frontmatter"]) == (None, None)
    assert pages["absent.md"]["body"] == PAGES["absent.md"].decode()
    assert pages["latin.md"]["error"]["rule"] == "MF202"
    assert pages["odd.md"]["frontmatter"]["d"] == "2026-04-05"
    assert pages["odd.md"]["frontmatter"]["n"] == ".nan"
    assert pages["bom.md"]["title"] == "Carbon Fibre Woks"


def test_read_answers_with_what_it_has(places: Path) -> None:
    """A page that is missing is told on stderr; the answer holds the others."""
    done = call("read", "--format", "json", places / "known", "b.md", "c.md", "a.md")
    assert done.code == 4
    assert [page["name"] for page in done.json["pages"]] == ["b.md", "a.md"]
    assert done.err.count("\n") == 1


def test_rules_and_explain_answer_with_the_catalogue() -> None:
    """Every requirement is listed, and explained with all its fields."""
    rows = call("rules", "--format", "json").json["requirements"]
    assert [row["id"] for row in rows] == list(catalogue())
    assert {"MF304": True, "MF901": False}.items() <= {r["id"]: r["checked"] for r in rows}.items()
    wanted = call("explain", "--format", "json", "MF304").json
    assert wanted["id"] == "MF304"
    assert all(wanted[part] for part in ("title", "statement", "why", "good", "bad", "hint"))


def test_json_of_a_field_full_of_findings(tmp_path: Path) -> None:
    """A report of many findings is one JSON text as well."""
    path = folder(tmp_path / "field", {f"p{n}.md": FAULTY for n in range(300)})
    done = spawn("validate", "--format", "json", path)
    assert done.stderr == b""
    Draft202012Validator(schema("report")).validate(strict(done.stdout))
