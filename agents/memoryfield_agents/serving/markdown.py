"""Markdown as HTML in which nothing runs: each tag and attribute that is written stands here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from memoryfield_readers import visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MOST_RENDERED: Final = 128 * 1024
"""Characters of a page that is rendered; a longer one is shown as it stands."""

_STEPS_A_CHARACTER: Final = 3
_FREE_STEPS: Final = 20_000
_MOST_NESTING: Final = 20
_MOST_ID: Final = 100
_MOST_LINE: Final = 32 * 1024
"""Characters of a paragraph that is looked into for links and emphasis."""

_TAGS: Final = {
    "blockquote": "blockquote", "bullet_list": "ul", "em": "em", "list_item": "li",
    "ordered_list": "ol", "paragraph": "p", "s": "del", "strong": "strong", "table": "table",
    "tbody": "tbody", "thead": "thead", "tr": "tr",
}  # fmt: skip
_BREAKS_LINE: Final = frozenset({"blockquote", "ul", "ol", "table", "tbody", "thead", "tr"})
_ALIGNED: Final = {"text-align:left": "left", "text-align:center": "center"}
_SCHEME = re.compile(r"[^/?#]*?:")
_UNSAFE_IN_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\<>\"\u2028\u2029]")
_WEB = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_MAIL = re.compile(r"mailto:[^/?#]", re.IGNORECASE)
_NOT_FOR_HTML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of what follows."""


class _TooMuch(Exception):
    """A page that takes more steps than one of its length should."""


def rendered(text: str, pictures: Container[str] = frozenset()) -> str:
    """A page as HTML, or as it stands where it is too long or too intricate.

    How much is done is counted and not timed, so that the same text gives the same HTML.

    Arguments:
        text: the body of a page.
        pictures: the names of files beside it that may be shown as pictures; all others, and
            pictures elsewhere, are links.
    """
    if len(text) > MOST_RENDERED:
        return preformatted(text)
    clean = _NOT_FOR_HTML.sub("\ufffd", text)
    budget = {"left": _FREE_STEPS + _STEPS_A_CHARACTER * len(clean)}
    try:
        tokens = _parser().parse(clean, budget)
    except (_TooMuch, RecursionError):
        return preformatted(text)
    writer = _Writer(pictures)
    writer.blocks(tokens)
    return "".join(writer.out)


def preformatted(text: str) -> str:
    """Text as it stands."""
    return f"<pre>{escape(_NOT_FOR_HTML.sub(_escaped, text))}</pre>\n"


def _escaped(match: re.Match[str]) -> str:
    return visible(match[0])


def may_be_linked(url: str) -> bool:
    """Whether a link may lead there: to a web page, a mail address, or beside the page itself."""
    if _UNSAFE_IN_URL.search(url):
        return False
    if _SCHEME.match(url):
        return bool(_WEB.match(url) or _MAIL.match(url))
    return not url.startswith("//")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from markdown_it.parser_inline import ParserInline

    class Counting(ParserInline):
        """A parser whose way through a paragraph is counted, also where it has been before."""

        def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
            if len(src) > _MOST_LINE:
                _spend(env, len(src) // 4)
            return super().parse(src, md, env, tokens)

        def skipToken(self, state: StateInline) -> None:  # noqa: N802 - the name is the library's
            _spend(state.env)
            super().skipToken(state)

    def inline(state: StateInline, silent: bool) -> bool:
        _spend(state.env)
        return False

    def block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        _spend(state.env, 1 if silent else 1 + _cells(state, start, end))
        return False

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _MOST_NESTING})
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    counting = Counting()
    counting.ruler, counting.ruler2 = parser.inline.ruler, parser.inline.ruler2
    parser.inline = counting
    parser.inline.ruler.before("text", "steps", inline)
    parser.block.ruler.before("table", "steps", block, {"alt": ["paragraph", "reference"]})
    parser.validateLink = may_be_linked  # type: ignore[method-assign]
    return parser


def _cells(state: StateBlock, start: int, end: int) -> int:
    """How many cells a table has that begins here: rows may be short, and are filled up."""
    if start + 2 >= end:
        return 0
    first, second = (
        state.src[state.bMarks[line] : state.eMarks[line]] for line in (start, start + 1)
    )
    end_of_row = second[len(second.rstrip("-|: \t")) :]  # no pattern: lines may be very long
    if "|" not in first or "-" not in end_of_row:
        return 0
    rows = 0
    while start + rows < end and not state.isEmpty(start + rows):
        rows += 1
    return rows * (first.count("|") + 1)


