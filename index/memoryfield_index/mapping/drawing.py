"""The picture of a map, as SVG: a point for each page, a line for each pair that is near."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from .charting import Map, Spot
from .texts import distance_text, pages_text, pairs_text, safe

WIDTH, HEIGHT, MARGIN = 1000, 700, 24

MARK = "memoryfield index map"
"""Near the beginning of every map, so that one can be told from what others have drawn."""

_MOST_NAMED = 5
"""So many pages that a page is near to are named where one points at it; the list has them all."""

STYLE = """\
svg.map { color-scheme: light dark; background: #fff; font: 14px system-ui, sans-serif }
.map line { stroke: #c2410c; stroke-width: 1.5; stroke-opacity: .7 }
.map circle { fill: #2563eb; fill-opacity: .65; stroke: #fff; stroke-width: .5 }
.map .near { fill: #c2410c; fill-opacity: .9 }
.map circle:hover, .map circle.on { stroke: #111; stroke-width: 2.5; fill-opacity: 1 }
.map .off { fill-opacity: .08; stroke-opacity: 0 }
@media (prefers-color-scheme: dark) {
svg.map { background: #14161a }
.map line { stroke: #fb923c }
.map circle { fill: #7db2ff; stroke: #14161a }
.map .near { fill: #fb923c }
.map circle:hover, .map circle.on { stroke: #fff }
}"""
"""How the picture looks, where it is light and where it is dark."""


def svg_of(drawn: Map) -> str:
    """The picture as a file of its own."""
    picture = figure(drawn, f"<style>{STYLE}</style>")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<!-- {MARK} -->\n{picture}\n'


def figure(drawn: Map, style: str = "") -> str:
    """The picture as an element that can stand in a page.

    Arguments:
        drawn: the map.
        style: an element that says how it looks; "" where what it stands in does.
    """
    places = placed(drawn.spots)
    near = _near(drawn)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="map" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" aria-labelledby="map-title map-text">',
        f'<title id="map-title">{safe(f"Map of {drawn.field}")}</title>',
        f'<desc id="map-text">{safe(described(drawn))}</desc>',
        *([style] if style else []),
        "<g>",
        *_lines(drawn, places),
        "</g>",
        "<g>",
    ]
    radius = 6 if len(drawn.spots) <= 200 else 4 if len(drawn.spots) <= 2000 else 2.5
    for number, (spot, (x, y)) in enumerate(zip(drawn.spots, places, strict=True)):
        kind = ' class="near"' if number in near else ""
        lines.append(
            f'<circle{kind} cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}">'
            f"<title>{_told(spot, near.get(number, ()))}</title></circle>"
        )
    return "\n".join([*lines, "</g>", "</svg>"])


def described(drawn: Map) -> str:
    """What the picture shows, for who does not see it."""
    return (
        f"{pages_text(len(drawn.spots))}, near to each other where they say alike; "
        f"{pairs_text(drawn.pair_count, drawn.near)}, joined by lines."
    )


def placed(spots: Sequence[Spot]) -> list[tuple[float, float]]:
    """Where each page is in the picture: as large as fits, the same scale both ways."""
    if not spots:
        return []
    left, right = min(spot.x for spot in spots), max(spot.x for spot in spots)
    low, high = min(spot.y for spot in spots), max(spot.y for spot in spots)
    scales = [
        (room - 2 * MARGIN) / extent
        for room, extent in ((WIDTH, right - left), (HEIGHT, high - low))
        if extent > 1e-9
    ]
    scale = min(scales, default=0.0)
    return [
        (
            WIDTH / 2 + (spot.x - (left + right) / 2) * scale,
            HEIGHT / 2 - (spot.y - (low + high) / 2) * scale,
        )
        for spot in spots
    ]


def _lines(drawn: Map, places: Sequence[tuple[float, float]]) -> Iterator[str]:
    for pair in drawn.pairs:
        (x1, y1), (x2, y2) = places[pair.first], places[pair.second]
        yield (
            f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}">'
            f"<title>{safe(drawn.spots[pair.first].title)} – "
            f"{safe(drawn.spots[pair.second].title)}: {distance_text(pair.distance)}"
            "</title></line>"
        )


def _near(drawn: Map) -> dict[int, list[str]]:
    """The titles of the pages that a page is near to, by its number, the nearest first."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for pair in drawn.pairs:
        found[pair.first].append(drawn.spots[pair.second].title)
        found[pair.second].append(drawn.spots[pair.first].title)
    return dict(found)


def _told(spot: Spot, near: Sequence[str]) -> str:
    """What is shown where one points at a page."""
    lines = [spot.title, spot.name]
    if spot.summary:
        lines.append(spot.summary)
    if near:
        more = len(near) - _MOST_NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        lines.append(f"says nearly the same as: {', '.join(near[:_MOST_NAMED])}{rest}")
    return "\n".join(map(safe, lines))
