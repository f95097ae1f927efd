"""Whatever a page holds, mending it keeps its promises and touches nothing else."""

from __future__ import annotations

import string

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.validator.fields import BODY, page, uuid
from tests.validator.fixes_fields import assert_clean, mend
from tests.validator.test_any_page import MARKDOWN, YAML

from memoryfield_readers import FrontmatterState, read_frontmatter
from memoryfield_validator.fixes import Rewrite

KEYS = st.sampled_from(
    ["title", "uuid", "summary", "created", "updated", "x", "tags", "1", "true", "<<", "? title"]
)
VALUES = st.sampled_from(
    [
        "Steel", "no", "2026", "1.10", "12:30:00", "0x1f", "1_000", "~", "", "<<", ".inf", "012",
        "2026-03-01", "2026-03-01T09:00:00Z", "2026-3-1 9:00:00 +2", "2026-02-30", "a: b", "a:",
        "it's: so", "@home", "`code` x", "%d", "*x", "*bold* x", "& x", "&a 12", "!!int 5", "!x y",
        "[WIP] x", "[a, b]", "[a", "{a: 1}", "{a} b", "{{ x }}", "| x", "|", ">", "> x", "'no'",
        "'a' b", '"a: b"', '"a', "a # b", "a: b # c", "12 # c", "- x", "a\n  b", "a\n  b: c",
        "|\n  a: b\n\n", ">+\n  a\n\n", "\n- a\n- b: c", "\n  x: no", "a: b  \t", "\u2028a: b",
        "12\u2028", "a\tb: c", "é: ü", "\ud7ff: x", "a: \x07",
    ]
)  # fmt: skip
LINES = st.one_of(
    st.tuples(KEYS, VALUES).map(lambda pair: f"{pair[0]}: {pair[1]}"),
    st.sampled_from(
        [
            "# a comment", "", "   ", "\t", "<<: *a", "- item", "{title: no}", "{}", "!!map", "&m",
            "  title: no", "...", "---", "a", "title:no", "? [a]", ": b", "created: &d 2026-01-01",
            "updated: *d", "base: &b {created: 2026-01-01, title: no}", "<<: *b", "'title': no",
        ]
    ),
)  # fmt: skip
LINE_ENDS = st.sampled_from(["\n", "\n", "\r\n"])
ENTRIES = st.sampled_from(
    ["- [A](A.md)\n", "- c.md\n", "  - d.md\n", "    * e.md\n", "* x-y.md", "| c.md |\n", "c.md\n"]
)
ENDINGS = st.sampled_from([BODY, "", "# Steel: a *study*\n\nText", "no line end", "\r\n\r\n"])


def assert_only_quotes_and_whole_fields(before: bytes, after: bytes) -> None:
    """The page differs in quotes within lines of the block, and in fields at the block's end."""
    text, new = before.decode(), after.decode()
    block = read_frontmatter(text.removeprefix("\ufeff"))
    if block.state is FrontmatterState.ABSENT:
        assert new.endswith(text.lstrip("\ufeff"))
        return
    body = text.removeprefix("\ufeff")[block.body_offset :]
    assert new.endswith(body)
    head = text.removesuffix(body).removeprefix("\ufeff").split("\n")
    new_head = new.removesuffix(body).removeprefix("\ufeff").split("\n")
    closing = 2 if head[-1] == "" else 1
    kept, added = new_head[: len(head) - closing], new_head[len(head) - closing : -closing]
    assert new_head[-closing:] == head[-closing:]
    for line, new_line in zip(head, kept, strict=False):
        assert new_line == line or new_line.replace("'", "") == line.replace("'", "")
        assert new_line.endswith("\r") == line.endswith("\r")
    assert all(
        line.strip().startswith(("title: ", "uuid: ", "created: ", "updated: ")) for line in added
    )


