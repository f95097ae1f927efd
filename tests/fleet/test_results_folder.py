"""The folder of a run: whatever was there and whatever happens, a result is kept or made again."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fleet.results_rows import JOB, MARK, PIN, done, facts_of, failed, line, same, target

from memoryfield_fleet import Job, Kind, Refused, Row, Target
from memoryfield_fleet.results import (
    OTHERS,
    RESULTS,
    Recording,
    Results,
    line_of,
    open_results,
)
from memoryfield_readers import LocationError, NotFound, SourceUnavailable, WriteConflict
from memoryfield_readers.atomic import Directory, move_over

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="files of POSIX")


def lines_of(folder: Path, name: str = RESULTS) -> list[dict[str, object]]:
    return [json.loads(each) for each in (folder / name).read_bytes().splitlines()]


def locations_of(folder: Path, name: str = RESULTS) -> list[object]:
    return [each["location"] for each in lines_of(folder, name)]


def write(folder: Path, *rows: Row | bytes, mark: str = MARK, name: str = RESULTS) -> None:
    """Put lines into a file of a folder."""
    folder.mkdir(exist_ok=True)
    given = (each if isinstance(each, bytes) else line_of(each, mark)[1] for each in rows)
    (folder / name).write_bytes(b"".join(given))


def run(folder: Path, rows: Iterable[Row], *, ends: bool = True, job: Job = JOB) -> Recording:
    """A run of which these rows come; those known as they are come as "same"."""
    with open_results(folder, job) as results:
        recording = Recording(job, results)
        given = {row.location: row for row in rows}
        targets = (Target(row.location, row.version) for row in given.values())
        for meant in recording.meant(targets):
            assert isinstance(meant, Target)
            is_known = meant.version is not None and recording.known(meant) == meant.version
            recording.add(
                same(meant.location, str(meant.version)) if is_known else given[meant.location]
            )
        if ends:
            recording.end()
        recording.write()
    return recording


def test_a_second_run_does_only_what_is_new(tmp_path: Path) -> None:
    """What is known counts; what has changed, has failed, or is new, is done; one line each."""
    first = [done("a"), done("b"), failed("c"), done("d", version=None)]
    assert run(tmp_path, first).totals.reused == 0
    again = [done("a"), done("b", "v2"), done("c"), done("d", version=None), done("e")]
    recording = run(tmp_path, again)
    assert (recording.totals.done, recording.totals.reused, recording.totals.failed) == (5, 1, 0)
    assert sorted(map(str, locations_of(tmp_path))) == ["a", "b", "c", "d", "e"]
    assert {each["field_version"] for each in lines_of(tmp_path)} == {"v1", "v2", None}
    assert run(tmp_path, again).totals.reused == 4


def test_what_is_not_meant_is_put_aside(tmp_path: Path) -> None:
    """Results are those of the fields that are meant; others wait until they are meant again."""
    run(tmp_path, [done("a"), done("b"), failed("c")])
    run(tmp_path, [done("a")])
    assert locations_of(tmp_path) == ["a"]
    assert locations_of(tmp_path, OTHERS) == ["b"]  # a failure is no use to anyone
    assert run(tmp_path, [done("b")]).totals.reused == 1
    assert (locations_of(tmp_path), locations_of(tmp_path, OTHERS)) == (["b"], ["a"])
    assert run(tmp_path, [done("a"), done("b")]).totals.reused == 2
    assert not (tmp_path / OTHERS).exists()


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    """What was done is known; while a field has two lines, the last one counts."""
    run(tmp_path, [done("a"), done("b")])
    run(tmp_path, [done("a", "v2")], ends=False)
    assert locations_of(tmp_path) == ["a", "b", "a"]
    recording = run(tmp_path, [done("a", "v2"), done("b"), done("c")])
    assert recording.totals.reused == 2
    assert sorted(map(str, locations_of(tmp_path))) == ["a", "b", "c"]


def test_a_line_that_is_cut_anywhere_is_done_again(tmp_path: Path) -> None:
    """Killed while it wrote, a run leaves a cut line: it goes, and all before it is known."""
    whole = line_of(done("a"), MARK)[1]
    for length in range(0, len(whole), 31):
        write(tmp_path, whole, line_of(done("b"), MARK)[1][:length])
        with open_results(tmp_path, JOB) as results:
            assert results.known(target("a")) == "v1"
            assert results.known(target("b")) is None
            assert results.notes == []
            row, data = line_of(done("b"), MARK)
            results.add(row, data)
        assert (tmp_path / RESULTS).read_bytes() == whole + data


def test_a_field_that_the_folder_lies_in_is_refused(tmp_path: Path) -> None:
    """Each result would change it; it is told, and fields beside it are done."""
    beside = str(tmp_path / "field-2")
    with open_results(tmp_path / "field" / "out", JOB) as results:
        field = str(tmp_path / "field")
        found = list(results.meant([target(field), target(beside)]))
    [refused, other] = found
    assert isinstance(refused, Refused)
    assert (refused.location, refused.error.exit_code) == (field, 2)
    assert other == target(beside)


def test_a_cut_line_alone_is_no_reason_to_refuse(tmp_path: Path) -> None:
    """Also the first line of all may have been cut."""
    write(tmp_path, line_of(done("a"), MARK)[1][:50])
    assert run(tmp_path, [done("a")]).totals.done == 1
    assert locations_of(tmp_path) == ["a"]


@pytest.mark.parametrize("ending", [b"", b"\n"], ids=["cut", "whole"])
@pytest.mark.parametrize("name", [RESULTS, OTHERS])
def test_what_is_something_else_is_left_alone(tmp_path: Path, name: str, ending: bytes) -> None:
    """A file of that name that holds no results is not written to."""
    content = b"my,table\n1,2" + ending
    write(tmp_path, content, name=name)
    with pytest.raises(WriteConflict, match="no results") as caught:
        run(tmp_path, [done("a")])
    assert caught.value.exit_code == 5
    assert (tmp_path / name).read_bytes() == content


def test_lines_that_are_none_are_told_and_go(tmp_path: Path) -> None:
    """Beside good lines, bad ones are counted, told and left out."""
    forged = facts_of(done("c"))
    forged["location"] = "d"  # its key is of another field
    write(tmp_path, done("a"), b"\xff{}\n", b"\n", line(forged), done("b"), b"junk")
    with open_results(tmp_path, JOB) as results:
        told = " ".join(results.notes)
        assert "3 lines are none" in told
        assert "1 result is of other options" in told
        assert results.known(target("d")) is None
    recording = run(tmp_path, [done("a"), done("b")])
    assert recording.totals.reused == 2
    assert (tmp_path / RESULTS).read_bytes().count(b"\n") == 2


def test_results_of_other_options_are_told_and_made_again(tmp_path: Path) -> None:
    """The rules are others: what was found by them says nothing here."""
    run(tmp_path, [done("a"), done("b")], job=Job("validate"))
    with open_results(tmp_path, JOB) as results:
        assert "2 results are of other options" in results.notes[0]
        assert results.known(target("a")) is None
    assert run(tmp_path, [done("a")]).totals.reused == 0
    assert locations_of(tmp_path) == ["a"]


@pytest.mark.parametrize("anew", [False, True])
def test_results_of_another_kind_of_job_are_safe(tmp_path: Path, anew: bool) -> None:
    """Pins are not written over reports, whatever is asked for."""
    run(tmp_path, [done("a")])
    before = (tmp_path / RESULTS).read_bytes()
    with (
        pytest.raises(WriteConflict, match="fleet validate"),
        open_results(tmp_path, Job("pin"), anew=anew),
    ):
        pytest.fail("it was opened")
    assert (tmp_path / RESULTS).read_bytes() == before


def test_anew_knows_nothing(tmp_path: Path) -> None:
    """All is done again; what was there is gone once there is something in its place."""
    run(tmp_path, [done("a"), done("b")])
    run(tmp_path, [done("a")])
    with open_results(tmp_path, JOB, anew=True) as results:
        assert results.known(target("a")) is None
        assert results.known(target("b")) is None
    assert (locations_of(tmp_path), locations_of(tmp_path, OTHERS)) == (["a"], ["b"])
    with open_results(tmp_path, JOB, anew=True) as results:
        results.add(*line_of(done("c"), MARK))
    assert locations_of(tmp_path) == ["c"]
    assert not (tmp_path / OTHERS).exists()
    with open_results(tmp_path, JOB, anew=True) as results:
        results.tidy()
    assert (tmp_path / RESULTS).read_bytes() == b""


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second is refused at once, and the first one is not disturbed."""
    with open_results(tmp_path, JOB) as results:
        with (
            pytest.raises(WriteConflict, match="another run") as caught,
            open_results(tmp_path, JOB),
        ):
            pytest.fail("it was opened twice")
        assert caught.value.exit_code == 5
        results.add(*line_of(done("a"), MARK))
    assert run(tmp_path, [done("a")]).totals.reused == 1


