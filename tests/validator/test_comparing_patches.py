"""The lines that differ, as `patch` and `git apply` understand them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validator.comparing_fields import (
    NEEDS_GIT,
    NEEDS_PATCH,
    compared,
    only,
    patched,
    whole_patch,
)
from tests.validator.fields import Files, as_bytes, page

PATCH = ("patch", "--strip=1", "--silent", "--force", "--no-backup-if-mismatch", "--binary")
GIT = ("git", "apply", "--whitespace=nowarn", "-")

LINES = st.lists(
    st.sampled_from([
        b"a\n", b"b\n", b"c\n", b"\n", b" \n", b"a\r\n", b"\r\n", b"a\rb\n", b"\xff\xfe\n",
        b"\x00\n", b"- a/x.md\n", b"-- a/x.md\n", b"++ b/x.md\n", b"@@ -1,1 +1,1 @@\n",
        b"\\ No newline\n", b"diff --git a/x.md b/x.md\n", b"rename from x.md\n",
        "\ufeffx\u2028y\n".encode(), b"z",
    ]),
    max_size=14,
).map(b"".join)  # fmt: skip
FIELDS = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "-x.md", "a b.md", "caf\u00e9.md", 'q"t.md']),
    LINES,
    max_size=6,
)

PAIRS: dict[str, tuple[Files, Files]] = {
    "another name": ({"a.md": page()}, {"b.md": page()}),
    "another name and more": ({"a.md": page()}, {"b c.md": page("Other.\n")}),
    "names that change places": (
        {"a.md": page(number=1), "b.md": page(number=2)},
        {"c.md": page(number=1), "d.md": page(number=2)},
    ),
    "empty pages come and go": ({"a.md": ""}, {"b.md": ""}),
    "a page that becomes empty": ({"a.md": "a\n"}, {"a.md": ""}),
    "a page that was empty": ({"a.md": ""}, {"a.md": "a"}),
    "no line end any more": ({"a.md": "a\nb\n"}, {"a.md": "a\nb"}),
    "a byte-order mark": ({"a.md": "a\n"}, {"a.md": "\ufeffa\n"}),
    "far apart": (
        {"a.md": "".join(f"{n}\n" for n in range(99))},
        {"a.md": "".join(f"{n + (n in (9, 15, 23, 98)) * 1000}\n" for n in range(99))},
    ),
}
each_pair = pytest.mark.parametrize("name", PAIRS)


@NEEDS_PATCH
@settings(max_examples=60, deadline=None)
@given(FIELDS, FIELDS)
def test_patch_makes_one_field_of_the_other(
    before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    """Whatever bytes there are, applying the diff gives the bytes after."""
    assert patched(before, whole_patch(compared(before, after, audit=False)), *PATCH) == after


@NEEDS_PATCH
@each_pair
def test_patch_takes(name: str) -> None:
    """Names that change, empty pages, last lines: `patch` does what is meant."""
    before, after = PAIRS[name]
    made = patched(before, whole_patch(compared(before, after)), *PATCH)
    assert made == {name: as_bytes(content) for name, content in after.items()}


@NEEDS_GIT
@each_pair
def test_git_takes(name: str) -> None:
    """So does git."""
    before, after = PAIRS[name]
    made = patched(before, whole_patch(compared(before, after)), *GIT)
    assert made == {name: as_bytes(content) for name, content in after.items()}


def test_diff_is_the_smallest() -> None:
    """Lines that stay are shown as such, blank ones and repeated ones as well."""
    before = "# Woks\n\nSteel.\n\nIron.\n\nTin.\n"
    after = "# Woks\n\nSteel.\n\nCopper.\n\nIron.\n\nTin, too.\n"
    diff = only(compared({"a.md": before}, {"a.md": after})).diff
    assert diff is not None
    assert (diff.added, diff.removed) == (3, 1)
    assert diff.patch().decode() == (
        "diff --git a/a.md b/a.md\n"
        "--- a/a.md\n"
        "+++ b/a.md\n"
        "@@ -2,6 +2,8 @@\n"
        " \n"
        " Steel.\n"
        " \n"
        "+Copper.\n"
        "+\n"
        " Iron.\n"
        " \n"
        "-Tin.\n"
        "+Tin, too.\n"
    )