def assert_fields_kept(before: bytes, after: bytes) -> None:
    """What the block said it says still, but for values that are the text they were written as."""
    old = read_frontmatter(before.decode().removeprefix("\ufeff"))
    new = read_frontmatter(after.decode().removeprefix("\ufeff"))
    if old.state is FrontmatterState.BROKEN and new.state is FrontmatterState.BROKEN:
        return
    assert new.state is FrontmatterState.PARSED or not old.fields
    for name, node in old.nodes.items():
        assert name in new.fields
        if new.fields[name] != old.fields[name]:
            assert new.fields[name] == old.source[node.start : node.end]


def check(text: str | bytes) -> None:
    """Mend a page, and see that all promises are kept."""
    mended = mend({"a.md": text})
    assert_clean(mended)
    for change in mended.proposal.changes:
        assert isinstance(change, Rewrite)
        if not change.before.startswith(b"\xef\xbb\xbf\xef\xbb\xbf"):
            assert_only_quotes_and_whole_fields(change.before, change.after)
            assert_fields_kept(change.before, change.after)


@settings(max_examples=250, deadline=None)
@given(st.lists(LINES, max_size=8), LINE_ENDS, ENDINGS, st.sampled_from(["", "\ufeff"]))
@example(["\t"], "\n", BODY, "")
@example(["title: a", "\t"], "\n", BODY, "")
@example(["{title: no}"], "\n", BODY, "")
@example(["title: 12\u2028"], "\n", BODY, "")
@example(["title: no", "title: a: b"], "\r\n", BODY, "\ufeff")
@example(['title: "a', "summary: b: c", 'x: d"'], "\n", BODY, "")
@example(["x: &a 1", "title: *x"], "\n", BODY, "")
def test_lines_of_frontmatter(lines: list[str], end: str, body: str, mark: str) -> None:
    """Whatever lines stand in a block, only lines that are named change, and it is clean then."""
    block = "\n".join(["---", *lines, "---", ""]) + body
    check(mark + block.replace("\r\n", "\n").replace("\n", end))


@settings(max_examples=150, deadline=None)
@given(st.lists(YAML, max_size=25).map("".join), LINE_ENDS)
def test_pieces_of_yaml(block: str, end: str) -> None:
    """The same for pieces of YAML in any order."""
    check(f"---{end}{block}{end}---{end}https://example.com/{end}")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(KEYS, VALUES | st.text(string.printable, max_size=12)), max_size=6))
def test_fields_of_any_value(fields: list[tuple[str, str]]) -> None:
    """The same for a good block with more fields in it, twice the same ones among them."""
    check(page(more="".join(f"{key}: {text}\n" for key, text in fields)))


@settings(max_examples=100, deadline=None)
@given(st.lists(MARKDOWN, max_size=25).map("".join))
def test_bodies(body: str) -> None:
    """A body is the same afterwards, also where it has no block and a heading is looked for."""
    check(body)
    check(page(body, title=None))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf\xef\xbb\xbf---\ntitle: no\n---\n")
@example(b"\xef\xbb\xbf\xff")
def test_any_bytes(content: bytes) -> None:
    """Whatever bytes a page has, it is clean after mending."""
    assert_clean(mend({"a.md": content}))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(MARKDOWN | ENTRIES, max_size=25).map("".join),
    st.sampled_from(["listing.md", "a.md"]),
    st.sets(st.sampled_from(["A.md", "a.md", "b.md", "x-y.md", "X_y.md", "É.md"]), max_size=4),
)
@example("- c.md\n[a](b.md)", "listing.md", set())
def test_listings_and_links(body: str, name: str, others: set[str]) -> None:
    """Listings and links are mended as far as is promised, whatever pages are there."""
    files = {other: page(uuid=uuid(n)) for n, other in enumerate(sorted(others))}
    mended = mend({**files, name: page(body, number=9)})
    assert_clean(mended)
    dead = {f.message for f in mended.before.findings if f.rule == "MF209"}
    assert {f.message for f in mended.after.findings if f.rule == "MF209"} <= dead
