"""The fields of a server: found by name alone, and swapped whole while they are searched."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Thread
from time import sleep

import pytest
from tests.agents.locked import lock_offline
from tests.index.compass_field import MODEL, foreign, pointing
from tests.index.search_fields import Pointing, Starting, names

from memoryfield_agents import AmbiguousName, HeldField, Shelf, UnknownField
from memoryfield_agents.fields import requests_of
from memoryfield_index.embedders import Options
from memoryfield_index.searching import Asked, Embedders
from memoryfield_index.unasked import Named
from memoryfield_index.values import Embedder
from memoryfield_readers import InvalidPin, NotFound, PinMismatch, open_field, parse_pins

WORDS = Asked(how="lexical")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test alone."""
    path = tmp_path / "cache"
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(path))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A field of one page."""
    path = tmp_path / "Woks 1"
    path.mkdir()
    (path / "a.md").write_bytes(b"state 0 woks\n")
    return path


def starting(embedder: Embedder) -> Embedders:
    return Embedders("named", Options(), Starting({"named": embedder}))


def test_fields_are_found_by_their_names(folder: Path, tmp_path: Path) -> None:
    other = foreign(tmp_path / "compass")
    with Shelf.of([str(folder), f"n={other}"]) as shelf:
        assert shelf.names == ("woks-1", "n")
        assert [held.name for held in shelf.fields] == ["woks-1", "n"]
        assert shelf.get("n").field.pages == ("east.md", "index.md", "listing.md", "north.md",
                                              "west.md")  # fmt: skip
        for name in ("woks", str(folder), "../n", "n/", "N", "", "\udcff\x1b[0m"):
            with pytest.raises(UnknownField) as caught:
                shelf.get(name)
            assert "woks-1, n" in str(caught.value.hint)
            assert str(caught.value).isprintable()
        with pytest.raises(UnknownField, match="which field is meant"):
            shelf.get()


def test_the_only_field_needs_no_name(folder: Path) -> None:
    with Shelf.of([str(folder)]) as shelf:
        assert shelf.get().name == "woks-1"
    with pytest.raises(UnknownField):
        shelf.get()
    with pytest.raises(UnknownField):
        shelf.reload("woks-1")


def test_names_that_clash(folder: Path, tmp_path: Path) -> None:
    """And what was opened by then is let go of, embedders included."""
    (tmp_path / "x").mkdir()
    other = shutil.copytree(folder, tmp_path / "x" / "woks 1")
    embedder = pointing()
    embedders = starting(embedder)
    embedders._start(Named("named"))
    with pytest.raises(AmbiguousName, match="two fields would have this name"):
        Shelf(requests_of([str(folder), str(other)]), embedders)
    assert embedder.closed
    with Shelf.of([str(folder), f"other={other}"]) as shelf:
        assert shelf.names == ("woks-1", "other")


def test_a_field_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Shelf.of([str(folder), str(tmp_path / "none")])


def test_a_pin_is_of_one_field(folder: Path, tmp_path: Path) -> None:
    with open_field(folder) as field:
        pins = parse_pins(field.digest())
    with pytest.raises(InvalidPin, match="one field"):
        Shelf.of([str(folder), str(foreign(tmp_path / "b"))], pins=pins)


def test_reload(folder: Path) -> None:
    """Another field is another one; the same is the same, and stays."""
    with Shelf.of([str(folder)]) as shelf:
        before = shelf.get()
        assert before.search("woks", WORDS).hits
        assert not shelf.reload("woks-1")
        assert shelf.get() is before
        (folder / "a.md").write_bytes(b"boats\n")
        assert not shelf.get().search("boats", WORDS).hits
        assert shelf.reload("woks-1")
        after = shelf.get("woks-1")
        assert (after.name, after.pin != before.pin) == ("woks-1", True)
        assert names(after.search("boats", WORDS)) == ["a.md"]
        assert names(before.search("woks", WORDS)) == ["a.md"], "who holds the old one keeps it"
        shutil.rmtree(folder)
        with pytest.raises(NotFound):
            shelf.reload("woks-1")
        assert shelf.get() is after


def test_reload_of_what_no_pin_covers(tmp_path: Path) -> None:
    """Another index, or a page that can be read no more, is another field to who asks."""
    path = foreign(tmp_path / "compass")
    with Shelf(requests_of([str(path)]), starting(pointing())) as shelf:
        assert shelf.get().search("91").how == "semantic"
        (path / f"{MODEL}.sqlite3").unlink()
        assert shelf.reload("compass")
        assert shelf.get().search("91").how == "lexical"
        (path / "link.md").symlink_to("/etc/hostname")
        assert shelf.reload("compass")
        assert set(shelf.get().unread) == {"link.md"}


def test_a_pinned_field_is_the_same_or_none(folder: Path) -> None:
    with open_field(folder) as field:
        pins = parse_pins(field.digest())
    with Shelf.of([str(folder)], pins=pins) as shelf:
        held = shelf.get()
        (folder / "a.md").write_bytes(b"boats\n")
        with pytest.raises(PinMismatch):
            shelf.reload("woks-1")
        assert shelf.get() is held
        assert names(held.search("woks", WORDS)) == ["a.md"]


def test_a_locked_field_from_the_cache(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Offline, with its place gone; its name is that of the lock file."""
    with open_field(folder) as field:
        pin = field.digest()
    lock_offline(folder, "handbook", tmp_path, monkeypatch)
    with Shelf.of(["@handbook"], offline=True) as shelf:
        held = shelf.get("handbook")
        assert (held.pin, held.pinned, held.unread) == (pin, True, {})
        assert names(held.search("woks", WORDS)) == ["a.md"]
        assert not shelf.reload("handbook")


