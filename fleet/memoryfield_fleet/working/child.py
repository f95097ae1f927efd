"""`python -m memoryfield_fleet.working.child`: does one job after another, and may die of it.

On stdin comes one JSON text a line, `[job, target]`; on stdout goes one a line. It ends when stdin
does, in the middle of a job too: nobody is left who would take the answer.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from memoryfield_readers import MemoryfieldError
from memoryfield_readers.s3.keeping import KEEPER

from ..values import Job, Target
from .answers import Answer, answer_text, failed, trouble
from .jobs import Tools, prepare, run
from .protocol import BEGUN, LAST, NEXT, READY
from .requests import LONGEST_TEXT, read_job, read_target

MOST_FIELDS = 1_000
"""After so many fields a process ends, with whatever it may have kept of them."""

_LONGEST_LINE = 16 * LONGEST_TEXT
_PARENT_DEATH = 1
"""`PR_SET_PDEATHSIG` of `prctl`."""


def main(arguments: list[str]) -> None:
    """Work until nobody asks any more.

    Arguments:
        arguments: the process that started this one, and the bytes of memory that this one may
            use, 0 for no bound.
    """
    parent, memory = map(int, arguments)
    asked, answers = _streams()
    _end_with(parent)
    _bound(memory)
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked, requests), daemon=True).start()
    _say(answers, READY)
    with closing(Tools()) as tools, KEEPER.keeping():
        for done in range(1, MOST_FIELDS + 1):
            request = _read(requests.get())
            _say(answers, BEGUN)
            text, is_spent = _answer(request, tools)
            _say(answers, text.encode("ascii") + b"\n")
            _say(answers, LAST if is_spent or done == MOST_FIELDS else NEXT)
            if is_spent:
                break


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The two ends of the conversation, of which nothing that is run here knows."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # a `print` in a library would be taken for an answer
    return asked, answers


def _end_with(parent: int) -> None:
    """Be killed when the one who started this process dies, where the system can do that."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PARENT_DEATH, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # it died before
            os._exit(0)


def _bound(memory: int) -> None:
    """Take no more memory than is allowed, and be the first to go where there is none left."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    with suppress(OSError):  # there is no such file but on Linux
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def _listen(asked: BinaryIO, requests: SimpleQueue[bytes]) -> None:
    """Hand on what is asked; end everything when nobody can ask any more."""
    while line := asked.readline(_LONGEST_LINE):
        requests.put(line)
    if hasattr(os, "killpg") and os.getsid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)  # what was started here too, such as git
    os._exit(0)


def _read(line: bytes) -> tuple[Job, Target] | None:
    """What is asked, for which all is at hand then; None where that is no request."""
    try:
        job_part, target_part = json.loads(line)
        job, target = read_job(job_part), read_target(target_part)
    except (ValueError, TypeError, RecursionError, MemoryfieldError):
        return None
    prepare(job, target)
    return job, target


def _answer(request: tuple[Job, Target] | None, tools: Tools) -> tuple[str, bool]:
    """An answer as text, and whether this process had better end."""
    if request is None:
        return "{}", True
    job, target = request
    try:
        return answer_text(run(job, target, tools)), False
    except MemoryError:
        pass
    except Exception as error:  # a fault of this program keeps no other field from its turn
        if job.memory is None or not _is_want_of_memory(error):
            return answer_text(_fault(job, target, error)), True
    return answer_text(_too_little(job, target)), True


def _is_want_of_memory(error: Exception) -> bool:
    """Whether there was no room for the stack of a thread, which Python tells in its own way."""
    return isinstance(error, RuntimeError) and "new thread" in str(error)


def _too_little(job: Job, target: Target) -> Answer:
    facts = trouble(
        "MemoryExceeded",
        "needs more memory than it may have" + (f", {job.memory} bytes" if job.memory else ""),
        "allow more with --memory-limit, if you trust this field",
    )
    return failed(job, target, facts, passing=False)


def _fault(job: Job, target: Target, error: Exception) -> Answer:
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = "" if where is None else f" in {where.tb_frame.f_globals.get('__name__')}"
    line = "" if where is None else f", line {where.tb_lineno}"
    # Not the text of the error: what stands in it, nobody knows.
    message = f"this program has failed: {type(error).__name__}{place}{line}"
    hint = "report it, with the field if you may"
    return failed(job, target, trouble("ProgramFault", message, hint), passing=False)


def _say(answers: BinaryIO, text: bytes) -> None:
    answers.write(text)
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
