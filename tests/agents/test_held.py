"""Fields that stay what they were when they were opened, wherever they come from."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.index.compass_field import MODEL, PAGES, foreign, pointing
from tests.index.search_fields import Starting, names
from tests.readers.places import Place, pins_of, place

from memoryfield_agents.fields import HeldField, hold
from memoryfield_index.embedders import Options
from memoryfield_index.searching import Asked, Embedders
from memoryfield_readers import (
    AccessDenied,
    EmbedderUnavailable,
    EmptyField,
    LimitExceeded,
    Limits,
    MemoryfieldError,
    NotFound,
    PageError,
    PinMismatch,
    SourceChanged,
    SourceUnavailable,
    open_field,
    parse_pins,
)
from memoryfield_readers.canonical_archive import canonical_archive
from memoryfield_readers.field import Field
from memoryfield_readers.sources.local import LocalSource

FILES = {
    "a.md": b"---\ntitle: Woks\n---\nof carbon\n",
    "b.md": b"boats\n",
    "map.png": bytes(range(256)) * 20,
    "log/c.md": b"no page\n",
}
WORDS = Asked(how="lexical")
KINDS = ["folder", "archive", "served", "archive-by-http", "git"]


def embedders() -> Embedders:
    return Embedders("named", Options(), Starting({"named": pointing()}))


def nothing() -> Embedders:
    """No embedder can be had."""
    return Embedders("auto", Options(), Starting({}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A field on this machine."""
    with place("folder", tmp_path, FILES) as made:
        return Path(made.location)


