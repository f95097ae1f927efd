"""Symbolic links in a folder that is mended: none is broken, none is followed out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.validator.fields import BODY, page, write_files
from tests.validator.fixes_fields import contents, proposal_of, refused

from memoryfield_readers import PageError, inspect_field
from memoryfield_validator import validate
from memoryfield_validator.fixes import Proposal, Rename, Rewrite, apply

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What a link leads to is mended, in a sub-directory too, and the link stays what it is."""
    folder = write_files(tmp_path / "field", {"a.md": page(), "x/real.md": page(title="no")})
    (folder / "b.md").symlink_to("x/real.md")
    apply(proposal_of(folder), folder)
    assert os.readlink(folder / "b.md") == "x/real.md"
    assert b"title: 'no'\n" in (folder / "x/real.md").read_bytes()
    assert os.listdir(folder / "x") == ["real.md"]


def test_a_page_and_a_link_to_it_are_one_file(tmp_path: Path) -> None:
    """A file is mended once, and the field is clean then."""
    folder = write_files(tmp_path / "field", {"b.md": page(title="no", uuid=None)})
    (folder / "a.md").symlink_to("b.md")
    (folder / "c.md").symlink_to("a.md")
    apply(proposal_of(folder), folder)
    assert (folder / "a.md").is_symlink()
    assert not (folder / "b.md").is_symlink()
    assert proposal_of(folder) == Proposal()


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path) -> None:
    """Also if it takes a page's place after the proposal was made."""
    folder = write_files(tmp_path / "field", {"a.md": page(title="no")})
    proposal = proposal_of(folder)
    outside = write_files(tmp_path / "outside", {"a.md": page(title="no")})
    (folder / "a.md").unlink()
    (folder / "a.md").symlink_to(outside / "a.md")
    refused(proposal, folder, PageError)
    assert (outside / "a.md").read_bytes() == page(title="no").encode()


def test_a_page_that_a_link_leads_to_keeps_its_name(tmp_path: Path) -> None:
    """The link would lead nowhere: the page is rewritten alone, where the link came meanwhile."""
    folder = write_files(tmp_path / "field", {"B.md": page(title="no")})
    (folder / "x.md").symlink_to("./B.md")
    rewrite = Rewrite("B.md", page(title="no").encode(), page().encode())
    proposal = Proposal((rewrite, Rename("B.md", "b.md")))
    written = apply(proposal, folder)
    assert written.done.changes == (rewrite,)
    assert written.refused == {"B.md"}
    assert [error.message for error in written.errors] == [
        "cannot be renamed: the link `x.md` leads to it"
    ]
    assert (folder / "B.md").read_bytes() == page().encode()


@pytest.mark.parametrize("link", ["y.md", "y.txt", ".y.md", "y.md~"])
def test_a_page_that_a_link_leads_to_is_not_to_be_renamed(link: str, tmp_path: Path) -> None:
    """Rule and fixer know it beforehand, whatever the link is, and mend all else."""
    folder = write_files(
        tmp_path / "field",
        {
            "A_b.md": page(title="no"),
            "C_d.md": page(number=1),
            "x.md": page("[a](A_b.md)\n" + BODY),
        },
    )
    (folder / link).symlink_to("A_b.md")
    with inspect_field(folder) as field:
        found = {f.file: f.fixable for f in validate(field).findings if f.rule == "MF201"}
    assert found == {"A_b.md": False, "C_d.md": True}
    proposal = proposal_of(folder)
    assert apply(proposal, folder).errors == ()
    assert set(contents(folder)) == {"A_b.md", "c-d.md", "x.md", link}
    assert os.readlink(folder / link) == "A_b.md"
    assert b"title: 'no'" in contents(folder)["A_b.md"]
    assert proposal_of(folder) == Proposal()


def test_a_link_keeps_its_name(tmp_path: Path) -> None:
    """Another link may lead through it: what it leads to is mended, and it stays what it is."""
    folder = write_files(tmp_path / "field", {"x/real.md": page(title="no")})
    (folder / "B.md").symlink_to("x/real.md")
    (folder / "c.md").symlink_to("B.md")
    with inspect_field(folder) as field:
        found = [f.fixable for f in validate(field).findings if f.rule == "MF201"]
    assert found == [False]
    assert apply(proposal_of(folder), folder).errors == ()
    assert os.readlink(folder / "B.md") == "x/real.md"
    assert b"title: 'no'" in (folder / "c.md").read_bytes()
    assert proposal_of(folder) == Proposal()


def test_a_page_that_became_a_link_keeps_its_name(tmp_path: Path) -> None:
    """A link that took the page's place after the proposal was made is not renamed."""
    folder = write_files(tmp_path / "field", {"B.md": page()})
    proposal = proposal_of(folder)
    (folder / "B.md").rename(folder / "x.md")
    (folder / "B.md").symlink_to("x.md")
    assert refused(proposal, folder, PageError).entry == "B.md"
    assert os.readlink(folder / "B.md") == "x.md"
