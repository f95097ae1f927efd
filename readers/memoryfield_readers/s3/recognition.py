"""Whether it is a store of S3 that answers: a login page must not look like an empty bucket.

botocore takes whatever is XML for a listing without objects, whatever is none for a store that is
busy, and each redirect and each "404" for the word of S3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .failures import NoStore

_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:<\?[^>]*+>\s*+)?<(?:\w{1,32}:)?(\w{1,64})[\s/>]")
_BEGINNING = 4096

_ANYBODYS = frozenset({401, 403, 408, 429})
"""A proxy may say these as well, and nothing is called absent by them."""

_ABSENT = frozenset({404, 410})


def check_answer(operation_model: Any, response_dict: Mapping[str, Any], **_: Any) -> None:
    """Refuse an answer that no store of S3 gives, before it is parsed.

    It is a handler of botocore's event `before-parse`, and has to be the first one.

    Raises:
        NoStore: it is one.
    """
    status = response_dict["status_code"]
    if status < 300:
        if operation_model.name != "ListObjectsV2":
            return
        if _root(response_dict["body"]) not in (b"ListBucketResult", b"Error"):
            raise NoStore
        return
    if status in _ANYBODYS or status >= 500 or operation_model.name == "HeadBucket":
        return  # the last one is asked where S3 has sent us elsewhere
    body, headers = response_dict["body"], response_dict["headers"]
    if body.strip():
        known = _root(body) == b"Error"
    elif any(name.lower().startswith("x-amz-") for name in headers):
        known = True
    elif operation_model.http["method"] == "HEAD":
        known = status >= 400 and not is_web_page(headers.get("content-type"))
    else:
        known = status >= 400 and status not in _ABSENT
    if not known:
        raise NoStore


def is_web_page(content_type: object) -> bool:
    """Whether a content type says that there is a page for a browser."""
    return str(content_type or "").lower().startswith("text/html")


def _root(body: bytes) -> bytes:
    """The name of the element that a text in XML consists of, or nothing."""
    match = _ROOT.match(body[:_BEGINNING])
    return b"" if match is None else match[1]
