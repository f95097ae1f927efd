"""`memoryfield index map`: what it draws, where it writes, and what it leaves alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.command import Outcome, archive, call
from tests.cli.hostile_fields import hostile_folder
from tests.index.fields import INDEX, ModelEmbedder, build, change, folder, page, pages

from memoryfield_index.building import rebuild
from memoryfield_index.places import place_for
from memoryfield_readers import open_field

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A field of four pages, two of which are the same, with its index; elsewhere than here."""
    monkeypatch.setenv("MEMORYFIELD_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = folder(tmp_path / "field", pages(3) | {"zz.md": page(1)})
    build(made)
    return made


def draw(*arguments: str | Path) -> Outcome:
    return call("index", "map", *arguments)


def here() -> list[str]:
    return sorted(os.listdir())


def test_a_map_is_written_here(place: Path) -> None:
    """By itself it is a page named after the field; the field is left as it is."""
    before = sorted(os.listdir(place))
    done = draw(place, "--near", "0.001")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "field-map.html: 4 pages, 1 pair says nearly the same",
        "0.0000  page-001.md  zz.md",
    ]
    assert here() == ["field-map.html"]
    written = Path("field-map.html").read_bytes()
    assert written.startswith(b"<!DOCTYPE html>")
    assert sorted(os.listdir(place)) == before
    assert draw(place, "--near", "0.001").code == 0
    assert Path("field-map.html").read_bytes() == written


def test_a_picture_is_written(place: Path) -> None:
    assert draw(place, "--out", "map.svg").code == 0
    root = ET.parse("map.svg").getroot()
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 4


def test_pairs_as_json(place: Path) -> None:
    """Nothing is written then, unless that is asked for."""
    done = draw(place, "--near", "0.001", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {
        "version": 1,
        "location": str(place),
        "index": str(place / INDEX),
        "model": INDEX.removesuffix(".sqlite3"),
        "out": None,
        "near": 0.001,
        "pages": 4,
        "unmapped": 0,
        "pair_count": 1,
        "pairs": [{"distance": 0.0, "pages": ["page-001.md", "zz.md"]}],
        "notes": [],
    }
    assert here() == []
    assert draw(place, "--format", "json", "--out", "m.html").json["out"] == "m.html"
    assert here() == ["m.html"]


def test_a_wide_bound_has_more_pairs(place: Path) -> None:
    answer = draw(place, "--near", "2", "--format", "json").json
    assert answer["pair_count"] == len(answer["pairs"]) == 6
    distances = [pair["distance"] for pair in answer["pairs"]]
    assert distances == sorted(distances)


def test_many_pairs_are_told_in_part(place: Path) -> None:
    folder(place, pages(8))
    build(place)
    lines = draw(place, "--near", "2").out.splitlines()
    assert len(lines) == 1 + 20 + 1
    assert lines[-1] == f"and {9 * 8 // 2 - 20} more"


def test_pages_that_are_not_on_the_map_are_told_of(place: Path) -> None:
    folder(place, {"page-000.md": page(0, "Pans")})
    done = draw(place)
    assert done.code == 0
    assert "1 pages have no vector" not in done.err
    assert "1 page has no vector as it stands and is not on the map" in done.err
    assert draw(place, "--format", "json").json["unmapped"] == 1


def test_there_is_nothing_to_draw(place: Path) -> None:
    """An index of which nothing counts, none at all, and one that is damaged."""
    change(place / INDEX, "UPDATE pages SET sha256_hash = zeroblob(32)")
    done = draw(place)
    assert (done.code, done.out) == (1, "")
    assert "there is nothing to draw" in done.err
    (place / INDEX).write_bytes(b"<html>")
    assert draw(place).code == 3
    (place / INDEX).unlink()
    done = draw(place)
    assert (done.code, done.out) == (1, "")
    assert "there is no vector index" in done.err
    assert here() == []


def test_an_index_is_named(place: Path, tmp_path: Path) -> None:
    other = tmp_path / INDEX
    (place / INDEX).rename(other)
    assert draw(place, "--index", other, "--format", "json").json["index"] == str(other)
    assert draw(place, "--index", tmp_path / "none.sqlite3").code == 4


def test_an_archive_is_drawn_by_its_index_in_the_cache(place: Path, tmp_path: Path) -> None:
    path = archive(tmp_path / "my notes.memoryfield.zip", pages(3))
    with open_field(path) as field:
        embedder = ModelEmbedder()
        rebuild(field, embedder, place_for(field, embedder.recipe.model))
        name = field.name
    before = path.read_bytes()
    assert draw(path).code == 0
    assert here() == [f"{name.replace(' ', '-')}-map.html"]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "out", ["map", "map.png", "page-000.md", "none/map.html", "https://example.org/x.html"]
)
def test_wrong_usage(place: Path, out: str) -> None:
    done = draw(place, "--out", out)
    assert (done.code, done.out) == (2, "")
    assert here() == []


@pytest.mark.parametrize("near", ["-1", "2.1", "nan", "near"])
def test_a_bound_that_is_none(place: Path, near: str) -> None:
    assert draw(place, f"--near={near}").code == 2
    assert here() == []


def test_nothing_of_the_field_is_written_over(place: Path) -> None:
    """Neither by its name, nor through a link, nor unless that is asked for."""
    folder(place, {"attached.svg": b"<svg/>"})
    before = {name: (place / name).read_bytes() for name in os.listdir(place)}
    Path("map.html").symlink_to(place / "page-000.md")
    Path("map.svg").symlink_to(place / "attached.svg")
    for out in (place / "attached.svg", place / "page-000.md", Path("map.html"), Path("map.svg")):
        done = draw(place, "--out", out)
        assert (done.code, done.out) == (2, ""), out
    os.chdir(place)
    assert draw(".").code == 2
    assert {name: (place / name).read_bytes() for name in os.listdir(place)} == before


def test_a_map_in_the_field_is_drawn_anew(place: Path) -> None:
    """If that is asked for, and only if it is one."""
    for out in (place / "map.html", place / "map.svg"):
        assert draw(place, "--out", out).code == 0
        assert draw(place, "--out", out, "--near", "1").code == 0


def test_hostile_names_reach_neither_terminal_nor_markup(place: Path, tmp_path: Path) -> None:
    made = hostile_folder(tmp_path / "hostile")
    build(made)
    done = draw(made, "--near", "2")
    assert done.code == 0
    assert b"\x1b" not in done.stdout + done.stderr
    [name] = here()
    assert re.fullmatch(r"[\w.+-]+-map\.html", name)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", Path(name).read_text("utf-8"))
    assert draw(made, "--out", "map.svg").code == 0
    ET.parse("map.svg")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no browser here")
def test_a_browser_shows_it_and_refuses_nothing(place: Path) -> None:
    """The script is allowed to run: it shows the box; the console has no complaint."""
    assert draw(place).code == 0
    page_url = Path("field-map.html").resolve().as_uri()
    done = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--dump-dom",
            page_url,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "<p><label>Show pages with" in done.stdout  # no longer hidden
    assert "Content Security Policy" not in done.stderr
