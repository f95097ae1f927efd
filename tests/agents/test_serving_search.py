"""Search and listing over HTTP (MF704, MF705)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.agents.served import Server, folder, page, serving
from tests.index import fields

from memoryfield_index.searching import Embedders
from memoryfield_readers import open_field

FILES: dict[str, bytes | str] = {
    "index.md": page("Start"),
    "carbon-woks.md": page("Carbon steel", "Iron conducts heat.", "Thermal matters of the STRASSE"),
    "rice.md": page("Rice", "Steam it.", "Grains"),
    "broken.md": "---\ntitle: [\n---\nx",
    "none.md": "No frontmatter </script>\u2028",
    "nan.md": "---\ntitle: Nan\nx: .nan\ny: .inf\ndate: 2026-01-01\n---\n",
    "bytes.md": b"\xff\xfe\x00",
    "huge.md": "---\ntitle: Huge\nx: " + "y" * 9000 + "\n---\n",
    "plan.pdf": b"%PDF",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("search") / "notes", FILES)


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with serving(place) as found:
        yield found


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def asked(server: Server, query: str) -> dict[str, Any]:
    got = server.get(f"/search?{query}")
    assert (got.status, got.headers["content-type"]) == (200, "application/json")
    assert b"<" not in got.body
    found: dict[str, Any] = json.loads(got.body, parse_constant=refuse)
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True)
    for result in found["results"]:
        assert result["filename"] in FILES
        assert result["frontmatter"] is None or isinstance(result["frontmatter"], dict)
    return found


def names(server: Server, question: str) -> list[str]:
    return [each["filename"] for each in asked(server, "q=" + quote(question))["results"]]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("carbon-w", "carbon-woks.md"), ("CARBON STEEL", "carbon-woks.md"),
        ("bon ste", "carbon-woks.md"),
        ("of the straße", "carbon-woks.md"), ("ice.md", "rice.md"), ("grains", "rice.md"),
        ("none.md", "none.md"), ("broken", "broken.md"), ("nan", "nan.md"), ("bytes", "bytes.md"),
        ("huge", "huge.md"), ("iron conducts", "carbon-woks.md"),
    ],
)  # fmt: skip
def test_what_holds_the_question_is_found(server: Server, question: str, name: str) -> None:
    """In name, title or summary, whatever case; words of the text are found, too (MF705)."""
    assert name in names(server, question)


@pytest.mark.parametrize(
    "query", ["q=", "q=%20", "", "q=zzzzqqq", "q=%00", "q=%ff", "k=5", "q=%ed%a0%80"]
)
def test_nothing_found_is_no_error(server: Server, query: str) -> None:
    """200 and an empty array (MF704)."""
    assert asked(server, query)["results"] == []


@pytest.mark.parametrize("k", ["1", "2", "100", "1000", "007"])
def test_so_many_at_most(server: Server, k: str) -> None:
    """More than 100 is 100."""
    assert len(asked(server, f"q=.md&k={k}")["results"]) <= int(k)


@pytest.mark.parametrize(
    "query", ["q=a&k=0", "q=a&k=-1", "q=a&k=x", "q=a&k=", "q=a&k=%D9%A1", "q=" + "a" * 2001]
)
def test_what_is_no_question(server: Server, query: str) -> None:
    """400 says why."""
    assert server.get(f"/search?{query}").status == 400


def test_answers_name_the_field_and_no_path_of_this_machine(server: Server, place: Path) -> None:
    """Pin and hash let a reader cite what it found."""
    found = asked(server, "q=carbon")
    assert server.shelf is not None
    assert found["pin"] == server.shelf.get().pin
    with open_field(str(place)) as field:
        assert found["results"][0]["sha256"] == field.sha256("carbon-woks.md")
    assert str(place.parent) not in json.dumps(found)


def test_a_long_frontmatter_is_cut(server: Server) -> None:
    """So that an answer has an end."""
    (result,) = (
        each for each in asked(server, "q=huge")["results"] if each["filename"] == "huge.md"
    )
    assert result["frontmatter"] == {"title": "Huge"}


def test_an_embedder_that_cannot_be_had_is_no_matter(tmp_path: Path) -> None:
    """Words find what they find, though an index is there (MF705)."""
    field = fields.folder(tmp_path / "field", fields.pages(3))
    fields.build(field)
    with serving(field, embedders=Embedders("ollama:none")) as server:
        found = json.loads(server.get("/search?q=woks+2").body)
    assert (found["ranking"], found["results"][0]["filename"]) == ("lexical", "page-002.md")


def test_the_listing(server: Server, place: Path) -> None:
    """Pages, attachments and the manifest, whose hash is the pin."""
    got = server.get("/listing.json")
    assert got.headers["content-type"] == "application/json"
    found = json.loads(got.body, parse_constant=refuse)
    with open_field(str(place)) as field:
        assert found["manifest"] == field.manifest().text
        assert found["digest"] == field.digest()
        assert [each["name"] for each in found["pages"]] == list(field.pages)
        assert [each["name"] for each in found["attachments"]] == ["plan.pdf"]
        for each in (*found["pages"], *found["attachments"]):
            assert each["sha256"] == field.sha256(each["name"])
            assert each["bytes"] == len(field.content(each["name"]))
    (rice,) = (each for each in found["pages"] if each["name"] == "rice.md")
    assert (rice["title"], rice["summary"]) == ("Rice", "Grains")
    assert found["name"] == "notes"
    assert server.get("/listing.json", If_None_Match=got.headers["etag"]).status == 304


def test_health(server: Server) -> None:
    """It lives; nothing is said of what it has."""
    got = server.get("/healthz")
    assert (got.status, json.loads(got.body)) == (200, {"status": "ok"})
