"""SPEC.md says what the catalogue says, and holds together."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import tomllib
import zlib
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from jsonschema import Draft202012Validator

from memoryfield_spec import catalogue, schema
from memoryfield_spec.tables import main, rewrite

SPEC = Path(__file__).parents[2] / "spec" / "SPEC.md"
TEXT = SPEC.read_text(encoding="utf-8")
PIN = "field-sha256:61725e02d7eabcaaff99beecf13cf5ec0afeae16e6e25b7f7377eb7edbfdbf70"

PARAGRAPH = re.compile(
    r'^<a id="(?P<anchor>[^"]*)"></a>\*\*(?P<id>MF\d{3})\*\* '
    r"\((?P<level>\w+); (?P<classes>[\w, ]+)\)\n"
    r"(?P<statement>(?:.+\n)+)",
    re.MULTILINE,
)
KEYWORD = re.compile(
    r"\b(?:MUST NOT|MUST|SHALL NOT|SHALL|SHOULD NOT|SHOULD|NOT RECOMMENDED|RECOMMENDED"
    r"|REQUIRED|MAY|OPTIONAL)\b"
)
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)


class Paragraph(NamedTuple):
    """A requirement paragraph of SPEC.md."""

    anchor: str
    level: str
    classes: tuple[str, ...]
    statement: str
    section: str


def blanked(match: re.Match[str]) -> str:
    """Blanks in place of what was matched, so that lines and offsets stay."""
    return re.sub(r"[^\n]", " ", match[0])


def without_blocks(text: str) -> str:
    """The text with fenced blocks blanked out."""
    return FENCE.sub(blanked, text)


def without_code(text: str) -> str:
    """The text with fenced blocks and inline code blanked out."""
    return re.sub(r"`[^`\n]+`", blanked, without_blocks(text))


def slug(heading: str) -> str:
    """The anchor that a heading gets."""
    plain = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def headings(text: str, depth: str = "#{1,6}") -> list[tuple[int, str]]:
    """The offset and the slug of each heading."""
    found = re.finditer(rf"^{depth} (.+)$", without_blocks(text), re.MULTILINE)
    return [(match.start(), slug(match[1])) for match in found]


def paragraphs() -> dict[str, Paragraph]:
    """The requirement paragraphs of SPEC.md by id; an id that stands twice is an error."""
    sections = headings(TEXT, "##")
    found: dict[str, Paragraph] = {}
    for match in PARAGRAPH.finditer(TEXT):
        assert match["id"] not in found, match["id"]
        section = [name for start, name in sections if start < match.start()][-1]
        found[match["id"]] = Paragraph(
            match["anchor"],
            match["level"],
            tuple(match["classes"].split(", ")),
            " ".join(match["statement"].split()),
            section,
        )
    return found


def section_text(name: str) -> str:
    """The text of a section of the second level."""
    sections = [*headings(TEXT, "##"), (len(TEXT), "")]
    return next(TEXT[start:end] for (start, found), (end, _) in pairwise(sections) if found == name)


def test_paragraphs_and_catalogue_have_the_same_ids_in_order() -> None:
    """No requirement is missing from SPEC.md, none is invented, none stands twice."""
    assert list(paragraphs()) == list(catalogue())


@pytest.mark.parametrize("id", list(catalogue()))
def test_paragraph_says_what_the_catalogue_says(id: str) -> None:
    """Level, classes, statement, section and anchor agree, the statement word for word."""
    one = catalogue()[id]
    assert paragraphs()[id] == Paragraph(
        id.lower(), one.level, one.classes, one.statement, one.section
    )


@pytest.mark.parametrize("id", list(catalogue()))
def test_paragraph_is_explained(id: str) -> None:
    """Text follows each paragraph; for what a validator checks it says where a finding stands."""
    after = TEXT.split(f'<a id="{id.lower()}"></a>', 1)[1].split("\n\n", 1)[1]
    explanation = re.split(r'^(?:<a id="mf|## )', after, maxsplit=1, flags=re.MULTILINE)[0]
    assert len(explanation) > 60
    assert ("*Finding:*" in explanation.replace("\n", " ")) == (not id.startswith("MF9"))


def test_keywords_stand_only_in_requirement_paragraphs() -> None:
    """A key word in capitals is one per requirement paragraph; only its definition is exempt."""
    normative = PARAGRAPH.findall(TEXT)
    rest = PARAGRAPH.sub("", TEXT).replace(section_text("terminology"), "")
    assert KEYWORD.findall(rest) == []
    assert len(KEYWORD.findall("\n".join(statement for *_, statement in normative))) == len(
        catalogue()
    )


def test_terminology_defines_the_keywords() -> None:
    """The key words that are used are those that the terminology section speaks of."""
    terminology = section_text("terminology")
    for keyword in {one.keyword for one in catalogue().values()}:
        assert f'"{keyword}"' in terminology


def test_anchors_are_unique() -> None:
    """No two headings or anchors share a name."""
    names = [name for _, name in headings(TEXT)] + re.findall(r'<a id="([^"]+)"', TEXT)
    assert sorted(names) == sorted(set(names))


def test_internal_links_resolve() -> None:
    """Every link to a place in SPEC.md leads to a heading or an anchor."""
    known = {name for _, name in headings(TEXT)} | set(re.findall(r'<a id="([^"]+)"', TEXT))
    links = re.findall(r"\]\(#([^)]+)\)", without_code(TEXT))
    assert links
    assert set(links) <= known


def test_links_are_internal() -> None:
    """SPEC.md depends on no other document and on no host."""
    assert [
        link for link in re.findall(r"\]\(([^)]+)\)", without_code(TEXT)) if link[0] != "#"
    ] == []


def test_ids_in_the_text_exist() -> None:
    """Wherever SPEC.md names an id, there is such a requirement."""
    assert set(re.findall(r"\bMF\d{3}\b", TEXT)) == set(catalogue())


def test_generated_tables_are_up_to_date() -> None:
    """Writing the tables anew changes nothing, and all three are there."""
    assert rewrite(TEXT) == TEXT
    assert set(re.findall(r"<!-- generated: ([a-z-]+) -->", TEXT)) == {
        "classes",
        "models",
        "requirements",
    }


def test_tables_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command finds a stale table, mends it, and is content then."""
    copy = tmp_path / "SPEC.md"
    copy.write_text(TEXT.replace("| [MF101](#mf101) | error", "| [MF101](#mf101) | info"), "utf-8")
    assert main(["--check", str(copy)]) == 1
    assert "out of date" in capsys.readouterr().err
    assert main([str(copy)]) == 0
    assert copy.read_text("utf-8") == TEXT
    assert main(["--check", str(copy)]) == 0
    assert main([]) == 2


