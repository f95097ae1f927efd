"""Any other implementation, driven as a program that answers JSON lines."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Self, cast

from memoryfield_readers import LocationError, SourceUnavailable, visible

from ..registry import matching
from ..validation import Profile
from .case import Answer
from .errors import NoAnswer, Skip
from .implementation import Task
from .judging import ANSWERS, is_same_json, parsed_json
from .places import kind_of

PROTOCOL = 1
_HELLO = {"type": "hello", "version": PROTOCOL}
_MOST_LINE = 64 * 1024 * 1024
_TAIL = 2000
_GRACE = 2.0


class Adapter:
    """A program that answers cases, one JSON object a line; started anew after a crash.

    Use it as a context manager: what was started is ended.
    """

    takes_fields_for_pages = False
    answers: Mapping[str, frozenset[str]]
    checked: frozenset[str] | None

    def __init__(self, command: str | Sequence[str], *, timeout: float = 30.0) -> None:
        """Start the program and ask what it is.

        Arguments:
            command: the program with its arguments; text is split as a POSIX shell splits it.
            timeout: seconds to wait for one answer.

        Raises:
            LocationError: the text is no command.
            SourceUnavailable: it cannot be started, or does not say what it is.
        """
        self._command = _words(command) if isinstance(command, str) else list(command)
        self._timeout = timeout
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._process: subprocess.Popen[bytes] | None = None
        self._has_said_hello = False
        try:
            self._introduce(self._ask(_HELLO))
            self._has_said_hello = True
        except BaseException as error:
            self.close()
            if not isinstance(error, NoAnswer):
                raise
            raise SourceUnavailable(
                f"the adapter does not say what it is: {error}",
                location=shlex.join(self._command),
                hint="it has to answer hello: see conformance-fixtures/README.md, An adapter",
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def answer(self, task: Task) -> Answer:
        """What the program makes of a task."""
        case = task.case
        question = f"{case.id}/{task.source}"
        reply = self._ask(
            {
                "type": "case",
                "id": question,
                "case": case.id,
                "kind": case.kind,
                "source": kind_of(task.source),
                "path": str(task.path / case.files[0].name if case.kind == "page" else task.path),
                "limits": dict(case.settings),
                "pin": case.pin,
            }
        )
        if reply.get("id") != question:
            self._end()  # what comes next could be the answer to this one
            raise NoAnswer(f"the answer is to another question: {_short(reply.get('id'))}")
        if reply.get("skipped") is not None:
            raise Skip(_short(reply["skipped"]) or "no reason was given")
        if reply.get("error") is not None:
            raise NoAnswer(_short(reply["error"]) or "an error without a word")
        result = reply.get("result")
        if not isinstance(result, Mapping):
            raise NoAnswer("the answer has no object `result`")
        return cast("Answer", result)

    def close(self) -> None:
        """Say goodbye, and end what does not end by itself."""
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):  # it is ended below
                self._send(process, {"type": "bye"})
                process.wait(_GRACE)
        self._end()
        self._stderr.close()

    def _introduce(self, hello: Mapping[str, Any]) -> None:
        if not is_same_json(hello.get("version"), PROTOCOL):
            raise NoAnswer(f"version {_short(hello.get('version'))} is not {PROTOCOL}")
        answers = hello.get("answers")
        if not isinstance(answers, Mapping) or not answers:
            raise NoAnswer("`answers` is no object that names what it answers")
        self.answers = {kind: _keys(kind, keys) for kind, keys in answers.items()}
        name = hello.get("name")
        self.name = _short(name) if isinstance(name, str) else ""
        self.release = _short(hello.get("release", ""))
        profile = hello.get("profile", "kit")
        if not self.name or profile not in ("kit", "draft-0.1"):
            raise NoAnswer("`name` is missing, or `profile` is neither kit nor draft-0.1")
        self.profile: Profile = profile
        checked = hello.get("requirements")
        self.checked = None
        if checked is not None:
            try:
                self.checked = matching([*checked] if isinstance(checked, list) else [""])
            except (LookupError, AttributeError):
                raise NoAnswer("`requirements` is no array of ids or their beginnings") from None

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._exchange(self._running(), request)

    def _exchange(
        self, process: subprocess.Popen[bytes], request: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        with contextlib.suppress(OSError):  # it has ended: what it answers says so
            self._send(process, request)
        try:
            line = self._lines.get(timeout=self._timeout)
        except queue.Empty:
            self._end()
            raise NoAnswer(f"no answer within {self._timeout:g} s") from None
        if not line:
            raise NoAnswer(self._how_it_ended(process))
        if not line.endswith(b"\n"):
            self._end()
            raise NoAnswer("the answer is cut off, or too long")
        try:
            reply = parsed_json(line.decode())
        except (ValueError, RecursionError):
            self._end()
            raise NoAnswer(f"the answer is no JSON: {_short(line[:80])}") from None
        if not isinstance(reply, Mapping):
            self._end()
            raise NoAnswer("the answer is no JSON object")
        return cast("Mapping[str, Any]", reply)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._end()
        self._stderr.seek(0)  # what one that has ended said is not of this one
        self._stderr.truncate()
        try:
            process = subprocess.Popen(  # noqa: S603 - the command that the user gave
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,  # what it starts can be ended with it
            )
        except (OSError, ValueError) as error:
            raise NoAnswer(f"it cannot be started: {_short(str(error))}") from None
        self._process = process
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=_read, args=(process.stdout, self._lines), daemon=True).start()
        if self._has_said_hello:
            self._exchange(process, _HELLO)
        return process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> None:
        assert process.stdin is not None  # noqa: S101 - it was started with a pipe
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    def _how_it_ended(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code: object = process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            code = "none: it closed its stdout and went on"
        self._end()
        self._stderr.seek(0, 2)
        self._stderr.seek(max(0, self._stderr.tell() - _TAIL))
        said = self._stderr.read().decode(errors="replace").strip().splitlines()
        note = f": {visible(said[-1])[:200]}" if said else ""
        return f"it ended, exit code {code}{note}"

    def _end(self) -> None:
        process, self._process = self._process, None  # its id could soon be that of another one
        if process is None:
            return
        _kill(process)
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # what was not sent has nobody to go to
                process.stdin.close()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LocationError(f"is no command: {error}", location=command) from None
    if not words:
        raise LocationError("the command of the adapter is empty")
    return words


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and, where the system knows sessions, whatever it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()


def _read(stream: IO[bytes], lines: queue.Queue[bytes]) -> None:
    """Hand over each line; an empty one, or one without its end, is the last."""
    with stream:
        while True:
            line = stream.readline(_MOST_LINE)
            lines.put(line)
            if not line.endswith(b"\n"):
                return


def _keys(kind: object, keys: object) -> frozenset[str]:
    known = ANSWERS.get(kind) if isinstance(kind, str) else None
    if known is None or not isinstance(keys, list) or not set(map(str, keys)) <= set(known):
        raise NoAnswer(f"`answers` names what cannot be answered, at {_short(kind)}")
    return frozenset(keys)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return visible(text)[:300]
