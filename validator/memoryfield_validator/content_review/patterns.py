"""Lists of patterns for passages that deserve a look (MF802, MF803, MF804), kept as data.

A list is a TOML file beside this module. It names its requirement and its level, may say what a
placeholder looks like, and holds tables `[[pattern]]`:

    id        names the pattern; never used for another one
    kind      which of the kinds in SPEC.md it belongs to
    what      what is found, as it stands in messages
    begins    literals with which a match may begin: with their first word as a whole word, unless
              they end in `*`, which is not part of them. They are in lower case, with blanks for
              line ends, unless `case` is true.
    regex     what is matched where such a literal stands; a blank stands for blanks, line ends and
              marks of quotes and emphasis
    case      whether upper and lower case differ; they do not unless this is true
    shown     how many characters of a secret's known prefix a message may hold; none if left out
    true      examples that this pattern finds, and no other one
    false     examples in which nothing is found

A group with a name in `regex` is what must not be shown, and where the finding stands. Matching
takes time in proportion to the length of the text: no repeat is without a bound (tests see to it).
In the examples `¦` is left out before use, so that a scanner of secrets passes over the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from string import ascii_lowercase, digits
from typing import NamedTuple

from memoryfield_spec import Level

from .unseen import Seen, as_seen

LISTS = ("model_orders", "data_exits", "secrets")
_GAP = r"(?:[\s>*_`\"'#-]{1,8}+)"
_FIRST_WORD = re.compile("[A-Za-z0-9]+")
_WORDS_ALONE = bytes(byte if chr(byte) in ascii_lowercase + digits else 0x20 for byte in range(256))
_SHORT = 16_384
_FEWEST_DIFFERENT = 5
"""Characters that differ in anything that is a secret: `xxxxxxxx` is none."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of a list; the attributes are those of the data, and its place in the list."""

    place: int
    id: str
    kind: str
    what: str
    begins: tuple[str, ...]
    regex: re.Pattern[str]
    case: bool
    shown: int
    true: tuple[str, ...]
    false: tuple[str, ...]


class Beginning(NamedTuple):
    """A literal with which a match of a pattern may begin."""

    literal: str
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class PatternList:
    """The patterns for one requirement.

    Attributes:
        requirement: its id.
        level: the level of its findings.
        placeholder: what in a secret shows that it is none, such as "example"; or None.
        patterns: in the order of the file; of two that match at one place the first one counts.
        by_word: how matches may begin, by the first word of that.
        others: the other ways in which matches may begin.
    """

    requirement: str
    level: Level
    placeholder: re.Pattern[str] | None
    patterns: tuple[Pattern, ...]
    by_word: Mapping[bytes, tuple[Beginning, ...]]
    others: tuple[Beginning, ...]


class Passage(NamedTuple):
    """A passage that a pattern matches.

    Attributes:
        start: the offset of the passage, or of the secret in it.
        end: where that ends.
        pattern: what matches it.
    """

    start: int
    end: int
    pattern: Pattern


def passages(text: str, patterns: PatternList) -> list[Passage]:
    """What the patterns of a list match, in order; of passages that overlap, the first.

    They are matched as they look: characters that cannot be seen hide nothing. Secrets hold no
    blanks, so that they are matched without those that hardly show as well.
    """
    seen = as_seen(text)
    found = list(_in_text(seen, patterns))
    if patterns.placeholder is not None and seen.text != text:
        closed = as_seen(text, closed=True)
        if closed != seen:
            found += _in_text(closed, patterns)
    kept: list[Passage] = []
    for passage in sorted(found, key=lambda one: (one.start, one.pattern.place, -one.end)):
        if not kept or passage.start >= kept[-1].end:
            kept.append(passage)
    return kept


def _in_text(seen: Seen, patterns: PatternList) -> Iterator[Passage]:
    """What the patterns of a list match in a text as it looks, where it stands in the text."""
    for start, end, pattern in _matches(seen.text, patterns):
        yield Passage(seen.original(start), seen.original(end - 1) + 1, pattern)


def _matches(text: str, patterns: PatternList) -> Iterator[Passage]:
    # U+0130 alone gets longer in lower case; with another letter in its place offsets stay.
    lower = text.replace("\u0130", "I").lower().replace("\n", " ")
    for literal, pattern in _possible_beginnings(lower, patterns):
        searched = text if pattern.case else lower
        at = searched.find(literal)
        while at >= 0:
            match = pattern.regex.match(text, at)
            if match and not _is_placeholder(match, patterns.placeholder):
                yield Passage(*match.span(match.lastgroup or 0), pattern)
            at = searched.find(literal, at + 1)


def _possible_beginnings(lower: str, patterns: PatternList) -> Iterator[Beginning]:
    """The beginnings whose first word is in the text: most of them need not be looked for."""
    yield from patterns.others
    is_short = len(lower) <= _SHORT
    for word in _known_words(lower) if is_short else _known_words.__wrapped__(lower):
        yield from patterns.by_word.get(word, ())


@lru_cache(maxsize=64)
def _known_words(lower: str) -> frozenset[bytes]:
    """The words of a text with which some pattern of some list begins.

    Kept for as many short texts as are checked in a row, since each list asks for it.
    """
    return _all_words().intersection(
        lower.encode("utf-8", "replace").translate(_WORDS_ALONE).split()  # YAML can say `\ud800`
    )


@cache
def _all_words() -> frozenset[bytes]:
    return frozenset[bytes]().union(*(pattern_list(name).by_word for name in LISTS))


def _is_placeholder(match: re.Match[str], placeholder: re.Pattern[str] | None) -> bool:
    """Whether what stands in the place of a secret is none."""
    if placeholder is None:
        return False
    secret = match[match.lastgroup or 0]
    return len(set(secret)) < _FEWEST_DIFFERENT or bool(placeholder.search(secret))


@cache
def pattern_list(name: str) -> PatternList:
    """One of `LISTS`, read once and kept."""
    import tomllib
    from importlib.resources import files

    data = tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
    placeholder = data.get("placeholder")
    patterns = tuple(_pattern(place, **given) for place, given in enumerate(data["pattern"]))
    by_word: dict[bytes, list[Beginning]] = defaultdict(list)
    others: list[Beginning] = []
    for pattern in patterns:
        for literal in pattern.begins:
            word = _FIRST_WORD.match(literal)
            if word and not literal.endswith("*"):
                by_word[word[0].lower().encode()].append(Beginning(literal, pattern))
            else:
                others.append(Beginning(literal.removesuffix("*"), pattern))
    return PatternList(
        data["requirement"],
        data["level"],
        re.compile(placeholder, re.ASCII | re.IGNORECASE | re.VERBOSE) if placeholder else None,
        patterns,
        {word: tuple(beginnings) for word, beginnings in by_word.items()},
        tuple(others),
    )


def _pattern(
    place: int,
    *,
    id: str,
    kind: str,
    what: str,
    begins: Iterable[str],
    regex: str,
    true: Iterable[str],
    false: Iterable[str],
    case: bool = False,
    shown: int = 0,
) -> Pattern:
    flags = re.ASCII | re.MULTILINE | (re.RegexFlag(0) if case else re.IGNORECASE)
    compiled = re.compile(regex.strip().replace("\n", "").replace(" ", _GAP), flags)
    examples = (tuple(text.replace("¦", "") for text in texts) for texts in (true, false))
    return Pattern(place, id, kind, what, tuple(begins), compiled, case, shown, *examples)