def test_one_field_is_meant_once_and_the_folder_is_none(tmp_path: Path) -> None:
    """Also a refusal counts once; a pattern that matches the folder of results does not mean it."""
    refused = [Refused(f"list.txt:{n // 2}", LocationError("no")) for n in range(4)]
    targets = [target("a"), target("b"), target("a"), target(str(tmp_path))]
    given: list[Target | Refused] = [*targets, *refused]
    with open_results(tmp_path, JOB) as results:
        found = [each.location for each in results.meant(given)]
    assert found == ["a", "b", "list.txt:0", "list.txt:1"]


def test_a_known_result_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    """Somebody has spoilt the file in the middle of a run: no result is made up."""
    run(tmp_path, [done("a"), done("b")])
    with open_results(tmp_path, JOB) as results:
        recording = Recording(JOB, results)
        size = (tmp_path / RESULTS).stat().st_size
        (tmp_path / RESULTS).write_bytes(b"x" * size)
        assert recording.add(same("a")) is not None
        assert recording.totals.exit_code == 4


@POSIX
def test_a_full_disk_leaves_what_can_be_used(tmp_path: Path) -> None:
    """No half line stays; the run says so, and a later one goes on."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    length = len(line_of(done("a0"), MARK)[1])
    with open_results(tmp_path, JOB) as results:
        recording = Recording(JOB, results)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (length * 5 + 10, before[1]))
            for number in range(5):
                recording.add(done(f"a{number}"))
            with pytest.raises(SourceUnavailable, match="cannot be written") as caught:
                recording.add(done("a5"))
            assert caught.value.exit_code == 4
            with pytest.raises(SourceUnavailable, match=r"report\.html: cannot be written"):
                recording.write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / RESULTS).stat().st_size == length * 5
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
    assert run(tmp_path, [done(f"a{n}") for n in range(6)]).totals.reused == 5


@POSIX
@pytest.mark.parametrize("name", [RESULTS, OTHERS])
@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_only_files_are_written_to(tmp_path: Path, name: str, kind: str) -> None:
    """A link is not followed, a FIFO does not hang, and nothing is removed."""
    folder, victim = tmp_path / "out", tmp_path / "victim"
    folder.mkdir()
    victim.write_bytes(b"mine\n")
    match kind:
        case "link":
            (folder / name).symlink_to(victim)
        case "fifo":
            os.mkfifo(folder / name)
        case _:
            (folder / name).mkdir()
    with pytest.raises(SourceUnavailable, match=f"{name}: is no regular file"):
        run(folder, [done("a")])
    assert victim.read_bytes() == b"mine\n"
    assert (folder / name).exists()


@POSIX
def test_totals_take_the_place_of_a_link(tmp_path: Path) -> None:
    """A file that is written whole is never written through a link."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine\n")
    folder = tmp_path / "out"
    with open_results(folder, JOB) as results:
        recording = Recording(JOB, results)
        recording.add(done("a"))
        (folder / "totals.json").symlink_to(victim)
        recording.write()
    assert victim.read_bytes() == b"mine\n"
    assert json.loads((folder / "totals.json").read_bytes())["fields"]["done"] == 1


