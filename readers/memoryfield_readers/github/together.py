"""Many files of a commit in one request: out of the archive of the whole commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..errors import AccessDenied, LimitExceeded, NotFound
from ..git.tree import TreeEntry
from ..transfer.sink import Sink
from ..transfer.spool import SpoolSink, TemporaryBytes, chunks_of
from .api import JSON, GitHubApi
from .blobs import Proving
from .tarball import NotTaken, read_tarball
from .trees import Folder

FEW = 8
"""So many files are asked for one by one."""

_SMALL_BYTES = 32 * 1024 * 1024
_TIMES_WANTED = 8
_BYTES_OF_MEMBER = 3 * 1024
_MORE_BYTES = 1024 * 1024


def is_worth_it(folder: Folder, blobs: Sequence[TreeEntry], left: int | None, most: int) -> bool:
    """Whether the archive of the whole commit is a better way to some files than one by one.

    It is for more than a few files, if the commit is small, or not far larger than what is wanted;
    and wherever GitHub takes fewer requests now than there are files.

    Arguments:
        folder: the folder, which knows how large the commit is.
        blobs: the files that are wanted.
        left: how many requests GitHub takes yet; None where that is not known.
        most: how large a commit is at most.
    """
    whole = folder.whole_bytes
    if whole is None or whole > most or len(blobs) <= FEW:
        return False
    wanted = sum(blob.size for blob in blobs)
    near = whole <= max(_SMALL_BYTES, _TIMES_WANTED * wanted)
    return near or (left is not None and left < len(blobs))


def save_together(
    api: GitHubApi,
    commit: str,
    folder: Folder,
    wanted: Mapping[str, tuple[TreeEntry, Sequence[str]]],
    sink: Callable[[str], Sink],
) -> Iterator[str]:
    """Put files into their sinks; yields the name of each that is proved, and may leave some out.

    Arguments:
        api: the repository.
        commit: the id of the commit.
        folder: the folder, which knows how large the commit is.
        wanted: by the path in the commit, the file and the names that it is wanted under.
        sink: a new sink for a name.

    Raises:
        SourceUnavailable: the archive breaks off, or GitHub takes no more requests.
    """
    bound = (folder.whole_bytes or 0) + folder.whole_count * _BYTES_OF_MEMBER + _MORE_BYTES
    missing = dict(wanted)

    def is_missing(path: str, size: int) -> bool:
        return path in missing and missing[path][0].size == size

    spooled = TemporaryBytes()
    try:
        spool = SpoolSink(spooled, bound, "total-bytes")
        api.save(f"/tarball/{commit}", spool, accept=JSON, what=f"the archive of {commit}")
        for path, pieces in read_tarball(
            chunks_of(spooled, spool.segments),
            is_missing,
            most_bytes=bound,
            most_members=2 * folder.whole_count + FEW,
        ):
            blob, names = missing[path]
            proving = [Proving(sink(name), blob) for name in names]
            for piece in pieces:
                for each in proving:
                    each.write(piece)
            if all(each.holds for each in proving):
                yield from names
                del missing[path]
            if not missing:
                break
    except (NotFound, AccessDenied, LimitExceeded, NotTaken):
        # Another host serves the archive, and it is made for people: what it lacks, or has in
        # another form, is asked for file by file.
        return
    finally:
        spooled.close()