def test_reload_tries_again_what_makes_vectors(tmp_path: Path) -> None:
    """It was not there when the server started, and is by now."""
    known: dict[str, Embedder] = {}
    starting = Starting(known)
    path = foreign(tmp_path / "compass")
    with Shelf(requests_of([str(path)]), Embedders("auto", Options(), starting)) as shelf:
        assert shelf.get().search("91").how == "lexical"
        asked = list(dict.fromkeys(starting.asked))
        assert asked
        starting.embedders = dict.fromkeys(asked, pointing())
        assert shelf.get().search("91").how == "lexical"
        assert not shelf.reload("compass")
        assert shelf.get().search("91").how == "semantic"


def test_searches_while_the_field_is_swapped(folder: Path) -> None:
    """Each answer is of one snapshot: its text, its pin and its words belong together."""
    rounds, readers = 12, 3
    start = Barrier(readers + 1)
    over = Event()

    def search(shelf: Shelf) -> set[str]:
        seen = set()
        start.wait()
        while not over.is_set():
            held = shelf.get()
            (hit,) = held.search("woks", WORDS).hits
            assert hit.pin == held.pin == held.field.digest()
            assert hit.page.raw == held.field.page("a.md").raw
            seen.add(hit.page.text)
        return seen

    with Shelf.of([str(folder)]) as shelf, ThreadPoolExecutor(readers) as pool:
        seen = [pool.submit(search, shelf) for _ in range(readers)]
        start.wait()
        try:
            for number in range(1, rounds + 1):
                (folder / "a.md").write_bytes(b"state %d woks\n" % number)
                assert shelf.reload("woks-1")
        finally:
            over.set()
        texts = set().union(*(each.result() for each in seen))
        assert texts <= {f"state {number} woks\n" for number in range(rounds + 1)}
        assert shelf.get().field.page("a.md").raw == b"state 12 woks\n"


class Waiting(Pointing):
    """An embedder that answers when it is told to, and notes if two ask it at once."""

    def __init__(self) -> None:
        super().__init__(model=MODEL)
        self.asked, self.may_answer = Event(), Event()
        self.inside = 0
        self.together = 0

    def query(self, text: str) -> bytes:
        """The vector, after a while."""
        self.inside += 1
        self.together = max(self.together, self.inside)
        self.asked.set()
        assert self.may_answer.wait(60)
        found = super().query(text)
        self.inside -= 1
        return found


def test_a_search_under_way_is_not_closed_under(tmp_path: Path) -> None:
    """The field is another one before its answer is there."""
    path = foreign(tmp_path / "compass")
    embedder = Waiting()
    answers: list[list[str]] = []
    with Shelf(requests_of([str(path)]), starting(embedder)) as shelf:
        held = shelf.get()
        searching = Thread(target=lambda: answers.append(names(held.search("91"))))
        searching.start()
        assert embedder.asked.wait(60)
        (path / "new.md").write_bytes(b"new\n")
        reloading = Thread(target=shelf.reload, args=("compass",))
        reloading.start()
        while shelf.get() is held and reloading.is_alive():
            sleep(0.01)
        assert shelf.get() is not held, "nobody waits for the old one"
        embedder.may_answer.set()
        searching.join(60)
        reloading.join(60)
        assert answers[0][0] == "north.md"
        assert "new.md" in shelf.get().field.pages


def test_an_embedder_is_asked_one_question_at_a_time(tmp_path: Path) -> None:
    """Also by searches of several fields."""
    paths = [str(foreign(tmp_path / name)) for name in ("a", "b", "c")]
    embedder = Waiting()
    with Shelf(requests_of(paths), starting(embedder)) as shelf, ThreadPoolExecutor(3) as pool:

        def search(held: HeldField) -> str:
            return held.search("91").hits[0].filename

        found = [pool.submit(search, held) for held in shelf.fields]
        assert embedder.asked.wait(60)
        embedder.may_answer.set()
        assert [each.result() for each in found] == ["north.md"] * 3
    assert embedder.together == 1
    assert embedder.closed