@pytest.mark.parametrize("has_run", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("name", ["totals.json", "report.html"])
def test_what_has_the_name_of_a_report_and_is_none_is_left_alone(
    tmp_path: Path, name: str, has_run: bool
) -> None:
    """Also a link to a report; a report of a run without its results is of no run any more."""
    other = tmp_path / "other"
    run(other, [done("a")])
    folder = tmp_path / "out"
    folder.mkdir()
    if has_run:
        run(folder, [done("a")])
    path = folder / name
    real = (other / name).read_bytes()
    for content in (b"", b"mine\n", b"{}", b"<!DOCTYPE html>\n", *([] if has_run else [real])):
        path.write_bytes(content)
        with pytest.raises(WriteConflict, match=name):
            run(folder, [done("b")])
        assert path.read_bytes() == content
    path.unlink()
    path.symlink_to(other / name)
    with pytest.raises(WriteConflict, match=name):
        run(folder, [done("b")])
    assert path.is_symlink()
    path.unlink()
    run(folder, [done("b")])
    run(folder, [done("b")])


@pytest.mark.parametrize(
    ("kind", "version", "known"),
    [
        ("validate", "v", "v"), ("validate", PIN, PIN), ("audit", PIN, PIN), ("pin", "v", "v"),
        ("pin", PIN, None), ("index", "v", None), ("index", PIN, None),
    ],
)  # fmt: skip
def test_what_has_to_be_looked_at_each_time_is_not_known(
    tmp_path: Path, kind: Kind, version: str, known: str | None
) -> None:
    """Indexes, as they may be gone; and the pins of a lock file, which are to be found."""
    job = Job(kind)
    with open_results(tmp_path, job) as results:
        recording = Recording(job, results)
        recording.add(replace(done("a", version), job=kind))
        assert recording.known(Target("a", version)) == known


def test_what_a_killed_run_left_half_written_is_removed(tmp_path: Path) -> None:
    """Files that were to take the place of others, and no other files."""
    (tmp_path / ".memoryfield-0123456789abcdef.tmp").write_bytes(b"half")
    (tmp_path / "notes.tmp").write_bytes(b"mine")
    run(tmp_path, [done("a")])
    assert {path.name for path in tmp_path.iterdir()} == {
        "notes.tmp", "report.html", "results.jsonl", "totals.json",
    }  # fmt: skip


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """A file in the way is told."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises((SourceUnavailable, NotFound), match="file"):
        run(tmp_path / "file" / "out", [])


def test_the_ledger_says_when_its_disk_fails(tmp_path: Path) -> None:
    """What the database of places says is an error of ours."""
    with open_results(tmp_path, JOB) as results:
        _close_ledger(results)
        with pytest.raises(SourceUnavailable, match="temporary files"):
            results.known(target("a"))


def _close_ledger(results: Results) -> None:
    results._ledger.close()


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_a_run_that_ends_while_it_tidies_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: int
) -> None:
    """Wherever it stops, each result is in one file or the other, or in both."""
    run(tmp_path, [done("a"), done("b"), done("c")])
    run(tmp_path, [done("a")])
    names: list[str] = []

    def moving(directory: Directory, name: str, to_directory: Directory, to: str) -> None:
        if len(names) == moved:
            raise OSError(5, "the power is gone")
        names.append(to)
        move_over(directory, name, to_directory, to)

    monkeypatch.setattr("memoryfield_fleet.results.replacing.move_over", moving)
    with pytest.raises(SourceUnavailable, match="power"):
        run(tmp_path, [done("b"), done("d")])
    assert names == [OTHERS, RESULTS][:moved]
    monkeypatch.undo()
    with open_results(tmp_path, JOB) as results:
        known = [name for name in "abcd" if results.known(target(name))]
    assert known == ["a", "b", "c", "d"]
