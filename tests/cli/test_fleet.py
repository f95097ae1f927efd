"""`memoryfield fleet`: what is asked for, what is printed, and what the exit code is."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.command import FAULTY, GOOD, KNOWN, KNOWN_PIN, NOTED, archive, call, folder
from tests.cli.fleet_here import Here, here

from memoryfield_cli.fleet_progress import fleet_bar
from memoryfield_fleet import results
from memoryfield_readers import SourceUnavailable
from memoryfield_spec import schema

__all__ = ["here"]

ROW = Draft202012Validator(schema("fleet-row"))
TOTALS = Draft202012Validator(schema("fleet-totals"))
HOSTILE = "\x1b[2J\u202e##[error]x"


@pytest.fixture(autouse=True)
def fields(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of fields, which is the one we are in."""
    monkeypatch.chdir(tmp_path)
    for name, page in {"a": GOOD, "b": FAULTY, "c": NOTED}.items():
        folder(tmp_path / "fields" / name, {"index.md": page})
    archive(tmp_path / "known.memoryfield.zip", KNOWN)
    return tmp_path


def rows_of(text: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        ROW.validate(row)
    return rows


def totals_of(folder: Path) -> dict[str, Any]:
    facts = json.loads((folder / "totals.json").read_bytes())
    TOTALS.validate(facts)
    return dict(facts)


def test_rows_go_to_stdout_and_the_table_to_stderr(here: Here) -> None:
    """Each result is a line; it holds the report that `validate` gives of that field."""
    done = call("fleet", "validate", "fields/*/")
    assert done.code == 1
    rows = rows_of(done.out)
    assert [row["location"] for row in rows] == ["fields/a", "fields/b", "fields/c"]
    for row in rows:
        assert row["result"] == call("validate", "--format", "json", row["location"]).json
    assert done.err.startswith("3 fields: 2 valid, 1 invalid\n")
    assert re.search(r"^ +1 +1 +MF304 +Datetimes are quoted$", done.err, re.MULTILINE)
    assert here.closed


def test_results_are_kept_and_the_table_printed(here: Here) -> None:
    """With a folder, stdout has what the run comes to, and the files say the same."""
    done = call("fleet", "validate", "fields/*/", "--out", "out/x")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("3 fields: 2 valid, 1 invalid\n")
    assert "out/x/report.html" in done.out
    rows = rows_of(Path("out/x/results.jsonl").read_text())
    assert [row["location"] for row in rows] == ["fields/a", "fields/b", "fields/c"]
    facts = totals_of(Path("out/x"))
    assert facts["complete"] is True
    assert facts["verdicts"] == {"valid": 2, "invalid": 1}
    assert "<h1>memoryfield fleet validate</h1>" in Path("out/x/report.html").read_text()


def test_a_second_run_does_what_has_changed(here: Here) -> None:
    """What is as it was is not opened; what failed is tried again; the exit code is of all."""
    assert call("fleet", "validate", "fields/*/", "gone", "--out", "out").code == 4
    folder(Path("fields/b"), {"index.md": GOOD})
    folder(Path("gone"), {"index.md": NOTED})
    here.done.clear()
    here.clusters.clear()
    assert call("fleet", "validate", "fields/a", "fields/c", "--out", "out").code == 0
    assert (here.clusters, here.done) == ([], [])  # no worker is needed
    done = call("fleet", "validate", "fields/*/", "gone", "--out", "out")
    assert done.code == 0
    assert here.done == ["fields/b", "gone"]
    assert totals_of(Path("out"))["fields"] == {"all": 4, "done": 4, "failed": 0, "reused": 2}
    assert re.search(r"Known before +2 fields", done.out)
    here.done.clear()
    assert call("fleet", "validate", "fields/*/", "--out", "out", "--anew").code == 0
    assert here.done == ["fields/a", "fields/b", "fields/c"]


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "gone"])
def test_a_run_that_is_broken_off_can_be_used(here: Here, how: str) -> None:
    """What was done is summed up; the same command goes on with the rest."""

    def after(number: int) -> None:
        if number == 1:
            match how:
                case "SIGINT":
                    raise KeyboardInterrupt
                case "SIGTERM":  # what the handler of the command does
                    raise SystemExit(143)
                case _:
                    raise SourceUnavailable("the scheduler went away", location="tcp://x:1")

    here.after = after
    done = call("fleet", "validate", "fields/*/", "--out", "out")
    assert done.code == {"SIGINT": 130, "SIGTERM": 143, "gone": 4}[how]
    assert ("memoryfield: ended by SIGTERM\n" in done.err) == (how == "SIGTERM")
    assert done.out.startswith("2 fields: 1 valid, 1 invalid; broken off before its end\n")
    assert "run the same again" in done.out
    assert here.closed
    assert len(rows_of(Path("out/results.jsonl").read_text())) == 2
    facts = totals_of(Path("out"))
    assert (facts["complete"], facts["fields"]["all"]) == (False, 2)
    assert "broken off" in Path("out/report.html").read_text()
    here.after = lambda number: None
    here.done.clear()
    assert call("fleet", "validate", "fields/*/", "--out", "out").code == 1
    assert here.done == ["fields/c"]
    assert totals_of(Path("out"))["complete"] is True


