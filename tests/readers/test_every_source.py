"""One contract for every source: the same pages, bytes, pin and errors, wherever a field lives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.readers.places import PLACES, Place, packed, place

from memoryfield_readers import (
    DEFAULT_LIMITS,
    LimitExceeded,
    Limits,
    LocationError,
    NotFound,
    PageError,
    UnsafeArchive,
    inspect_field,
    open_field,
)
from memoryfield_validator import Finding, Report, Request, check, validate

INDEX = b"---\ntitle: Woks\nuuid: 6aa615f0-486f-48a7-a210-ba4f5ff18c8b\n---\nSee [a](a.md).\n"
FILES: dict[str, bytes] = {
    "index.md": INDEX,
    "a.md": b"a\n",
    "b.md": b"b\r\n" * 700,
    "Caf\u00e9 1.md": b"a name that breaks MF201\n",
    "empty.md": b"",
    "latin.md": b"caf\xe9\n",
    "pan.png": bytes(range(256)) * 40,
    "notes~": b"debris\n",
    "log/2026.md": b"no page\n",
}
PAGES = sorted((n for n in FILES if n.endswith(".md") and "/" not in n), key=str.encode)


def _without(rules: set[str], report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule not in rules]


@pytest.fixture(scope="module", params=PLACES)
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The field at one of the places."""
    with place(request.param, tmp_path_factory.mktemp("place"), FILES) as made:
        yield made


class TestEverySource:
    """What every source keeps to."""

    def test_what_is_in_it(self, at: Place) -> None:
        """Pages, attachments and folders, in the order of their bytes; debris is none of them."""
        with at.open() as field:
            assert list(field.pages) == PAGES
            assert field.attachments == ("pan.png",)
            assert field.folders == ("log",)
            assert field.debris == ("notes~",)
            assert field.irregular == ()
            assert field.location == at.location
            assert (field.archive_name is not None) is at.is_archive

    def test_the_bytes_of_each_page(self, at: Place) -> None:
        """All together and one by one, in the order asked for, nothing decoded."""
        with at.open() as field:
            names = [*reversed(PAGES)]
            assert [(page.name, page.raw) for page in field.read(names)] == [
                (name, FILES[name]) for name in names
            ]
            assert b"".join(field.chunks("pan.png")) == FILES["pan.png"]
            assert field.entry("b.md").size == 2100
        with at.open() as field:
            assert field.page("index.md").frontmatter.text("title") == "Woks"

    def test_the_pin(self, at: Place) -> None:
        """The field pin is that of the same files in a folder."""
        with at.open() as field, open_field(packed(FILES)) as expected:
            assert field.digest() == expected.digest()
            assert field.manifest() == expected.manifest()
            if at.is_archive:
                assert field.archive_digest() == expected.archive_digest()
            else:
                assert field.archive_digest() is None

    def test_the_findings(self, at: Place) -> None:
        """The validator finds the same in all of them.

        Debris aside, which only archives ship, and sub-directories of a server without an archive,
        which nobody looks into.
        """
        request = Request(storage_options=at.options)
        checked = check(at.location, request)
        assert checked.report is not None
        with inspect_field(packed(FILES), name="x.memoryfield.zip") as field:
            expected = validate(field)
        unseen = {"MF104"} if "log/2026.md" in at.nested() else {"MF104", "MF102"}
        assert _without(unseen, checked.report) == _without(unseen, expected)
        assert checked.report.digest == expected.digest

    def test_what_is_no_page(self, at: Place) -> None:
        """An attachment, debris, a path and a name that nobody has are never handed out."""
        with at.open() as field:
            with pytest.raises(PageError):
                field.page("pan.png")
            for name in ("notes~", "log/2026.md", "gone.md", "../woks/a.md", ""):
                with pytest.raises(NotFound) as caught:
                    field.page(name)
                assert caught.value.exit_code == 4
            with pytest.raises(NotFound):
                field.read(["a.md", "gone.md"])

    def test_a_page_beyond_its_limit(self, at: Place) -> None:
        """It is refused, and the others are read."""
        with at.open(limits=DEFAULT_LIMITS.with_settings(["page-bytes=100"])) as field:
            with pytest.raises(LimitExceeded) as caught:
                field.page("b.md")
            assert caught.value.entry == "b.md"
            assert field.page("a.md").raw == b"a\n"

    def test_more_entries_than_the_limit(self, at: Place) -> None:
        """The field is refused (MF607)."""
        with pytest.raises((LimitExceeded, UnsafeArchive)), at.open(limits=Limits(entries=3)):
            pass

    def test_nothing_there(self, at: Place) -> None:
        """It is NotFound, which alone means "absent", and names the location."""
        with pytest.raises(NotFound) as caught:
            open_field(at.missing, storage_options=at.options).close()
        assert caught.value.location == at.missing

    def test_an_option_that_nobody_knows(self, at: Place) -> None:
        """It is wrong usage, and names the option; fsspec's own take what they are given."""
        if "://" not in at.location or at.location.startswith("memory:"):
            pytest.skip("whoever is asked here knows nothing of options, or takes any")
        with pytest.raises(LocationError) as caught:
            open_field(at.location, storage_options={**at.options, "bogus": 1}).close()
        assert "bogus" in f"{caught.value} {caught.value.hint}"

    def test_closing_twice(self, at: Place) -> None:
        """Nothing stays open, and what is closed can be closed."""
        field = at.open()
        field.close()
        field.close()
