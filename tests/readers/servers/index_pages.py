"""Pages in HTML that list a folder, each in the manner of a server that many people run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import quote


def python_index(path: str, names: Sequence[str]) -> bytes:
    """A list of links, as `python -m http.server` gives; names of folders end in a slash."""
    title = f"Directory listing for {escape(path)}"
    items = [f'<li><a href="{quote(name)}">{escape(name)}</a></li>' for name in names]
    return _page(
        '<!DOCTYPE HTML>\n<html lang="en">',
        f'<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>',
        f"<body>\n<h1>{title}</h1>\n<hr>\n<ul>",
        *items,
        "</ul>\n<hr>\n</body>\n</html>",
    )


def nginx_index(path: str, names: Sequence[str]) -> bytes:
    """Preformatted lines below a link to the parent; long names are cut in the text alone."""
    lines = [
        f'<a href="{quote(name)}">{escape(name if len(name) <= 50 else name[:47] + "..>")}</a>'
        f"{' ' * max(1, 51 - len(name))}01-Jan-2025 00:00{'-' if name.endswith('/') else '12':>20}"
        for name in names
    ]
    return _page(
        "<html>",
        f"<head><title>Index of {escape(path)}</title></head>",
        "<body>",
        f'<h1>Index of {escape(path)}</h1><hr><pre><a href="../">../</a>',
        *lines,
        "</pre><hr></body>",
        "</html>",
    )


def apache_index(path: str, names: Sequence[str]) -> bytes:
    """A table, whose heading holds links that sort it, and a link to the parent by its path."""
    parent = path.rstrip("/").rpartition("/")[0] + "/"
    sort = "".join(f'<th><a href="?C={key};O=A">{key}</a></th>' for key in "NMSD")
    rows = [
        f'<tr><td valign="top">&nbsp;</td><td><a href="{quote(name)}">{escape(name[:23])}</a></td>'
        '<td align="right">2025-01-01 00:00  </td><td align="right"> 12 </td><td>&nbsp;</td></tr>'
        for name in names
    ]
    return _page(
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>',
        f" <head>\n  <title>Index of {escape(path)}</title>\n </head>",
        f" <body>\n<h1>Index of {escape(path)}</h1>\n  <table>",
        f"   <tr><th></th>{sort}</tr>",
        f'<tr><td></td><td><a href="{quote(parent)}">Parent Directory</a></td></tr>',
        *rows,
        "</table>\n</body></html>",
    )


INDEXES: dict[str, Callable[[str, Sequence[str]], bytes]] = {
    "python": python_index,
    "nginx": nginx_index,
    "apache": apache_index,
}
"""The manners, by name."""


def _page(*lines: str) -> bytes:
    return "\n".join([*lines, ""]).encode()