def test_a_second_interruption_does_not_spoil_the_totals(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While totals are written, signals wait; they are heeded again after that."""
    page_of = results.page_of

    def interrupted(facts: dict[str, Any]) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return page_of(facts)

    monkeypatch.setattr("memoryfield_fleet.results.recording.page_of", interrupted)
    before = signal.getsignal(signal.SIGINT)
    assert call("fleet", "validate", "fields/a", "--out", "out").code == 0
    assert totals_of(Path("out"))["complete"] is True
    assert Path("out/report.html").is_file()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_in_the_middle_of_a_result_waits_for_its_end(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that is kept is counted, too."""
    add = results.Totals.add

    def interrupted(totals: results.Totals, *given: Any, **others: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        add(totals, *given, **others)

    monkeypatch.setattr(results.Totals, "add", interrupted)
    assert call("fleet", "validate", "fields/*/", "--out", "out").code == 130
    assert len(rows_of(Path("out/results.jsonl").read_text())) == 1
    assert totals_of(Path("out"))["fields"]["done"] == 1


def test_another_run_in_the_folder_is_a_conflict(here: Here) -> None:
    """The second exits with 5, before it asks for any worker."""

    def after(number: int) -> None:
        second.append(call("fleet", "validate", "fields/c", "--out", "out"))

    second: list[Any] = []
    here.after = after
    assert call("fleet", "validate", "fields/a", "--out", "out").code == 0
    assert second[0].code == 5
    assert "another run writes its results there" in second[0].err
    assert len(here.clusters) == 1


def test_a_report_that_cannot_be_written_is_told(here: Here) -> None:
    """The results are there all the same; the exit code says that something is not."""
    here.after = lambda number: Path("out/report.html").mkdir()
    done = call("fleet", "validate", "fields/a", "--out", "out")
    assert done.code == 4
    assert "report.html: cannot be written" in done.err
    assert len(rows_of(Path("out/results.jsonl").read_text())) == 1
    assert call("fleet", "validate", "fields/a", "--out", "out").code == 5

    def interrupted(number: int) -> None:
        Path("new/report.html").mkdir()
        raise KeyboardInterrupt

    here.after = interrupted
    assert call("fleet", "validate", "fields/b", "--out", "new").code == 130


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["validate", "fields/a"], 0),
        (["validate", "fields/c", "--fail-on", "info"], 1),
        (["validate", "fields/b", "--select", "MF2"], 0),
        (["validate", "fields/b", "--ignore", "MF304"], 0),
        (["validate", "fields/*/", "gone/"], 4),
        (["validate", "fields/none-*/"], 4),
        (["audit", "fields/b"], 0),
        (["pin", "fields/b", "known.memoryfield.zip"], 0),
        (["validate", "out*/", "--out", "out"], 1),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_exit_code(arguments: list[str], code: int, here: Here) -> None:
    """A failure is worse than a finding; no field at all is nothing found."""
    done = call("fleet", *arguments)
    assert done.code == code, done.err
    assert ("no field is meant" in done.err) == ("--out" in arguments)


def test_pins_are_those_of_pin(here: Here) -> None:
    """Both pins of an archive stand in its row."""
    [row] = rows_of(call("fleet", "pin", "known.memoryfield.zip").out)
    answer = call("pin", "--format", "json", "known.memoryfield.zip").json
    assert (row["field_pin"], row["archive_pin"]) == (KNOWN_PIN, answer["archive_pin"])
    assert row["pages"] == 2


def test_options_reach_the_job(here: Here) -> None:
    """What is said on the command line is what is asked of workers."""
    done = call(
        "fleet", "validate", "fields/a", "--select", "MF3,MF2", "--ignore", "MF205",
        "--workers", "3", "--in-flight", "7", "--per-host", "2", "--time-limit", "9.5",
        "--memory-limit", "512M", "--retries", "0", "--limit", "page-bytes=99999",
        "--timeout", "4", "--option", "retries=1", "--anon",
    )  # fmt: skip
    assert done.code == 0
    [job] = here.jobs
    assert (job.kind, job.seconds, job.memory, job.retries) == ("validate", 9.5, 2**29, 0)
    assert job.options == {
        "select": ["MF3", "MF2"],
        "ignore": ["MF205"],
        "limits": ["page-bytes=99999"],
        "storage_options": {"retries": 1, "timeout": 4.0, "anon": True},
    }
    assert here.clusters == [(None, 3)]
    assert here.limits == [(7, 2)]
    assert call("fleet", "pin", "fields/a", "--scheduler", "tcp://h:1").code == 0
    assert here.clusters[1:] == [("tcp://h:1", None)]
    assert here.jobs[1].memory == 4 * 2**30
    call(
        "fleet",
        "index",
        "fields/a",
        "--embedder",
        "ollama",
        "--model",
        "m",
        "--memory-limit",
        "none",
    )
    assert here.jobs[2].options == {"embedder": "ollama:m"}
    assert here.jobs[2].memory is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Usage"),
        (["validate"], "PATTERN"),
        (["destroy", "a"], "No such command".lower()),
        (["validate", "a", "--workers", "0"], "--workers"),
        (["validate", "a", "--workers", "1", "--scheduler", "tcp://h:1"], "--scheduler"),
        (["validate", "a", "--anew"], "--out"),
        (["validate", "a", "--memory-limit", "lots"], "512M"),
        (["validate", "a", "--memory-limit", "1k"], "128M"),
        (["validate", "a", "--time-limit", "0"], "--time-limit"),
        (["validate", "a", "--time-limit", "nan"], "--time-limit"),
        (["validate", "a", "--limit", "pages=1"], "there is no limit"),
        (["validate", "a", "--select", "MF999"], "MF999"),
        (["validate", "a", "--select", "MF304", "--ignore", "MF3"], "nothing would be checked"),
        (["audit", "a", "--ignore", "MF8"], "nothing would be checked"),
        (["pin", "a", "--option", "secret=hidden"], "secret"),
        (["pin", "a", "--option", 'client_kwargs={"token": "hidden"}'], "token"),
        (["validate", "fields/a", "--out", "fields/a/out"], "would change a field"),
        (["validate", "a", "--out", "https://h/x"], "a folder of this machine"),
        (["index", "a", "--embedder", "nobody"], "there is no embedder"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_wrong_usage(arguments: list[str], says: str, here: Here) -> None:
    """It is 2, says what would be right, shows no secret, and starts and makes nothing."""
    done = call("fleet", *arguments)
    assert (done.code, done.stdout) == (2, b""), done.err
    assert says in done.err
    assert "hidden" not in done.err
    assert here.clusters == []
    assert not Path("fields/a/out").exists()


def test_the_folder_of_results_is_no_field(here: Here) -> None:
    """A pattern that matches it, too, does not mean it."""
    for _ in range(2):
        assert call("fleet", "validate", "fields/*/", "--out", "fields/out").code == 1
    assert totals_of(Path("fields/out"))["fields"]["all"] == 3
    assert "fields/out" not in here.done


def test_text_of_others_is_escaped(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """No name of a field moves the cursor, or is a command of GitHub Actions."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    folder(Path("fields") / HOSTILE, {"index.md": FAULTY})
    env = {"GITHUB_ACTIONS": "true"}
    for done in (
        call("fleet", "validate", "fields/*/", env=env),
        call("fleet", "validate", "fields/*/", "--out", "out", env=env),
    ):
        said = done.out + done.err
        assert r"\x1b[2J\u{202e}# #[error]x" in said
        assert "\x1b" not in said
        assert "##[" not in said
    assert HOSTILE in [Path(row["location"]).name for row in rows_of(
        Path("out/results.jsonl").read_text()
    )]  # fmt: skip


def test_results_of_another_version_are_told(here: Here) -> None:
    """What is found in the folder and does not count is named on stderr."""
    assert call("fleet", "validate", "fields/a", "--out", "out").code == 0
    done = call("fleet", "validate", "fields/a", "--select", "MF2", "--out", "out")
    assert "memoryfield: out: 1 result is of other options" in done.err
    assert len(rows_of(Path("out/results.jsonl").read_text())) == 1


@pytest.mark.parametrize("name", ["validate", "audit", "pin", "index"])
def test_examples_of_a_job_mean_something(name: str, here: Here) -> None:
    """Each help has examples; all their options are taken, if also for no field."""
    text = call("fleet", name, "--help").out
    examples = re.findall(rf"^ +memoryfield (fleet {name} .*)$", text, re.MULTILINE)
    assert len(examples) == len(re.findall(r"^ +memoryfield ", text, re.MULTILINE)) >= 2
    Path("locations.txt").write_text("fields/a\n")
    for example in examples:
        words = [
            re.sub("^(s3://bucket|fields)/", "nothing/", word) for word in shlex.split(example)
        ]
        words = words[: words.index("<")] if "<" in words else words
        done = call(*words, stdin=b"fields/a\n")
        assert done.code != 2, (example, done.err)


def test_workers_that_cannot_be_had_leave_what_is_there(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results and totals of earlier runs stand, also where all is to be done anew."""
    assert call("fleet", "validate", "fields/*/", "--out", "out").code == 1
    names = ("results.jsonl", "totals.json", "report.html")
    before = [(Path("out") / name).read_bytes() for name in names]

    def no_cluster(*given: object, **others: object) -> None:
        raise SourceUnavailable("no scheduler answers there", location="tcp://x:1")

    monkeypatch.setattr("memoryfield_fleet.cluster.open_cluster", no_cluster)
    done = call("fleet", "validate", "fields/*/", "--out", "out", "--anew")
    assert (done.code, done.out) == (4, "")
    assert done.err.count("\n") == 1
    assert [(Path("out") / name).read_bytes() for name in names] == before


def test_dask_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what to install."""
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    done = call("fleet", "validate", "fields/a")
    assert (done.code, done.out) == (4, "")
    assert 'pip install "memoryfield-kit[fleet]"' in done.err


@pytest.mark.parametrize("prints", [False, True], ids=["bar", "rows are on the screen"])
def test_the_dashboard_is_named_on_a_terminal(
    prints: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People see where a browser shows more; a line counts, unless rows are seen to come."""
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("sys.stdout", screen)
    totals = results.Totals("pin")
    with fleet_bar("pin", "http://127.0.0.1:8787/status", prints=prints) as tell:
        tell(totals)
    seen = screen.getvalue()
    assert "memoryfield: a browser shows how it goes: http://127.0.0.1:8787/status\n" in seen
    assert ("Pinning" in seen) == (not prints)


class Screen(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        """It is one."""
        return True