def _spend(env: Any, steps: int = 1) -> None:
    env["left"] -= steps
    if env["left"] < 0:
        raise _TooMuch


class _Writer:
    """Writes tokens as HTML; what it does not know becomes text."""

    def __init__(self, pictures: Container[str]) -> None:
        self.out: list[str] = []
        self._pictures = pictures
        self._in_link = False
        self._ids: dict[str, int] = {}

    def blocks(self, tokens: Sequence[Token]) -> None:
        for at, token in enumerate(tokens):
            if token.type == "inline":
                self._inline(token.children or ())
            elif token.type in ("code_block", "fence"):
                self.out.append(f"<pre><code>{escape(token.content)}</code></pre>\n")
            elif token.type == "hr":
                self.out.append("<hr>\n")
            elif token.type == "heading_open":
                self._tag(token, self._id(tokens[at + 1].children or ()))
            elif not token.hidden:
                self._tag(token)

    def _id(self, heading: Sequence[Token]) -> str:
        """Where a link to a heading leads: made of its words as other programs do, and used once.

        There are letters, digits, `-` and `_` in it alone.
        """
        words = "".join(
            "-" if char == " " else char
            for char in _text_of(heading).strip().lower()[:_MOST_ID]
            if char in " -_" or unicodedata.category(char)[0] in "LMN"
        )
        made = words
        while made in self._ids:
            self._ids[words] += 1
            made = f"{words}-{self._ids[words]}"
        if not made:
            return ""
        self._ids[made] = 0
        return f' id="{made}"'

    def _tag(self, token: Token, attributes: str = "") -> None:
        kind, _, side = token.type.rpartition("_")
        if side not in ("open", "close"):
            self.out.append(escape(token.content))
            return
        tag = _TAGS.get(kind, "")
        if kind == "heading" and token.tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            tag = token.tag
        elif kind in ("th", "td"):
            tag = kind
            style = token.attrs.get("style")
            if style is not None:
                attributes = f' class="{_ALIGNED.get(str(style), "right")}"'
        elif kind == "ordered_list" and isinstance(token.attrs.get("start"), int):
            attributes = f' start="{token.attrs["start"]}"'
        if not tag:
            return
        if side == "close":
            self.out.append(f"</{tag}>" + ("\n" if token.block else ""))
        else:
            self.out.append(f"<{tag}{attributes}>" + ("\n" if tag in _BREAKS_LINE else ""))

    def _inline(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            if token.type == "code_inline":
                self.out.append(f"<code>{escape(token.content)}</code>")
            elif token.type == "softbreak":
                self.out.append("\n")
            elif token.type == "hardbreak":
                self.out.append("<br>\n")
            elif token.type == "link_open":
                self._link(token)
            elif token.type == "link_close":
                if self._in_link:
                    self.out.append("</a>")
                self._in_link = False
            elif token.type == "image":
                self._image(token)
            elif token.type in ("text", "text_special"):
                self.out.append(escape(token.content))
            else:
                self._tag(token)

    def _link(self, token: Token) -> None:
        url = str(token.attrs.get("href", ""))
        if self._in_link or not may_be_linked(url):
            return
        self._in_link = True
        self.out.append(_anchor(url, str(token.attrs.get("title", ""))))

    def _image(self, token: Token) -> None:
        url = str(token.attrs.get("src", ""))
        text = _text_of(token.children or ())
        name = unquote(url).removeprefix("./")
        if may_be_linked(url) and name in self._pictures:
            title = str(token.attrs.get("title", ""))
            titled = f' title="{escape(title)}"' if title else ""
            self.out.append(
                f'<img src="{escape(url)}" alt="{escape(text)}"{titled} loading="lazy">'
            )
        elif self._in_link or not may_be_linked(url):
            self.out.append(escape(text))
        else:
            self.out.append(f"{_anchor(url, '')}{escape(text or url)}</a>")


def _anchor(url: str, title: str) -> str:
    away = ' rel="noopener noreferrer nofollow"' if _SCHEME.match(url) else ""
    titled = f' title="{escape(title)}"' if title else ""
    return f'<a href="{escape(url)}"{titled}{away}>'


def _text_of(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type == "image":
            parts.append(_text_of(token.children or ()))
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        else:
            parts.append(token.content)
    return "".join(parts)
