"""What `requests` and the libraries beneath it raise, in words of ours."""

from __future__ import annotations

import contextlib
import http.client
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..display import visible
from .failures import Broken, Dropped
from .statuses import phrase

_TUNNEL = re.compile(r"Tunnel connection failed: ([0-9]{3})\b")


@contextlib.contextmanager
def told_apart(cut: Callable[[], Broken] | None = None) -> Iterator[None]:
    """Turn what `requests` and all beneath it raise into words of ours, without their texts.

    Their texts hold URLs, and some of them the headers that were sent.

    Arguments:
        cut: what to raise if the body of an answer is being read.

    Raises:
        Broken: whatever it was.
        Dropped: the connection was closed before there was an answer.
    """
    import requests
    import urllib3.exceptions as urllib3_errors

    try:
        yield
    except (requests.RequestException, urllib3_errors.HTTPError, http.client.HTTPException) as e:
        raise _in_own_words(e, cut) from None
    except ValueError:  # UnicodeError too: names and headers that cannot be sent
        if cut is not None:
            raise cut() from None
        raise Broken("this cannot be asked for: no valid URL or header", passing=False) from None
    except OSError as error:
        raise _in_own_words(error, cut) from None


def _in_own_words(error: Exception, cut: Callable[[], Broken] | None) -> Broken | Dropped:
    import requests
    import urllib3.exceptions as urllib3_errors

    chain = _chain(error)
    if any(isinstance(each, urllib3_errors.InvalidHeader) for each in chain):
        return Broken("an answer with headers that contradict each other", passing=False)
    if any(isinstance(each, urllib3_errors.ProxyError) for each in chain):
        return _refused_by_proxy(chain)
    if isinstance(
        error,
        requests.exceptions.InvalidURL
        | requests.exceptions.InvalidSchema
        | urllib3_errors.LocationValueError,
    ):  # the URL that was asked for is valid by now
        return Broken(
            "the proxy that the environment names cannot be used",
            passing=False,
            hint="only http:// and https:// proxies can; see HTTP_PROXY and HTTPS_PROXY",
        )
    if isinstance(error, requests.exceptions.InvalidHeader):
        return Broken("a header that cannot be sent", passing=False)
    if cut is not None:
        return cut()
    if any(isinstance(each, TimeoutError | urllib3_errors.TimeoutError) for each in chain):
        return Broken("no answer in time", silent=True)
    for each in chain:
        if isinstance(each, http.client.RemoteDisconnected | ConnectionError):
            return Dropped("the connection was closed without an answer")
    for each in chain:
        if isinstance(each, http.client.HTTPException):
            return Broken(f"the answer is not HTTP ({type(each).__name__})")
    what = next((each.strerror for each in chain if isinstance(each, OSError)), None)
    return Broken(f"the connection broke: {visible(what or type(error).__name__)}", silent=True)


def _refused_by_proxy(chain: Sequence[BaseException]) -> Broken:
    """What to raise where a proxy makes no way to a server, with its status if it gave one."""
    texts = (str(each) for each in chain if isinstance(each, OSError))
    found = next(filter(None, map(_TUNNEL.search, texts)), None)
    status = int(found[1]) if found else 0
    return Broken(
        "the proxy makes no way to the server" + (f": {phrase(status)}" if status else ""),
        passing=not 400 <= status < 500,
        silent=not status,
        hint="see HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment",
    )


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and those that it came of."""
    found: list[BaseException] = []
    waiting: list[Any] = [error]
    while waiting and len(found) < 32:
        each = waiting.pop(0)
        if isinstance(each, BaseException) and each not in found:
            found.append(each)
            waiting += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
    return found
