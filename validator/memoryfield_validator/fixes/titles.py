"""The title of a page that has none: its first heading, or else its name (MF303)."""

from __future__ import annotations

import re

from memoryfield_readers import Page
from memoryfield_readers.markdown.code import without_comments, without_fenced_code

from ..naming import conforming_name

_HEADING = re.compile(
    r"^ {0,3}#{1,6}[ \t]++(?P<atx>[^\n]*)$"
    r"|(?:\A|(?<=\n))[ \t]*\r?\n {0,3}(?P<above>[^\s#>|=*+-][^\n]*)\n {0,3}(?:=+|-+)[ \t]*\r?$"
    r"|\A {0,3}(?P<first>[^\s#>|=*+-][^\n]*)\n {0,3}(?:=+|-+)[ \t]*\r?$",
    re.MULTILINE,
)
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+\Z")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_CODE_OR_EMPHASIS = re.compile(
    r"`++([^`]+)`++|(?<![\w\\])(?P<mark>\*\*|__|\*|_)(?=\S)([^*_`]+)(?<=\S)(?P=mark)(?!\w)"
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BLANKS = re.compile(r"\s+")
_BETWEEN_WORDS = re.compile(r"[\s_.-]+")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan"})
_MOST_TITLE = 200
_MOST_HEADING = 2000


def title_for(page: Page) -> str:
    """The first heading of the body outside of code and comments, or else the name in words."""
    return title_from_heading(page) or title_from_name(page.name)


def title_from_heading(page: Page) -> str | None:
    """The first heading of the body outside of code and comments, or None if it has none."""
    prose = without_comments(without_fenced_code(page.body))
    for heading in _HEADING.finditer(prose):
        title = _as_title(heading["atx"] or heading["above"] or heading["first"] or "")
        if title:
            return title
    return None


def title_from_name(name: str) -> str:
    """A name in words: `carbon-fibre-woks.md` becomes `Carbon fibre woks`."""
    words = _readable(_BETWEEN_WORDS.sub(" ", name.removesuffix(".md")))[:_MOST_TITLE].strip()
    if not words:
        words = conforming_name(name).removesuffix(".md")
    return words[:1].upper() + words[1:]


def needs_no_quotes(title: str) -> bool:
    """Whether a title is surely text to every YAML parser though it is written plain."""
    return _PLAIN.fullmatch(title) is not None and title.lower() not in _WORDS


def _as_title(heading: str) -> str:
    """The words of a heading without its Markdown, in one line of bounded length."""
    text = _LINK.sub(r"\1", _CLOSING_MARKS.sub("", heading[:_MOST_HEADING].strip()))
    text = _CODE_OR_EMPHASIS.sub(lambda match: match[1] or match[3], text)
    text = _BLANKS.sub(" ", _readable(_ESCAPE.sub(r"\1", text))).strip()
    if len(text) > _MOST_TITLE:
        text = text[:_MOST_TITLE].rpartition(" ")[0] or text[:_MOST_TITLE]
    return text


def _readable(text: str) -> str:
    """The text without what YAML does not allow or takes for a line end."""
    return "".join(c for c in text if c.isprintable() or c == "\u200d")
