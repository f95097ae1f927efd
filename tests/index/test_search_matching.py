"""Which index is searched, with which embedder, and what is done without."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.index.compass_field import MODEL, PAGES, angle, foreign, pointing
from tests.index.hash_embedder import HashEmbedder, vector_of
from tests.index.search_fields import (
    Pointing,
    Starting,
    ask,
    build,
    make_folder,
    make_index,
    names,
    opened,
    page,
    sha256_of,
    vector,
)
from tests.index.servers.ollama import OllamaServer
from tests.index.surroundings import nothing_said

from memoryfield_index.embedders import Options, choose
from memoryfield_index.searching import Embedders, search
from memoryfield_index.values import Embedding, Failed
from memoryfield_readers.errors import EmbedderUnavailable


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test alone."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def compass(tmp_path: Path) -> Path:
    return foreign(tmp_path / "compass")


class OneWay(Pointing):
    """One that embeds pages, too, all in one direction."""

    def documents(self, pages: object) -> list[Embedding | Failed]:
        count = len(pages)  # type: ignore[arg-type]
        return [Embedding(vector_of("x", 2), 1)] * count


def test_without_an_index_words_find(tmp_path: Path) -> None:
    """BM25, and a note of what would make an index."""
    answer = ask(make_folder(tmp_path / "f", PAGES), "sunset", pointing())
    assert (answer.how, names(answer)) == ("lexical", ["west.md"])
    assert answer.hits[0].distance is None
    assert any("memoryfield index build" in note for note in answer.notes)


def test_without_an_embedder_words_find(compass: Path) -> None:
    """The reason is told; an index of its maker unknown is offered to all that run unasked."""
    starting = Starting({})
    with opened([compass]) as fields:
        answer = search(fields, "sunset", Embedders("auto", Options(), starting))
    assert (answer.how, names(answer)) == ("lexical", ["west.md"])
    assert starting.asked == [f"{kind}:{MODEL}" for kind in ("ollama", "fastembed", "local")]
    assert any("there is no ollama" in note for note in answer.notes)


def test_an_embedder_that_was_named_has_to_be_there(compass: Path) -> None:
    """Nothing else is done in its place."""
    with opened([compass]) as fields, pytest.raises(EmbedderUnavailable):
        search(fields, "sunset", Embedders("named", Options(), Starting({})))


def test_lexical_asks_no_embedder(compass: Path) -> None:
    """Nor does it open an index."""
    (compass / f"{MODEL}.sqlite3").write_bytes(b"nonsense")
    answer = ask(compass, "sunset", how="lexical")
    assert (names(answer), answer.notes) == (["west.md"], ())


class Failing(Pointing):
    """An embedder that can be had, and fails when it is asked."""

    def query(self, text: str) -> bytes:
        raise EmbedderUnavailable("went away")


class Senseless(Pointing):
    """An embedder whose vectors mean nothing."""

    def query(self, text: str) -> bytes:
        return vector(1e-30, 0)


@pytest.mark.parametrize("kind", [Failing, Senseless])
def test_an_embedder_that_fails_later(kind: type[Pointing], compass: Path) -> None:
    """Unasked for, words find; named, it is the error."""
    embedder = kind(model=MODEL)
    starting = Starting({f"local:{MODEL}": embedder, "named": embedder})
    with opened([compass]) as fields:
        answer = search(fields, "sunset", Embedders("auto", Options(), starting))
        assert (answer.how, names(answer)) == ("lexical", ["west.md"])
        with pytest.raises(EmbedderUnavailable):
            search(fields, "sunset", Embedders("named", Options(), starting))


@pytest.mark.parametrize(
    "embedder",
    [HashEmbedder(model="other-v2"), HashEmbedder(dimension=16)],
    ids=["model", "dimension"],
)
def test_an_index_made_in_another_way_is_not_used(embedder: HashEmbedder, tmp_path: Path) -> None:
    """Vectors that cannot be compared are not; the way out is named."""
    folder = make_folder(tmp_path / "f", PAGES)
    build(folder, HashEmbedder())
    answer = ask(folder, "sunset", embedder)
    assert (answer.how, names(answer)) == ("lexical", ["west.md"])
    assert embedder.questions == []
    assert any("memoryfield index build" in note for note in answer.notes)


@pytest.mark.parametrize("name", ["nomic-embed-text:v1.5", "me/mine:latest"])
def test_the_embedder_of_an_index_is_had_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its recipe, whatever the model is called by now; other files give other vectors."""
    folder = make_folder(tmp_path / "f", PAGES)
    nothing_said(monkeypatch)
    with OllamaServer() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        server.models = {name: "1" * 64}
        with closing(choose(f"ollama:{name}", Options(most_bytes=4096))) as first:
            build(folder, first)
    with OllamaServer() as server, opened([folder]) as fields:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        server.models = {name if "nomic" in name else "renamed:latest": "1" * 64}
        with closing(Embedders()) as embedders:
            assert search(fields, "sunset", embedders).how == "semantic"
        server.models = {name: "2" * 64}
        asked = len(server.embedded)
        with closing(Embedders()) as embedders:
            answer = search(fields, "sunset", embedders)
        assert (answer.how, len(server.embedded)) == ("lexical", asked)
    expected = "model_digest" if "nomic" in name else "does not have the model"
    assert any(expected in note for note in answer.notes)


