"""The command, interrupted by a signal at each of its calls that write.

Run as a process of its own, which has no threads and so may fork:

    python -m tests.writer.fault_child FOLDER CASE SIGNAL    at how many calls it was interrupted
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path

from tests.writer.stepping import At, Stepping
from tests.writer.whole_batches import Case, case_of, held, make

from memoryfield_cli.start import run
from memoryfield_writer import Batch


def main(folder: Path, case: Case, number: signal.Signals) -> int:
    """Interrupt the command at each step."""
    ended = 130 if number == signal.SIGINT else 128 + number
    _, whole, _ = interrupted(folder, case, 0, number)
    states = []
    for nth in count(1):
        code, files, told = interrupted(folder, case, nth, number)
        if code == 0:
            assert files == whole
            break
        assert code == ended, (nth, code, told)
        assert told in ("", "memoryfield: interrupted\n"), (nth, told)
        assert files in (case.before, whole), nth
        states.append(files == whole)
    assert states == sorted(states), "from the step on that makes it count, it is done"
    assert {*states} == {True, False}
    return len(states)


def interrupted(
    folder: Path, case: Case, nth: int, number: signal.Signals
) -> tuple[int, dict[str, bytes], str]:
    """The exit code of the command, the files of the field, and what was said on stderr."""
    place = folder / "place"
    field = make(place, case.form, case.before)
    batch, errors = folder / "batch.json", folder / "errors"
    batch.write_text(json.dumps(Batch(case.operations).to_json()))

    def at(step: int, name: str) -> None:
        if step == nth:
            os.kill(os.getpid(), number)

    child = os.fork() if nth else 0  # the first time, what is imported late is imported here
    if child == 0:
        code = _command(["apply", str(field), str(batch)], errors, at)
        if nth:
            os._exit(code)
    else:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    files = held(place, case.form)
    shutil.rmtree(place)
    return code, files, errors.read_text()


def _command(arguments: list[str], errors: Path, at: At) -> int:
    """The exit code of the command, run in this process."""
    sys.argv = ["memoryfield", *arguments]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    with (
        errors.open("w") as err,
        open(os.devnull, "w") as out,
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(out),
    ):
        try:
            with Stepping(at):
                run()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


if __name__ == "__main__":
    gc.disable()
    print(main(Path(sys.argv[1]), case_of(sys.argv[2]), signal.Signals[sys.argv[3]]))
