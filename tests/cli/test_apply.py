"""`apply` does a batch whole or not at all, and says what it did."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import (
    COMMAND,
    GOOD,
    KNOWN,
    KNOWN_PIN,
    SECONDS,
    Outcome,
    archive,
    call,
    folder,
    heed_signals,
    neutral_environment,
)
from tests.cli.harmless import assert_harmless
from tests.cli.hostile_fields import ALL

from memoryfield_readers.holding import held_field
from memoryfield_spec import schema

PAGES = {"woks.md": GOOD, **KNOWN, "plan.txt": b"An attachment.\n"}
LOCATIONS = ["field", "field.memoryfield.zip"]
MORE: list[dict[str, Any]] = [
    {"op": "add", "name": "new.md", "text": "# New\n"},
    {"op": "replace-text", "name": "woks.md", "old": "unevenly", "new": "evenly"},
    {"op": "rename", "name": "a.md", "to": "c.md"},
    {"op": "remove", "name": "plan.txt"},
]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a field as a folder and as an archive."""
    folder(tmp_path / "field", PAGES)
    archive(tmp_path / "field.memoryfield.zip", PAGES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def batch(*operations: dict[str, Any], name: str = "batch.json") -> str:
    """The path of a batch of these operations."""
    Path(name).write_text(json.dumps({"version": 1, "operations": operations}))
    return name


def pin(location: str) -> str:
    return call("digest", location).out.strip()


def refused(done: Outcome, code: int, says: str) -> None:
    """Nothing is answered, and one line says why."""
    assert (done.code, done.out) == (code, ""), done.err
    assert done.err.count("\n") == 1, done.err
    assert says in done.err, done.err


@pytest.mark.parametrize("location", LOCATIONS)
def test_what_changed_is_told(location: str) -> None:
    """One line a file in the order of names, and the new pin last."""
    done = call("apply", location, batch(*MORE))
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "renamed a.md -> c.md",
        "added new.md",
        "removed plan.txt",
        "changed woks.md",
        pin(location),
    ] or done.out.splitlines() == [
        "added new.md",
        "removed plan.txt",
        "renamed a.md -> c.md",
        "changed woks.md",
        pin(location),
    ]
    assert b"conduct heat evenly" in call("read", "--raw", location, "woks.md").stdout
    assert call("ls", location).out.split() == ["b.md", "c.md", "new.md", "woks.md"]


@pytest.mark.parametrize("location", LOCATIONS)
def test_as_json(location: str) -> None:
    """What fits the schema, and the same of a dry run."""
    before = pin(location)
    tried = call("apply", "--dry-run", "--format", "json", location, batch(*MORE))
    done = call("apply", "--format", "json", location, batch(*MORE))
    for each in (tried, done):
        assert each.code == 0, each.err
        Draft202012Validator(schema("applied")).validate(each.json)
        assert each.stdout.isascii()
        assert each.json["before"] == before
    assert (tried.json["dry_run"], done.json["dry_run"]) == (True, False)
    assert tried.json["changes"] == done.json["changes"]
    assert tried.json["digest"] == done.json["digest"] == pin(location)
    assert tried.json["archive_pin"] is None
    pins = call("pin", "--format", "json", location).json
    assert done.json["archive_pin"] == pins["archive_pin"]


@pytest.mark.parametrize("location", LOCATIONS)
def test_a_dry_run_writes_nothing(location: str, place: Path) -> None:
    """Also where nothing may be written; stderr says that it was only tried."""
    before = (place / "field.memoryfield.zip").read_bytes()
    done = call("apply", "--dry-run", location, batch(*MORE))
    assert done.code == 0
    assert done.err.endswith(f"memoryfield: {location}: nothing was written, it was only tried\n")
    assert pin(location) == pin("field")
    assert (place / "field.memoryfield.zip").read_bytes() == before
    assert not (place / "field" / "new.md").exists()


def test_batch_on_stdin() -> None:
    """`-` stands for it; with nothing there, one line says so."""
    text = Path(batch(*MORE)).read_bytes()
    assert call("apply", "field", "-", stdin=text).code == 0
    refused(call("apply", "field", "-", stdin=b""), 2, "nothing came on stdin")
    refused(call("apply", "--limit", "total-bytes=1", "field", "-", stdin=b" " * 2**21), 3, "bytes")


