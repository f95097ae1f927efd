"""Findings of other rules that quote a secret, made fit to be shown (MF804)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from memoryfield_readers import Field, MemoryfieldError

from ..finding import Finding
from .secrets import secret_spans, without_secrets

SECRET = "MF804"  # noqa: S105 - the id of a requirement
"""The requirement whose findings say that there is something not to be shown."""


def concealed(findings: Iterable[Finding], field: Field) -> Iterator[Finding]:
    """The findings, with a mask for each secret that the messages of one page quote.

    Arguments:
        findings: those of one field, sorted by file.
        field: the field, from which pages with secrets are read again.
    """
    for file, group in groupby(findings, key=lambda finding: finding.file):
        found = list(group)
        if file is None or not any(each.rule == SECRET for each in found):
            yield from found
            continue
        texts = _secrets_of(file, field)
        yield from (
            replace(
                each,
                message=without_secrets(each.message, texts),
                hint=without_secrets(each.hint, texts) if each.hint else each.hint,
            )
            for each in found
        )


def _secrets_of(file: str, field: Field) -> Sequence[str]:
    try:
        text = field.page(file).text
    except MemoryfieldError:
        return ()
    return [text[span.start : span.end] for span in secret_spans(text)]
