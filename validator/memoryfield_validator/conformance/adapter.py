"""Any other implementation, driven as a program that answers JSON lines."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, cast

from memoryfield_readers import LocationError, SourceUnavailable, visible

from ..registry import matching
from ..validation import Profile
from .case import Answer
from .errors import NoAnswer, Skip
from .implementation import Task
from .judging import ANSWERS, is_same_json, parsed_json
from .line_process import LineProcess, TimedOut
from .places import kind_of

PROTOCOL = 1
_HELLO = {"type": "hello", "version": PROTOCOL}
_MOST_TIMEOUTS = 5
"""Time-outs in a row after which it is not asked any more: it would be so for hours."""


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
        self._process: LineProcess | None = None
        self._has_said_hello = False
        self._timeouts = 0
        with ExitStack() as unfinished:
            unfinished.callback(self.close)
            try:
                self._introduce(self._ask(_HELLO))
            except NoAnswer as error:
                started = self._process is not None
                raise SourceUnavailable(
                    f"the adapter does not say what it is: {error}" if started else str(error),
                    location=shlex.join(self._command),
                    hint="it has to answer hello: see conformance-fixtures/README.md, An adapter"
                    if started
                    else None,
                ) from None
            unfinished.pop_all()
        self._has_said_hello = True

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
        request: dict[str, Any] = {
            "type": "case",
            "id": question,
            "case": case.id,
            "kind": case.kind,
            "source": kind_of(task.source),
            "path": str(task.path / case.files[0].name if case.kind == "page" else task.path),
            "limits": dict(case.settings),
            "pin": case.pin,
            "audit": case.audit,
        }
        if case.edit is not None:
            edit = case.edit
            request |= {"batch": edit.batch, "allow": list(edit.allow), "stamp": edit.stamp}
        reply = self._ask(request)
        if reply.get("id") != question:
            self.close()  # what comes next could be the answer to this one
            said = _short(reply.get("id"))
            raise NoAnswer(f"the answer is to another question, or a second one: {said}")
        skipped, error = reply.get("skipped"), reply.get("error")
        if error is not None:
            raise NoAnswer(_short(error) or "an error without a word")
        if skipped is not None:
            if not isinstance(skipped, str):
                raise NoAnswer("`skipped` is not the reason, as text")
            raise Skip(_short(skipped) or "no reason was given")
        result = reply.get("result")
        if not isinstance(result, Mapping):
            raise NoAnswer("the answer has no object `result`")
        return cast("Answer", result)

    def close(self) -> None:
        """Say goodbye, and end what does not end by itself."""
        if self._process is not None:
            self._process.say_goodbye(json.dumps({"type": "bye"}).encode())

    def _introduce(self, hello: Mapping[str, Any]) -> None:
        if not is_same_json(hello.get("version"), PROTOCOL):
            raise NoAnswer(f"version {_short(hello.get('version'))} is not {PROTOCOL}")
        answers = hello.get("answers")
        if not isinstance(answers, Mapping) or not answers:
            raise NoAnswer("`answers` is no object that names what it answers")
        self.answers = {kind: _keys(kind, keys) for kind, keys in answers.items()}
        name = hello.get("name")
        self.name = _short(name) if isinstance(name, str) else ""
        release = hello.get("release")
        self.release = _short(release) if isinstance(release, str) else ""
        profile = hello.get("profile", "kit")
        if not self.name:
            raise NoAnswer("`name` is missing")
        if profile not in ("kit", "draft-0.1"):
            raise NoAnswer("`profile` is neither kit nor draft-0.1")
        self.profile: Profile = profile
        checked = hello.get("requirements")
        self.checked = None
        if checked is not None:
            try:
                if not isinstance(checked, list) or not all(isinstance(i, str) for i in checked):
                    raise LookupError(checked)
                self.checked = matching(checked)
            except LookupError:
                raise NoAnswer("`requirements` is no array of ids or their beginnings") from None

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._timeouts == _MOST_TIMEOUTS:
            raise NoAnswer(f"not asked: there was no answer {_MOST_TIMEOUTS} times in a row")
        if self._process is None or not self._process.running:
            self._process = LineProcess(self._command)
            if self._has_said_hello:
                self._exchange(self._process, _HELLO)
        reply = self._exchange(self._process, request)
        self._timeouts = 0  # not after hello, which is asked again each time
        return reply

    def _exchange(self, process: LineProcess, request: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            line = process.ask(json.dumps(request).encode(), self._timeout)
        except TimedOut:
            self._timeouts += 1
            raise
        try:
            reply = parsed_json(line.decode())
        except (ValueError, RecursionError):
            process.end()
            shown = _short(line[:80].decode(errors="replace"))
            raise NoAnswer(f"the answer is no JSON that can be read: {shown}") from None
        if not isinstance(reply, Mapping):
            process.end()
            raise NoAnswer("the answer is no JSON object")
        return cast("Mapping[str, Any]", reply)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LocationError(f"is no command: {error}", location=command) from None
    if not words:
        raise LocationError("the command of the adapter is empty")
    return words


def _keys(kind: object, keys: object) -> frozenset[str]:
    known = ANSWERS.get(kind) if isinstance(kind, str) else None
    if known is None or not isinstance(keys, list) or not set(map(str, keys)) <= set(known):
        raise NoAnswer(f"`answers` names what cannot be answered, at {_short(kind)}")
    return frozenset(keys)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return visible(text)[:300]
