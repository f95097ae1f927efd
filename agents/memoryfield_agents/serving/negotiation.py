"""Whether a client would rather have a page for people, or its bytes."""

from __future__ import annotations

import re

_QUALITY = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
_MOST_RANGES = 50


def wants_html(accept: str | None) -> bool:
    """Whether HTML is asked for by its name, and not less than Markdown.

    Who takes anything, as `curl` and programs do, gets the bytes of the page (MF701).

    Arguments:
        accept: the value of `Accept`; None where there is none.
    """
    if accept is None:
        return False
    quality: dict[str, float] = {}
    for each in accept.split(",")[:_MOST_RANGES]:
        media, *parameters = (part.strip().lower() for part in each.split(";"))
        quality.setdefault(media, _quality(parameters))
    html = quality.get("text/html", 0.0)
    if html <= 0:
        return False
    markdown = quality.get("text/markdown")
    if markdown is not None:
        return html > markdown
    return html >= quality.get("text/*", quality.get("*/*", 0.0))


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            value = value.strip()
            return float(value) if _QUALITY.fullmatch(value) else 0.0
    return 1.0
