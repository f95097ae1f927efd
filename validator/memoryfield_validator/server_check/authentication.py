"""The rule on how a server asks for authentication: MF707."""

from __future__ import annotations

import re

from memoryfield_readers import MemoryfieldError
from memoryfield_readers.http.html_document import is_html_document

from ..registry import Findings, Rule
from .asking import OK, REDIRECTS, Answer, Stopped
from .pages import ROOT
from .registering import server_rule
from .visit import INDEX, Visit, quoted

_BASIC = re.compile(r"(?:^|,)\s*basic(?=[\s,]|$)", re.IGNORECASE)
_PASSWORD = re.compile(rb"<input\s[^<>]{0,500}?type\s*=\s*[\"']?password", re.IGNORECASE)
_MOST_BYTES = 1024 * 1024
_LOGIN_BYTES = 64 * 1024
_UNAUTHORIZED, _FORBIDDEN = 401, 403


@server_rule("MF707")
def basic_authentication(rule: Rule, visit: Visit) -> Findings:
    """Who gives no credentials is let in, or is asked for them as HTTP Basic has it."""
    failed = 0
    names = ("", _a_page(visit))
    for name in names:
        path = quoted(name)
        try:
            wrong = _wrong_at(path, visit)
        except Stopped:
            raise
        except MemoryfieldError as error:
            visit.note_unread(error)
            failed += 1
            continue
        if wrong is not None:
            yield rule.finding(path or ROOT, wrong)
            return
    if failed == len(names):
        visit.leave(rule.id)


def _a_page(visit: Visit) -> str:
    """A page that is known to be there, or one that may be."""
    return visit.names[0] if not visit.is_denied and visit.names else INDEX


def _wrong_at(path: str, visit: Visit) -> str | None:
    asking = visit.asking
    answer = asking.ask_as_stranger(path, most=_MOST_BYTES, follow=False)
    if answer.status == _UNAUTHORIZED:
        offered = answer.headers.get("www-authenticate", "")
        if not offered.strip():
            return "is answered with 401, without `WWW-Authenticate`"
        return None if _BASIC.search(offered) else "is answered with 401, which offers no Basic"
    if answer.status == _FORBIDDEN and not asking.anonymous_only:
        let_in = visit.get(path)
        if let_in is not None and let_in.status == OK:
            return "is answered with 403, not 401, to who gives no credentials"
    if answer.status in REDIRECTS:
        answer = asking.ask_as_stranger(path, most=_MOST_BYTES, follow=True)
        if _is_login(answer) or (path and _is_another_page(answer, path)):
            return "is redirected to a page in HTML, perhaps to log in"
    elif _is_login(answer):
        return "is answered with a page in HTML to log in"
    return None


def _is_login(answer: Answer) -> bool:
    is_page = is_html_document(answer.headers, answer.data)
    return is_page and _PASSWORD.search(answer.data[:_LOGIN_BYTES]) is not None


def _is_another_page(answer: Answer, path: str) -> bool:
    is_page = is_html_document(answer.headers, answer.data)
    return is_page and answer.url.rpartition("/")[2] != path
