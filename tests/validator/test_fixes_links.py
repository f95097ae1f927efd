"""Symbolic links in a folder that is mended: none is broken, none is followed out of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.validator.fields import BODY, page, write_files
from tests.validator.fixes_fields import contents, proposal_of, refused

from memoryfield_readers import PageError, inspect_field
from memoryfield_validator import validate
from memoryfield_validator.fixes import Proposal, Rename, Rewrite, apply, patch, propose

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


LINKS = {
    "beside": {"c.md": "b.md"},
    "earlier": {"a.md": "b.md"},
    "several": {"a.md": "b.md", "c.md": "a.md"},
    "no page": {"c.txt": "b.md"},
}


@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS)
@pytest.mark.parametrize("text", [page(uuid=None, title="no"), "Pans.\n"], ids=["block", "none"])
def test_a_file_of_several_names_gets_no_uuid(
    text: str, links: dict[str, str], tmp_path: Path
) -> None:
    """Two pages would share it (MF307): rule and fixer say so of both, and mend all else once."""
    folder = write_files(tmp_path / "field", {"b.md": text, "d.md": page(number=1, uuid=None)})
    for name, target in links.items():
        (folder / name).symlink_to(target)
    pages = {"b.md", *(name for name in links if name.endswith(".md"))}
    with inspect_field(folder) as field:
        found = validate(field).findings
    lacks = [
        f for f in found if f.rule == "MF204" or (f.rule, f.message[-6:]) == ("MF303", "`uuid`")
    ]
    assert {f.file: f.fixable for f in lacks} == {name: name == "d.md" for name in (*pages, "d.md")}
    proposal = proposal_of(folder)
    assert {change.name for change in proposal.changes} <= {"b.md", "d.md"}
    assert apply(proposal, folder).errors == ()
    after = contents(folder)
    assert b"uuid" in after["d.md"]
    assert b"uuid" not in after["b.md"]
    assert (b"title: 'no'\n" in after["b.md"]) == text.startswith("---")
    with inspect_field(folder) as field:
        assert "MF307" not in {f.rule for f in validate(field).findings}
    assert proposal_of(folder) == Proposal()


def test_a_file_is_rewritten_once_by_its_own_path(tmp_path: Path) -> None:
    """A link has no rewrite; its findings are mended with those of what it leads to."""
    files = {
        "b.md": page(title="no"),
        "x/real.md": page("[b](B_c.md)\n" + BODY, number=1, title="no"),
    }
    folder = write_files(tmp_path / "field", files | {"B_c.md": page(number=2)})
    for name, target in {"a.md": "b.md", "y.md": "x/real.md", "z.md": "x/real.md"}.items():
        (folder / name).symlink_to(target)
    proposal = proposal_of(folder)
    assert [(each.name, each.links) for each in proposal.rewrites] == [
        ("b.md", ("a.md",)),
        ("x/real.md", ("y.md", "z.md")),
    ]
    assert [each.linked_from for each in proposal.renames] == [("x/real.md",)]
    mended = {finding.file for finding in proposal.findings}
    assert mended == {"B_c.md", "a.md", "b.md", "y.md", "z.md"}
    assert apply(proposal, folder).done == proposal
    assert b"[b](b-c.md)" in (folder / "z.md").read_bytes()
    assert proposal_of(folder) == Proposal()


def test_findings_of_a_link_are_mended_with_its_file(tmp_path: Path) -> None:
    """And are not, where the file cannot be; also if only the link's are asked for."""
    files = {"b.md": page(title="no"), "d.md": page(number=1, title="no")}
    folder = write_files(tmp_path / "field", files)
    (folder / "c.md").symlink_to("b.md")
    with inspect_field(folder) as field:
        proposal = propose(
            field, validate(field), judge=validate, wanted=lambda finding: finding.file != "b.md"
        )
    assert [each.name for each in proposal.rewrites] == ["b.md", "d.md"]
    (folder / "d.md").write_text("changed")
    done = apply(proposal, folder).done
    assert [each.name for each in done.rewrites] == ["b.md"]
    assert {finding.file for finding in done.findings} == {"c.md"}
    assert b"title: 'no'\n" in (folder / "b.md").read_bytes()


def test_git_applies_the_patch_of_a_field_with_links(tmp_path: Path) -> None:
    """To git a link is a file with a path in it: a patch must name what it leads to."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not there")
    files = {"b.md": page(title="no", uuid=None), "x/real.md": page(number=1, title="no")}
    folder = write_files(tmp_path / "field", files)
    (folder / "c.md").symlink_to("b.md")
    (folder / "y.md").symlink_to("x/real.md")
    proposal = proposal_of(folder)
    check = [git, "apply", "--check", "-"]
    subprocess.run(check, input=patch(proposal), cwd=folder, check=True, timeout=60)
    subprocess.run([git, "apply", "-"], input=patch(proposal), cwd=folder, check=True, timeout=60)
    assert proposal_of(folder) == Proposal()
    assert os.readlink(folder / "c.md") == "b.md"


@pytest.mark.parametrize("name", ["a.md", "x/a.md"])
def test_a_file_that_became_a_link_is_left_alone(name: str, tmp_path: Path) -> None:
    """Also if what it leads to has the same bytes, and if it is the folder that became one."""
    text = page(title="no")
    folder = write_files(tmp_path / "field", {name: text, "z/a.md": text})
    proposal = Proposal((Rewrite(name, text.encode(), page().encode()),))
    first = folder / name.partition("/")[0]
    first.rename(folder / "gone")
    first.symlink_to("z" if "/" in name else "z/a.md")
    assert refused(proposal, folder, PageError).entry == name
    assert (folder / "z/a.md").read_bytes() == text.encode()


@pytest.mark.parametrize(
    "name", ["../a.md", "x/../a.md", "/a.md", "x//a.md", "./a.md", "", "a\0.md"]
)
def test_a_path_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing outside of the folder is written, whoever made the proposal."""
    text = page()
    folder = write_files(tmp_path / "field", {"a.md": text, "x/a.md": text})
    write_files(tmp_path, {"a.md": text})
    refused(Proposal((Rewrite(name, text.encode(), b""),)), folder, PageError)
    refused(Proposal((Rename(name, "b.md"),)), folder, PageError)
    refused(Proposal((Rename("x/a.md", "b.md"),)), folder, PageError)
    assert (tmp_path / "a.md").read_text() == text
    assert set(contents(folder)) == {"a.md"}


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
