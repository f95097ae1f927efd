"""Archives of a commit, good and hostile: nothing but what is wanted, in bounded memory."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator

import pytest

from memoryfield_readers.github.tarball import NotTaken, read_tarball

MIB = 1024 * 1024


def _member(name: str, data: bytes = b"", **settings: object) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(f"owner-field-1234567/{name}")
    member.size = len(data)
    for setting, value in settings.items():
        setattr(member, setting, value)
    return member, data


def _tar(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for member, data in members:
            archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


def _read(
    data: bytes | Iterable[bytes], *, most_bytes: int = MIB, most_members: int = 50
) -> dict[str, bytes]:
    """What comes out of an archive, in which all is wanted."""
    pieces: Iterator[bytes] = iter([data] if isinstance(data, bytes) else data)
    found = read_tarball(
        pieces, lambda path, size: True, most_bytes=most_bytes, most_members=most_members
    )
    return {path: b"".join(content) for path, content in found}


def test_files_come_with_their_paths_below_the_first_folder() -> None:
    """Folders, devices and hard links are nothing; a link is the file with its target."""
    archive = _tar(
        _member("", type=tarfile.DIRTYPE),
        _member("a.md", b"# a\n"),
        _member("b/" + "long/" * 60 + "c.md", b"# c\n"),
        _member("d.md", type=tarfile.SYMTYPE, linkname="a.md"),
        _member("e.md", type=tarfile.LNKTYPE, linkname="owner-field-1234567/a.md"),
        _member("f.md", type=tarfile.FIFOTYPE),
        _member("g.md", type=tarfile.CHRTYPE),
        _member("empty.md"),
    )
    assert _read(gzip.compress(archive)) == {
        "a.md": b"# a\n",
        "b/" + "long/" * 60 + "c.md": b"# c\n",
        "d.md": b"a.md",
        "empty.md": b"",
    }


def test_only_what_is_wanted_is_handed_out() -> None:
    """The rest is passed over, also where it is large, and a file may be left half used."""
    archive = _tar(
        _member("a.md", b"a" * 300_000), _member("b.md", b"b" * 300_000), _member("c.md", b"c")
    )
    asked: list[tuple[str, int]] = []

    def wanted(path: str, size: int) -> bool:
        asked.append((path, size))
        return path != "a.md"

    found = read_tarball(iter([gzip.compress(archive)]), wanted, most_bytes=MIB, most_members=9)
    assert [(path, len(next(content))) for path, content in found] == [("b.md", 65536), ("c.md", 1)]
    assert asked == [("a.md", 300_000), ("b.md", 300_000), ("c.md", 1)]


def _bomb() -> Iterator[bytes]:
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield deflate.compress(_member("a.md", size=8**11 - 1)[0].tobuf(tarfile.GNU_FORMAT))
    while True:
        yield deflate.compress(bytes(MIB))


def _endless() -> Iterator[bytes]:
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    while True:
        yield deflate.compress(_member("a.md")[0].tobuf(tarfile.USTAR_FORMAT))


def _said(kind: bytes, data: bytes) -> bytes:
    member, _ = _member("x", data, type=kind)
    return member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512)


def _sparse() -> bytes:
    extended = b"1" * 504 + b"\x01" + bytes(7)
    first = bytearray(_member("a.md", type=tarfile.GNUTYPE_SPARSE)[0].tobuf(tarfile.GNU_FORMAT))
    first[482] = 1
    first[148:156] = b"%06o\0 " % (sum(first[:148]) + 8 * 32 + sum(first[156:]))
    return bytes(first) + extended * 15_000


def _negative() -> bytes:
    header = bytearray(_member("a.md")[0].tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 10 + b"\xfe\x00"
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:]))
    return bytes(header)


@pytest.mark.parametrize(
    "archive",
    [
        pytest.param(_bomb, id="bomb"),
        pytest.param(_endless, id="endless-members"),
        pytest.param(lambda: [gzip.compress(_tar(*[_member("a", bytes(3 * MIB))] * 4))], id="big"),
        pytest.param(lambda: [b""], id="empty"),
        pytest.param(lambda: [b"<html>log in</html>"], id="html"),
        pytest.param(lambda: [gzip.compress(b"")], id="empty-gzip"),
        pytest.param(lambda: [gzip.compress(b"\xff" * 2048)], id="no-tar"),
        pytest.param(lambda: [_tar(_member("a.md", b"# a\n"))], id="no-gzip"),
        pytest.param(lambda: [gzip.compress(_tar(_member("a.md", b"a" * 9000)))[:60]], id="cut"),
        pytest.param(lambda: [gzip.compress(_tar(_member("a", b"a" * 9000))[:5000])], id="short"),
        pytest.param(lambda: [gzip.compress(_said(b"x", b"1" * 900_000))], id="many-digits"),
        pytest.param(lambda: [gzip.compress(_said(b"x", b"9 path=a\n") * 1500)], id="chain"),
        pytest.param(lambda: [gzip.compress(_said(b"L", b"a" * 900_000))], id="long-name"),
        pytest.param(lambda: [gzip.compress(_said(b"g", b"22 hdrcharset=\xff\xff\xff\xff\xff\xff\n")
                                            + bytes(1024))], id="bad-charset"),
        pytest.param(lambda: [gzip.compress(_sparse())], id="sparse"),
        pytest.param(lambda: [gzip.compress(_negative())], id="negative"),
        pytest.param(lambda: [gzip.compress(_said(b"x", b"25 size=99999999999999999\n")
                                            + _member("a.md", b"")[0].tobuf())], id="huge-pax"),
        pytest.param(lambda: [gzip.compress(_said(b"x", b"16 size=-512000\n")
                                            + _member("a.md", b"")[0].tobuf())], id="negative-pax"),
    ],
)  # fmt: skip
def test_a_hostile_archive_is_let_be(archive: object) -> None:
    """With one exception of ours, and in little memory, whatever it is."""
    pieces = archive() if callable(archive) else ()
    tracemalloc.start()
    try:
        with pytest.raises(NotTaken):
            _read(pieces, most_bytes=8 * MIB)
        assert tracemalloc.get_traced_memory()[1] < 24 * MIB
    finally:
        tracemalloc.stop()


def test_a_member_without_end_is_not_gone_past() -> None:
    """It would be, step by step, long after the archive has ended."""
    header = _member("a.md")[0].tobuf(tarfile.USTAR_FORMAT)
    archive = gzip.compress(_said(b"x", b"19 size=9999999999\n") + header)
    with pytest.raises(NotTaken, match="larger than the commit"):
        list(read_tarball(iter([archive]), lambda *_: False, most_bytes=MIB, most_members=9))
