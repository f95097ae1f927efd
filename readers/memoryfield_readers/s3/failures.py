"""What S3, or the way to it, answers in place of bytes: as our errors, without its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from aiohttp import ClientError as ConnectionLost
from botocore.exceptions import (  # type: ignore[import-untyped]
    BotoCoreError,
    ClientError,
    ConnectionError,
    ConnectTimeoutError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    ReadTimeoutError,
    SSLError,
)
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from ..errors import (
    AccessDenied,
    LocationError,
    MemoryfieldError,
    NotFound,
    SourceChanged,
    SourceUnavailable,
)
from ..transfer.options import LONGER


class OddAnswer(Exception):
    """An answer that S3 does not give; the text says in which way, and is ours."""

    hint: str | None = None


class NoStore(OddAnswer):
    """An answer of another server than a store of S3, such as a login page."""

    hint = "see --option endpoint_url=URL and the variables AWS_ENDPOINT_URL…, or log in first"

    def __init__(self) -> None:
        super().__init__("what answers is no S3 store")


FAILURES = (
    BotoCoreError,
    ClientError,
    ResponseParserError,
    ConnectionLost,
    TimeoutError,
    OddAnswer,
)
"""All that a request can fail with."""

_MAY_PASS = (
    ConnectionError,
    HTTPClientError,
    IncompleteReadError,
    FlexibleChecksumError,
    ResponseParserError,
    ConnectionLost,
    TimeoutError,
)
_BUSY = frozenset({429, 500, 502, 503, 504})
_BUSY_CODES = frozenset(
    {"SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable", "Throttling"}
)
_TOO_MUCH = frozenset({429, 503})
_OVERLOADED = frozenset({"SlowDown", "ServiceUnavailable", "Throttling"})
_ELSEWHERE = frozenset(
    {
        "PermanentRedirect",
        "TemporaryRedirect",
        "AuthorizationHeaderMalformed",
        "IllegalLocationConstraintException",
        "301",
        "302",
        "307",
    }
)
_EXPIRED = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"}
)
_LOG_IN_AGAIN = "the session token does not fit the key: log in again"
_NOT_ACCEPTED = {
    "InvalidAccessKeyId": "the store does not know this access key: perhaps it is for another one",
    "SignatureDoesNotMatch": "the secret key does not fit",
    "InvalidToken": _LOG_IN_AGAIN,
    "InvalidSecurity": _LOG_IN_AGAIN,
}
"""What is wrong with the credentials, by the store's code."""

_NO_RIGHTS = frozenset({"AccessDenied", "Forbidden", "Unauthorized", "401", "403"})
_LONGEST_ASKED_FOR = 60
_CODE = re.compile(r"[A-Za-z0-9]{1,64}")
_REGION = re.compile(r"[a-z0-9-]{1,40}")

