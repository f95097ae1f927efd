"""What a run found, as text, JSON or Markdown."""

from __future__ import annotations

from .json_report import render_json
from .markdown_report import render_markdown
from .summary import Run
from .text_report import render_text

__all__ = ["Run", "render_json", "render_markdown", "render_text"]
