"""`memoryfield search`, with the model that is in a package, and without any."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.command import Outcome, archive, call, folder

from memoryfield_index.building import rebuild
from memoryfield_index.embedders import choose
from memoryfield_readers import open_field

MODEL = "multilingual-e5-small"
PAGES = {
    "rollback.md": b"---\ntitle: Undo a release\nsummary: One command.\n---\nRun `kit undo`.\n",
    "dough.md": b"---\ntitle: Sourdough\n---\nFlour, water and salt.\n",
    "tls.md": b"No frontmatter. ERR_TLS_CERT means that the certificate ran out.\n",
    "index.md": b"---\ntitle: All\n---\nReleases, bread, certificates.\n",
}
HOSTILE = {
    "a\x1b[31m.md": b'---\ntitle: "\\e]0;owned\\a \\u202e"\nsummary: "\\e[2J"\n---\n'
    b"quixotry \x1b[2J\n",
    "b.md": b"::error::quixotry\n##[error]quixotry\n",
}


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the pages, which takes a second to make."""
    root = tmp_path_factory.mktemp("indexed")
    path = folder(root / "field", PAGES)
    embedder = choose("local")
    with (
        pytest.MonkeyPatch.context() as patch,
        open_field(path) as field,
    ):
        patch.setenv("MEMORYFIELD_CACHE_DIR", str(root / "cache"))
        rebuild(field, embedder, root / f"{MODEL}.sqlite3")
    embedder.close()
    return root / f"{MODEL}.sqlite3"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of this test alone."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A field without an index."""
    return folder(tmp_path / "plain", PAGES)


@pytest.fixture
def indexed(tmp_path: Path, vectors: Path) -> Path:
    """The same with one."""
    path = folder(tmp_path / "indexed", PAGES)
    shutil.copy(vectors, path)
    return path


def found(done: Outcome) -> list[str]:
    """The names in an answer as JSON."""
    return [result["filename"] for result in done.json["results"]]


def test_a_question_in_other_words(indexed: Path) -> None:
    """The model finds what no word would; the distance is shown, and nothing is on stderr."""
    done = call("search", "--max-distance", "0.3", indexed, "revert a deployment")
    assert (done.code, done.err) == (0, "")
    first, summary, *_ = done.out.splitlines()
    distance, name, title = first.split("  ")
    assert (name, title) == ("rollback.md", "Undo a release")
    assert 0 < float(distance) < 0.3
    assert summary.strip() == "One command."


def test_answer_as_json(indexed: Path) -> None:
    """MF704, and what this program adds."""
    done = call("search", "--format", "json", "-k", "2", "--weak", indexed, "bread")
    assert done.code == 0
    answer = done.json
    assert (answer["version"], answer["query"], answer["ranking"]) == (1, "bread", "semantic")
    assert found(done)[0] == "dough.md"
    assert len(answer["results"]) == 2
    first = answer["results"][0]
    assert first.keys() == {
        *("filename", "frontmatter", "score", "distance", "stale", "field", "location", "pin")
    }
    assert first["frontmatter"] == {"title": "Sourdough"}
    assert first["score"] == pytest.approx(1 - first["distance"])
    assert first["pin"] == call("digest", indexed).out.strip()
    assert (first["field"], first["location"], first["stale"]) == ("indexed", str(indexed), False)


def test_a_field_that_travels_as_an_archive(tmp_path: Path, vectors: Path) -> None:
    """The index inside is used as it is."""
    files = {**PAGES, vectors.name: vectors.read_bytes()}
    done = call("search", archive(tmp_path / "f.memoryfield.zip", files), "sourdough bread")
    assert (done.code, done.err) == (0, "")
    assert "dough.md" in done.out.splitlines()[0]


