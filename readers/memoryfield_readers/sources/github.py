"""A folder of a repository on GitHub, and archives there, over the REST API.

Without a token GitHub takes 60 requests an hour, so that there are few, and their number does not
grow with the field:

1. `commits/REF`: the commit. All else names its id, so that a branch may move meanwhile.
2. `git/trees/TREE?recursive=1`: every file below it with its size and the id of its blob.
3. `tarball/COMMIT`: all files that are wanted; or, for up to eight, `git/blobs/ID` for each.

So three requests for a whole field, and three for one page. What takes more:

- an address of the browser, in which the ref ends nobody knows where: one request for the branches
  that begin alike, and one for the tags if it was none of those;
- a commit of so many files that GitHub cuts the list off: one for each folder on the way to the
  field and one for the field; its files are then asked for one by one;
- symbolic links at the root: one for each; one archive if there are more than eight;
- files that the archive lacks or changes (`export-ignore`, `export-subst`): one for each;
- the date of a page: one for each page that is asked for its date;
- a repository that was renamed: the first request is answered by a redirect.

An archive in a commit takes one request for the commit, one for each folder on its path, and one
for its bytes; one of a release takes one for the release, and then those of reading by range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

from ..entry import Entry
from ..errors import LimitExceeded, NotFound
from ..git.links import MOST_TARGET_BYTES
from ..git.listing import field_entries
from ..git.tree import TreeEntry, tree_of
from ..github.answers import text_of
from ..github.api import GitHubApi
from ..github.blobs import BlobArchive, save_blob
from ..github.refs import Commit, commit_of, encoded, ref_in
from ..github.releases import ReleaseFile
from ..github.together import FEW, is_worth_it, save_together
from ..github.trees import Folder, file_of, folder_of
from ..limits import DEFAULT_LIMITS, Limits, raise_limit
from ..locations.values import GitHubLocation
from ..transfer.options import TransferOptions
from ..transfer.ranged import RangedObject
from ..transfer.sink import MemorySink, Sink

_AT_ONCE = 8
_TIMES_TOTAL = 4
"""A commit may be so many times as large as a field for its archive to be asked for."""

_MOST_LINKS = 64
"""So many links are asked for one by one, where they do not come together."""

_NO_FOLDER = Folder((), None, 0)


class GitHubFolder:
    """A folder of a commit, as a `Store`."""

    at_once = _AT_ONCE

    def __init__(self, location: GitHubLocation, options: TransferOptions, limits: Limits) -> None:
        """Ask for the commit that the location means now; everything is read from that one.

        Raises:
            NotFound: there is no such repository or ref, or it is private.
            AccessDenied, SourceUnavailable: it cannot be had.
            LocationError: an option is none of GitHub's.
        """
        self._limits = limits
        self._folder = _NO_FOLDER
        self._tree = tree_of(())
        self._links: dict[str, str] = {}
        self._asked_links = 0
        self._dates: dict[str, int | None] = {}
        self._api = GitHubApi(location, options)
        with ExitStack() as on_error:
            on_error.callback(self._api.close)
            self._location, self._commit = _resolved(self._api, location)
            on_error.pop_all()
        self.resolved: str | None = _pinned(self._location, self._commit)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how the files were found."""
        return (*self._api.notes, f"commit {self._commit.id}", *self._tree.notes)

    def listing(self) -> list[Entry]:
        """Every file of the folder in the commit; see `Store.listing`."""
        most = self._limits.entries
        self._folder = folder_of(self._api, self._commit.tree, self._location.path, most)
        self._tree = tree_of(self._folder.entries)
        self._read_many_links()
        entries: list[Entry] = []
        for entry in field_entries(self._tree, self._target_of):
            entries.append(entry)
            if len(entries) > most:
                raise LimitExceeded(
                    f"more than {most} entries",
                    location=self._location.shown,
                    hint=raise_limit("entries"),
                )
        return entries

    def save(self, entry: Entry, sink: Sink) -> Entry:
        """Put a file into a sink; see `Store.save`."""
        save_blob(self._api, self._blob(entry), sink, entry.path)
        return entry

    def save_many(self, entries: Sequence[Entry], sink: Callable[[Entry], Sink]) -> Iterator[Entry]:
        """Put many files into their sinks out of one archive of the commit; see `Store`."""
        by_name = {entry.path: entry for entry in entries}
        wanted: dict[str, tuple[TreeEntry, list[str]]] = {}
        for entry in entries:
            blob = self._blob(entry)
            wanted.setdefault(self._path(blob.path), (blob, []))[1].append(entry.path)
        for name in self._together(wanted, lambda name: sink(by_name[name])):
            yield by_name[name]

    def dated(self, entry: Entry) -> Entry:
        """The entry with the committer's date of the last commit that touched the file.

        That of a link is the one of the file that it leads to, as on disk. One request for each
        file, once.
        """
        path = entry.leads_to or entry.path
        if path not in self._dates:
            where = quote(self._path(path), safe="", errors="replace")
            query = f"sha={self._commit.id}&path={where}&per_page=1"
            commits = self._api.ask("/commits", query)
            self._dates[path] = _committed(commits)
        return entry._replace(modified_ns=self._dates[path])

    def close(self) -> None:
        """Close all connections."""
        self._api.close()

    def _blob(self, entry: Entry) -> TreeEntry:
        """The blob of a file; a link that is followed has that of where it leads."""
        found = self._tree.entries.get(entry.leads_to or entry.path)
        if found is None or not found.is_file:
            raise NotFound("no such file", location=self._location.shown, entry=entry.path)
        return found

    def _path(self, path: str) -> str:
        """A path of the field as one of the commit."""
        return f"{self._location.path}/{path}" if self._location.path else path

    def _together(
        self, wanted: dict[str, tuple[TreeEntry, list[str]]], sink: Callable[[str], Sink]
    ) -> Iterator[str]:
        blobs = [blob for blob, _ in wanted.values()]
        most = _TIMES_TOTAL * self._limits.total_bytes
        if is_worth_it(self._folder, blobs, self._api.remaining, most):
            yield from save_together(self._api, self._commit.id, self._folder, wanted, sink)

    def _read_many_links(self) -> None:
        """Read the targets of links out of one archive, where the root has more than a few."""
        if sum(e.is_link and "/" not in e.path for e in self._tree.entries.values()) <= FEW:
            return
        sinks: dict[str, MemorySink] = {}

        def sink(name: str) -> Sink:
            return sinks.setdefault(name, MemorySink(MOST_TARGET_BYTES))

        links = {
            self._path(path): (entry, [path])
            for path, entry in self._tree.entries.items()
            if entry.is_link and 0 < entry.size <= MOST_TARGET_BYTES
        }
        for name in self._together(links, sink):
            self._links[name] = _target(sinks[name].data)

    def _target_of(self, link: TreeEntry) -> str:
        """The content of a link; one request, for a few."""
        if link.path not in self._links:
            if self._asked_links == _MOST_LINKS:
                raise LimitExceeded(
                    f"more than {_MOST_LINKS} symbolic links, each of which takes a request",
                    location=self._location.shown,
                    hint="read a clone, or the same by git+https://",
                )
            self._asked_links += 1
            sink = MemorySink(MOST_TARGET_BYTES)
            save_blob(self._api, link, sink, link.path)
            self._links[link.path] = _target(sink.data)
        return self._links[link.path]


