"""Pages with names that break the rule get the one right name, and links follow (MF201)."""

from __future__ import annotations

import pytest
from tests.validator.fields import BODY, Files, archive, page, pages
from tests.validator.fixes_fields import assert_clean, fixable, mend, report_of

from memoryfield_readers import inspect_field
from memoryfield_validator.fixes import Rename
from memoryfield_validator.fixes.renaming import renames


def planned(*names: str) -> dict[str, str]:
    """The new names of the files of a field."""
    with inspect_field(archive({name: page() for name in names})) as field:
        return renames(field)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("A.md", "a.md"),
        ("Carbon Fibre_Woks.md", "carbon-fibre-woks.md"),
        ("Crème brûlée.md", "creme-brulee.md"),
        ("Straße.md", "strasse.md"),
        ("-a-.md", "a.md"),
        ("①.md", "1.md"),
    ],
)
def test_names_that_have_one_better_one(name: str, better: str) -> None:
    """Letters and digits are kept, as ASCII has them."""
    assert planned(name) == {name: better}


@pytest.mark.parametrize(
    "names",
    [
        ("鍋.md",),  # no letter is kept
        ("鍋 2.md",),  # one is lost
        ("a٣.md",),
        ("---.md",),
        ("CON.md",),  # Windows reserves it
        ("Lpt1.md",),
        ("x" * 101 + "Y.md",),  # it would be cut off
        ("a (conflicted copy).md",),  # it is no page of its own
        ("A.md", "a.md"),  # the name is taken
        ("A b.md", "a_b.md"),  # two would get the same
        ("A b.md", "A-B.txt", "A-B.MD"),  # it is taken where case is ignored
        ("É.md", "e.md"),
        ("A.md", "a.md/x.txt"),  # it is taken by a folder
        ("x.sync-conflict-1.md", "a.md"),  # it is debris
    ],
)
def test_names_that_have_no_one_better_one(names: tuple[str, ...]) -> None:
    """Where letters would be lost, or the name may be taken, nothing is renamed."""
    assert planned(*names) == {}
    report = report_of({name: page(number=n) for n, name in enumerate(names)})
    assert [finding for finding in fixable(report) if finding.rule == "MF201"] == []


def test_a_name_that_is_no_unicode() -> None:
    """Bytes of a name that are no text are letters that would be lost."""
    from memoryfield_validator.fixes.renaming import _better

    assert _better("a\udcff.md") is None


LINKS = [
    ("[x](A b.md)", "[x](A b.md)"),  # no link to Markdown
    ("[x](<A b.md>)", "[x](<a-b.md>)"),
    ("[x](A%20b.md)", "[x](a-b.md)"),
    ("![x](A%20b.md 'A b.md')", "![x](a-b.md 'A b.md')"),
    ("[A b.md](./A%20b.md#A%20b.md)", "[A b.md](./a-b.md#A%20b.md)"),
    ("[x](%41%20b.md?A%20b.md#x)", "[x](a-b.md?A%20b.md#x)"),
    ("[x](y/../A%20b.md)", "[x](y/../a-b.md)"),
    ("[x](<A\\ b.md>)", "[x](<A\\ b.md>)"),
    ("[x](<&#65; b.md?a&amp;b#x>)", "[x](<a-b.md?a%26b#x>)"),
    ("[x](A%20b\\.md)", "[x](a-b.md)"),
    ("[x]: A%20b.md", "[x]: a-b.md"),
    ("> - [x]: <A b.md> (A b.md)", "> - [x]: <a-b.md> (A b.md)"),
    ("[x][A%20b.md]", "[x][A%20b.md]"),
    ("`[x](A%20b.md)`", "`[x](A%20b.md)`"),
    ("```\n[x](A%20b.md)\n```", "```\n[x](A%20b.md)\n```"),
    ("<!-- [x](A%20b.md) -->", "<!-- [x](A%20b.md) -->"),
    ("[x](a%20b.md)", "[x](a%20b.md)"),  # another name
    ("[x](y/A%20b.md)", "[x](y/A%20b.md)"),
    ("[x](https://example.com/A%20b.md)", "[x](https://example.com/A%20b.md)"),
    ("[x](A%20b.md)[y](b.md)[z](A%20b.md)", "[x](a-b.md)[y](b.md)[z](a-b.md)"),
]


