"""A process that hangs, swells, dies or says too much is told of, and none is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fleet.fleet_fields import PATIENT, folder, silent_server

from memoryfield_fleet import Job, Row, Target
from memoryfield_fleet.working import job_text, read_answer, stop, target_text, work
from memoryfield_fleet.working import task as task_module
from memoryfield_fleet.working.nurse import ChildLost, Nurse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
ALL = os.environ.get("MEMORYFIELD_CRASH_ALL") == "1"
SIGNALS = [signal.SIGSEGV, *([signal.SIGKILL, signal.SIGABRT, signal.SIGBUS] if ALL else [])]
CHILD = "memoryfield_fleet.working.child"


@pytest.fixture
def nurse() -> Iterator[Nurse]:
    made = Nurse()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_nurse_of_another_test() -> Iterator[None]:
    yield
    kept = task_module._HERE.__dict__.pop("nurse", None)
    if kept is not None:
        kept.close()


@pytest.fixture
def silent() -> Iterator[Target]:
    with silent_server() as target:
        yield target


def request(job: Job, target: Target) -> str:
    return json.dumps([job_text(job), target_text(target)])


def worked(job: Job, *targets: Target) -> list[Row]:
    """What the task of a worker gives."""
    texts = json.loads(work(job_text(job), json.dumps(list(map(target_text, targets))), "run"))
    return [
        read_answer(text, job, target).row for text, target in zip(texts, targets, strict=False)
    ]


def until(holds: Callable[[], bool]) -> None:
    """Wait for what has to come."""
    for _ in range(3_000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def is_gone(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return status == "Z"


def test_what_is_loaded_for_each_field_is_loaded_before_its_time_counts() -> None:
    heavy = "memoryfield_validator", "memoryfield_readers.s3.session", "s3fs"
    program = (
        "import sys; from memoryfield_fleet import Job, Target\n"
        "from memoryfield_fleet.working.jobs import prepare\n"
        f"before = [name in sys.modules for name in {heavy}]\n"
        "prepare(Job('validate'), Target('s3://b/x.zip'))\n"
        f"print(before, [name in sys.modules for name in {heavy}])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == f"{[False] * 3} {[True] * 3}\n"


def asks(place: str) -> bool:
    """Whether git asks something of a place."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "args="], capture_output=True, text=True, check=True
    )
    return any("git" in line and place[4:] in line for line in listed.stdout.splitlines())


def test_a_server_that_never_answers_is_a_time_limit(tmp_path: Path, silent: Target) -> None:
    good = Target(str(folder(tmp_path / "f")), "v")
    rows = worked(Job("validate", PATIENT, seconds=0.5), silent)
    assert rows[0].error is not None
    assert rows[0].error["kind"] == "TimeLimit"
    assert "0.5 seconds" in rows[0].error["message"]
    assert worked(Job("validate"), good)[0].state == "done"