def test_how_much_is_embedded_is_no_matter_of_questions(tmp_path: Path) -> None:
    """An index of the same model of which only that differs is used."""
    folder = make_folder(tmp_path / "f", PAGES)
    build(folder, HashEmbedder())
    embedder = HashEmbedder()
    embedder.recipe = type(embedder.recipe)(
        **{name: getattr(embedder.recipe, name) for name in embedder.recipe.__slots__}
        | {"most_bytes": 9000}
    )
    assert ask(folder, "sunset", embedder).how == "semantic"


def test_an_index_never_sends_a_question_away(tmp_path: Path) -> None:
    """Who made an index says who would be asked; what is not of this machine is not, unnamed."""
    folder = make_folder(tmp_path / "f", PAGES)
    build(folder, HashEmbedder())  # its recipe names a plugin
    starting = Starting({"hash:hashed-words-v1": HashEmbedder(), "hash": HashEmbedder()})
    with opened([folder]) as fields:
        answer = search(fields, "sunset", Embedders("auto", Options(), starting))
    assert answer.how == "lexical"
    assert starting.asked == []
    assert any("--embedder hash:hashed-words-v1" in note for note in answer.notes)


def test_any_index_will_do(compass: Path) -> None:
    """Of several, one whose model can be had; nobody is told of those that are not needed."""
    for name in ("a-v1.sqlite3", "all-MiniLM-L12-v2.sqlite3", "nomic-embed-text-v1.5.sqlite3"):
        make_index(compass / name, [])
    (compass / "all-mpnet-base-v2.sqlite3").write_bytes(b"nonsense")
    answer = ask(compass, "10", pointing())
    assert (answer.how, names(answer)[0]) == ("semantic", "east.md")
    assert len(answer.notes) == 1


@pytest.mark.parametrize("content", [b"", b"nonsense", b"version https://git-lfs.github.com/spec"])
def test_an_index_that_is_none(content: bytes, compass: Path) -> None:
    """It is told of, and words find."""
    (compass / f"{MODEL}.sqlite3").write_bytes(content)
    answer = ask(compass, "sunset", pointing())
    assert (answer.how, names(answer)) == ("lexical", ["west.md"])
    assert any(f"{MODEL}.sqlite3" in note for note in answer.notes)


@pytest.mark.parametrize("how", ["semantic", "hybrid"])
def test_an_index_that_is_damaged_inside(how: str, tmp_path: Path) -> None:
    """It opens, and breaks while it is searched: words find all that is left."""
    pages = {f"a{number:03}.md": page(f"Page {number}", "sunset") for number in range(300)}
    folder = make_folder(tmp_path / "field", pages)
    turns = enumerate(pages.items())
    rows = [(name, sha256_of(raw), angle(turn)) for turn, (name, raw) in turns]
    path = make_index(folder / f"{MODEL}.sqlite3", rows)
    content = bytearray(path.read_bytes())
    for start in range(4096 * 4, len(content), 4096):
        content[start : start + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    answer = ask(folder, "10", pointing(), how=how)
    assert answer.how == "lexical"
    assert names(answer) == names(ask(folder, "10", how="lexical"))
    assert {hit.distance for hit in answer.hits} == {None}
    assert any(MODEL in note for note in answer.notes)


def test_an_index_in_the_cache_comes_before_one_that_is_shipped(tmp_path: Path) -> None:
    """It was built for the field as it is, by whoever searches it."""
    folder = foreign(tmp_path / "f")
    built = build(make_folder(tmp_path / "built", PAGES), OneWay(model=MODEL))
    from memoryfield_index.places import cache_folder

    with opened([folder]) as [field]:
        place = cache_folder(field)
    place.mkdir(parents=True)
    shutil.copy(built, place / built.name)
    answer = ask(folder, "10", OneWay(model=MODEL))
    assert answer.notes == ()
