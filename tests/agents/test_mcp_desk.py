"""What the tools answer: bounded, paged, from the snapshot, and never more than text."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.mcp_places import HOSTILE, ODD_NAMES, desk_of, folder
from tests.cli.command import archive

from memoryfield_agents import UnknownField
from memoryfield_agents.mcp_server import Desk, Refusal
from memoryfield_agents.mcp_server.sizing import MOST_POINTS, answer_text, weight
from memoryfield_agents.mcp_server.uris import uri_of
from memoryfield_readers import open_field, parse_pins

MANY = 10_000


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Desk]:
    """A field of hostile pages."""
    with desk_of(f"bad={folder(tmp_path / 'bad', HOSTILE)}") as desk:
        yield desk


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A field of ten thousand pages, of which each says its number."""
    pages = {
        f"page-{number:05}.md": f"---\ntitle: Page {number}\nsummary: Of woks.\n---\nwok {number}\n"
        for number in range(MANY)
    }
    place = archive(tmp_path_factory.mktemp("many") / "many.zip", {
        name: content.encode() for name, content in pages.items()
    })  # fmt: skip
    with desk_of(f"many={place}") as desk:
        yield desk


def answered(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as a client gets it; it is within its bounds."""
    text = answer_text(answer)
    assert weight(answer) <= MOST_POINTS
    assert len(text.encode()) <= 60_000
    assert text.isprintable()
    back: dict[str, Any] = json.loads(text)
    assert back["version"] == 1
    assert "unverified data" in back["notice"]
    return back


def whole(desk: Desk, answer: dict[str, Any]) -> dict[str, str]:
    """All texts of an answer, read to their ends."""
    texts: dict[str, str] = {}
    waiting = [answer]
    while waiting:
        now = answered(waiting.pop())
        for page in now["pages"]:
            before = texts.setdefault(page["name"], "")
            assert page["offset"] == len(before)
            texts[page["name"]] = before + page["text"]
            assert page["truncated"] == (page["cursor"] is not None)
            if page["cursor"]:
                waiting.append(desk.read_more({"cursor": page["cursor"]}))
        if now["cursor"]:
            waiting.append(desk.read_more({"cursor": now["cursor"]}))
    return texts


def test_hostile_pages_stay_text(hostile: Desk, tmp_path: Path) -> None:
    """Closing marks, tool instructions and bytes that are no text come out of one string."""
    with open_field(str(tmp_path / "bad")) as field:
        expected = {name: field.page(name) for name in field.pages}
    answer = answered(hostile.read_pages({"names": list(HOSTILE)}))
    assert set(answer) == {
        "version", "notice", "field", "pin", "location", "pages", "missing", "cursor",
    }  # fmt: skip
    for page in answer["pages"]:
        assert page["text"] == expected[page["name"]].text
        assert page["sha256"] == expected[page["name"]].sha256
        assert page["bytes"] == len(HOSTILE[page["name"]])
    notes = [page["name"] for page in answer["pages"] if "note" in page]
    assert notes == ["latin.md", "lone.md"]


def test_hostile_pages_spoil_no_search_and_no_list(hostile: Desk) -> None:
    """NaN, lone surrogates and marks in frontmatter are shown as they can be."""
    found = answered(hostile.search({"query": "tool instructions delete", "mode": "lexical"}))
    assert found["results"][0]["name"] == "injected.md"
    assert found["results"][0]["title"].startswith('Notes"}],"notice"')
    assert found["fields"][0]["field"] == "bad"
    listed = answered(hostile.list_fields({"field": "bad"}))
    assert [page["name"] for page in listed["pages"]] == sorted(HOSTILE)


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_names_are_names_or_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No path is made of a name, and no file looked at."""
    with desk_of(f"f={folder(tmp_path / 'f', {'a.md': 'A', 'ab.md': 'AB'})}") as desk:
        monkeypatch.setattr(os, "open", _no)
        monkeypatch.setattr("builtins.open", _no)
        answer = answered(desk.read_pages({"names": [name, "ab.md"]}))
        assert [page["name"] for page in answer["pages"]] == ["ab.md"]
        assert len(answer["missing"]) == 1
        with pytest.raises(Refusal):
            desk.resource(f"memoryfield://f/{name}")
        asked: list[tuple[Any, dict[str, Any]]] = [
            (desk.search, {"query": "x"}),
            (desk.read_pages, {"names": ["a.md"]}),
            (desk.list_fields, {"reload": True}),
        ]
        for field in (name, str(tmp_path / "f"), f"@{name}", ".."):
            for ask, more in asked:
                with pytest.raises(UnknownField) as caught:
                    ask({**more, "field": field})
                assert caught.value.hint == "there is f"


def _no(*arguments: Any, **others: Any) -> Any:
    raise AssertionError("a file was opened")


def test_near_names_are_told(tmp_path: Path) -> None:
    """Of a name that is nearly one."""
    place = folder(tmp_path / "f", {"carbon-woks.md": "C", "Other.md": "O"})
    with desk_of(place) as desk:
        names = ["carbon-wok.md", "other", "CARBON-WOKS.md"]
        missing = desk.read_pages({"names": names})["missing"]
        assert [each["near"] for each in missing] == [
            ["carbon-woks.md"], ["Other.md"], ["carbon-woks.md"],
        ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["plain words and blanks\n", "中文的一页🍵\n", "\x00\x1b\u202e", "<&>\\\"'\n", "0f" * 500],
    ids=ascii,
)
def test_long_pages_are_read_to_their_ends(line: str, tmp_path: Path) -> None:
    """Twenty at once, some short, some far too long: each answer is within its bounds."""
    pages = {f"p{number:02}.md": (line * 10_000)[: 6 ** (number % 6)] for number in range(20)}
    with desk_of(folder(tmp_path / "f", pages)) as desk:
        first = desk.read_pages({"names": list(pages)})
        assert len(first["pages"]) == 20
        assert whole(desk, first) == pages
        small = desk.read_pages({"names": list(pages)[:6], "max_bytes": 6000})
        assert weight(small) <= 6000


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=100), max_size=4),
    st.integers(1, 300),
    st.integers(6000, 40_000),
)
def test_any_pages_are_read_to_their_ends(
    tmp_path: Path, texts: list[str], times: int, most: int
) -> None:
    """Whatever they hold."""
    shutil.rmtree(tmp_path / "f", ignore_errors=True)
    # A mark of byte order at the beginning is no text.
    pages = {f"{number}.md": ("." + text) * times for number, text in enumerate(texts)}
    with desk_of(folder(tmp_path / "f", {**pages, "z.md": "z"})) as desk:
        answer = desk.read_pages({"names": [*pages, "z.md"], "max_bytes": most})
        assert weight(answer) <= most
        assert whole(desk, answer)["z.md"] == "z"


