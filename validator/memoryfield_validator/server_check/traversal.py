"""Requests that try to leave the root of the field, and the rule on what comes of them: MF706."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urljoin, urlsplit

from memoryfield_readers import MemoryfieldError
from memoryfield_readers.http.credentials import Credentials
from memoryfield_readers.http.html_document import is_html_document
from memoryfield_readers.http.statuses import phrase
from memoryfield_readers.http.urls import origin_of

from ..registry import Findings, Rule
from .asking import OK, REDIRECTS
from .raw_request import RawAnswer, behind_proxy, raw_get
from .registering import server_rule
from .visit import Visit

_DEEP: Final = 12
_STEPS: Final = (
    "../", "%2e%2e/", "%2E%2E%2F", "..%2f", ".%2e/", "%252e%252e%252f", "..%252f", "..\\",
    "..%5c", "%2e%2e%5c", "%c0%ae%c0%ae/", "%c0%ae%c0%ae%c0%af", "%uff0e%uff0e/", "....//",
    "..;/", "..%00/",
)  # fmt: skip
"""How one step up may be spelled."""

_ABSOLUTE: Final = (
    "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "%252fetc%252fpasswd",
    "file:///etc/passwd", "file%3a%2f%2f%2fetc%2fpasswd", "C:%5cWindows%5cwin.ini",
    "%5c%5clocalhost%5cc$%5cWindows%5cwin.ini",
)  # fmt: skip
_CONTROL: Final = (
    "index.md%00", "index.md%0a", "index.md%0d%0aX-Sent:%20twice", "%00", "index.md%01",
    "%ff%fe.md", "index.md%00.md",
)  # fmt: skip
_SECONDS: Final = 10.0
_MOST_BYTES: Final = 256 * 1024
_PASSWORDS: Final = re.compile(rb"^root:[^:\n]{0,200}:0:0:", re.MULTILINE)
_WIN_INI: Final = re.compile(rb"^; for 16-bit app support", re.MULTILINE)


def leaving_paths() -> Iterator[str]:
    """Paths below the root that lead out of it for whoever decodes them carelessly."""
    for step in _STEPS:
        slash = "%2f" if step.endswith(("f", "F")) else "%5c" if step.endswith("%5c") else "/"
        yield step * _DEEP + f"etc{slash}passwd"
    yield "../" * _DEEP + "etc/passwd%00.md"
    yield "%2e%2e%2f" * _DEEP + "etc%2fpasswd%2500.md"
    yield "..\\" * _DEEP + "Windows\\win.ini"
    yield "..%5c" * _DEEP + "Windows%5cwin.ini"
    yield from _ABSOLUTE
    yield from _CONTROL


@server_rule("MF706")
def nothing_outside_the_root(rule: Rule, visit: Visit) -> Findings:
    """No path that leads out of the root gives anything that is not of the field."""
    if behind_proxy(visit.asking.root):
        visit.leave(rule.id, "a proxy stands before the server")
        return
    trespasser = _Trespasser(visit)
    paths = tuple(leaving_paths())
    failed = 0
    for done, path in enumerate(paths):
        visit.watch("paths", done, len(paths))
        visit.asking.deadline.check()
        try:
            wrong = trespasser.gets(path)
        except MemoryfieldError as error:
            error.location = error.location or visit.asking.location
            visit.note_unread(error)
            failed += 1
            continue
        if wrong is not None:
            yield rule.finding(path, wrong)
    visit.watch("paths", len(paths), len(paths))
    if failed == len(paths):
        visit.leave(rule.id)


class _Trespasser:
    """Asks for what it should not get."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._root = visit.asking.root
        self._base = urlsplit(self._root).path
        known = None if visit.asking.anonymous_only else Credentials()
        self._headers = dict(known.headers(self._root)) if known is not None else {}
        self._own = frozenset(visit.of_field())
        absent = visit.absent
        # A server that has one page for all that is not there gives nothing away with it (MF701).
        self._has_soft_404 = absent is not None and absent.status == OK
        self._soft_404_is_html = (
            self._has_soft_404
            and absent is not None
            and is_html_document(absent.headers, absent.data)
        )
        self._soft_404 = absent.sha256 if absent is not None else ""

    def gets(self, path: str) -> str | None:
        """What is wrong with the answer to a path; None if nothing is."""
        answer = self._asked(self._base + path)
        if answer.status in REDIRECTS:
            onward = self._onward(answer)
            if onward is None:
                return None
            answer = self._asked(onward)
        if answer.late:
            return f"no whole answer came within {self._seconds:g} s"
        if answer.status is None:  # the connection was closed, or what came is nothing to read
            return None
        if answer.status >= 500:
            return f"is answered with {phrase(answer.status)}, not 400 or 404"
        if not 200 <= answer.status < 300 or not answer.body or self._is_harmless(answer):
            return None
        if _PASSWORDS.search(answer.body) or _WIN_INI.search(answer.body):
            return "gives a file of the server's system"
        return f"gives {len(answer.body)} bytes that are of no file of the field"

    @property
    def _seconds(self) -> float:
        return min(_SECONDS, self._visit.asking.timeout)

    def _asked(self, target: str) -> RawAnswer:
        self._visit.asking.by_hand += 1
        seconds = max(0.1, min(self._seconds, self._visit.asking.deadline.left))
        return raw_get(self._root, target, self._headers, seconds=seconds, most=_MOST_BYTES)

    def _onward(self, answer: RawAnswer) -> str | None:
        """The path that a redirect leads to on the same server; None for elsewhere."""
        try:
            target = urljoin(self._root, answer.headers.get("location", ""))
            if origin_of(target) != origin_of(self._root):
                return None
            parts = urlsplit(target)
        except (ValueError, MemoryfieldError):
            return None
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return path if path.isascii() and path.isprintable() and " " not in path else None

    def _is_harmless(self, answer: RawAnswer) -> bool:
        digest = hashlib.sha256(answer.body).hexdigest()
        if digest in self._own or (self._has_soft_404 and digest == self._soft_404):
            return True
        is_system = _PASSWORDS.search(answer.body) or _WIN_INI.search(answer.body)
        is_html = is_html_document(answer.headers, answer.body)
        return self._soft_404_is_html and is_html and not is_system
