"""`memoryfield index`: build, verify and info, as they answer and as they exit."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Outcome, archive, call
from tests.index.fields import (
    INDEX,
    MODEL,
    GivingEmbedder,
    ModelEmbedder,
    change,
    folder,
    foreign,
    page,
    pages,
    query,
    vector,
)
from tests.index.hash_embedder import HashEmbedder

from memoryfield_cli.embedding import embedding_bar
from memoryfield_index import embedders
from memoryfield_index.values import Embedding, Failed
from memoryfield_readers import open_field
from memoryfield_readers.errors import EmbedderUnavailable


class Asked:
    """Stands in for the choice of an embedder, and notes what was asked for."""

    def __init__(self) -> None:
        """It gives the cheap one."""
        self.names: list[str] = []
        self.codes: list[str | None] = []
        self.embedder: HashEmbedder = ModelEmbedder()
        self.missing = False

    def __call__(self, name: str, options: Any, *, say: Any) -> HashEmbedder:
        """What `choose` does."""
        self.names.append(name)
        self.codes.append(options.code)
        if self.missing:
            raise EmbedderUnavailable("there is no embedder", hint="run: ollama pull x")
        say(f"embedder: {self.embedder.recipe.embedder}, model {self.embedder.recipe.model}")
        return self.embedder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    found = Asked()
    monkeypatch.setattr(embedders, "choose", found)
    return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked) -> Path:
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    return folder(tmp_path / "field", pages(3))


def index(*arguments: str | Path) -> Outcome:
    return call("index", *arguments)


def test_build_says_what_it_did(place: Path, asked: Asked) -> None:
    done = index("build", place)
    assert (done.code, done.out) == (0, f"{place / INDEX}: 3 pages (3 embedded)\n")
    assert done.err == f"memoryfield: embedder: hash, model {MODEL}\n"
    assert asked.names == ["auto"]
    assert asked.embedder.closed
    folder(place, {"page-001.md": page(1, "Pans")})
    assert index("build", place).out == f"{place / INDEX}: 3 pages (1 embedded, 2 as they were)\n"
    (place / INDEX).unlink()
    assert index("build", place).out == f"{place / INDEX}: 3 pages (3 embedded before)\n"


def test_build_as_json(place: Path) -> None:
    answer = index("build", place, "--format", "json").json
    assert answer == {
        "version": 1,
        "location": str(place),
        "index": str(place / INDEX),
        "model": MODEL,
        "dimension": 768,
        "embedder": "hash",
        "written": True,
        "pages": 3,
        "embedded": 3,
        "cached": 0,
        "reused": 0,
        "removed": [],
        "failed": [],
        "shortened": [],
        "anew": None,
    }
    assert index("build", place, "--format", "json").json["written"] is False


def test_pages_that_fail_are_named(place: Path, asked: Asked) -> None:
    """The rest is indexed, and the exit code is 1."""
    asked.embedder = ModelEmbedder(failing=[b"Woks 1"])
    done = index("build", place)
    assert (done.code, done.out) == (1, f"{place / INDEX}: 2 pages (2 embedded, 1 failed)\n")
    assert "memoryfield: page-001.md: has no vector: failed on command\n" in done.err
    answer = index("build", place, "--format", "json")
    assert (answer.code, answer.json["pages"]) == (1, 2)
    assert answer.json["failed"] == [{"page": "page-001.md", "reason": "failed on command"}]


def test_if_all_fail_there_is_no_answer(place: Path, asked: Asked) -> None:
    asked.embedder = ModelEmbedder(failing=[b"Woks"])
    done = index("build", place)
    assert (done.code, done.out) == (1, "")
    assert "nothing was written" in done.err
    assert not (place / INDEX).exists()


def test_what_is_not_embedded_whole_is_said(place: Path) -> None:
    folder(place, {"long.md": b"word " * 2000})
    done = index("build", place)
    assert done.code == 0
    assert "1 page too long to be embedded whole: long.md\n" in done.err
    answer = index("build", place, "--format", "json").json
    assert answer["shortened"] == [{"page": "long.md", "bytes_embedded": 8192}]


def test_what_is_built_anew_is_said(place: Path) -> None:
    foreign(place / INDEX, [])
    done = index("build", place)
    assert f"{place / INDEX}: built anew: it does not say how its vectors were made" in done.err
    assert done.code == 0


def test_without_an_embedder(place: Path, asked: Asked) -> None:
    """One line, the hint in it, exit 4, and nothing is written."""
    asked.missing = True
    done = index("build", place)
    assert (done.code, done.out) == (4, "")
    assert done.err == "memoryfield: there is no embedder (run: ollama pull x)\n"
    assert sorted(os.listdir(place)) == list(pages(3))


def _nobody(pages: Sequence[bytes]) -> Sequence[Embedding | Failed]:
    raise EmbedderUnavailable("went away")


def test_an_embedder_that_goes_away(place: Path, asked: Asked) -> None:
    asked.embedder = GivingEmbedder(_nobody)
    done = index("build", place)
    assert (done.code, done.out) == (4, "")
    assert sorted(os.listdir(place)) == list(pages(3))
    assert asked.embedder.closed


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--embedder", "local"], "local"),
        (["--embedder", "ollama:nomic-embed-text"], "ollama:nomic-embed-text"),
        (["--embedder", "ollama", "--model", "nomic-embed-text"], "ollama:nomic-embed-text"),
    ],
)
def test_an_embedder_is_named(arguments: list[str], name: str, place: Path, asked: Asked) -> None:
    assert index("build", place, *arguments).code == 0
    assert asked.names == [name]


def test_the_code_of_a_model_is_named(place: Path, asked: Asked) -> None:
    index("build", place, "--embedder", "openai", "--model", "mine", "--model-code", "mine-v2")
    assert (asked.names, asked.codes) == (["openai:mine"], ["mine-v2"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "nomic-embed-text"],
        ["--embedder", "auto", "--model", "nomic-embed-text"],
        ["--embedder", "ollama:x", "--model", "y"],
        ["--out", "index.sqlite3"],
        ["--out", f"{MODEL}.md"],
        ["--out", "https://example.org/x.sqlite3"],
    ],
)
def test_wrong_usage(arguments: list[str], place: Path) -> None:
    done = index("build", place, *arguments)
    assert (done.code, done.out) == (2, "")
    assert sorted(os.listdir(place)) == list(pages(3))


def test_out_names_the_file(place: Path, tmp_path: Path) -> None:
    out = tmp_path / f"{MODEL}-mine.sqlite3"
    assert index("build", place, "--out", out).out == f"{out}: 3 pages (3 embedded)\n"
    assert query(out, "SELECT count(*) FROM pages") == [(3,)]
    assert sorted(os.listdir(place)) == list(pages(3))


def test_an_archive_has_its_index_in_the_cache(place: Path, tmp_path: Path) -> None:
    path = archive(tmp_path / "notes.memoryfield.zip", pages(3))
    before = path.read_bytes()
    with open_field(path) as field:
        pin = field.digest().removeprefix("field-sha256:")
    built = index("build", path, "--format", "json").json["index"]
    assert built == str(tmp_path / "cache" / "indexes" / "v1" / pin / INDEX)
    assert path.read_bytes() == before
    assert index("verify", path).out == f"{built}: 3 rows, 3 pages: sound\n"
    assert index("info", path, "--format", "json").json["indexes"][0]["path"] == built


def test_a_field_that_is_not_there(place: Path) -> None:
    for command in ("build", "verify", "info"):
        done = index(command, place / "none")
        assert (done.code, done.out) == (4, "")


def test_verify_a_sound_index(place: Path) -> None:
    index("build", place)
    done = index("verify", place)
    assert (done.code, done.out, done.err) == (
        0,
        f"{place / INDEX}: 3 rows, 3 pages: sound\n",
        "",
    )


def test_verify_names_what_is_wrong(place: Path) -> None:
    index("build", place)
    folder(place, {"page-001.md": page(1, "Pans"), "new.md": page(9)})
    (place / "page-002.md").unlink()
    change(place / INDEX, "UPDATE pages SET embedding = x'00' WHERE filename = 'page-000.md'")
    done = index("verify", place)
    assert done.code == 1
    where = str(place / INDEX)
    assert done.out.splitlines() == [
        f"{where}: 1 page without a row: new.md",
        f"{where}: 1 page with a row that is not of the page as it stands: page-001.md",
        f"{where}: 1 page named by a row too many: page-002.md",
        f"{where}: the row of page-000.md cannot be used: its vector has 1 bytes in place of 3072",
        f"{where}: 3 rows, 3 pages: not sound",
    ]
    answer = index("verify", place, "--format", "json")
    assert answer.code == 1
    [found] = answer.json["indexes"]
    assert (found["missing"], found["stale"]) == (["new.md"], ["page-001.md"])
    assert found["superfluous"] == ["page-002.md"]
    assert (found["sound"], found["model"], found["name"]) == (False, MODEL, INDEX)


def test_verify_names_a_few_of_many(place: Path) -> None:
    index("build", place)
    folder(place, {f"new-{n}.md": page(10 + n) for n in range(7)})
    told = "7 pages without a row: new-0.md, new-1.md, new-2.md, new-3.md, new-4.md and 2 more\n"
    assert told in index("verify", place).out


def test_names_in_an_index_reach_no_terminal_as_they_are(place: Path) -> None:
    index("build", place)
    name = "char(27) || '[2J' || char(10) || 'x'"
    change(place / INDEX, f"UPDATE pages SET filename = {name} WHERE filename = 'page-000.md'")
    done = index("verify", place)
    assert b"\x1b" not in done.stdout
    assert len(done.out.splitlines()) == 3
    [found] = index("verify", place, "--format", "json").json["indexes"]
    assert found["superfluous"] == ["\x1b[2J\nx"]


def local(asked: Asked) -> None:
    """Let the cheap embedder pass for the one that runs in this process."""
    asked.embedder.recipe = replace(asked.embedder.recipe, embedder="local")


def test_a_sample_that_agrees(place: Path, asked: Asked) -> None:
    """The embedder is that of the index, if none is named."""
    local(asked)
    index("build", place)
    done = index("verify", place, "--sample", "2")
    assert (done.code, done.out) == (0, f"{place / INDEX}: 3 rows, 3 pages, 2 made again: sound\n")
    assert asked.names[-1] == f"local:{MODEL}"
    index("verify", place, "--sample", "2", "--embedder", "fastembed")
    assert asked.names[-1] == "fastembed"


def test_a_sample_that_differs(place: Path, asked: Asked) -> None:
    local(asked)
    index("build", place)
    statement = f"UPDATE pages SET embedding = x'{vector(-5.0).hex()}'"
    change(place / INDEX, statement)
    assert index("verify", place).code == 0
    done = index("verify", place, "--sample", "3")
    verdict = "3 rows, 3 pages, 3 made again: not sound"
    assert (done.code, done.out) == (3, f"{place / INDEX}: {verdict}\n")
    assert "3 of 3 vectors that were made again are others" in done.err
    answer = index("verify", place, "--sample", "3", "--format", "json")
    assert answer.code == 3
    [found] = answer.json["indexes"]
    assert found["sound"] is False
    assert [each["page"] for each in found["sampled"]] == list(pages(3))


def test_a_sample_of_another_model(place: Path, asked: Asked) -> None:
    local(asked)
    index("build", place)
    asked.embedder = HashEmbedder()
    done = index("verify", place, "--sample", "1")
    assert (done.code, MODEL in done.err) == (3, True)


def test_a_damaged_index(place: Path) -> None:
    """It is told, and the others are looked at all the same."""
    index("build", place)
    (place / f"{MODEL}-other.sqlite3").write_bytes(b"<html>")
    for command in ("verify", "info"):
        done = index(command, place)
        assert done.code == 3
        assert "does not begin with the header of SQLite 3" in done.err
        assert INDEX in done.out
        assert len(index(command, place, "--format", "json").json["indexes"]) == 1


def test_there_is_no_index(place: Path) -> None:
    for command in ("verify", "info"):
        done = index(command, place)
        assert (done.code, done.out) == (1, "")
        assert "there is no vector index" in done.err
        assert index(command, place, "--format", "json").json["indexes"] == []


def test_info_of_a_field_and_of_a_file(place: Path) -> None:
    index("build", place)
    of_field = index("info", place)
    assert (of_field.code, of_field.err) == (0, "")
    assert index("info", place / INDEX).out == of_field.out
    lines = {line[:15].rstrip(): line[16:] for line in of_field.out.splitlines()}
    assert (lines["model"], lines["dimension"], lines["rows"]) == (MODEL, "768", "3")
    assert (lines["embedder"], lines["path"]) == ("hash", str(place / INDEX))
    [facts] = index("info", place / INDEX, "--format", "json").json["indexes"]
    assert facts["recipe"]["document_prefix"] == ""
    with open_field(place) as field:
        assert facts["field_digest"] == field.digest()


def test_info_of_a_foreign_index(place: Path) -> None:
    foreign(place / INDEX, [("page-000.md", "{}", "x", bytes(32), vector())])
    done = index("info", place)
    assert done.code == 0
    assert "how its vectors were made is not known\n" in done.out
    [facts] = index("info", place, "--format", "json").json["indexes"]
    assert (facts["recipe"], facts["field_digest"], facts["format_version"]) == (None, None, 0)


def test_info_of_a_file_that_is_not_there(place: Path) -> None:
    assert index("info", place / "none.sqlite3").code == 4


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self) -> bool:
        """It does."""
        return True


def test_who_waits_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many pages of how many, how many a second, and how long it will take; then it is gone."""
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", screen)
    with embedding_bar() as watch:
        for done in range(4):
            watch("pages", done, 3)
    assert "Embedding" in screen.getvalue()
    assert "0/3" in screen.getvalue()
    assert "pages/s" in screen.getvalue()


def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", screen := io.StringIO())
    with embedding_bar() as watch:
        watch("pages", 0, 3)
        watch("pages", 3, 3)
    assert screen.getvalue() == ""


def test_only_the_answer_is_on_stdout(place: Path, asked: Asked) -> None:
    """Whatever there is to say beside it."""
    asked.embedder = ModelEmbedder(failing=[b"Woks 1"])
    folder(place, {"long.md": b"word " * 2000})
    foreign(place / INDEX, [])
    done = index("build", place, "--format", "json")
    assert len(done.err.splitlines()) == 4
    assert json.loads(done.out)["version"] == 1
