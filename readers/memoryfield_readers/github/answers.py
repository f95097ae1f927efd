"""What GitHub's answers mean: the parts of good ones, and the kinds of refusals."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors import AccessDenied, MemoryfieldError, NotFound, SourceUnavailable
from ..http import Answer

REFUSALS = (401, 403, 404, 409, 410, 422, 429, 451)
"""The statuses that are told apart here."""

_LIMITED = (403, 429)
_LIMIT_WORDS = (b"rate limit", b"abuse detection")
_NO_COMMIT = b"no commit found"
_SECONDS = re.compile(r"[0-9]{1,11}")


def parsed(data: bytes) -> Any:
    """A JSON text as values; None where it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def text_of(holder: object, name: str) -> str:
    """A text that an object of an answer has under a name; empty where it has none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, str) else ""


def number_of(holder: object, name: str) -> int | None:
    """A whole number from 0 that an object of an answer has under a name; None for none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    good = isinstance(found, int) and not isinstance(found, bool) and found >= 0
    return found if good else None


def is_limited(answer: Answer, beginning: bytes) -> bool:
    """Whether a refusal is one for a time: too many requests, of the hour or at once.

    Arguments:
        answer: the answer.
        beginning: its first bytes: some limits are told apart from a lack of rights only there.
    """
    if answer.status not in _LIMITED:
        return False
    headers = answer.headers
    words = beginning.lower()
    return (
        answer.status == 429
        or "retry-after" in headers
        or headers.get("x-ratelimit-remaining", "").strip() == "0"
        or any(word in words for word in _LIMIT_WORDS)
    )


def wait_of(answer: Answer) -> int | None:
    """The seconds that an answer asks to wait before the next request; None where it does not."""
    return _number(answer.headers, "retry-after")


def remaining_of(answer: Answer) -> int | None:
    """How many requests an answer says are left of the hour's; None where it does not say."""
    return _number(answer.headers, "x-ratelimit-remaining")


def limit_error(
    answer: Answer, *, has_token: bool, location: str, entry: str | None = None
) -> SourceUnavailable:
    """What to raise where GitHub takes no more requests for a time."""
    wait = wait_of(answer)
    until = None if wait is None else time.time() + wait
    if until is None and remaining_of(answer) == 0:
        until = _number(answer.headers, "x-ratelimit-reset")
    spent = "takes no more requests" + ("" if has_token else " without a token")
    advice = "wait until then" if until is not None else "wait some minutes"
    error = SourceUnavailable(
        f"GitHub {spent}{_until(until)}: its rate limit is used up ({answer.status})",
        location=location,
        entry=entry,
        hint=advice if has_token else f"set GITHUB_TOKEN, which raises the limit, or {advice}",
    )
    error.busy = 0.0 if until is None else max(0.0, until - time.time())
    return error


def refusal(
    answer: Answer,
    beginning: bytes,
    *,
    token_origin: str | None,
    location: str,
    what: str,
    entry: str | None = None,
) -> MemoryfieldError:
    """What to raise for an answer with one of the `REFUSALS` that is not for a time.

    Arguments:
        answer: the answer.
        beginning: its first bytes: only they tell what is absent from what cannot be answered.
        token_origin: where the token is from that was sent; None for none.
        location: the location as messages show it.
        what: what was asked for, such as "the repository".
        entry: the entry that it was for.
    """
    kind, message, hint = _meaning(answer, beginning, token_origin, what)
    return kind(message, location=location, entry=entry, hint=hint)


def _meaning(
    answer: Answer, beginning: bytes, token_origin: str | None, what: str
) -> tuple[type[MemoryfieldError], str, str | None]:
    """The kind, the message and the hint of a refusal."""
    status = answer.status
    if status == 401 and token_origin:
        hint = f"renew the one from {token_origin}, or read without one with --anon"
        return AccessDenied, "GitHub does not accept the token (401)", hint
    if status in (401, 403):
        if token_origin is None:
            hint = "set GITHUB_TOKEN to a token that may read the repository"
        elif "x-github-sso" in answer.headers:
            hint = f"authorise the token from {token_origin} for the organisation's single sign-on"
        else:
            hint = f"the token from {token_origin} needs the right to read the contents"
        return AccessDenied, f"GitHub refuses this ({status})", hint
    if status == 451:
        return AccessDenied, "blocked for legal reasons (451)", None
    if status == 409:
        return SourceUnavailable, "the repository is empty, or is just being made (409)", None
    if status == 422 and _NO_COMMIT not in beginning.lower():
        # So GitHub also says that it takes too long to compare a commit with the one before.
        return SourceUnavailable, f"GitHub cannot answer this now (422): {what}", "try again later"
    if status == 422:
        return NotFound, f"no branch, tag or commit (422): {what}", None
    hint = (
        "if it is private, set GITHUB_TOKEN to a token that may read it"
        if token_origin is None
        else f"if it is private, the token from {token_origin} may not be allowed to read it"
    )
    return NotFound, f"not found, or private ({status}): {what}", hint


def _number(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "").strip()
    return int(text) if _SECONDS.fullmatch(text) else None


def _until(seconds: float | None) -> str:
    """The end of a time as the end of a clause; empty where it is not known."""
    if seconds is None:
        return ""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    return f" until {moment:%Y-%m-%d %H:%M:%S} UTC"