@pytest.mark.parametrize(("before", "after"), LINKS, ids=[before for before, _ in LINKS])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_links_lead_to_the_new_name(before: str, after: str, end: str) -> None:
    """Only the file's name changes in a target: text, title, folders, query, fragment stay."""
    text = f"\ufeff{page(f'{before}{chr(10)}{chr(10)}{BODY}')}".replace("\n", end)
    files: Files = {"A b.md": page(number=1), "b.md": text}
    mended = mend(files, lambda finding: finding.rule == "MF201")
    assert set(mended.files) == {"a-b.md", "b.md"}
    assert mended.page("b.md").decode() == text.replace(
        before.replace("\n", end), after.replace("\n", end)
    )
    dead = [finding.line for finding in mended.before.findings if finding.rule == "MF209"]
    assert [f.line for f in mended.after.findings if f.rule == "MF209"] == dead


def test_links_in_pages_of_any_kind() -> None:
    """Pages that are broken, not UTF-8, renamed themselves or without a block are no exceptions."""
    link = b"[x](A.md)\n"
    files: Files = {
        "A.md": page().encode() + link,
        "B.md": page(number=1).encode() + link,
        "c.md": b"\xff\xfe" + link,
        "d.md": b"---\nx: [\n---\n" + link,
        "e.md": link,
        "notes.txt": link,
    }
    mended = mend(files, lambda finding: finding.rule == "MF201")
    assert mended.files == {
        name.lower(): content if name == "notes.txt" else bytes(content).replace(b"A.md", b"a.md")
        for name, content in files.items()
        if isinstance(content, bytes)
    }


def test_pages_are_written_before_they_are_renamed() -> None:
    """A run that is cut off leaves links to names that the next run brings about."""
    proposal = mend({"A.md": page(title="no"), "b.md": page("[x](A.md)\n" + BODY)}).proposal
    assert [type(change).__name__ for change in proposal.changes] == [
        "Rewrite",
        "Rewrite",
        "Rename",
    ]
    assert proposal.renames == (Rename("A.md", "a.md", linked_from=("b.md",)),)


@pytest.mark.parametrize("done", [0, 1, 2, 3])
def test_a_run_that_was_cut_off_is_finished_by_the_next(done: int) -> None:
    """After any number of its changes, mending again leads to the same field."""
    files: Files = {
        "A.md": page(number=1),
        "b.md": page("[x](A.md)\n" + BODY, number=2),
        "c.md": page("[x](A.md#x)\n" + BODY, number=3),
        "listing.md": page("- [A](A.md)\n- [B](b.md)\n- [C](c.md)\n\n" + BODY, number=4),
    }
    whole = mend(files)
    assert_clean(whole)
    begun = {name: str(content).encode() for name, content in files.items()}
    for rewrite in whole.proposal.rewrites[:done]:
        begun[rewrite.name] = rewrite.after
    assert mend(begun).files == whole.files


def test_what_is_not_wanted_keeps_its_name() -> None:
    """Of two pages only the one is renamed that is asked for; links to the other stay."""
    files: Files = {
        "A.md": page("[B](B.md)\n" + BODY),
        "B.md": page("[A](A.md)\n" + BODY, number=1),
    }
    mended = mend(files, lambda finding: finding.file == "A.md")
    assert mended.proposal.renames == (Rename("A.md", "a.md", linked_from=("B.md",)),)
    assert b"[A](a.md)" in mended.page("B.md")
    assert b"[B](B.md)" in mended.page("a.md")


def test_many_pages_are_renamed_at_once() -> None:
    """Each gets its own name, and each link the right one."""
    files: Files = {
        f"Page {n}.md": page(f"[x](Page%20{(n + 1) % 40}.md)\n{BODY}", number=n) for n in range(40)
    }
    mended = mend({**files, **pages(2, first=100)})
    assert_clean(mended)
    assert b"[x](page-0.md)\n" in mended.page("page-39.md")
    assert [finding for finding in mended.after.findings if finding.rule == "MF209"] == []