def test_expected_pin() -> None:
    """Another field than was read is not changed."""
    before = call("pin", "field.memoryfield.zip").out.split()
    more = batch(*MORE)
    for expected in (KNOWN_PIN, f"sha256:{'0' * 64}"):
        done = call("apply", "field.memoryfield.zip", more, "--expect", expected)
        refused(done, 5, expected[-64:])
        assert before[expected.startswith("sha256")][-64:] in done.err
    refused(call("apply", "field", more, "--expect", "field-sha256:12"), 2, "is no pin")
    both = ("--expect", before[0], "--expect", before[1])
    assert call("apply", "field.memoryfield.zip", more, *both).code == 0


REJECTED: dict[str, tuple[list[dict[str, Any]], int, str]] = {
    "taken": ([{"op": "add", "name": "a.md", "text": "x"}], 5, "a.md"),
    "missing": ([{"op": "remove", "name": "z.md"}], 5, "z.md"),
    "ambiguous": ([{"op": "replace-text", "old": "n", "new": "x"}], 5, "woks.md"),
    "nowhere": ([{"op": "replace-text", "old": "nowhere", "new": "x"}], 5, ""),
    "another hash": (
        [{"op": "remove", "name": "a.md", "if_sha256": "0" * 64}],
        5,
        "a.md",
    ),
    "bad frontmatter": (
        [{"op": "add", "name": "n.md", "text": "---\ntitle: a: b\n---\nText\n"}],
        5,
        "MF301",
    ),
    "bad name": ([{"op": "add", "name": "N N.md", "text": "x"}], 5, "N N.md"),
    "outside": ([{"op": "add", "name": "../n.md", "text": "x"}], 5, "../n.md"),
    "last page": (
        [{"op": "remove", "name": n} for n in ("a.md", "b.md", "new.md", "woks.md")],
        5,
        "no page would be left",
    ),
    "unknown operation": ([{"op": "append", "name": "a.md", "text": "x"}], 2, "append"),
    "unknown key": ([{"op": "remove", "name": "a.md", "iff": "x"}], 2, "iff"),
    "no operation": ([], 2, "operation"),
}


@pytest.mark.parametrize(("operations", "code", "says"), REJECTED.values(), ids=REJECTED)
@pytest.mark.parametrize("location", LOCATIONS)
def test_rejected_batches_change_nothing(
    operations: list[dict[str, Any]], code: int, says: str, location: str, place: Path
) -> None:
    """Nor do the operations before the one that stands in the way."""
    before = pin(location), (place / "field.memoryfield.zip").read_bytes()
    rows = [MORE[0], *operations] if operations else []
    refused(call("apply", location, batch(*rows)), code, says)
    assert (pin(location), (place / "field.memoryfield.zip").read_bytes()) == before
    assert sorted(os.listdir(place)) == ["batch.json", "field", "field.memoryfield.zip"]
    assert sorted(os.listdir(place / "field")) == sorted(PAGES)


def test_content_that_a_review_stops_at() -> None:
    """It passes only if its rule is allowed."""
    hiding = batch({"op": "add", "name": "n.md", "text": "# N\n\nun\u200bevenly\n"})
    done = call("apply", "field", hiding)
    refused(done, 5, "--allow MF8")
    [rule] = set(re.findall(r"--allow (MF8[0-9]+)", done.err))
    refused_rule = call("apply", "--allow", "MF899", "field", hiding)
    assert (refused_rule.code, refused_rule.out) == (2, "")
    assert call("apply", "--dry-run", "--allow", "MF8", "field", hiding).code == 0
    assert call("apply", "--allow", rule.lower(), "field", hiding).code == 0


def test_findings_are_told_on_stderr() -> None:
    """What is worth a look stands in no one's way."""
    done = call("apply", "field", batch({"op": "add", "name": "n.md", "text": "# N\n"}))
    assert done.code == 0
    assert "memoryfield: n.md" in done.err
    assert " MF204 " in done.err
    assert done.out.splitlines() == ["added n.md", pin("field")]


def test_stamp() -> None:
    """Frontmatter is filled in and renewed only if asked for."""
    operations = [MORE[0], MORE[1]]
    assert call("apply", "--dry-run", "field", batch(*operations)).code == 0
    assert call("apply", "--stamp", "field", batch(*operations)).code == 0
    new = Path("field/new.md").read_text()
    assert re.fullmatch(
        r"---\ntitle: New\nuuid: [0-9a-f-]{36}\ncreated: '(.*)'\nupdated: '\1'\n---\n# New\n", new
    )
    changed = Path("field/woks.md").read_text()
    assert "created: '2026-03-01T09:00:00Z'" in changed
    assert "updated: '2026-08-22T14:30:00Z'" not in changed