def test_answers_with_the_longest_names_are_bounded(tmp_path: Path) -> None:
    """Names of 255 bytes that cannot be seen, in twenty pages and as many that are missing."""
    names = [f"{number:02}" + "\u202e" * 83 + ".md" for number in range(20)]
    pages = dict.fromkeys(names, "---\ntitle: " + "茶" * 5000 + "\n---\n" + "x" * 3000)
    with desk_of(f"f={folder(tmp_path / 'f', pages)}") as desk:
        assert set(whole(desk, desk.read_pages({"names": names}))) == set(names)
        missing = ["\u202e" * 1200] + [each[:-4] for each in names[1:]]
        answered(desk.read_pages({"names": missing}))
        assert weight(desk.read_pages({"names": missing, "max_bytes": 6000})) <= 6000
        assert weight(desk.read_pages({"names": names, "max_bytes": 6000})) <= 6000
        found = answered(desk.search({"query": names[0], "k": 50, "mode": "lexical"}))
        rest = list(found["results"])
        while found["cursor"]:
            found = answered(desk.read_more({"cursor": found["cursor"]}))
            rest += found["results"]
        assert len(rest) == len({each["name"] for each in rest})


def test_ten_thousand_pages_are_paged(many: Desk) -> None:
    """As resources, and as the titles of a field."""
    uris: list[str] = []
    cursor: str | None = None
    while True:
        found, cursor = many.resources(cursor)
        assert len(found) <= 100
        uris += [uri for uri, _, _ in found]
        if cursor is None:
            break
    assert uris == [uri_of("many", f"page-{number:05}.md") for number in range(MANY)]
    answer = answered(many.list_fields({"field": "many"}))
    assert answer["of"] == MANY
    names: list[str] = []
    for _ in range(3):
        names += [page["name"] for page in answer["pages"]]
        answer = answered(many.read_more({"cursor": answer["cursor"]}))
    assert names == [f"page-{number:05}.md" for number in range(len(names))]


def test_cursors_are_for_what_they_are_for(many: Desk) -> None:
    """One of a list of resources is none of a tool, and the other way round."""
    _, cursor = many.resources(None)
    with pytest.raises(Refusal, match="list of resources"):
        many.read_more({"cursor": cursor})
    with pytest.raises(Refusal, match="not of a list"):
        many.resources(many.list_fields({"field": "many"})["cursor"])
    with pytest.raises(Refusal, match="no cursor"):
        many.resources("x")


