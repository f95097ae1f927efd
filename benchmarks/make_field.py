"""Fields of any size for benchmarks: plausible pages, the same ones every time."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from pathlib import Path

_WORDS = (
    "archive", "backlog", "cache", "digest", "embedder", "fallback", "gateway", "handler",
    "index", "journal", "kernel", "ledger", "manifest", "network", "operator", "pipeline",
    "queue", "replica", "schema", "token", "upstream", "vector", "worker", "yield",
    "the", "a", "of", "to", "in", "is", "that", "for",
    "with", "when", "after", "before", "under", "between", "never", "always",
    "only", "every",
)  # fmt: skip


def make_field(folder: Path, pages: int, *, seed: int = 1) -> None:
    """Write a field of so many pages of about 1 to 3 KB each, links and lists among the prose.

    Arguments:
        folder: where to write it; made if it is not there.
        pages: how many pages to write.
        seed: what the contents depend on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    names = [f"{rng.choice(_WORDS)}-{number:05d}.md" for number in range(pages)]
    for name in names:
        (folder / name).write_text(_page(rng, names), encoding="utf-8", newline="\n")


def tree_pages(pages: int, *, seed: int = 1) -> Iterator[tuple[str, str | None, str]]:
    """Names, parents and texts of pages of about 1 KB that are a tree: eight children each.

    They have no uuid, so their names are what they are known by. A line of each says its number;
    one page in ten says that it was checked, and one in a thousand bears the mark `Qx`.

    Arguments:
        pages: how many pages.
        seed: what the contents depend on.
    """
    rng = random.Random(seed)
    prose = [_paragraph(rng) for _ in range(1_000)]
    names = [f"{rng.choice(_WORDS)}-{number:06d}.md" for number in range(pages)]
    for number, name in enumerate(names):
        parent = names[(number - 1) // 8] if number else None
        head = f"---\ntitle: {_sentence(rng, 4)}\n" + (f"parent: {parent}\n" if parent else "")
        checked = "Checked: yes.\n" if number % 10 == 0 else ""
        mark = "Mark: Qx\n" if number % 1_000 == 1 else ""
        body = "\n\n".join(rng.choices(prose, k=rng.randint(1, 4)))
        yield name, parent, f"{head}---\n{body}\n\nTicket T-{number:06d}.\n{checked}{mark}"


def _page(rng: random.Random, names: list[str]) -> str:
    identity = uuid.UUID(int=rng.getrandbits(128), version=4)
    created = f"2026-{rng.randint(1, 6):02d}-{rng.randint(1, 28):02d}T09:00:00Z"
    updated = f"2026-{rng.randint(7, 9):02d}-{rng.randint(1, 28):02d}T14:30:00Z"
    head = (
        f"---\ntitle: {_sentence(rng, 4)}\ncreated: '{created}'\nupdated: '{updated}'\n"
        f"uuid: {identity}\nsummary: {_sentence(rng, 12)}.\ntags: [{rng.choice(_WORDS)}]\n---\n"
    )
    paragraphs = [_paragraph(rng) for _ in range(rng.randint(2, 6))]
    link = f"[{rng.choice(_WORDS)}]({rng.choice(names)})"
    paragraphs.insert(1, f"See {link} and `{_sentence(rng, 2)}`.")
    paragraphs.append(f"Source: https://example.com/{rng.choice(_WORDS)}")
    return head + f"# {_sentence(rng, 4)}\n\n" + "\n\n".join(paragraphs) + "\n"


def _paragraph(rng: random.Random) -> str:
    return " ".join(f"{_sentence(rng, rng.randint(8, 16))}." for _ in range(rng.randint(3, 6)))


def _sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words)).capitalize()
