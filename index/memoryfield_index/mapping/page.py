"""The map of a field as a web page that needs nothing else: no network, and no script to be read.

What stands in the field is text in it and never markup. The policy in its head lets a browser load
nothing and run nothing but the few lines below, which are known by their hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator

from .charting import Map
from .drawing import MARK, STYLE, described, figure
from .texts import distance_text, pages_text, safe

_STYLE = f"""
:root {{ color-scheme: light dark; --ink: #1a1a1a; --dim: #595959; --line: #d0d0d0; --paper: #fff }}
@media (prefers-color-scheme: dark) {{
:root {{ --ink: #e8e8e8; --dim: #a8a8a8; --line: #3a3d44; --paper: #14161a }}
}}
body {{ margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper);
color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }}
h1 {{ font-size: 1.5rem }} h2 {{ font-size: 1.2rem; margin-top: 2rem }}
p, figure {{ margin: .5rem 0 }}
svg.map {{ width: 100%; height: auto; border: 1px solid var(--line); border-radius: 6px }}
output {{ display: block; min-height: 4.5rem; white-space: pre-line; color: var(--dim) }}
table {{ border-collapse: collapse; width: 100% }}
th, td {{ border-bottom: 1px solid var(--line); padding: .35rem .5rem; text-align: left;
vertical-align: top }}
dt {{ margin-top: .6rem }} dd {{ margin: 0 0 0 1rem; color: var(--dim) }}
code {{ font: .9em ui-monospace, monospace }} small {{ color: var(--dim) }}
summary {{ cursor: pointer; margin-top: 2rem; font-size: 1.2rem; font-weight: bold }}
input {{ font: inherit; padding: .25rem .5rem; width: min(24rem, 90%) }}
{STYLE}
"""

_SCRIPT = """
const told = document.querySelector("output");
const points = [...document.querySelectorAll("svg circle")];
const box = document.querySelector("input");
function tell(event) {
  if (event.target.tagName === "circle") told.textContent = event.target.textContent;
}
document.querySelector("svg").addEventListener("pointerover", tell);
document.querySelector("svg").addEventListener("click", tell);
box.closest("p").hidden = false;
box.addEventListener("input", () => {
  const wanted = box.value.trim().toLowerCase();
  let count = 0;
  for (const point of points) {
    const fits = point.textContent.toLowerCase().includes(wanted);
    point.classList.toggle("off", !fits);
    point.classList.toggle("on", fits && wanted !== "");
    count += fits;
  }
  told.textContent = wanted ? count + " of " + points.length : "";
});
"""


def _source(text: str) -> str:
    """How a policy names a style or a script that it allows."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


POLICY = (
    f"default-src 'none'; style-src {_source(_STYLE)}; script-src {_source(_SCRIPT)}; "
    "base-uri 'none'; form-action 'none'"
)
"""What a browser may do with the page."""


def html_of(drawn: Map) -> str:
    """The map as a page."""
    title = safe(f"Map of {drawn.field}")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="generator" content="{MARK}">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            f"<h1>{title}</h1>",
            f"<p>{safe(described(drawn))}</p>",
            *(f"<p><small>{safe(note)}</small></p>" for note in _notes(drawn)),
            '<p hidden><label>Show pages with <input type="search" autocomplete="off"></label></p>',
            "<figure>",
            figure(drawn),
            "</figure>",
            '<output aria-live="polite"></output>',
            *_pairs(drawn),
            *_pages(drawn),
            f"<script>{_SCRIPT}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _notes(drawn: Map) -> Iterator[str]:
    if drawn.model is not None:
        yield f"Vectors of the model {drawn.model}, seen from where they differ most."
    yield from drawn.notes


def _pairs(drawn: Map) -> Iterator[str]:
    yield "<h2>Pages that say nearly the same</h2>"
    if not drawn.pairs:
        yield "<p>None.</p>"
        return
    yield "<table>"
    yield '<tr><th scope="col">Distance</th><th scope="col">Page</th><th scope="col">Page</th></tr>'
    for pair in drawn.pairs:
        one, other = drawn.spots[pair.first], drawn.spots[pair.second]
        yield (
            f"<tr><td>{distance_text(pair.distance)}</td>"
            f"<td>{safe(one.title)}<br><code>{safe(one.name)}</code></td>"
            f"<td>{safe(other.title)}<br><code>{safe(other.name)}</code></td></tr>"
        )
    yield "</table>"


def _pages(drawn: Map) -> Iterator[str]:
    yield f"<details><summary>All of the map: {pages_text(len(drawn.spots))}</summary>"
    yield "<dl>"
    for spot in drawn.spots:
        summary = f"<dd>{safe(spot.summary)}</dd>" if spot.summary else ""
        yield f"<dt>{safe(spot.title)} <code>{safe(spot.name)}</code></dt>{summary}"
    yield "</dl>"
    yield "</details>"
