"""A field: an immutable snapshot that hands out pages by name."""

from __future__ import annotations

import io

import pytest

from memoryfield_readers import LimitExceeded, Limits, NotFound, Page, PageError, open_field
from memoryfield_validator.conformance.raw_zip import DEFLATED, ZipEntry, zip_bytes

FIELD = zip_bytes(
    ZipEntry("b.md", b"# B\n"),
    ZipEntry("a.md", b"# A\n", DEFLATED),
    ZipEntry("data.csv", b"1,2\n"),
    ZipEntry("m.sqlite3", b"SQLite"),
    ZipEntry("log/c.md", b"# C\n"),
    ZipEntry("log.d/"),
    ZipEntry("__MACOSX/._a.md", b"\0"),
)


def test_pages_come_in_the_order_asked_for() -> None:
    """`read` gives one page a name, in their order, also twice."""
    with open_field(FIELD) as field:
        pages = field.read(["b.md", "a.md", "b.md"])
        assert [page.name for page in pages] == ["b.md", "a.md", "b.md"]
        assert pages[0] == pages[2]
        assert isinstance(pages[0], Page)


def test_an_archive_and_its_entries_by_role() -> None:
    """What an archive holds is sorted as a directory's files are."""
    with open_field(FIELD, name="woks.memoryfield.zip") as field:
        assert (field.pages, field.attachments) == (("a.md", "b.md"), ("data.csv",))
        assert (field.indexes, field.debris) == (("m.sqlite3",), ("__MACOSX/",))
        assert field.folders == ("log", "log.d")
        assert field.irregular == ()
        assert set(field.entries) == {"a.md", "b.md", "data.csv", "m.sqlite3"}
        assert repr(field) == "<Field 'woks' at 'woks.memoryfield.zip': 2 pages>"


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("data.csv", PageError, "is an attachment, not a page"),
        ("m.sqlite3", PageError, "is a vector index, not a page"),
        ("log/c.md", NotFound, "there is no page `log/c.md`"),
        ("log", NotFound, "there is no page `log`"),
        ("__MACOSX/._a.md", NotFound, "there is no page"),
        ("../a.md", NotFound, "there is no page `../a.md`"),
        ("a.md\n", NotFound, r"there is no page `a.md\n`"),
        ("\x1b[2J", NotFound, r"there is no page `\x1b[2J`"),
    ],
)
def test_what_is_no_page_is_not_handed_out(name: str, error: type[Exception], says: str) -> None:
    """Only the name of a page gives a page; the rest is told apart, and shown escaped."""
    with open_field(FIELD) as field, pytest.raises(error) as caught:
        field.page(name)
    assert says in str(caught.value)


def test_a_snapshot_cannot_be_changed() -> None:
    """The entries are read-only, and the listings are tuples."""
    with open_field(FIELD) as field:
        with pytest.raises(TypeError):
            field.entries["x.md"] = field.entries["a.md"]  # type: ignore[index]
        assert isinstance(field.pages, tuple)


def test_a_page_over_its_limit_is_still_hashed() -> None:
    """A page too large to parse has a hash, and so the field has a digest."""
    data = zip_bytes(ZipEntry("a.md", b"x" * 100))
    with open_field(data, limits=Limits(page_bytes=99)) as field:
        with pytest.raises(LimitExceeded) as caught:
            field.page("a.md")
        assert (caught.value.entry, caught.value.exit_code) == ("a.md", 3)
        assert field.digest().startswith("field-sha256:")


class _Dribble(io.BytesIO):
    """A file that gives seven bytes a read, as pipes and networks may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(size if size is None or 0 <= size < 7 else 7)


def test_a_file_object_may_give_less_than_asked_for() -> None:
    """Short reads are put together; nothing is taken for the end that is not."""
    with open_field(_Dribble(FIELD)) as field, open_field(FIELD) as whole:
        assert field.digest() == whole.digest()
        assert field.archive_digest() == whole.archive_digest()
