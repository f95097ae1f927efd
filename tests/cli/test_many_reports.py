"""Formats, files and streams: where each report goes, and that all say the same."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.command import (
    COMMAND,
    FAULTY,
    GOOD,
    SECONDS,
    WARNED,
    archive,
    call,
    folder,
    neutral_environment,
    spawn,
)

from memoryfield_cli.destinations import FORMATS

MIXED = {"woks.md": FAULTY, "pans.md": WARNED.replace(b"f18c8b", b"f18c8c"), "Pots.md": b"x\n"}


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A field with findings of every level, in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    folder(tmp_path / "field", MIXED)
    return Path("field")


Key = tuple[str, str, int]


def _from_json(text: str) -> list[Key]:
    found = json.loads(text)["findings"]
    return [(one["rule"], one["file"] or "", one["line"] or 0) for one in found]


def _from_jsonl(text: str) -> list[Key]:
    found = [json.loads(line) for line in text.splitlines()]
    return [(one["rule"], one["file"] or "", one["line"] or 0) for one in found]


def _from_sarif(text: str) -> list[Key]:
    keys = []
    for result in json.loads(text)["runs"][0]["results"]:
        place = result["locations"][0]["physicalLocation"]
        file = place["artifactLocation"]["uri"].removeprefix("field/")
        keys.append((result["ruleId"], file, place["region"]["startLine"]))
    return keys


def _from_junit(text: str) -> list[Key]:
    keys = []
    for case in ElementTree.fromstring(text).iter("testcase"):
        rule, _, place = (case.get("name") or "").partition(" ")
        file, _, line = place.partition(":")
        keys.append((rule, file, int(line.partition(" ")[0].partition(":")[0] or 0)))
    return keys


def _from_github(text: str) -> list[Key]:
    keys = []
    for line in text.splitlines():
        if line.startswith("::"):
            settings = dict(
                part.split("=", 1) for part in line.split("::")[1].split(" ", 1)[1].split(",")
            )
            file = settings["file"].removeprefix("field/")
            keys.append((settings["title"].split()[0], file, int(settings.get("line", 0))))
    return keys


READ: dict[str, Callable[[str], list[Key]]] = {
    "json": _from_json,
    "jsonl": _from_jsonl,
    "sarif": _from_sarif,
    "junit": _from_junit,
    "github": _from_github,
}


def with_line(keys: list[Key]) -> list[Key]:
    """SARIF has a line for everything: the first, where a finding has none."""
    return sorted((rule, file, line or 1) for rule, file, line in keys)


@pytest.mark.parametrize("form", READ)
def test_every_format_says_the_same(form: str, field: Path) -> None:
    """The same findings at the same places, whatever reads them; stdout is the report alone."""
    expected = _from_json(call("validate", "--format", "json", field).out)
    assert len(expected) > 4
    done = call("validate", "--format", form, field)
    assert (done.code, done.err) == (1, "")
    assert with_line(READ[form](done.out)) == with_line(expected)


def test_text_says_the_same(field: Path) -> None:
    """One heading a finding."""
    expected = _from_json(call("validate", "--format", "json", field).out)
    text = call("validate", field).out
    for rule, file, line in expected:
        place = f"{file}:{line}:" if line else f"{file} "
        assert f"field/{place}" in text
        assert rule in text
    assert text.count("\nfield/") + text.startswith("field/") == len(expected)


@pytest.mark.parametrize("form", FORMATS)
def test_report_in_a_file_is_the_report(form: str, field: Path) -> None:
    """By `--format FORM:FILE` and by `--output`; then stdout stays empty."""
    shown = call("validate", "--format", form, field)
    for arguments in (["--format", f"{form}:out"], ["--format", form, "--output", "out"]):
        done = call("validate", *arguments, field)
        assert (done.code, done.stdout, done.err) == (1, b"", "")
        assert Path("out").read_bytes() == shown.stdout
        Path("out").unlink()


def test_several_formats_at_once(field: Path) -> None:
    """Each in its place, in one run."""
    done = call(
        "validate",
        "--format",
        "sarif:a.sarif",
        "--format",
        "text",
        "--format",
        "junit:b.xml",
        field,
    )
    assert done.out == call("validate", field).out
    assert Path("a.sarif").read_text() == call("validate", "--format", "sarif", field).out
    assert Path("b.xml").read_text() == call("validate", "--format", "junit", field).out


WRONG = {
    "unknown format": (["--format", "xml"], "'sarif'"),
    "no file": (["--format", "sarif:"], "no file"),
    "two to stdout": (["--format", "json", "--format", "text"], "only one format"),
    "text beside": (["--format", "json", "--format", "sarif"], "only one format"),
    "one file": (["--format", "json:a", "--format", "sarif:./a"], "one file"),
    "nothing for --output": (["--format", "json:a", "--output", "b"], "--output needs"),
    "no folder": (["--output", "missing/a"], "cannot be written"),
    "a folder": (["--format", "json:field"], "cannot be written"),
    "no jobs": (["--jobs", "0"], "--jobs"),
    "no settings": (["--config", "missing.toml"], "missing.toml"),
    "unknown limit": (["--limit", "pages=1"], "no limit named"),
    "unknown id": (["--ignore", "MF999"], "MF999"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("command", ["validate", "audit"])
def test_wrong_usage(command: str, name: str, field: Path) -> None:
    """It is told before anything is checked or written."""
    arguments, says = WRONG[name]
    before = sorted(Path().iterdir())
    done = call(command, *arguments, field)
    assert (done.code, done.stdout) == (2, b"")
    assert says in done.err
    assert sorted(Path().iterdir()) == before


def test_report_replaces_a_file_whole(field: Path) -> None:
    """Through a link, with the mode it had, and with nothing left beside it."""
    Path("old.json").write_text("old")
    os.chmod("old.json", 0o640)
    Path("link.json").symlink_to("old.json")
    call("validate", "--format", "json:link.json", field)
    assert Path("link.json").is_symlink()
    assert json.loads(Path("old.json").read_text())["pages"] == 3
    assert stat.S_IMODE(Path("old.json").stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["field", "link.json", "old.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_report_goes_into_a_pipe(field: Path) -> None:
    """What is no regular file is written, not replaced."""
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        call("validate", "--format", "json:pipe", field)
        out, _ = reader.communicate(timeout=SECONDS)
    assert json.loads(out)["pages"] == 3
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


def test_report_that_cannot_be_written_is_told(field: Path) -> None:
    """With the exit code for what cannot be had, whatever was found."""
    done = spawn("validate", "--format", "json:/dev/full", field)
    assert done.code == 4
    assert done.err.startswith("memoryfield: /dev/full: cannot be written: ")
    assert done.err.count("\n") == 1


def test_several_fields(field: Path) -> None:
    """Text tells the totals; JSON has a list; what cannot be read is told beside them."""
    folder(Path("good"), {"woks.md": GOOD})
    text = call("validate", field, "good", "missing")
    assert text.code == 4
    assert text.out.endswith("\n3 fields: 1 valid, 1 invalid, 1 not checked\n")
    assert text.err.count("\n") == 1
    answer = call("validate", "--format", "json", field, "good").json
    assert [one["location"] for one in answer["reports"]] == ["field", "good"]


@pytest.mark.parametrize("arguments", [["--each", "fields"], ["fields/*"]])
def test_list_of_reports_wherever_several_were_asked_for(arguments: list[str], field: Path) -> None:
    """A pattern or a folder of fields gives a list, also if it holds but one field."""
    folder(Path("fields/only"), {"woks.md": GOOD})
    answer = call("validate", "--format", "json", *arguments).json
    assert [one["location"] for one in answer["reports"]] == [os.path.join("fields", "only")]


def test_jobs_change_nothing(field: Path) -> None:
    """The same bytes in the same order, however many processes work, in every format."""
    for number in range(9):
        folder(Path(f"fields/f{number}"), MIXED)
    written: dict[str, dict[str, bytes]] = {}
    for jobs in ("1", "3"):
        formats = [part for form in FORMATS for part in ("--format", f"{form}:{form}.{jobs}")]
        done = spawn("validate", *formats, "--each", "fields", "--jobs", jobs)
        assert (done.code, done.stdout, done.stderr) == (1, b"", b"")
        written[jobs] = {form: Path(f"{form}.{jobs}").read_bytes() for form in FORMATS}
    assert written["1"] == written["3"]
    for number in range(9):
        assert f"f{number}/" in written["3"]["text"].decode()


def test_archive_on_stdin(field: Path) -> None:
    """It is `-`, it has no name, so none that could be wrong; its entries are told like others."""
    archive(Path("mixed.zip"), MIXED)
    named = call("validate", "--format", "json", "mixed.zip").json
    with Path("mixed.zip").open("rb") as file:
        done = subprocess.run(
            [COMMAND, "validate", "--format", "json", "-"],
            stdin=file,
            env=neutral_environment(),
            capture_output=True,
            check=False,
        )
    piped = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (1, b"")
    assert piped["location"] == "-"
    assert piped["digest"] == named["digest"]
    others = [one for one in named["findings"] if one["rule"] != "MF602"]
    assert piped["findings"] == others


@pytest.mark.parametrize(
    ("content", "arguments", "code", "says"),
    [
        (b"", [], 1, b"MF601"),
        (b"no archive", [], 1, b"MF601"),
        (b"x" * 4_000_000, ["--limit", "total-bytes=1", "--limit", "directory-bytes=1"], 3, b""),
    ],
)
def test_what_is_no_archive_on_stdin(
    content: bytes, arguments: list[str], code: int, says: bytes
) -> None:
    """Findings, as for a file; beyond all limits nothing more is read."""
    done = subprocess.run(
        [COMMAND, "validate", *arguments, "-"],
        input=content,
        env=neutral_environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == code
    assert says in done.stdout
    assert (done.stderr == b"") == (code == 1)


def test_step_summary_on_github(field: Path, tmp_path: Path) -> None:
    """Under GitHub Actions alone, a summary is added to what other steps wrote."""
    summary = tmp_path / "summary.md"
    summary.write_text("# Before\n")
    set_alone = call("validate", field, env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text() == "# Before\n"
    env = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTIONS": "true"}
    done = call("validate", field, env=env)
    assert done == set_alone
    text = summary.read_text()
    assert text.startswith("# Before\n")
    assert "MF304" in text
    env["GITHUB_STEP_SUMMARY"] = str(tmp_path)
    failed = call("validate", field, env=env)
    assert (failed.code, failed.stdout) == (done.code, done.stdout)
    assert "summary cannot be written" in failed.err


def test_paths_are_told_from_the_root_of_the_repository(
    field: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a step with a working directory too, also where one is reached by a link."""
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.chdir(field)
    for workspace in (tmp_path, tmp_path / "link"):
        env = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(workspace)}
        for location in (".", str(tmp_path / "field"), str(tmp_path / "link" / "field")):
            done = call("validate", "--format", "github", location, env=env)
            assert done.out.startswith("::error file=field/Pots.md,"), location
            done = call("validate", "--format", "sarif", location, env=env)
            found = done.json["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
            assert found["artifactLocation"]["uri"].startswith("field/"), location


@pytest.mark.parametrize("form", FORMATS)
def test_no_report_is_a_command_on_github(form: str, tmp_path: Path) -> None:
    """Text of a page that a runner would obey is changed, but not for who reads the report."""
    field = folder(tmp_path / "field", {"x##[add-mask]y.md": GOOD})
    plain = call("validate", "--format", form, field)
    done = call("validate", "--format", form, field, env={"GITHUB_ACTIONS": "true"})
    assert b"##[" not in done.stdout
    assert b"##[" in plain.stdout or form in ("github", "sarif")
    if form in ("json", "jsonl", "sarif", "junit"):
        assert READ[form](done.out) == READ[form](plain.out)


def test_formats_where_nothing_can_be_read(field: Path) -> None:
    """Reports that programs wait for are there and say it; the exit code is that of the error."""
    for form in ("sarif", "junit", "github"):
        done = call("validate", "--format", form, "missing")
        assert done.code == 4
        assert "missing" in done.out
        assert done.err.count("\n") == 1
    sarif = call("validate", "--format", "sarif", "missing").json
    assert sarif["runs"][0]["results"] == []
    call("validate", "--format", "json:out.json", "missing")
    assert json.loads(Path("out.json").read_text()) == {"version": 1, "reports": []}


INTO = {
    "the archive": ("a.zip", "a.zip"),
    "a page": ("field/woks.md", "field"),
    "a new file of the field": ("field/report", "field"),
    "a page, through a link": ("link", "field"),
}


@pytest.mark.parametrize("name", INTO)
def test_report_is_not_written_into_what_is_checked(name: str, field: Path) -> None:
    """A field that is only checked stays as it is."""
    file, location = INTO[name]
    content = archive(Path("a.zip"), MIXED).read_bytes()
    Path("link").symlink_to("field/woks.md")
    done = call("validate", "--output", file, location)
    assert (done.code, done.stdout) == (2, b"")
    assert "would change a field" in done.err
    assert Path("a.zip").read_bytes() == content
    assert {path.name: path.read_bytes() for path in field.iterdir()} == MIXED


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this system has no such file")
def test_file_that_is_stdout_is_not_replaced(field: Path) -> None:
    """A log to which others write keeps what they wrote."""
    script = (
        'exec >> log; echo before; "$0" validate --output /dev/stdout field; '
        '"$0" validate --format json:/dev/stderr field 2>> log; echo after'
    )
    Path("log").write_text("old\n")
    subprocess.run(["sh", "-c", script, COMMAND], env=neutral_environment(), check=True)
    expected = call("validate", field).out + call("validate", "--format", "json", field).out
    assert Path("log").read_text() == f"old\nbefore\n{expected}after\n"


def test_name_is_no_command_on_github(field: Path, tmp_path: Path) -> None:
    """A location that begins with `::` does not begin a line as it is."""
    folder(tmp_path / "::error::x", {"woks.md": FAULTY})
    done = call("validate", "::error::x", env={"GITHUB_ACTIONS": "true"})
    assert done.code == 1
    assert not any(line.lstrip().startswith("::") for line in done.out.splitlines())


def test_nothing_to_check_is_wrong_usage(field: Path) -> None:
    """All that is selected being ignored, every field would pass."""
    done = call("validate", "--select", "MF3", "--ignore", "MF3", field)
    assert (done.code, done.stdout) == (2, b"")
    assert "nothing would be checked" in done.err
    assert call("audit", "--ignore", "MF8", field).code == 2


def test_audit_says_nothing_on_validity(field: Path) -> None:
    """Its words are others, since most rules were not run."""
    out = call("audit", field, field, "--format", "text").out
    assert "valid," not in out
    assert "without errors" in out
    assert "`memoryfield validate` checks the others" in out
