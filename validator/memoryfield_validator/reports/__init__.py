"""Reports as people and programs read them."""

from .json_report import render_json
from .text_report import print_text

__all__ = ["print_text", "render_json"]