_ANON_HINT = "give credentials; for a public bucket, say --anon"
_RIGHTS_HINT = (
    "if the bucket is public, say --anon; if the requester has to pay, --option requester_pays=true"
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed request.

    Attributes:
        error: it, as ours.
        may_pass: whether the same request may succeed in a moment.
        after: the seconds that the server asks to wait.
    """

    error: MemoryfieldError
    may_pass: bool = False
    after: float = 0.0


def explained(error: Exception, *, anon: bool, timeout: float) -> Failure:
    """What a request failed with, as ours.

    Arguments:
        error: one of `FAILURES`.
        anon: whether no credentials were given on purpose, for the hints.
        timeout: the seconds that an answer may take to begin, for the message.
    """
    if isinstance(error, ClientError):
        return _refused(error, anon)
    if isinstance(error, OddAnswer):
        return Failure(SourceUnavailable(str(error), hint=error.hint))
    if isinstance(error, TimeoutError | ConnectTimeoutError | ReadTimeoutError):
        text = f"the store took longer than {timeout:g} seconds to answer, or gave too little since"
        return Failure(SourceUnavailable(text, hint=LONGER), True)
    if isinstance(error, SSLError):
        text = "no safe connection to the store: its certificate is not trusted, or it has none"
        hint = "the environment variable AWS_CA_BUNDLE can name another file of certificates"
        return Failure(SourceUnavailable(text, hint=hint))
    if isinstance(error, _MAY_PASS):
        text = f"the store cannot be reached, or broke off ({type(error).__name__})"
        return Failure(SourceUnavailable(text), True)
    return Failure(unusable(error))


def unusable(error: Exception) -> MemoryfieldError:
    """Why there is no client, or it sends no request: what is set makes no sense, or is missing."""
    if isinstance(error, NoCredentialsError):
        return AccessDenied("there are no credentials for S3", hint=_ANON_HINT)
    if isinstance(error, PartialCredentialsError):
        return AccessDenied("a part of the credentials for S3 is missing", hint=_ANON_HINT)
    if isinstance(error, ProfileNotFound):
        return LocationError(
            "there is no such profile in the configuration of AWS",
            hint="see --option profile=NAME, and the environment variable AWS_PROFILE",
        )
    if isinstance(error, ParamValidationError):
        return LocationError("no bucket can have this name, or no object this key")
    if isinstance(error, ValueError):
        return LocationError(
            "the endpoint, the region or another setting of S3 makes no sense",
            hint="see --option endpoint_url=URL, region=NAME, and the variables AWS_…",
        )
    return SourceUnavailable(
        f"what is set for S3 cannot be used ({type(error).__name__})",
        hint="see the credentials and the configuration of AWS on this machine",
    )


def _refused(error: Any, anon: bool) -> Failure:
    """An answer that is an error."""
    told = error.response.get("Error", {})
    about = error.response.get("ResponseMetadata", {})
    status = about.get("HTTPStatusCode", 0)
    code = str(told.get("Code") or "")
    code = code if _CODE.fullmatch(code) else str(status)
    headers = about.get("HTTPHeaders", {})
    if status in _BUSY or code in _BUSY_CODES:
        hint = "try again later"
        busy = SourceUnavailable(f"the store is busy or broken ({code})", hint=hint)
        after = _asked_for(headers)
        if after or status in _TOO_MUCH or code in _OVERLOADED:
            busy.busy = after
        return Failure(busy, True, after)
    if code in _ELSEWHERE:
        return Failure(_elsewhere(str(told.get("Region") or headers.get("x-amz-bucket-region"))))
    if code in _EXPIRED:
        hint = "the session token has expired: log in again"
        return Failure(SourceUnavailable(f"the credentials have expired ({code})", hint=hint))
    if code == "RequestTimeTooSkewed":
        text = f"this machine's clock and the store's differ ({code})"
        return Failure(SourceUnavailable(text, hint="the clock of this machine is wrong: set it"))
    if code == "InvalidObjectState":
        text = f"is kept in an archive of the store ({code})"
        return Failure(SourceUnavailable(text, hint="its owner has to restore it first"))
    if code in _NOT_ACCEPTED:
        text = f"the credentials are not accepted ({code})"
        return Failure(AccessDenied(text, hint=_NOT_ACCEPTED[code]))
    if status == 412:
        return Failure(SourceChanged("is another one than it was: it was replaced meanwhile"))
    if status in (404, 410):
        return Failure(NotFound(_missing(code, error.operation_name)))
    if status in (401, 403):
        return Failure(_denied(code, error.operation_name, anon))
    return Failure(SourceUnavailable(f"the store refuses the request ({code})"))


def _missing(code: str, operation: str) -> str:
    if code == "NoSuchBucket" or operation == "ListObjectsV2":
        return "there is no such bucket"
    if code == "NoSuchVersion":
        return "there is no such version of the object"
    return "there is no such object"


def _denied(code: str, operation: str, anon: bool) -> AccessDenied:
    listing = operation == "ListObjectsV2"
    if code not in _NO_RIGHTS:
        text = "the bucket may not be listed" if listing else "may not be read"
        return AccessDenied(f"{text} ({code})")
    hint = "give credentials, without --anon" if anon else _RIGHTS_HINT
    if listing:
        return AccessDenied(
            f"the bucket may not be listed ({code})",
            hint=f"{hint}; to list is a right of its own (s3:ListBucket)",
        )
    # Who may not list is not told either what is not there.
    return AccessDenied(f"forbidden or missing ({code})", hint=hint)


def _elsewhere(region: str) -> SourceUnavailable:
    known = region if _REGION.fullmatch(region) else ""
    where = f", {known}" if known else ""
    return SourceUnavailable(
        f"the bucket is in another region{where}",
        hint=f"say --option region={known or 'NAME'}",
    )


def _asked_for(headers: Any) -> float:
    seconds = str(headers.get("retry-after", ""))
    if not re.fullmatch("[0-9]{1,9}", seconds):
        return 0.0
    return float(min(int(seconds), _LONGEST_ASKED_FOR))
