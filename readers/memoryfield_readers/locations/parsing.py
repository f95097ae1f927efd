"""From the text of a location to what it says; nothing is asked of anyone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from ..errors import LocationError
from .fsspec_urls import parse_fsspec
from .github_urls import is_github_host, parse_browser_url, parse_github
from .tree_paths import path_in_tree
from .values import (
    ZIP_SUFFIX,
    GitLocation,
    HttpLocation,
    LocalLocation,
    ParsedLocation,
    S3Location,
)

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters at least: `C:\` is a drive
_NOT_IN_URL = re.compile(r"[\x00-\x20\x7f\\]")
_NOT_PATH = re.compile(r"[?#\t\r\n]")
"""What `urlsplit` takes away from a path, with or without a word: another file would be left."""

_CREDENTIAL = re.compile(
    r"(?:^|[&;])(?:x-(?:amz|goog|oss|cos|obs|ms)-[^=&;]*|sig|signature|token|[^=&;]*[-_]token|"
    r"awsaccesskeyid|googleaccessid|key|api[-_]?key|password|passwd|pwd|auth|secret|jwt|expires)=",
    re.IGNORECASE,
)
"""Names that signed URLs have for what lets one in."""

_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}")
_VERSION = re.compile(r"\?versionId=([A-Za-z0-9._~+/=%-]{1,1024})")

NO_CREDENTIALS = "a location holds no user, password, token or signature"
_HOW_TO_LOG_IN = (
    f"{NO_CREDENTIALS}: put them into ~/.netrc, or into MEMORYFIELD_HTTP_HOST, "
    "MEMORYFIELD_HTTP_USER and MEMORYFIELD_HTTP_PASSWORD"
)


def parse_location(text: str) -> ParsedLocation:
    """Take a location apart.

    Raises:
        LocationError: it is of no kind that can be read. A text that may hold a credential is not
            repeated in the message.
    """
    if not text or "\x00" in text or not _encodable(text):
        raise LocationError("is no path", location=text or "''", hint="name a folder or an archive")
    scheme = _SCHEME.match(text)
    if not scheme or ("://" not in text and os.path.exists(text)):
        return LocalLocation(text, Path(text))
    kind = scheme[1].lower()
    if text[scheme.end() :].startswith(":"):
        return parse_fsspec(text)
    if kind == "file":
        return _file(text)
    if not text[scheme.end() :].startswith("//"):
        raise _unreadable(kind)
    if kind in ("http", "https"):
        return _http(text)
    if kind == "s3":
        return _s3(text)
    if kind == "github":
        return parse_github(text)
    if kind.startswith("git+"):
        return _git(text, kind)
    return parse_fsspec(text)


def _file(text: str) -> LocalLocation:
    url = _split(text, "is no file:// URL", "write file:///absolute/path")
    here = url.netloc.lower() in ("", "localhost") and url.path.startswith("/")
    if not here or _NOT_PATH.search(text):
        raise LocationError(
            "is no file:// URL of this machine",
            location=f"file:{url.path}",
            hint="write file:///absolute/path, with %23 for # and %3F for ?",
        )
    return LocalLocation(text, _decoded_path(url.path, text))


def _http(text: str) -> ParsedLocation:
    url = _split(text, "is no URL", "write https://host/path/")
    _check_web(url, text)
    if is_github_host(url.hostname or ""):
        found = parse_browser_url(url)
        if found is not None:
            return found
    shown_url = f"{url.scheme}://{url.netloc}{url.path}"
    path = url.path or "/"
    name = unquote(path.rstrip("/").rpartition("/")[2]) or (url.hostname or "")
    is_archive = path.lower().endswith(ZIP_SUFFIX)
    if not is_archive:
        if url.query:
            raise LocationError(
                "has a query, which the address of a served field has not",
                location=shown_url,
                hint="give the address of the folder, or of an archive whose path ends in .zip",
            )
        if path.lower().endswith(".md"):
            raise LocationError(
                "is the address of a page",
                location=shown_url,
                hint=f"give the folder: {url.scheme}://{url.netloc}{path.rpartition('/')[0]}/",
            )
        path = path if path.endswith("/") else f"{path}/"
        whole = f"{url.scheme}://{url.netloc}{path}"
        return HttpLocation(whole, whole, False, name)
    if _CREDENTIAL.search(url.query):
        raise LocationError(
            "is a signed URL", location=shown_url, hint=f"{NO_CREDENTIALS}: download it first"
        )
    query = f"?{url.query}" if url.query else ""
    return HttpLocation(shown_url + ("?…" if query else ""), f"{shown_url}{query}", True, name)


def _s3(text: str) -> S3Location:
    bucket, _, key = text.partition("://")[2].partition("/")
    if not _BUCKET.fullmatch(bucket):
        # The text is not repeated: there may be credentials in it.
        raise LocationError(
            "names no bucket, which has 2 letters, digits, dots or hyphens at least, and no user",
            location="s3://…",
            hint="write s3://bucket/prefix/ or s3://bucket/x.zip",
        )
    if re.search(r"[\x00-\x1f\x7f]", key):
        raise LocationError("holds a control character", location="s3://…")
    if _CREDENTIAL.search(key.partition("?")[2]):  # a key may hold a ?, but hardly this
        raise LocationError("is a signed URL", hint=f"{NO_CREDENTIALS}: leave it out")
    if key.endswith("?versionId="):
        raise LocationError("is no S3 location: it names no version", location="s3://…")
    version = _VERSION.search(key)
    if version and version.end() == len(key):
        key = key[: version.start()]
    else:
        version = None
    is_archive = key.lower().endswith(ZIP_SUFFIX)
    if version and not is_archive:
        raise LocationError(
            "has a version, which only an archive has", location=f"s3://{bucket}/{key}"
        )
    if key and not is_archive and not key.endswith("/"):
        key += "/"
    at = f"s3://{bucket}/{key}"
    if version is None:
        return S3Location(at, bucket, key, is_archive)
    given = version[1]
    return S3Location(f"{at}?versionId={given}", bucket, key, is_archive, unquote(given))


def _git(text: str, kind: str) -> GitLocation:
    transport = kind.removeprefix("git+")
    hint = "write git+https://host/repo.git@ref#folder or git+file:///repo@ref#folder"
    if transport not in ("file", "https", "http"):
        raise LocationError(
            f"this version cannot read {kind}: locations", hint=f"clone it first, or {hint}"
        )
    url = _split(text, "is no git location", hint)
    if url.query:
        raise LocationError("is no git location: it has a query", hint=hint)
    # A ref may hold slashes, and a folder's name an @: the first @ of the path begins the ref.
    path, mark, ref = url.path.partition("@")
    if mark and not ref:
        raise LocationError("is no git location: there is no ref after the @", hint=hint)
    folder = path_in_tree(url.fragment, "git", hint)
    is_archive = folder.lower().endswith(ZIP_SUFFIX)
    decoded = unquote(ref) or None
    if transport == "file":
        if url.netloc.lower() not in ("", "localhost") or not path.startswith("/"):
            raise LocationError("is no git location of this machine", hint=hint)
        local = str(_decoded_path(path, "the path"))
        return GitLocation(text, local, True, decoded, folder, is_archive)
    _check_web(url, text)
    repository = f"{transport}://{url.netloc}{path}"
    return GitLocation(text, repository, False, decoded, folder, is_archive)


def _check_web(url: SplitResult, text: str) -> None:
    """Refuse a URL that names no host, or in which there is a credential or what is no text.

    Raises:
        LocationError: and the text is not repeated.
    """
    if "@" in url.netloc:
        raise LocationError(
            "is a URL with a user or a password", location=f"{url.scheme}://…", hint=_HOW_TO_LOG_IN
        )
    try:
        _ = url.port
        host = url.hostname
    except ValueError:
        host = None
    if not host or _NOT_IN_URL.search(text):
        raise LocationError(
            "is no URL",
            location=f"{url.scheme}://" + ("" if text.endswith("://") else "…"),
            hint="write https://host/path/, with %20 for a blank in the path",
        )
    if url.fragment and not url.scheme.startswith("git+"):
        raise LocationError(
            "has a fragment, which no field has", location=f"{url.scheme}://{url.netloc}{url.path}"
        )


def _split(text: str, problem: str, hint: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError:  # its text repeats what may be a password
        raise LocationError(problem, hint=hint) from None


def _decoded_path(path: str, text: str) -> Path:
    decoded = unquote(path, errors="surrogateescape")
    if "\x00" in decoded:
        raise LocationError("holds a NUL", location=text)
    if os.name == "nt":
        decoded = decoded.lstrip("/")
    return Path(decoded)


def _encodable(text: str) -> bool:
    """Whether the file system can have such a name at all."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _unreadable(kind: str) -> LocationError:
    # The text is not repeated: there may be credentials in it, in any part.
    return LocationError(
        f"this version cannot read {kind}: locations",
        hint="give a folder, a ZIP archive, or a URL such as https://host/field/",
    )
