"""The kinds of locations, taken apart; none of them holds a credential."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

ZIP_SUFFIX = ".zip"


@dataclass(frozen=True, slots=True)
class LocalLocation:
    """A path on this machine.

    Attributes:
        shown: the location as messages show it.
        path: the path.
    """

    shown: str
    path: Path


@dataclass(frozen=True, slots=True)
class HttpLocation:
    """An archive behind a URL, or a field that a server serves.

    Attributes:
        shown: the location as messages show it: without what a query says.
        url: the whole URL, without user, password and fragment; that of a served field ends in "/".
        is_archive: whether it is an archive.
        name: the last component of its path, decoded; the host's name where there is none.
    """

    shown: str
    url: str
    is_archive: bool
    name: str


@dataclass(frozen=True, slots=True)
class S3Location:
    """Objects under a prefix of a bucket, or an archive in one.

    Attributes:
        shown: the location as messages show it.
        bucket: the bucket.
        key: the key of an archive; otherwise the prefix: empty, or ending in "/".
        is_archive: whether it is an archive.
        version: the version of the archive that is wanted; None for the newest.
    """

    shown: str
    bucket: str
    key: str
    is_archive: bool
    version: str | None = None


@dataclass(frozen=True, slots=True)
class GitHubLocation:
    """A folder of a repository on GitHub, an archive in one, or an archive of a release.

    Attributes:
        shown: the location as messages show it.
        host: the host that a browser shows, such as "github.com"; empty for the one of the
            environment.
        owner: who owns the repository.
        repo: its name.
        ref: a branch, tag or commit; None for the default branch, or where it is in `ref_and_path`.
        path: the folder, or the archive in the tree, "" for the root; no slash at either end.
        ref_and_path: a ref and a path with a slash between, as a browser shows them: a ref may hold
            slashes, so that the two can be told apart only by asking; else empty.
        is_archive: whether it is an archive.
        release: the tag of the release that has the archive, whose name is `path`; None for none.
    """

    shown: str
    host: str
    owner: str
    repo: str
    ref: str | None = None
    path: str = ""
    ref_and_path: str = ""
    is_archive: bool = False
    release: str | None = None


@dataclass(frozen=True, slots=True)
class GitLocation:
    """A folder of a git repository, or an archive in one.

    Attributes:
        shown: the location as messages show it.
        repository: where it is: a `https://` or `http://` URL, or a path on this machine.
        is_local: whether it is a path on this machine.
        ref: a branch, tag or commit; None for the one that is checked out or the default.
        path: the folder, or the archive in the tree, "" for the root; no slash at either end.
        is_archive: whether it is an archive.
    """

    shown: str
    repository: str
    is_local: bool
    ref: str | None = None
    path: str = ""
    is_archive: bool = False


@dataclass(frozen=True, slots=True)
class FsspecLocation:
    """Anything else that fsspec can reach.

    Attributes:
        shown: the location as messages show it: without user and password, and what a query says.
        url: the whole URL, which may be a chain.
        is_archive: whether it is an archive.
        name: the last component of its path.
    """

    shown: str
    url: str
    is_archive: bool
    name: str


ParsedLocation: TypeAlias = (
    LocalLocation | HttpLocation | S3Location | GitHubLocation | GitLocation | FsspecLocation
)
