"""Our own server keeps what the standard says of servers, whatever it serves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.agents.served import serving
from tests.validator.fields import archive, page, pages, write_files

from memoryfield_readers import open_field
from memoryfield_validator.server_check import check_server

OPTIONS = {"timeout": 20, "retries": 0, "anon": True}
INDEX = "# Cookware\n\nPages on pans.\n"
FIELDS: Mapping[str, Mapping[str, str | bytes]] = {
    "small": {"index.md": INDEX, "woks.md": page(title="Woks"), "plan.bin": b"\x00\x01"},
    "no introduction": {"woks.md": page(title="Öfen", more="summary: Was heiß wird.\n")},
    "odd names": {
        "index.md": INDEX,
        "über uns.md": page(number=1),
        "50%.md": page(number=2, title="100 % “steel” & <b>iron</b>"),
        "a#b?.md": "no frontmatter\n",
        "broken.md": "---\ntitle: [\n---\nx\n",
        "empty.md": "",
        "Zeichnung 1.svg": b"<svg/>",
    },
    "many": {"index.md": INDEX, **pages(60), "listing.md": "# All\n"},
}


@pytest.mark.parametrize("name", FIELDS)
def test_ours_has_no_finding(name: str, tmp_path: Path) -> None:
    """A folder is served as it should be, and has the pin that it has here."""
    place = write_files(tmp_path / "field", FIELDS[name])
    with serving(place) as server:
        report = check_server(server.url, storage_options=OPTIONS)
    assert (report.findings, report.unread) == ((), ())
    with open_field(place) as field:
        assert (report.digest, report.pages) == (field.digest(), len(field.pages))


def test_each_of_several_fields_has_none(tmp_path: Path) -> None:
    """So is each of several, an archive among them."""
    write_files(tmp_path / "small", FIELDS["small"])
    packed = tmp_path / "packed.memoryfield.zip"
    packed.write_bytes(archive(FIELDS["odd names"]))
    with serving(tmp_path / "small", packed) as server:
        for name in ("small", "packed"):
            report = check_server(f"{server.url}{name}/", storage_options=OPTIONS)
            assert (report.findings, report.unread) == ((), ()), name
            assert report.digest is not None
