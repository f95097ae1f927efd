"""What a worker of a cluster calls: texts in, one text out."""

from __future__ import annotations

import json
import threading
import time

from ..values import Job
from .answers import LONGEST_ANSWER, answer_text, failed, trouble
from .nurse import ChildLost, Nurse
from .requests import read_job, read_target

_LONGEST = 1.0
"""Seconds after which no other field of a task is begun: somebody waits for those that are done."""

_HERE = threading.local()
_BUSY: dict[Nurse, str] = {}
"""Who is waiting for a process, and for which run."""
_NO_RUN = ""


def work(job: str, targets: str, run: str) -> str:
    """What comes of one try of a job on some fields; it is done in a process of its own.

    Arguments:
        job: as `job_text` gives it.
        targets: a JSON list of texts as `target_text` gives them.
        run: what `stop` calls it.

    Returns:
        a JSON list of texts that `read_answer` reads, in the order of the targets, of which those
        at the end may not have been tried; what is of a field, or of the process, is in it.

    Raises:
        OtherVersion: this is not the version of who asks.
        LocationError: what was sent is no job, or no target.
    """
    wanted = read_job(job)
    nurse = _nurse_for(wanted)
    deadline = time.monotonic() + _LONGEST
    answers: list[str] = []
    _BUSY[nurse] = run
    try:
        for target in json.loads(targets):
            answers.append(_tried(nurse, wanted, job, target))
            is_much = sum(map(len, answers)) > LONGEST_ANSWER
            if is_much or time.monotonic() > deadline or _BUSY[nurse] != run:
                break
    finally:
        del _BUSY[nurse]
    return json.dumps(answers)


def _tried(nurse: Nurse, wanted: Job, job: str, target: str) -> str:
    meant = read_target(target)
    started = time.perf_counter()
    try:
        return nurse.ask(json.dumps([job, target]), wanted.seconds)
    except ChildLost as lost:
        facts = trouble(lost.kind, lost.message, lost.hint)
        passing = lost.kind != "BadAnswer"
        seconds = time.perf_counter() - started
        return answer_text(failed(wanted, meant, facts, passing=passing, seconds=seconds))


def stop(run: str) -> None:
    """End the processes that work for a run, which nobody waits for any more."""
    for nurse, busy_with in list(_BUSY.items()):
        if busy_with == run:
            _BUSY[nurse] = _NO_RUN  # so that it takes nothing more of it
            nurse.close()


def _nurse_for(job: Job) -> Nurse:
    """The nurse of this thread, whose process has the bound of the job."""
    nurse: Nurse | None = getattr(_HERE, "nurse", None)
    if nurse is None or nurse.memory != job.memory:
        if nurse is not None:
            nurse.close()
        nurse = _HERE.nurse = Nurse(job.memory)
    return nurse
