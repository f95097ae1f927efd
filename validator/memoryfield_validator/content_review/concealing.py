"""Findings of other rules that quote a secret, made fit to be shown (MF804)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from memoryfield_readers import FrontmatterState, Page, visible
from memoryfield_readers.frontmatter import Frontmatter, Scalar
from memoryfield_spec import catalogue

from ..finding import Finding
from ..registry import REVIEW
from .secrets import MASK, Span, secret_spans

_SECRET = "MF804"  # noqa: S105 - the id of a requirement
_FIELD_NAME = re.compile("`(?:title|summary|uuid|created|updated)`")
_QUOTED = re.compile(r"(`).*`|(?<= )(').*'|(?<= )(\").*\"", re.DOTALL)
_LAST = 0x10FFFF
_ESCAPE = re.compile(r"\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})")


class Concealing:
    """What must not be quoted from the pages of a field, page by page as they are checked."""

    def __init__(self) -> None:
        self._lines: dict[str, tuple[range, ...]] = {}

    def look_into(self, pages: Iterable[Page]) -> None:
        """Note the lines of pages in which secrets stand; of most pages there are none."""
        for page in pages:
            spans = hidden_spans(page)
            if spans:
                self._lines[page.name] = tuple(_lines_of(page, _with_values(page, spans)))

    def applied(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """The findings, sorted by file as they come, with masks for secrets in their messages.

        Nothing is compared with what stands in the page: a message has it parsed, escaped or cut
        short. Whatever is quoted from a line with a secret goes; rules of the review themselves
        quote without secrets.
        """
        name: str | None = None
        lines: frozenset[int] = frozenset()
        for finding in findings:
            if finding.file != name:
                name = finding.file
                lines = frozenset(n for each in self._lines.get(name or "", ()) for n in each)
            yield finding if finding.rule == _SECRET else _concealed(finding, lines)


def hidden_spans(page: Page) -> list[Span]:
    """What must not be shown of a page: its secrets, also those that YAML puts together."""
    return [*secret_spans(page.text), *_of_frontmatter(page)]


def _concealed(finding: Finding, lines: frozenset[int]) -> Finding:
    message, hint = finding.message, finding.hint
    if finding.line in lines and not finding.rule.startswith(REVIEW):
        message = _without_quotations(message)
        if hint and hint != catalogue()[finding.rule].hint:
            hint = _without_quotations(hint)
    message, hint = _freed(message), hint and _freed(hint)
    if (message, hint) == (finding.message, finding.hint):
        return finding
    return replace(finding, message=message, hint=hint)


def _without_quotations(text: str) -> str:
    """The text with one mask from its first quotation to its last, a field's name in front apart.

    What is quoted may hold marks of quotation, so that where it ends cannot be told otherwise.
    """
    name = _FIELD_NAME.match(text)
    start = name.end() if name else 0
    return text[:start] + _QUOTED.sub(_masked, text[start:])


def _masked(quoted: re.Match[str]) -> str:
    mark = quoted[quoted.lastindex or 0]
    return f"{mark}{MASK}{mark}"


@lru_cache(maxsize=256)
def _freed(text: str) -> str:
    """A message or a hint with a mask for each secret that can still be told in it."""
    plain = _ESCAPE.sub(_unescaped, text)
    spans = secret_spans(plain)
    if not spans:
        return text
    for span in reversed(spans):
        plain = plain[: span.start] + MASK + plain[span.end :]
    return visible(plain)


def _unescaped(escape: re.Match[str]) -> str:
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= _LAST else escape[0]


def _of_frontmatter(page: Page) -> Iterator[Span]:
    """The values of fields in which a secret stands only when YAML has resolved its escapes."""
    if "\\" not in page.text[: page.text.find("\n---")]:
        return
    frontmatter = page.frontmatter
    for start, end, text in _values(frontmatter):
        if text not in frontmatter.source and secret_spans(text):
            yield Span(start, end)


def _with_values(page: Page, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, each with the whole value of the field that it stands in.

    In frontmatter that cannot be read, no value is told from another: it counts as one.
    """
    frontmatter = page.frontmatter
    values = _merged(Span(start, end) for start, end, _ in _values(frontmatter))
    if frontmatter.state is FrontmatterState.BROKEN:
        values = [Span(0, frontmatter.body_offset)]
    for span in spans:
        yield span
        at = bisect_left(values, (span.end,)) - 1
        while at >= 0 and values[at].end > span.start:
            yield values[at]
            at -= 1


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap in one: an alias stands within another value."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _values(frontmatter: Frontmatter) -> Iterator[tuple[int, int, str]]:
    """Where the value of each field stands in the page, and its text if it is a scalar."""
    for node in frontmatter.nodes.values():
        text = node.text if isinstance(node, Scalar) else ""
        yield frontmatter.offset + node.start, frontmatter.offset + node.end, text


def _lines_of(page: Page, spans: Iterable[Span]) -> Iterator[range]:
    """The lines of spans, those that overlap in one."""
    last = 0
    for start, end in sorted(spans):
        lines = range(max(last + 1, page.position(start).line), page.position(end).line + 1)
        if lines:
            yield lines
            last = lines[-1]