@pytest.fixture(params=KINDS)
def at(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """The field at one of the places."""
    with place(request.param, tmp_path, FILES) as made:
        yield made


def test_it_stays_what_it_was(at: Place) -> None:
    """Whatever becomes of its place; and it has the field pin of its source."""
    held = hold(at.location, "woks", nothing(), storage_options=at.options)
    at.put({"a.md": b"now of boats\n", "z.md": b"new\n"})
    pin, archive_pin = pins_of({name: FILES[name] for name in ("a.md", "b.md", "map.png")})
    assert held.pin == held.field.digest() == pin
    assert held.location == at.location
    assert (held.archive_pin is not None) == at.is_archive
    assert archive_pin != held.archive_pin  # that of an archive with the sub-directory in it
    assert held.field.pages == ("a.md", "b.md")
    assert {name: held.field.content(name) for name in held.field.entries} == {
        name: FILES[name] for name in ("a.md", "b.md", "map.png")
    }
    assert not held.pinned
    assert not held.unread
    answer = held.search("carbon", WORDS)
    assert names(answer) == ["a.md"]
    assert answer.hits[0].pin == pin
    assert canonical_archive(held.field).names == ("a.md", "b.md", "map.png")
    with pytest.raises(NotFound):
        held.field.page("z.md")
    held.close()


def test_what_comes_from_elsewhere_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read into memory; there may be no place for temporary files at all."""

    def refuse(**_: object) -> None:
        raise AssertionError("a temporary file")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    for kind in ("served", "archive-by-http"):
        root = tmp_path / kind
        root.mkdir()
        with place(kind, root, FILES) as made:
            held = hold(made.location, "woks", nothing(), storage_options=made.options)
            assert held.field.page("b.md").raw == b"boats\n"
            with pytest.raises(AssertionError, match="a temporary file"), made.open() as field:
                field.prepare_all()


def test_a_folder_that_vanishes(folder: Path) -> None:
    held = hold(str(folder), "woks", nothing())
    shutil.rmtree(folder)
    assert names(held.search("carbon", WORDS)) == ["a.md"]
    assert held.field.page("a.md").raw == FILES["a.md"]
    held.close()


def test_the_index_is_that_of_the_snapshot(tmp_path: Path) -> None:
    """Also where the folder is there still, with another index, or none."""
    path = foreign(tmp_path / "compass")
    held = hold(str(path), "compass", embedders())
    (path / f"{MODEL}.sqlite3").write_bytes(b"no index any more")
    first = held.search("91")
    assert (first.how, names(first)[0]) == ("semantic", "north.md")
    shutil.rmtree(path)
    assert names(held.search("181"))[0] == "west.md"
    held.close()


def test_a_large_index_makes_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory already is opened there, however large it is."""
    monkeypatch.setattr("memoryfield_index.storage.opening._MOST_IN_MEMORY", 1)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    held = hold(str(foreign(tmp_path / "compass")), "compass", embedders())
    assert held.search("91").how == "semantic"
    held.close()


def test_an_index_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was built for the pin, and serves; the next question finds one that came later."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "compass"
    path.mkdir()
    for name, raw in PAGES.items():
        (path / name).write_bytes(raw)
    held = hold(str(path), "compass", embedders())
    assert held.search("91").how == "lexical"
    kept = tmp_path / "cache" / "indexes" / "v1" / held.pin.partition(":")[2]
    kept.mkdir(parents=True)
    index = foreign(tmp_path / "other") / f"{MODEL}.sqlite3"
    shutil.copy(index, kept)
    assert held.search("91").how == "lexical"
    held.look_again()
    assert held.search("91").how == "semantic"
    held.close()
    assert sorted(each.name for each in kept.iterdir()) == [index.name]


def test_without_an_embedder_words_rank(tmp_path: Path) -> None:
    """But one that was named is missed."""
    path = foreign(tmp_path / "compass")
    held = hold(str(path), "compass", nothing())
    answer = held.search("sunset")
    assert (answer.how, names(answer)) == ("lexical", ["west.md"])
    assert any("there is no" in note for note in answer.notes)
    held.close()
    named = hold(str(path), "compass", Embedders("mine", Options(), Starting({})))
    with pytest.raises(EmbedderUnavailable):
        named.search("sunset")
    assert names(named.search("sunset", WORDS)) == ["west.md"]
    named.close()


@pytest.mark.parametrize("question", ["", " ", "\x00", "\udcff", "x" * 5000, '"', "NEAR(", "*"])
def test_any_question_has_an_answer(folder: Path, question: str) -> None:
    held = hold(str(folder), "woks", nothing())
    assert held.search(question, WORDS).hits == ()
    assert len(held.search("woks " * 10_000, Asked(how="lexical", most=10**9)).hits) == 1
    assert len(held.search("woks", Asked(how="lexical", most=-1)).hits) == 1
    held.close()


def test_what_cannot_be_read_is_told(folder: Path) -> None:
    """And everything else is there."""
    (folder / "large.md").write_bytes(b"woks " * 1000)
    (folder / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(folder / "fifo.md")
    (folder / "index.md").mkdir()
    held = hold(str(folder), "woks", nothing(), limits=Limits(page_bytes=1000))
    assert held.field.pages == ("a.md", "b.md")
    assert {name: type(error) for name, error in held.unread.items()} == {
        "fifo.md": PageError,
        "large.md": LimitExceeded,
        "link.md": PageError,
    }
    assert "1000" in str(held.unread["large.md"])
    assert held.pin == held.field.digest()
    assert names(held.search("woks", WORDS)) == ["a.md"]
    held.close()


@pytest.mark.parametrize("error", [AccessDenied, SourceUnavailable], ids=["denied", "damaged"])
def test_a_page_that_the_system_does_not_give(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: type[MemoryfieldError]
) -> None:
    """A file of another person's, or a sector of a disk."""
    plain = Field.page

    def page(field: Field, name: str) -> object:
        if name == "b.md" and not field.in_memory:
            raise error("cannot be read", location=field.location, entry=name)
        return plain(field, name)

    monkeypatch.setattr(Field, "page", page)
    held = hold(str(folder), "woks", nothing())
    assert held.field.pages == ("a.md",)
    assert isinstance(held.unread["b.md"], error)
    held.close()


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_page_that_a_server_does_not_give(folder: Path, status: int) -> None:
    """It lists the page; but if it gives none at all, there is no field."""

    class Handler(SimpleHTTPRequestHandler):
        refused: tuple[str, ...] = ("/b.md",)

        def do_GET(self) -> None:
            if self.path.endswith(self.refused):
                self.send_error(status)
            else:
                super().do_GET()

        def log_message(self, *_: object) -> None:
            """Be silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        Thread(target=server.serve_forever).start()
        try:
            url, options = f"http://127.0.0.1:{server.server_port}/", {"retries": 0}
            held = hold(url, "woks", nothing(), storage_options=options)
            assert held.field.pages == ("a.md",)
            assert str(status) in str(held.unread["b.md"])
            held.close()
            Handler.refused = (".md", ".png")
            with pytest.raises(SourceUnavailable, match=str(status)):
                hold(url, "woks", nothing(), storage_options=options)
        finally:
            server.shutdown()


def test_a_field_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    """The reason is that of the first file; of what has no file at all it is that."""
    (tmp_path / "a.md").write_bytes(b"x" * 100)
    with pytest.raises(MemoryfieldError, match="over the limit"):
        hold(str(tmp_path), "x", nothing(), limits=Limits(page_bytes=10))
    (tmp_path / "a.md").unlink()
    with pytest.raises(EmptyField):
        hold(str(tmp_path), "x", nothing())


@pytest.mark.parametrize("times", [2, 3])
def test_a_folder_that_is_being_written_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """It is held as it is afterwards; if it never comes to rest, that is said."""
    plain = LocalSource.read
    left = [times]

    def read(source: LocalSource, *arguments: object) -> bytes:
        if left[0]:
            left[0] -= 1
            (folder / "a.md").write_bytes(b"woks %d\n" % left[0])
            raise SourceChanged("changed", location=source.location)
        return plain(source, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(LocalSource, "read", read)
    if times == 3:
        with pytest.raises(SourceChanged):
            hold(str(folder), "woks", nothing())
        return
    held = hold(str(folder), "woks", nothing())
    assert held.field.page("a.md").raw == b"woks 0\n"
    held.close()


def test_a_pin_is_kept_to(folder: Path) -> None:
    with open_field(folder) as field:
        pin = field.digest()
    held = hold(str(folder), "woks", nothing(), pins=parse_pins(pin))
    assert (held.pinned, held.pin) == (True, pin)
    held.close()
    (folder / "a.md").write_bytes(b"another\n")
    with pytest.raises(PinMismatch):
        hold(str(folder), "woks", nothing(), pins=parse_pins(pin))


def test_times_and_notes_come_along(folder: Path) -> None:
    os.utime(folder / "a.md", (1_000_000_000, 1_000_000_000))
    held = hold(str(folder), "woks", nothing())
    assert held.modified["a.md"].isoformat() == "2001-09-09T01:46:40+00:00"
    assert held.opened.utcoffset() is not None
    assert isinstance(held.notes, tuple)
    held.close()


def test_a_search_after_closing_still_has_an_answer(tmp_path: Path) -> None:
    """Who holds an old snapshot goes on with it; nothing stays open behind it."""
    held: HeldField = hold(str(foreign(tmp_path / "compass")), "compass", embedders())
    held.close()
    assert names(held.search("91"))[0] == "north.md"
    assert not held._standing._ready
    assert not held._standing._words
    held.close()
