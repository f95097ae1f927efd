"""A map of a field: its pages as points that are near where the pages say alike."""

from .charting import MOST_PAGES, Map, chart
from .drawing import MARK, svg_of
from .nearness import DEFAULT_NEAR, MOST_PAIRS, Pair
from .page import html_of

__all__ = [
    "DEFAULT_NEAR",
    "MARK",
    "MOST_PAGES",
    "MOST_PAIRS",
    "Map",
    "Pair",
    "chart",
    "html_of",
    "svg_of",
]