def test_git_that_a_field_was_asked_of_ends_with_the_process_and_leaves_nothing(
    tmp_path: Path, silent: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers start git in a session of its own, and give it a folder of its own."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    place = f"git+http://{silent.host}/x.git"
    nurse = Nurse()

    def end_it_once_git_asks() -> None:
        until(lambda: asks(place))
        nurse.close()

    thread = threading.Thread(target=end_it_once_git_asks)
    thread.start()
    with pytest.raises(ChildLost, match="nobody waits"):
        nurse.ask(request(Job("pin", PATIENT), Target(place)), 600)
    thread.join()
    until(lambda: not asks(place))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", SIGNALS, ids=lambda each: each.name)
def test_a_process_that_dies_is_told_of_and_another_one_takes_its_place(
    tmp_path: Path, silent: Target, nurse: Nurse, number: signal.Signals
) -> None:
    good = Target(str(folder(tmp_path / "f")), "v")
    job = Job("validate", PATIENT)
    nurse.ask(request(job, good), 60)
    pid = nurse.pid
    assert pid is not None
    row = read_answer(nurse.ask(request(job, good), 60), job, good).row
    assert row.state == "done", row.error
    assert nurse.pid == pid  # one process does many fields
    threading.Timer(0.3, os.kill, (pid, number)).start()
    with pytest.raises(ChildLost) as lost:
        nurse.ask(request(job, silent), 60)
    assert (lost.value.kind, number.name in lost.value.message) == ("ProcessDied", True)
    assert is_gone(pid)
    nurse.ask(request(job, good), 60)
    assert nurse.pid != pid


def test_a_field_that_needs_too_much_memory_is_told_and_the_next_one_is_done(
    tmp_path: Path,
) -> None:
    large = tmp_path / "large"
    folder(large)
    with (large / "huge.md").open("wb") as file:
        file.truncate(300_000_000)
    limits = [f"{name}-bytes=1000000000" for name in ("page", "file", "total")]
    job = Job("validate", {"limits": limits}, memory=280_000_000)
    good = Target(str(folder(tmp_path / "f")), "v")
    [bad], [fine] = worked(job, Target(str(large), "v")), worked(job, good)
    assert bad.error is not None
    assert bad.error["kind"] == "MemoryExceeded"
    assert fine.state == "done"


def test_a_process_that_says_no_end_of_it_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shadow = tmp_path / "babble.py"
    shadow.write_text("print('ready', flush=True); print('x' * 5_000_000, flush=True); input()")
    monkeypatch.setattr("memoryfield_fleet.working.nurse._MODULE", "babble")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    nurse = Nurse()
    with pytest.raises(ChildLost, match="more than"):
        nurse.ask("{}", 60)
    assert nurse.pid is None


def test_what_lies_in_the_current_folder_is_not_run_and_what_is_no_request_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nurse: Nurse
) -> None:
    (tmp_path / "json.py").write_text("import os; os._exit(7)")
    monkeypatch.chdir(tmp_path)
    assert nurse.ask("[1, 2]", 60) == "{}\n"
    assert nurse.pid is None  # who is asked such a thing had better begin anew


def test_a_run_that_is_stopped_leaves_no_process(silent: Target) -> None:
    job = Job("validate", PATIENT, seconds=1000)
    answers: list[list[Row]] = []
    thread = threading.Thread(target=lambda: answers.append(worked(job, silent, silent)))
    thread.start()
    until(lambda: any(nurse.pid for nurse in task_module._BUSY))
    [nurse] = task_module._BUSY
    pid = nurse.pid
    assert pid is not None
    stop("another run")
    assert not is_gone(pid)
    stop("run")
    thread.join(60)
    [rows] = answers
    assert [row.state for row in rows] == ["failed"]  # and the second was not begun
    assert is_gone(pid)


def test_a_thread_that_ends_leaves_no_process(tmp_path: Path) -> None:
    target = Target(str(folder(tmp_path / "f")), "v")
    pids: list[int | None] = []

    def do() -> None:
        worked(Job("pin"), target)
        pids.append(task_module._HERE.nurse.pid)

    thread = threading.Thread(target=do)
    thread.start()
    thread.join()
    [pid] = pids
    assert pid is not None
    until(lambda: is_gone(pid))


PARENT = """
import sys
from memoryfield_fleet.working.nurse import Nurse
nurse = Nurse()
nurse.ask("[]", 60)
nurse._ready()
print(nurse.pid, flush=True)
nurse.ask(sys.argv[1], 1000)
"""


def test_a_process_ends_with_its_parent_however_that_ends(silent: Target) -> None:
    text = request(Job("validate", PATIENT), silent)
    with subprocess.Popen([sys.executable, "-c", PARENT, text], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not is_gone(pid)
        parent.kill()
    until(lambda: is_gone(pid))


def test_a_process_ends_in_the_middle_of_a_job_when_nobody_can_ask_any_more(
    silent: Target,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", CHILD, str(os.getpid()), "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == b"ready\n"
        child.stdin.write(request(Job("validate", PATIENT), silent).encode() + b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"begun\n"  # from now on the time of the field counts
        assert child.poll() is None
        child.stdin.close()
        child.wait(60)
