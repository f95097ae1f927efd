"""Suggestions are names that a page may have, and hints fit the line that they are about."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryfield_readers import is_page_name
from memoryfield_validator.naming import conforming_name
from memoryfield_validator.yaml_hints import hint_at


@given(st.text(max_size=300))
@example("")
@example(".md")
@example("-" * 300 + ".md")
@example("x" * 99 + "-y.md")
@example("\udcff.md")
@example("İ.md")
@example("A\n.md\n")
def test_any_name_leads_to_one_that_conforms(name: str) -> None:
    """Whatever a file is called, the name that is suggested is a page's, and not too long."""
    better = conforming_name(name)
    assert is_page_name(better)
    assert len(better) <= 103


@given(st.from_regex(r"[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?\.md", fullmatch=True))
def test_good_name_is_kept(name: str) -> None:
    """A name that conforms is its own suggestion."""
    assert conforming_name(name) == name


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("Carbon Fibre_Woks.md", "carbon-fibre-woks.md"),
        ("heat.MD", "heat.md"),
        ("heat.markdown", "heat.md"),
        ("heat.md.mdx", "heat-md.md"),
        ("Ærøskøbing Łódź.md", "aeroskobing-lodz.md"),
        ("ﬁne.md", "fine.md"),
        ("x²+y².md", "x2-y2.md"),
        ("a--b_.md", "a--b.md"),
        ("鍋.md", "page.md"),
    ],
)
def test_names_that_are_suggested(name: str, better: str) -> None:
    """Letters are made plain, everything else becomes a hyphen, and the ending `.md`."""
    assert conforming_name(name) == better


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("title: Foo: bar", "quote the value of `title`: it holds `: `"),
        ("my key : a: b", "quote the value of `my key`: it holds `: `"),
        ("  - name: @x", "quote the value of `name`: a plain value cannot begin with `@`"),
        ("title: ${x}", "fill in the template's placeholder, or quote the value of `title`"),
        ("title: <%= x %>", "fill in the template's placeholder, or quote the value of `title`"),
        ("title: 'it's'", "`title` begins with a quote: close it, and double the quotes within"),
        ("title: 'open", "`title` begins with a quote: close it, and double the quotes within"),
        ("  \tx: y", "indent with blanks: YAML does not allow tabs there"),
        ("<<<<<<< ours", "resolve the merge conflict"),
        ("=======", "resolve the merge conflict"),
        ("x: a\ry: b", "end each line with LF or CRLF: a CR alone ends none"),
        ("title: 'closed'", None),
        ('title: "clo\\"sed"  # a comment', None),
        ("title: 'it''s'", None),
        ("<<: [*a, b]", None),
        ("title: plain", None),
        ("no key at all", None),
        ("https://example.com", None),
        ("", None),
    ],
)
def test_hint_names_the_usual_cause(line: str, hint: str | None) -> None:
    """A line that breaks a block for a usual reason gets its hint, any other a general one."""
    found = hint_at(f"---\n{line}\n---\n", 2)
    assert found.endswith(hint if hint is not None else "more than plain words")
