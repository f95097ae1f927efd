"""Reports as people and programs read them."""

from .github_report import render_github
from .json_report import render_json
from .jsonl_report import render_jsonl
from .junit_report import render_junit
from .markdown_report import plain_markdown, render_markdown
from .results import counted
from .sarif_report import render_sarif
from .text_report import VALIDITY, Verdicts, print_text, print_totals

__all__ = [
    "VALIDITY",
    "Verdicts",
    "counted",
    "plain_markdown",
    "print_text",
    "print_totals",
    "render_github",
    "render_json",
    "render_jsonl",
    "render_junit",
    "render_markdown",
    "render_sarif",
]