def test_unknown_table_is_an_error() -> None:
    """A region with a name for which there is no table is not left as it is."""
    with pytest.raises(LookupError, match="there is no table 'x'"):
        rewrite("<!-- generated: x -->\n<!-- end generated -->\n")


def test_worked_example_of_a_digest() -> None:
    """Each step of the worked example is what SHA-256 gives, down to the known answer."""
    digests = {
        name: hashlib.sha256(f"{name[0]}\n".encode()).hexdigest() for name in ("a.md", "b.md")
    }
    lines = [f"{digest}  {name}" for name, digest in digests.items()]
    manifest = "".join(f"{line}\n" for line in lines).encode()
    assert f"field-sha256:{hashlib.sha256(manifest).hexdigest()}" == PIN
    example = section_text("digests-and-pins").split("### Worked example")[1]
    assert "\n".join(f"    {line}" for line in lines) in example
    assert f"    {PIN}\n" in example
    assert f"{len(manifest)} bytes" in example


def test_known_answer_of_an_archive() -> None:
    """An archive made as the section on archives says has the size and the pin given there."""
    files = {b"a.md": b"a\n", b"b.md": b"b\n"}
    entries = directory = b""
    for name, data in sorted(files.items()):
        common = struct.pack(
            "<HHHHHLLLHH", 20, 0, 0, 0, 0x21, zlib.crc32(data), len(data), len(data), len(name), 0
        )
        directory += struct.pack("<4sBB", b"PK\x01\x02", 20, 3) + common
        directory += struct.pack("<HHHLL", 0, 0, 0, 0x81A40000, len(entries)) + name
        entries += b"PK\x03\x04" + common + name + data
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 2, 2, len(directory), len(entries), 0)
    archive = entries + directory + end
    section = section_text("archives")
    assert f"{len(archive)} bytes" in section
    assert f"    sha256:{hashlib.sha256(archive).hexdigest()}\n" in section


