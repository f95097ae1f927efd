"""Pages are ranked by their words, and all that MF705 finds is among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.index.search_fields import ask, make_folder, names, page

from memoryfield_index.searching.lexical import Lexicon
from memoryfield_readers import Entry, EntryKind, Page

PAGES = {
    "keys.md": page("Rotating keys", "Run the job that rotates the signing key."),
    "login.md": page("Login", "The signing key is used at login. " + "More about login. " * 20),
    "deploy.md": page("Deploy", "Roll back with one command.", summary="How to undo a release"),
    "max-retry.md": page("Limits", "Set `max_retry_count` to five."),
}


def as_pages(contents: dict[str, bytes]) -> list[Page]:
    return [
        Page(name, raw, Entry(name, EntryKind.FILE, len(raw))) for name, raw in contents.items()
    ]


def ranked(contents: dict[str, bytes], question: str) -> list[str]:
    lexicon = Lexicon(as_pages(contents))
    order = [list(contents)[each.number] for each in lexicon.rank(question)]
    lexicon.close()
    return order


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("how do I rotate the signing keys", "keys.md"),
        ("undoing releases", "deploy.md"),
        ("max_retry_count", "max-retry.md"),
        ("MAX retry", "max-retry.md"),
        ("login", "login.md"),
    ],
)
def test_the_page_that_says_most_is_first(question: str, first: str) -> None:
    """Words count by how rare they are and where they stand, whatever their ending."""
    assert ranked(PAGES, question)[0] == first


def test_a_word_in_the_title_counts_more_than_one_in_the_text() -> None:
    """Also where the text has it twice."""
    contents = {
        "a.md": page("Ovens", "A kiln is an oven. Every kiln is hot."),
        "b.md": page("The kiln", "An oven that is hot. It is made of clay."),
        "c.md": page("Pots", "Made of clay in the end, as all of them are."),
    }
    assert ranked(contents, "kiln")[0] == "b.md"


@pytest.mark.parametrize(
    "name_and_page",
    [
        ("plain.md", b"The rare word quixotry, with no frontmatter.\n"),
        ("broken.md", b"---\ntitle: Foo: bar\n---\nquixotry\n"),
        ("broken-head.md", b"---\ntitle: quixotry: bar\n---\nbody\n"),
        ("open.md", b"---\ntitle: a\nquixotry\n"),
        ("latin.md", b"caf\xe9 quixotry\n"),
        ("tags.md", b"---\ntitle: a\ntags: [quixotry]\n---\nb\n"),
        ("nul.md", b"a\0 quixotry\n"),
        ("number.md", b"---\ntitle: 2026\n---\nquixotry\n"),
    ],
    ids=lambda pair: pair[0],
)
def test_whole_pages_are_searched_whatever_they_are(name_and_page: tuple[str, bytes]) -> None:
    """A page whose frontmatter is broken, absent or odd is found by what is in it."""
    name, raw = name_and_page
    assert ranked({**PAGES, name: raw}, "quixotry") == [name]


@pytest.mark.parametrize(
    ("question", "found"),
    [("纤维", True), ("碳纤维锅", True), ("锅", True), ("维纤", False), ("炭", False)],
)
def test_scripts_without_spaces(question: str, found: bool) -> None:
    """A word inside a run of Chinese text is found, in the order of its characters."""
    contents = {"wok.md": "这是碳纤维锅的说明。\n".encode(), "other.md": b"About woks.\n"}
    assert ranked(contents, question) == (["wok.md"] if found else [])


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("otating Ke", ["keys.md"]),
        ("UNDO A REL", ["deploy.md"]),
        ("y.MD", ["deploy.md"]),
        ("-ret", ["max-retry.md"]),
    ],
)
def test_what_mf705_finds_is_found(question: str, found: list[str]) -> None:
    """A substring of name, title or summary that is no word, in any case."""
    assert [name for name in ranked(PAGES, question) if name in found] == found


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_substring_of_name_title_and_summary(data: st.DataObject) -> None:
    """MF705 holds for any text, also one that no word of any script is in."""
    texts = data.draw(st.lists(st.text(min_size=1, max_size=12), min_size=2, max_size=2))
    contents = {"a.md": page(texts[0], summary=texts[1]), "b.md": page("Other")}
    frontmatter = as_pages(contents)[0].frontmatter
    assume(frontmatter.text("title") and frontmatter.text("summary"))
    whole = data.draw(st.sampled_from(["a.md", *map(str, frontmatter.fields.values())]))
    start = data.draw(st.integers(0, len(whole)))
    question = whole[start : data.draw(st.integers(start, len(whole)))].upper()
    if question.strip() and question.casefold().strip() in whole.casefold():
        assert "a.md" in ranked(contents, question)


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_no_question_is_an_error(question: str) -> None:
    """FTS5 has a syntax; nothing of a question is taken for it."""
    lexicon = Lexicon(as_pages(PAGES))
    for each in lexicon.rank(question):
        assert 0 <= each.number < len(PAGES)
        assert 0 <= each.coverage <= 1 + 1e-9
    lexicon.close()


@pytest.mark.parametrize(
    "question",
    [
        *('"', "'", "*", "(", ")", "a AND", "NOT", "NEAR(", "title:", "-a", "^", "{a b}: c", "%"),
        *('"; DROP TABLE pages; --', "a" * 100_000, "a " * 50_000, "\0", "a\0b", "\ud800", "🜁"),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_questions_like_syntax(question: str) -> None:
    """They are searched for as words, or not at all."""
    assert set(ranked(PAGES, question)) <= set(PAGES)


def test_no_pages_and_no_words() -> None:
    """Nothing is found in nothing."""
    assert ranked({}, "anything") == []
    assert ranked(PAGES, "   ") == []
    assert ranked(PAGES, "zzz") == []


def test_a_page_that_says_little_of_the_question_is_no_answer(tmp_path: Path) -> None:
    """Common words alone make no answer, but the page is named, and shown to who asks for it."""
    folder = make_folder(tmp_path / "f", PAGES)
    question = "the admin impersonation audit of tenants is with one customer"
    answer = ask(folder, question, how="lexical")
    assert names(answer) == []
    assert answer.nearest is not None
    assert names(ask(folder, question, how="lexical", weak=True))


def test_mf705_comes_before_what_only_has_the_words(tmp_path: Path) -> None:
    """Where not all are shown, none that MF705 finds is left out for another."""
    contents = {f"{number}.md": page("Text", "auth " * 9 + "is here") for number in range(8)}
    contents |= {f"x{number}.md": page(f"Oauth {number}", "long " * 80) for number in range(3)}
    folder = make_folder(tmp_path / "f", contents)
    found = names(ask(folder, "auth", how="lexical", most=4))
    assert len(found) == 4
    assert {"x0.md", "x1.md", "x2.md"} <= set(found)