WRONG: dict[str, tuple[list[str], int, str]] = {
    "no batch": (["field"], 2, "BATCH"),
    "batch missing": (["field", "missing.json"], 4, "missing.json: cannot be read"),
    "batch is a folder": (["field", "field"], 4, "cannot be read"),
    "no JSON": (["field", "field/a.md"], 2, "field/a.md: is no JSON"),
    "location missing": (["missing", "batch.json"], 4, "missing"),
    "read only": (["https://example.org/x.zip", "batch.json"], 2, "can be read, not written"),
    "stdin": (["-", "batch.json"], 2, "can be read, not written"),
    "a name of a lock file": (["@notes", "batch.json"], 2, "@notes"),
    "allow another rule": (["--allow", "MF304", "field", "batch.json"], 2, "no content rule"),
    "allow nothing": (["--allow", "", "field", "batch.json"], 2, "no content rule"),
    "wait": (["--wait", "-1", "field", "batch.json"], 2, "--wait"),
    "limit": (["--limit", "pages=1", "field", "batch.json"], 2, "page-bytes"),
}


@pytest.mark.parametrize(("arguments", "code", "says"), WRONG.values(), ids=WRONG)
def test_wrong_usage(arguments: list[str], code: int, says: str) -> None:
    """It is said what is wrong, and nothing stands on stdout."""
    batch(*MORE)
    done = call("apply", *arguments)
    assert (done.code, done.stdout) == (code, b""), done.err
    assert says in done.err
    assert all(line.startswith("memoryfield: ") for line in done.err.splitlines())
    assert done.err.count("\n") == 1 or "see `memoryfield apply --help`" in done.err


def test_limits() -> None:
    """A field does not grow over them."""
    grown = batch({"op": "add", "name": "n.md", "text": "x" * 500})
    done = call("apply", "--limit", "page-bytes=450", "field", grown)
    assert (done.code, done.out) in ((3, ""), (5, ""))
    assert "450" in done.err


def test_hostile_texts_are_shown_escaped() -> None:
    """Names and texts of a batch cannot move the cursor, whatever becomes of them."""
    name = f"a{ALL}.md"
    folder(Path("field"), {name: KNOWN["b.md"]})
    for operations in (
        [{"op": "add", "name": name, "text": "x"}],
        [{"op": "remove", "name": f"{ALL}\n"}],
        [{"op": "replace-text", "old": ALL, "new": ALL}],
        [{"op": "replace-text", "old": "b\n", "new": ALL}],
        [{"op": "add", "name": "x.md", "text": f"---\ntitle: {ALL}: {ALL}\n---\n{ALL}\n"}],
        [{"op": ALL, ALL: ALL}],
        [{"op": "rename", "name": name, "to": "good.md"}],
    ):
        for form in ("text", "json"):
            path = batch(*operations)
            done = call("apply", "--dry-run", "--format", form, "field", path)
            assert_harmless(done.stdout + done.stderr)
            assert "Traceback" not in done.err
    assert call("apply", "field", path).code == 0


@pytest.mark.parametrize("location", LOCATIONS)
def test_another_writer_holds_the_field(location: str, place: Path) -> None:
    """After `--wait` seconds it is 4, and nothing has changed."""
    before = pin(location)
    with held_field(place / location, wait=0, location=location):
        done = call("apply", "--wait", "0", location, batch(*MORE))
    assert (done.code, done.out) == (4, ""), done.err
    assert location in done.err
    assert pin(location) == before


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_interrupted_while_waiting(number: signal.Signals, place: Path) -> None:
    """Nothing is half done, and nothing is left."""
    before = pin("field")
    batch(*MORE)
    with (
        held_field(place / "field", wait=0, location="field"),
        subprocess.Popen(
            [COMMAND, "apply", "--wait", str(SECONDS), "field", "batch.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=neutral_environment(),
            preexec_fn=heed_signals,
        ) as process,
    ):
        assert process.stderr is not None
        assert b"wait" in process.stderr.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=SECONDS)
    assert out == b""
    assert b"Traceback" not in err
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert pin("field") == before
    assert sorted(os.listdir("field")) == sorted(PAGES)
