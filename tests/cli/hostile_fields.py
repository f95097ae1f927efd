"""Fields whose names and pages are made to take over a terminal or to deceive who looks at it."""

from __future__ import annotations

import os
from pathlib import Path

from tests.cli.command import GOOD, folder

from memoryfield_validator.conformance.raw_zip import ZipEntry, zip_bytes

CLEAR = "\x1b[2J\x1b]0;owned\x07"
C1 = "\x9b31m\x85\x90"
BIDI = "\u202e\u2066\u200f\u061c\ufeff\u200b\u2028"
TAGS = "\U000e0041\U000e007f"
TEXTS = {"escapes": CLEAR, "c1": C1, "bidi": BIDI, "tags": TAGS, "bell": "\a\b\v\f\x7f"}
ALL = CLEAR + C1 + BIDI + TAGS

NAMES = [
    f"{CLEAR}.md",
    f"a{BIDI}.md",
    f"a{C1}.md",
    "a\nmemoryfield: all is good\n.md",
    "a\r.md",
    "caf\u00e9 \u4e2d\u6587 \U0001f9ea.md",
    f"{CLEAR}.csv",
    f"{CLEAR}.sqlite3",
    f".{CLEAR}",
    f"CON{CLEAR}.MD",
    f"a{CLEAR} conflicted copy.md",
]
RAW_NAMES = [b"caf\xe9.md", b"\x9b2J.md", b"x\xff\xfe.txt", b".\xff"]
"""Names that are no UTF-8."""


def pages() -> dict[str, bytes]:
    """Pages that hold every text at every place from which a message may quote it."""
    found: dict[str, bytes] = {"nul.md": b"\x00\x00\x1b[2J", "latin.md": b"caf\xe9 \x9b2J\xff"}
    found["utf16.md"] = f"---\ntitle: {CLEAR}\n---\n".encode("utf-16")
    for name, text in TEXTS.items():
        quoted = "".join(f"\\U{ord(each):08x}" for each in text)
        for kind, page in _kinds(text, quoted).items():
            found[f"{name}-{kind}.md"] = page.encode()
    found["index.md"] = f'---\ntitle: "{_escaped(ALL)}"\n---\n{ALL}\n'.encode()
    found["listing.md"] = f"# Pages\n[x]({ALL}.md) [y](<a {BIDI}.md>)\n".encode()
    return found


def _kinds(text: str, quoted: str) -> dict[str, str]:
    """Pages that hold a text, as it is and as YAML can write it, by where they hold it."""
    fields = "\n".join(
        f'{name}: "{quoted}"' for name in ("title", "uuid", "summary", "created", "updated")
    )
    return {
        "title": f'---\ntitle: "a {quoted} z"\n---\n{text}\n',
        "fields": f"---\n{fields}\n---\n{text}\n",
        "raw": f"---\ntitle: a {text}\nuuid: {text}\n---\n{text}\n",
        "key": f'---\n"{quoted}": 1\n"{quoted}": 2\n? ["{quoted}"]\n: 3\n---\n',
        "tag": f"---\ntitle: !<{text}> x\n---\n",
        "anchor": f"---\ntitle: &{text} x\nsummary: *{text}\n---\n",
        "broken": f'---\ntitle: "{quoted}" {text}: [\n---\n',
        "nan": f'---\nx: {{"{quoted}": .nan, y: !!binary "{quoted}"}}\n---\n',
        "link": f"[{text}]({text}.md) <{text}> ![]({text}) [r]: {text}.md\n\n[r]: {text}x.md\n",
        "markers": f"{text}\n<<<<<<< {text}\n=======\n>>>>>>> {text}\n",
        "caret": f"---\ntitle: {text * 30} : {text * 30}\n---\n",
    }


def _escaped(text: str) -> str:
    return "".join(f"\\U{ord(each):08x}" for each in text)


def hostile_folder(root: Path) -> Path:
    """A folder of such pages and names, with sub-directories and links, under such a name."""
    path = folder(root / f"field {CLEAR}{BIDI}{C1}", pages())
    for raw in (*map(os.fsencode, NAMES), *RAW_NAMES):
        _write(os.fsencode(path) + b"/" + raw, GOOD)
    for name in (f"sub{CLEAR}", f"sub{BIDI}", f"__MACOSX{CLEAR}", f".{BIDI}"):
        folder(path / name, {f"x{CLEAR}.md": GOOD, "y.sync-conflict-1.md": GOOD})
    return path


def with_links(path: Path) -> Path:
    """The folder with irregular files as well, because of which it has no pin."""
    for name, target in ((f"l{CLEAR}.md", f"/{CLEAR}"), (f"m{BIDI}.md", f"no{BIDI}")):
        (path / name).symlink_to(target)
    return path


def hostile_archive(root: Path) -> Path:
    """An archive of such pages, safe to read, under such a name."""
    path = root / f"{CLEAR}{BIDI}.memoryfield.zip"
    names = [f"a{BIDI}.md", f"b{TAGS}.md", f"s{BIDI}/x.md", f"{BIDI}.csv", f".{BIDI}"]
    entries = [ZipEntry(name, GOOD) for name in names]
    entries += [ZipEntry(name, content) for name, content in pages().items()]
    path.write_bytes(zip_bytes(*entries, ZipEntry(b"caf\xe9.md", GOOD)))
    return path


def unsafe_archive(root: Path) -> Path:
    """An archive whose entries are refused, each under its name."""
    path = root / f"u{CLEAR}{C1}.zip"
    names: list[str | bytes] = [*NAMES, *RAW_NAMES, f"../{BIDI}", f"C:{CLEAR}"]
    entries = [ZipEntry(name, GOOD) for name in names]
    twice = [ZipEntry(f"{BIDI}.md", GOOD)] * 2
    special = ZipEntry(f"l{BIDI}.md", CLEAR.encode(), attributes=0o120777 << 16)
    other = ZipEntry(f"m{BIDI}.md", GOOD, method=93)
    path.write_bytes(zip_bytes(*entries, *twice, special, other, comment=CLEAR.encode()))
    return path


def _write(path: bytes, content: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError:
        pass  # some file systems have no such names