def test_a_field_of_index_md_is_searched_if_asked(indexed: Path) -> None:
    """Introductions are ranked with `--all` alone."""
    args = ("search", "--format", "json", "--weak", indexed, "Releases, bread, certificates")
    assert "index.md" not in found(call(*args))
    assert found(call(*args, "--all"))[0] == "index.md"


def test_nothing_near_enough(indexed: Path) -> None:
    """Exit 1, nothing on stdout; what is nearest is told, and shown to who asks for it."""
    question = ("search", indexed, "who won the football cup in 1974")
    done = call(*question)
    assert (done.code, done.stdout) == (1, b"")
    assert "nothing is near enough; the nearest is" in done.err
    as_json = call(*question, "--format", "json")
    assert (as_json.code, as_json.json["results"]) == (1, [])
    assert call(*question, "--weak").code == 0
    assert call(*question, "--max-distance", "2").code == 0
    assert call("search", indexed, "bread", "--max-distance", "0.001").code == 1


def test_rare_names_with_hybrid(indexed: Path) -> None:
    """What has the very word is found whatever the model thinks of it."""
    done = call("search", "--hybrid", "--format", "json", indexed, "err_tls_cert")
    assert (done.code, found(done)[0], done.json["ranking"]) == (0, "tls.md", "hybrid")


def test_words_alone(plain: Path, indexed: Path) -> None:
    """Without an index they are told of; who asks for them knows."""
    done = call("search", plain, "certificate")
    assert done.code == 0
    assert done.out.splitlines() == ["  word  tls.md  tls"]
    assert "ranked by words alone (BM25), without a vector index" in done.err
    assert "memoryfield index build" in done.err
    asked = call("search", "--lexical", indexed, "certificate")
    assert (asked.code, asked.err, asked.out) == (0, "", done.out)


def test_no_word_is_found(plain: Path) -> None:
    """Exit 1 and an empty stdout, whatever the reason."""
    for question in ("zzz", "", "  ", "?", "undo zzz yyy xxx www vvv uuu ttt"):
        done = call("search", "--lexical", plain, question)
        assert (done.code, done.stdout) == (1, b""), question
        assert done.err.startswith("memoryfield: ")
    assert call("search", "--lexical", "--format", "json", plain, "zzz").json["results"] == []
    assert "most of it says rollback.md" in done.err


def test_an_embedder_that_cannot_be_had(indexed: Path) -> None:
    """Named, it is exit 4 and the way to get it."""
    done = call("search", "--embedder", "local:nowhere", indexed, "bread")
    assert (done.code, done.stdout) == (4, b"")
    assert "nowhere" in done.err


@pytest.mark.parametrize("command", ["search", "serve", "mcp", "index build"])
@pytest.mark.parametrize("name", ["nope", "nope:model"])
def test_a_name_that_no_embedder_has(command: str, name: str, plain: Path) -> None:
    """It is wrong usage at start, with the names there are, where no index is used, too."""
    question = ["bread"] if command == "search" else []
    done = call(*command.split(), "--embedder", name, plain, *question)
    assert (done.code, done.out.count("\n")) == (2, 0)
    assert "there is no embedder 'nope'" in done.err
    assert "auto, ollama, openai, fastembed, local" in done.err


def test_the_embedder_that_made_the_index(indexed: Path) -> None:
    """It can be named, with its model or without; another model is not asked."""
    for named in (["local"], ["auto"], ["local", "--model", MODEL], [f"local:{MODEL}"]):
        done = call("search", "--embedder", *named, indexed, "sourdough bread")
        assert (done.code, done.err) == (0, ""), named
    other = call("search", "--embedder", "local", "--model", "other-v1", indexed, "bread")
    assert (other.code, other.stdout) == (4, b"")


