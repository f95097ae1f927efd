"""From a branch, tag or commit to the commit that everything is then read from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..display import shown
from ..errors import NotFound
from ..git.objects import is_object_id
from ..git.ref_names import check_ref
from .answers import text_of
from .api import GitHubApi

_PERHAPS_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id and that of its tree, each 40 hexadecimal digits."""

    id: str
    tree: str


def commit_of(api: GitHubApi, ref: str) -> Commit:
    """The commit that a branch, tag or commit means now; one request.

    A name that a branch and a tag have both means what GitHub takes it for; `heads/NAME` and
    `tags/NAME` say which.

    Raises:
        LocationError: no ref has such a name; one with ".." would ask for something else.
        NotFound: there is none of that name, or no such repository for us.
    """
    check_ref(ref, api.location)
    answer = api.ask(f"/commits/{encoded(ref)}", "per_page=1", what=shown(ref))
    commit = answer.get("commit") if isinstance(answer, dict) else None
    tree = commit.get("tree") if isinstance(commit, dict) else None
    found = Commit(object_id(api, answer), object_id(api, tree))
    if is_object_id(ref.lower()) and ref.lower() != found.id:
        raise api.misled(f"it answers with another commit than {shown(ref)}")
    return found


def ref_in(api: GitHubApi, ref_and_path: str) -> tuple[str, str]:
    """The ref and the path that a browser shows with a slash between.

    A commit's id takes no request. Otherwise the branches that begin like the text are asked for,
    then the tags; the longest that is followed by a slash or nothing is it. So a branch is found
    before a tag of the same name, as by the browser.

    Returns:
        A ref as `commit_of` takes it, and the path, which may be empty.

    Raises:
        NotFound: no branch, tag or commit is at the beginning of the text.
    """
    kinds: tuple[str, ...] = ("heads", "tags")
    for kind in kinds:  # addresses of raw files say which it is
        if ref_and_path.startswith(f"refs/{kind}/"):
            kinds = (kind,)
            ref_and_path = ref_and_path.removeprefix(f"refs/{kind}/")
            break
    first, _, rest = ref_and_path.partition("/")
    if first == "HEAD" or is_object_id(first):
        return first, rest
    absent: NotFound | None = None
    for kind in kinds:
        try:
            name = _longest(api, kind, first, ref_and_path)
        except NotFound as error:  # old Enterprise servers say so of an empty list
            absent = error
            continue
        if name:
            return f"{kind}/{name}", ref_and_path[len(name) + 1 :]
    if _PERHAPS_COMMIT.fullmatch(first):
        return first, rest
    raise absent or NotFound(
        f"no branch or tag is at the beginning of {shown(ref_and_path)}", location=api.location
    )


def encoded(path: str) -> str:
    """A path or ref as part of a URL's path: its slashes stay."""
    return quote(path, safe="/", errors="surrogateescape")


def object_id(api: GitHubApi, holder: object) -> str:
    """The id that an object of an answer has under "sha"."""
    found = text_of(holder, "sha")
    if not is_object_id(found):
        raise api.misled("it names no object")
    return found


def _longest(api: GitHubApi, kind: str, first: str, text: str) -> str:
    """The longest ref of a kind that the text begins with, up to a slash or its end; or empty."""
    start = f"refs/{kind}/"
    found = ""
    asked = f"/git/matching-refs/{kind}/{encoded(first)}"
    for page in api.ask_pages(asked, most=_MOST_PAGES):
        for item in _list(api, page):
            name = text_of(item, "ref")
            if not name.startswith(start):
                continue
            name = name.removeprefix(start)
            if len(name) > len(found) and f"{text}/".startswith(f"{name}/"):
                found = name
    return found


def _list(api: GitHubApi, page: object) -> list[Any]:
    if not isinstance(page, list):
        raise api.misled("it answers with no list")
    return page