def github_archive(location: GitHubLocation, options: TransferOptions) -> RangedObject:
    """An archive of a release, or one in a commit.

    Raises:
        NotFound: there is none, or it is private.
        AccessDenied, SourceUnavailable: it cannot be had.
        LocationError: an option is none of GitHub's.
    """
    api = GitHubApi(location, options)
    archive: RangedObject
    with ExitStack() as on_error:
        on_error.callback(api.close)
        if location.release is not None:
            archive = ReleaseFile(api, options, location.release, location.path)
        else:
            found, commit = _resolved(api, location)
            blob = file_of(api, commit.tree, found.path, DEFAULT_LIMITS.entries)
            archive = BlobArchive(api, blob, _pinned(found, commit), f"commit {commit.id}")
        on_error.pop_all()
    return archive


def _resolved(api: GitHubApi, location: GitHubLocation) -> tuple[GitHubLocation, Commit]:
    """A location whose ref and path are told apart, and the commit that it means now."""
    if location.ref_and_path:
        ref, path = ref_in(api, location.ref_and_path)
        location = replace(location, ref=ref, path=path, ref_and_path="")
    return location, commit_of(api, location.ref or "HEAD")


def _pinned(location: GitHubLocation, commit: Commit) -> str:
    """The location of the same in the commit, whatever becomes of branches and tags."""
    parts = [location.host, location.owner, location.repo, encoded(location.path)]
    return f"github://{'/'.join(part for part in parts if part)}@{commit.id}"


def _target(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _committed(commits: object) -> int | None:
    """The committer's date of the first of some commits, in nanoseconds; None where there is none.

    Those who make a commit set its date as they like; what no calendar has is not known.
    """
    first = commits[0] if isinstance(commits, list) and commits else None
    commit = first.get("commit") if isinstance(first, dict) else None
    committer = commit.get("committer") if isinstance(commit, dict) else None
    try:
        moment = datetime.fromisoformat(text_of(committer, "date"))
    except ValueError:
        return None
    since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.fromtimestamp(0, UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000
