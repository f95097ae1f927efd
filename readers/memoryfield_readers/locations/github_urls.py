"""Locations on GitHub: `github://`, and what a person copies from the browser."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from urllib.parse import SplitResult, quote, unquote, urlsplit

from ..errors import LocationError
from .tree_paths import path_in_tree
from .values import ZIP_SUFFIX, GitHubLocation

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98})?")
_REPO = re.compile(r"(?!\.{1,2}(?:\.git)?$)[A-Za-z0-9._-]{1,100}")
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?::[0-9]{1,5})?")
_HINT = "write github://owner/repo/folder@ref, where folder and @ref may be left out"


def is_github_host(host: str) -> bool:
    """Whether a host is GitHub, or the Enterprise server that the environment names."""
    hosts = {"github.com", "www.github.com", os.environ.get("GH_HOST", "").lower()}
    with suppress(ValueError):  # the variable may hold no URL
        hosts.add((urlsplit(os.environ.get("GITHUB_SERVER_URL", "")).hostname or "").lower())
    return host.lower() in hosts - {""}


def parse_github(text: str) -> GitHubLocation:
    """Take a `github://` location apart.

    `github://owner/repo/folder@ref`; an Enterprise host, which has a dot as no owner's name has,
    may stand before the owner. A ref may hold slashes, so the first `@` begins it; in a path it is
    written `%40`.

    Raises:
        LocationError: it is none; the text is not repeated, as there may be a token in it.
    """
    if "?" in text or "#" in text:
        raise LocationError("is no GitHub location: it has a query or a fragment", hint=_HINT)
    place, mark, ref = text.partition("://")[2].partition("@")
    parts = place.split("/")
    host = ""
    if "." in parts[0] or ":" in parts[0]:
        host = parts.pop(0)
        if not _HOST.fullmatch(host):
            raise LocationError("is no GitHub location", location="github://…", hint=_HINT)
    if len(parts) < 2 or not _OWNER.fullmatch(parts[0]) or not _REPO.fullmatch(parts[1]):
        raise LocationError("is no GitHub location", location="github://…", hint=_HINT)
    if mark and not ref:
        raise LocationError("is no GitHub location: there is no ref after the @", hint=_HINT)
    path = path_in_tree("/".join(parts[2:]), "GitHub", _HINT)
    return GitHubLocation(
        text,
        host.lower(),
        parts[0],
        parts[1].removesuffix(".git"),
        unquote(ref) or None,
        path,
        is_archive=path.lower().endswith(ZIP_SUFFIX),
    )


def parse_browser_url(url: SplitResult) -> GitHubLocation | None:
    """What a person copied from the browser; None for what is no page of a repository.

    Raises:
        LocationError: it is an archive that GitHub makes anew each time.
    """
    parts = url.path.strip("/").split("/")
    if len(parts) < 2 or not _OWNER.fullmatch(parts[0]) or not _REPO.fullmatch(parts[1]):
        return None
    owner, repo = parts[0], parts[1].removesuffix(".git")
    host = url.netloc.lower().removeprefix("www.")
    text = f"{url.scheme}://{url.netloc}{url.path}"
    kind, rest = (parts[2], parts[3:]) if len(parts) > 2 else ("", [])
    if kind in ("archive", "zipball", "tarball"):
        ref = "/".join(rest).removesuffix(ZIP_SUFFIX).removeprefix("refs/heads/")
        ref = ref.removeprefix("refs/tags/")
        raise LocationError(
            "is an archive that GitHub makes anew each time: its bytes are not stable",
            location=text,
            hint=f"give github://{owner}/{repo}" + (f"@{ref}" if ref else ""),
        )
    if not kind:
        return GitHubLocation(text, host, owner, repo)
    if kind == "releases" and len(rest) == 3 and rest[0] == "download":
        name = unquote(rest[2])
        return GitHubLocation(
            text, host, owner, repo, path=name, is_archive=True, release=unquote(rest[1])
        )
    if kind in ("tree", "blob", "raw") and rest:
        ref_and_path = path_in_tree("/".join(rest), "GitHub", _HINT)
        is_archive = kind != "tree" and ref_and_path.lower().endswith(ZIP_SUFFIX)
        if kind != "tree" and not is_archive:
            folder = quote("/".join(rest[:-1]))
            raise LocationError(
                "is the address of a file that is no archive",
                location=text,
                hint=f"give the folder: {url.scheme}://{url.netloc}/{owner}/{repo}/tree/{folder}",
            )
        return GitHubLocation(
            text, host, owner, repo, ref_and_path=ref_and_path, is_archive=is_archive
        )
    raise LocationError("is no folder of a repository", location=text, hint=_HINT)