def test_a_page_that_changed(indexed: Path) -> None:
    """Its row is not used; it is found by its words, and marked."""
    (indexed / "dough.md").write_bytes(b"Kimchi takes cabbage.\n")
    done = call("search", "--format", "json", indexed, "kimchi cabbage")
    by_name = {result["filename"]: result for result in done.json["results"]}
    assert by_name["dough.md"]["stale"]
    assert by_name["dough.md"]["distance"] is None
    assert "the index has 1 page as it was" in done.err
    shown = call("search", indexed, "kimchi cabbage").out
    assert "dough.md  dough  (changed since it was indexed)" in shown


def test_pages_are_read_at_once(plain: Path) -> None:
    """`--read` saves the second call."""
    done = call("search", "--read", "--lexical", plain, "undo")
    assert done.code == 0
    assert done.stdout.endswith(PAGES["rollback.md"] + b"\n")
    as_json = call("search", "--read", "--lexical", "--format", "json", plain, "undo")
    assert as_json.json["results"][0]["text"] == PAGES["rollback.md"].decode()


def test_several_fields(plain: Path, tmp_path: Path) -> None:
    """Each page with the field that it is of."""
    other = folder(tmp_path / "other", {"kiln.md": b"A kiln for bread and salt.\n"})
    done = call("search", "--lexical", plain, other, "salt")
    assert sorted(line.split("  ")[2:4] for line in done.out.splitlines()) == [
        ["other", "kiln.md"],
        ["plain", "dough.md"],
    ]


def test_a_field_that_is_not_there(plain: Path, tmp_path: Path) -> None:
    """It is reported, the others are searched; skipping is failing."""
    missing = tmp_path / "missing"
    done = call("search", "--lexical", missing, plain, "salt")
    assert done.code == 4
    assert "dough.md" in done.out
    assert str(missing) in done.err
    assert call("search", "--lexical", missing, "salt").code == 4


@pytest.mark.parametrize(
    "arguments",
    [
        ["--hybrid", "--lexical", "{}", "x"],
        ["{}"],
        ["-k", "0", "{}", "x"],
        ["--max-distance", "3", "{}", "x"],
        ["--max-distance", "nan", "{}", "x"],
        ["--model", "m", "{}", "x"],
        ["--pin", f"sha256:{'0' * 64}", "{}", "{}2", "x"],
    ],
    ids=lambda arguments: " ".join(arguments)[:24],
)
def test_wrong_usage(arguments: list[str], plain: Path) -> None:
    """Exit 2."""
    done = call("search", *(argument.format(plain) for argument in arguments))
    assert (done.code, done.stdout) == (2, b"")


def test_another_field_than_was_pinned(plain: Path) -> None:
    """Exit 3, and no page."""
    pin = "field-sha256:" + "0" * 64
    done = call("search", "--lexical", "--pin", pin, plain, "salt")
    assert (done.code, done.stdout) == (3, b"")


@pytest.mark.parametrize("how", [[], ["--read"]], ids=["summaries", "pages"])
def test_hostile_text(how: list[str], tmp_path: Path) -> None:
    """Neither a terminal nor GitHub Actions sees a command in what a field says, or a question."""
    field = folder(tmp_path / "hostile", HOSTILE)
    env = {"GITHUB_ACTIONS": "true"}
    done = call("search", "--lexical", "--weak", *how, field, "quixotry \x1b[0m ::x", env=env)
    assert done.code == 0
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in done.out + done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    assert lines[-1] == f"::{lines[0].rpartition(':')[2]}::"


@pytest.mark.parametrize(
    "question",
    ['"', "a OR", "NEAR(", "title:x", "*", "-x", b"\xff\xfe", "碳纤维", "x" * 50_000, "a\nb"],
    ids=lambda question: repr(question[:8]),
)
@pytest.mark.parametrize("how", ["--lexical", "--hybrid"])
def test_questions_of_any_shape(how: str, question: str | bytes, plain: Path) -> None:
    """None is an error, none is syntax; JSON stays JSON."""
    done = call("search", how, "--format", "json", plain, "--", question)
    assert done.code in (0, 1)
    assert isinstance(done.json["results"], list)
