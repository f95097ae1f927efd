"""Files of a release, which are asked for through the API: so those of private ones come too."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from ..display import shown
from ..errors import NotFound
from ..git.ref_names import check_ref
from ..http import Answer, HttpClient
from ..http.client import GoOn
from ..http.http_object import HttpObject
from ..transfer.options import TransferOptions
from ..transfer.ranged import Tail
from ..transfer.sink import Sink
from .answers import number_of, text_of
from .api import BYTES, GitHubApi
from .refs import encoded

_MOST_PAGES = 20
_MOST_NAMED = 5


class ReleaseFile:
    """A file of a release as a `RangedObject`; what is read by range is one asset, by its number.

    A file that is put in its place later is another asset.
    """

    def __init__(self, api: GitHubApi, options: TransferOptions, tag: str, name: str) -> None:
        """Look the file up: one request, more only for a release with very many files.

        Arguments:
            api: the repository; it is closed with this, if this does not raise.
            options: how it is reached.
            tag: the tag of the release.
            name: the name of the file.

        Raises:
            LocationError: no tag has such a name.
            NotFound: there is no such release, or it has no such file.
        """
        number = _asset(api, tag, name)
        self._api = api
        self._object = HttpObject(
            api.url(f"/releases/assets/{number}"),
            options,
            location=api.location,
            client=cast("HttpClient", _AssetClient(api)),
        )
        self._note = f"asset {number} of the release {shown(tag)}"
        self.at_once = self._object.at_once
        self.resolved: str | None = None

    @property
    def came_from(self) -> str | None:
        """The URL that gave it in the end, fit to be shown."""
        return self._object.came_from

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it is read."""
        return (*self._api.notes, self._note, *self._object.notes)

    def tail(self, most: int, whole: Sink) -> Tail:
        """The last bytes of the file; see `RangedObject`."""
        return self._object.tail(most, whole)

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a range of it into a sink; see `RangedObject`."""
        self._object.save(start, end, sink)

    def close(self) -> None:
        """Close all connections."""
        self._object.close()
        self._api.close()


class _AssetClient:
    """What an `HttpObject` asks with: for the bytes of an asset, and with GitHub's refusals."""

    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    def fetch(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str],
        ok: Collection[int],
        go_on: GoOn | None = None,
    ) -> Answer:
        return self._api.fetch(url, sink, headers={**headers, "Accept": BYTES}, ok=ok, go_on=go_on)


def _asset(api: GitHubApi, tag: str, name: str) -> int:
    """The number of a release's file."""
    check_ref(tag, api.location)
    release = api.ask(f"/releases/tags/{encoded(tag)}", what=f"the release {shown(tag)}")
    number = number_of(release, "id")
    if number is None:
        raise api.misled("it is no release")
    names: list[str] = []
    found = _named(release.get("assets"), name, names)
    if found is None:
        for page in api.ask_pages(f"/releases/{number}/assets", most=_MOST_PAGES):
            found = _named(page, name, names)
            if found is not None:
                break
    if found is not None:
        return found
    others = ", ".join(shown(other) for other in dict.fromkeys(names[:_MOST_NAMED]))
    raise NotFound(
        f"the release {shown(tag)} has no file {shown(name)}",
        location=api.location,
        hint=f"it has {others}" if others else None,
    )


def _named(assets: Any, name: str, names: list[str]) -> int | None:
    """The number of the asset of a name, if it is in a list; the names of all are noted."""
    for asset in assets if isinstance(assets, list) else ():
        names.append(text_of(asset, "name"))
        if names[-1] == name:
            return number_of(asset, "id")
    return None
