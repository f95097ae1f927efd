"""Single files of a commit, each proved by the name that its tree has for it."""

from __future__ import annotations

from ..git.objects import BlobProof
from ..git.tree import TreeEntry
from ..http.parts import Cut
from ..transfer.ranged import Tail
from ..transfer.sink import Sink
from .api import RAW, GitHubApi


class Proving:
    """A sink that proves what it hands on."""

    def __init__(self, sink: Sink, blob: TreeEntry) -> None:
        """Hand on the bytes of a blob to a sink."""
        self._sink = sink
        self._blob = blob
        self._proof = BlobProof(blob.object_id, blob.size)

    @property
    def holds(self) -> bool:
        """Whether all bytes have come, and are those of the blob."""
        return self._proof.holds

    def write(self, piece: bytes) -> None:
        """Take the bytes that follow."""
        self._proof.update(piece)
        self._sink.write(piece)

    def restart(self) -> None:
        """Forget what was taken."""
        self._proof = BlobProof(self._blob.object_id, self._blob.size)
        self._sink.restart()


def save_blob(api: GitHubApi, blob: TreeEntry, sink: Sink, entry: str) -> None:
    """Put the bytes of a file into a sink; one request.

    Arguments:
        api: the repository.
        blob: the file in the tree.
        sink: what takes the bytes.
        entry: the entry of the field that it is for, for messages.

    Raises:
        SourceUnavailable: what came is not what the tree names.
        MemoryfieldError: it cannot be had; as `GitHubApi.save` raises.
    """
    proving = Proving(sink, blob)
    path = f"/git/blobs/{blob.object_id}"
    api.save(path, proving, accept=RAW, what=f"the blob {blob.object_id}", entry=entry)
    if not proving.holds:
        raise api.misled("these are not the bytes that the commit has", entry=entry)


class BlobArchive:
    """An archive in a commit as a `RangedObject`: it comes whole, as GitHub has no ranges."""

    at_once = 1
    came_from: str | None = None

    def __init__(self, api: GitHubApi, blob: TreeEntry, resolved: str, note: str) -> None:
        """Ask for nothing yet; `api` is closed with this."""
        self.resolved: str | None = resolved
        self.notes: tuple[str, ...] = (*api.notes, note)
        self._api = api
        self._blob = blob

    def tail(self, most: int, whole: Sink) -> Tail:
        """All of it; see `RangedObject`."""
        save_blob(self._api, self._blob, whole, self._blob.path)
        return Tail(self._blob.size, b"", whole=True)

    def save(self, start: int, end: int, sink: Sink) -> None:
        """Put a part of it into a sink; all of it passes by."""
        cut = Cut(sink, start, end, self._blob.size)
        save_blob(self._api, self._blob, cut, self._blob.path)

    def close(self) -> None:
        """Close all connections."""
        self._api.close()