def test_what_changes_is_answered_from_the_snapshot(tmp_path: Path) -> None:
    """Until it is reloaded; a cursor of before is told so, one of another field is not hurt."""
    long = "old words\n" * 20_000
    one = folder(tmp_path / "one", {"a.md": long})
    two = archive(tmp_path / "two.zip", {"b.md": b"two " * 50_000})
    with desk_of(one, two) as desk:
        before = desk.read_pages({"names": ["a.md"], "field": "one"})
        cursor = before["pages"][0]["cursor"]
        other = desk.read_pages({"names": ["memoryfield://two/b.md"]})["pages"][0]["cursor"]
        listed, following = desk.resources(None)
        assert (len(listed), following) == (2, None)
        shutil.rmtree(one)
        folder(one, {"a.md": "new", "c.md": "c"})
        two.unlink()
        again = desk.read_pages({"names": ["a.md"], "field": "one"})
        assert again == before | {"pages": [before["pages"][0] | {"cursor": cursor}]}
        assert desk.read_more({"cursor": other})["pages"][0]["text"].strip().startswith("two")
        fields = desk.list_fields({"reload": True})["fields"]
        assert fields[0]["reload"] == "changed"
        assert fields[1]["reload"].startswith("it is shown as it was, for now: ")
        assert fields[0]["pin"] != before["pin"]
        with pytest.raises(Refusal, match="opened anew since then"):
            desk.read_more({"cursor": cursor})
        assert desk.read_pages({"names": ["a.md"], "field": "one"})["pages"][0]["text"] == "new"
        assert desk.read_more({"cursor": other})["pages"][0]["text"].strip().startswith("two")
        assert desk.list_fields({"reload": True})["fields"][0]["reload"] == "the same"


def test_a_pinned_field_never_changes(tmp_path: Path) -> None:
    """Not even where it is asked to."""
    place = folder(tmp_path / "f", {"a.md": "old"})
    with open_field(str(place)) as field:
        pin = field.digest()
    with desk_of(place, pins=parse_pins([pin])) as desk:
        folder(place, {"a.md": "new"})
        for given_ in ({"reload": True}, {"reload": True, "field": "f"}):
            desk.list_fields(given_)
        fields = desk.list_fields({"reload": True})["fields"]
        assert (fields[0]["pin"], fields[0]["pinned"]) == (pin, True)
        assert fields[0]["reload"] == "pinned: it is what it was"
        assert desk.read_pages({"names": ["a.md"]})["pages"][0]["text"] == "old"


def test_several_fields_are_searched_as_one(tmp_path: Path) -> None:
    """The best of each come first; each result names its field, and each field its pin."""
    woks = {"a.md": "carbon woks", "b.md": "woks and carbon and more words of other things"}
    places = [folder(tmp_path / name, woks) for name in ("one", "two")]
    with desk_of(*places) as desk:
        found = answered(desk.search({"query": "carbon woks", "k": 4}))
        assert [each["field"] for each in found["results"]] == ["one", "two", "one", "two"]
        assert [each["name"] for each in found["results"]] == ["a.md", "a.md", "b.md", "b.md"]
        assert {each["field"] for each in found["fields"]} == {"one", "two"}
        assert all(each["pin"].startswith("field-sha256:") for each in found["fields"])
        with pytest.raises(UnknownField, match="which field is meant"):
            desk.read_pages({"names": ["a.md"]})
        with pytest.raises(Refusal, match="of another field"):
            desk.read_pages({"names": ["memoryfield://one/a.md"], "field": "two"})


def test_notes_call_a_field_by_the_name_that_it_is_asked_for(tmp_path: Path) -> None:
    """Where it came from is nothing that a client could ask with."""
    place = folder(tmp_path / "place", {"a.md": "A"})
    with desk_of(f"notes={place}") as desk:
        notes = desk.search({"query": "wok", "mode": "hybrid"})["notes"]
    assert any(note.startswith("notes: there is no index") for note in notes)
    assert str(place) not in "".join(notes)


def test_results_that_do_not_fit_follow(tmp_path: Path) -> None:
    """By a cursor, and each comes once."""
    pages = {
        f"{number:02}.md": f"---\nsummary: wok {'茶' * 300}\n---\nwok {number}\n"
        for number in range(60)
    }
    with desk_of(folder(tmp_path / "f", pages)) as desk:
        found = answered(desk.search({"query": "wok", "k": 50, "mode": "lexical"}))
        names = [each["name"] for each in found["results"]]
        assert found["cursor"]
        while found["cursor"]:
            found = answered(desk.read_more({"cursor": found["cursor"]}))
            names += [each["name"] for each in found["results"]]
        assert len(names) == len(set(names)) == 50
