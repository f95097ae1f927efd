"""Requests to S3 that end where they were sent to, and whose answers have an end.

S3 sends who asks in the wrong region elsewhere, and botocore finds out where that is. The HTTP
client of aiobotocore would follow any server to any host, with the session token in a header, and
keep whatever comes in place of a page of the listing, or of an error, in memory.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]

_MOST_BYTES = 8 * 1024 * 1024
"""A page of the listing has a thousand keys of up to 1,024 bytes, each of which may be written as
three."""


class StraightSession(AIOHTTPSession):  # type: ignore[misc] # botocore has no types
    """The connections of a client of S3."""

    async def _get_session(self, proxy_url: str | None) -> Any:
        return _Straight(await super()._get_session(proxy_url))


class _Straight:
    """A session of aiohttp that answers a request with what the server says to it."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, method: str, **rest: Any) -> Any:
        """One request."""
        answer = await self._session.request(method, **rest, allow_redirects=False)
        answer.read = partial(_beginning, answer)  # the bytes of objects are read in another way
        return answer


async def _beginning(answer: Any) -> bytes:
    """What an answer says, up to more than S3 ever says at once; what is cut off is no XML."""
    pieces = []
    left = _MOST_BYTES
    async for piece in answer.content.iter_any():
        pieces.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            answer.close()
            break
    else:
        answer.release()
    return b"".join(pieces)


def ask_once_for_the_region(model: Any, context: dict[str, Any], **_: Any) -> None:
    """Keep the request that asks for a bucket's region from asking for it in turn, without end.

    It is a handler of botocore's event `before-parameter-build.s3`, and has to be the last one.
    """
    if model.name == "HeadBucket":
        context.setdefault("s3_redirect", {})["redirected"] = True