def examples() -> dict[str, tuple[str, str, str]]:
    """The examples of SPEC.md that are conformance cases: relation, requirement, content."""
    found: dict[str, tuple[str, str, str]] = {}
    for match in FENCE.finditer(TEXT):
        if "example=" not in match["info"]:
            continue
        info = re.fullmatch(
            r"markdown example=([a-z0-9-]+) (breaks|obeys)=(MF\d{3})", match["info"]
        )
        assert info, match["info"]
        assert info[1] not in found, info[1]
        found[info[1]] = (info[2], info[3], match["content"])
    return found


def test_examples_are_named_and_refer_to_requirements() -> None:
    """Each example that is a case has a unique id and names a requirement."""
    assert len(examples()) >= 8
    assert {rule for _, rule, _ in examples().values()} <= set(catalogue())


def test_example_of_a_report() -> None:
    """The report shown is one that the schema accepts, and its digest is that of the page shown."""
    section = section_text("reports")
    (shown,) = [match["content"] for match in FENCE.finditer(section) if match["info"] == "json"]
    report = json.loads(shown)
    Draft202012Validator(schema("report")).validate(report)
    page = examples()["report-of-one-finding"][2].encode()
    manifest = f"{hashlib.sha256(page).hexdigest()}  example.md\n".encode()
    assert report["digest"] == f"field-sha256:{hashlib.sha256(manifest).hexdigest()}"
    (finding,) = report["findings"]
    line = page.decode().splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 :] == "2026-03-01T09:00:00Z"
    assert finding["hint"] == catalogue()["MF304"].hint


def test_example_of_a_lock_file() -> None:
    """The lock file shown is as the schema has it, and its manifest has the digest that it gives.

    The table describes the keys of the schema, in the order in which they are written.
    """
    section = section_text("lock-file")
    (shown,) = [match["content"] for match in FENCE.finditer(section) if match["info"] == "toml"]
    lock = tomllib.loads(shown)
    Draft202012Validator(schema("lock")).validate(lock)
    (entry,) = lock["fields"].values()
    manifest = "".join(f"{line}\n" for line in entry["manifest"]).encode()
    assert entry["field_pin"] == f"field-sha256:{hashlib.sha256(manifest).hexdigest()}" == PIN
    archives = section_text("archives")
    assert f"    {entry['archive_pin']}\n" in archives
    assert f"{entry['archive_bytes']} bytes" in archives
    described = re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)
    assert described == ["version", *schema("lock")["$defs"]["field"]["properties"]]
    assert list(entry) == [key for key in described if key in entry]


def test_example_of_a_batch() -> None:
    """The batch shown is as the schema has it; the table has its operations, with their keys."""
    section = section_text("readers-and-writers")
    (shown,) = [match["content"] for match in FENCE.finditer(section) if match["info"] == "json"]
    given = schema("batch")
    Draft202012Validator(given).validate(json.loads(shown))
    described = {
        row[0]: set(re.findall(r"`([a-z0-9_]+)`", row[1]))
        for row in re.findall(r"^\| `([a-z-]+)` \| (.+?) \| ", section, re.MULTILINE)
    }
    del described["op"]  # the head of the table
    operations = [
        one["$ref"].rpartition("/")[2]
        for one in given["properties"]["operations"]["items"]["oneOf"]
    ]
    assert described == {
        name: set(given["$defs"][name]["properties"]) - {"op"} for name in operations
    }


def test_prose_is_plain() -> None:
    """SPEC.md has no tabs, no trailing blanks, no invisible characters, and ends with one LF."""
    assert not re.search(r"[\t\r\u00a0\u200b-\u200f\ufeff]| $", TEXT, re.MULTILINE)
    assert TEXT.endswith("\n")
    assert not TEXT.endswith("\n\n")
