"""A snapshot of any field: within its budget, whole, UTF-8, and no page leaves its frame."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.snapshot_reading import seen

from memoryfield_agents.snapshots import (
    DEFAULT_BUDGET,
    BudgetTooSmall,
    Snapshot,
    parse,
    snapshot,
)
from memoryfield_agents.snapshots.text_form import NOT_UTF8
from memoryfield_readers import LimitExceeded, Limits, NotFound, PageError, memory_field

unhurried = settings(deadline=None, max_examples=30)
GREAT = 1_000_000

WORDS = st.sampled_from(
    [
        b"===== end of snapshot\n",
        b"===== left out: 0\n",
        b"===== end " + hashlib.sha256(b"").hexdigest().encode() + b"\n",
        b"===== page index.md sha256:" + b"0" * 64 + b" bytes:3\n",
        b"memoryfield-snapshot 1\ndigest: field-sha256:" + b"0" * 64 + b"\npages: 1 of 1\n\n",
        b"---\ntitle: ===== end of snapshot\n---\n",
        b'---\ntitle: "a\\nb \\u2028 \\e[2J"\n---\n',
        b"\r\n", b"\n", b"\r", b"\x0b\x0c\x1c\x1d\x1e\x85", b"\xc2\x85", b"\xe2\x80\xa8",
        b"\xef\xbb\xbf", b"\x00", b"\xff", b"\xe2\x82", b"\xed\xa0\x80", b"caf\xc3\xa9", b" ",
    ]
)  # fmt: skip
CONTENTS = st.one_of(st.binary(max_size=40), st.lists(WORDS, max_size=6).map(b"".join))
NAMES = st.one_of(
    st.sampled_from(
        ["index.md", "listing.md", "a.md", "B.md", "a b.md", 'a"b.md', "é.md", "\udcff.md"]
    ),
    st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,3})?\.md", fullmatch=True),
)
FIELDS = st.dictionaries(NAMES, CONTENTS, min_size=1, max_size=7)


def taken(files: dict[str, bytes], budget: int = GREAT, **options: object) -> Snapshot:
    with memory_field(files) as field:
        return snapshot(field, budget=budget, **options)  # type: ignore[arg-type]


def least(files: dict[str, bytes], **options: object) -> int:
    """The number in the message about a budget of one byte."""
    with pytest.raises(BudgetTooSmall) as found:
        taken(files, 1, **options)
    words = found.value.message.split()
    return int(words[words.index("bytes,") - 1])


@unhurried
@given(files=FIELDS)
def test_every_page_stays_in_its_frame(files: dict[str, bytes]) -> None:
    """Whatever pages hold, a reader finds each with its own text, and no page more."""
    block = taken(files)
    found = seen(block.text)
    assert (found.left_out, found.lines, found.digest) == (0, [], block.digest)
    assert [json.loads(n) if n[0] == '"' else n for n, *_ in found.pages] == list(block.included)
    for name, (_, digest, size, mark, text) in zip(block.included, found.pages, strict=True):
        raw = files[name]
        assert (digest, size) == (hashlib.sha256(raw).hexdigest(), len(raw))
        shown = raw.decode(errors="replace")
        assert text == (shown if shown.endswith("\n") else shown + "\n")
        assert mark == (NOT_UTF8 if "\ufffd" in shown and shown.encode() != raw else "")
    assert {page.name for page in parse(block.text).pages} == set(files)


@unhurried
@given(files=FIELDS, order=st.randoms(use_true_random=False))
def test_the_order_of_a_listing_is_nothing(files: dict[str, bytes], order: object) -> None:
    """Neither is the name of the field, nor where it lies."""
    names = list(files)
    order.shuffle(names)  # type: ignore[attr-defined]
    with memory_field({each: files[each] for each in names}, "other", "x/y.zip") as field:
        assert snapshot(field, budget=700).text == taken(files, 700).text


@unhurried
@given(files=FIELDS, more=st.integers(0, 900), named=st.booleans())
def test_never_more_bytes_than_the_budget(files: dict[str, bytes], more: int, named: bool) -> None:
    """Each page is in it whole, or in the list, or counted; the text is UTF-8."""
    name = "n \u202e\ud800" if named else None
    smallest = least(files, name=name)
    with pytest.raises(BudgetTooSmall):
        taken(files, smallest - 1, name=name)
    block = taken(files, smallest + more, name=name)
    assert len(block.text.encode()) <= smallest + more
    assert sorted((*block.included, *block.left_out)) == sorted(files)
    assert len(seen(block.text).lines) <= len(block.left_out)
    recorded = parse(block.text)
    assert (recorded.digest, recorded.total) == (block.digest, len(files))


def test_every_budget_from_the_least() -> None:
    """One byte after the other: within it, and the last of them has all pages."""
    files = {f"p{number}.md": b"x" * (37 * number) for number in range(6)}
    smallest = least(files)
    whole = len(taken(files).text.encode())
    assert smallest < whole
    for budget in range(smallest, whole + 1):
        block = taken(files, budget)
        size = len(block.text.encode())
        assert size <= budget
        assert size == whole or budget < whole
        assert block.left_out or budget == whole


def test_what_does_not_fit_is_named_as_far_as_there_is_room() -> None:
    """A page that is too large is listed with hash, size and title; those after it are in."""
    large = b"---\ntitle: The large one\n---\n" + b"x" * 5000
    files = {"a.md": b"a\n", "large.md": large, "z.md": b"z\n"}
    block = taken(files, 1500)
    assert (block.included, block.left_out) == (("a.md", "z.md"), ("large.md",))
    digest = hashlib.sha256(large).hexdigest()
    assert seen(block.text).lines == [f"large.md sha256:{digest} bytes:5029 The large one"]
    assert [page.in_full for page in parse(block.text).pages] == [True, True, False]


def test_many_pages_leave_room_for_a_list() -> None:
    """A quarter is kept for it, and what of the list does not fit is counted."""
    files = {f"page-{number:03}.md": b"x" * 200 for number in range(200)}
    block = taken(files, 12_000)
    found = seen(block.text)
    assert 15 < len(found.pages) < 40
    assert 20 < len(found.lines) < found.left_out == 200 - len(found.pages)
    assert found.lines[0].startswith(block.left_out[0])


def test_no_more_room_is_kept_than_the_list_takes() -> None:
    """A page is in it if the page and the list of the others fit, to the byte."""
    files = {"a.md": b"x" * 900, "b.md": b"x" * 5000}
    block = taken(files, 2_000)
    assert block.included == ("a.md",)
    least_with_both = len(block.text.encode())
    assert taken(files, least_with_both).text == block.text
    assert taken(files, least_with_both - 1).included == ()


def test_introduction_first_then_by_name() -> None:
    """In the order of the bytes of the names, as everywhere."""
    names = ["é.md", "b.md", "index.md", "a.md", "B.md", "listing.md"]
    order = ("index.md", "B.md", "a.md", "b.md", "listing.md", "é.md")
    assert taken(dict.fromkeys(names, b"")).included == order


def test_chosen_pages_in_their_order() -> None:
    """The others are listed, also where there is room; what is named twice is there once."""
    files = dict.fromkeys(("a.md", "b.md", "c.md", "index.md"), b"text\n")
    block = taken(files, pages=["c.md", "a.md", "c.md"])
    assert block.included == ("c.md", "a.md")
    assert block.left_out == ("index.md", "b.md")
    assert [line.split()[0] for line in seen(block.text).lines] == ["index.md", "b.md"]
    with pytest.raises(NotFound, match=r"no page `d.md`"):
        taken(files, pages=["d.md"])
    with pytest.raises(PageError, match="attachment"):
        taken({**files, "x.png": b""}, pages=["x.png"])


def test_name_is_there_if_asked_for() -> None:
    """In one line, whatever it is."""
    assert seen(taken({"a.md": b""}).text).name is None
    for name, shown in {"notes": "notes", "a\n\ndigest: x": '"a\\n\\ndigest: x"'}.items():
        assert seen(taken({"a.md": b""}, name=name).text).name == shown


def test_titles_are_one_harmless_line_each() -> None:
    """A title is cut, and can neither end its line nor hide."""
    title = '"x\\n===== end of snapshot\\n\\u202e ' + 400 * "y" + '"'
    block = taken({"a.md": f"---\ntitle: {title}\n---\n".encode() + b"z" * 3000}, 1200)
    [line] = seen(block.text).lines
    assert r"x\n===== end of snapshot\n\u{202e} y" in line
    assert len(line) < 280
    assert line.isascii()


def test_error_says_what_to_do() -> None:
    """The least number, and an option that works."""
    with pytest.raises(BudgetTooSmall) as found:
        taken({"a.md": b""}, 0)
    assert f"--budget {DEFAULT_BUDGET}" == found.value.hint
    assert found.value.exit_code == 2


def test_nothing_to_show_and_what_cannot_be_read() -> None:
    """An empty field is none; a page over the limits is an error, as everywhere."""
    with pytest.raises(NotFound):
        taken({})
    limits = Limits(page_bytes=3)
    with memory_field({"a.md": b"four"}, limits=limits) as field, pytest.raises(LimitExceeded):
        snapshot(field)
    assert taken({"x.png": b""}).included == ()
