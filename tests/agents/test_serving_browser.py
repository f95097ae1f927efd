"""Pages for people in a real Chromium: how they look, by keyboard alone, and what they ask for."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from tests.agents.browser import PROGRAM, Browser, browsing
from tests.agents.served import Server, folder, page, serving
from tests.agents.test_serving_pages import HOSTILE

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium is here")

RICH = (
    "# Rich\n\nSee [below](#far-below).\n\n|Name|Number|\n|-|-:|\n|" + "long " * 40 + "|"
    + "x" * 300 + "|\n\n```\n" + "code " * 100 + "\n```\n\n" + "w" * 500 + "\n\n"
    + "text\n\n" * 60 + "## Far *below*\n"
)  # fmt: skip
FOCUS = "document.activeElement"
ACTIVE = (
    "document.querySelectorAll('script, iframe, object, embed, style, base').length"
    " + [...document.querySelectorAll('*')].filter("
    "e => [...e.attributes].some(a => /^(on|style$)/.test(a.name))).length"
)


@pytest.fixture(scope="module")
def trap() -> Iterator[socket.socket]:
    """A port that pages would have a browser ask."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, trap: socket.socket) -> Iterator[Server]:
    port = trap.getsockname()[1]
    text = "\n\n".join(HOSTILE.values()).encode("utf-8", "replace").decode()
    text = text.replace("evil.example", f"127.0.0.1:{port}")
    files: dict[str, bytes | str] = {
        "index.md": page("Notes", "# Notes\n\nSee [woks](woks.md)."), "rich.md": RICH,
        "hostile.md": page("'<script>alert(1)</script>'", text, "'<img src=x onerror=alert(1)>'"),
        "woks.md": page("Woks", "Iron woks."),
    }  # fmt: skip
    with serving(folder(tmp_path_factory.mktemp("browser") / "notes", files)) as found:
        yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("profile")) as found:
        yield found


PAGES = ("", "rich.md", "hostile.md", "search?q=woks", "search")


@pytest.mark.parametrize(
    ("scheme", "width", "paths"),
    [("light", 390, PAGES), ("dark", 1280, PAGES[1:3])],
    ids=["phone", "desktop"],
)
def test_each_page_is_usable(
    server: Server,
    browser: Browser,
    trap: socket.socket,
    scheme: str,
    width: int,
    paths: tuple[str, ...],
) -> None:
    """As wide as the screen, light or dark; the console is quiet, and nobody else is asked."""
    browser.look_as(scheme, width)
    for path in paths:
        browser.go(server.url + path)
        assert browser.find("document.styleSheets[0].cssRules.length") > 20
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.find(wide) == 0, path
        assert browser.find(ACTIVE) == 0, path
        colour = browser.find("getComputedStyle(document.body).backgroundColor")
        first = int(colour.removeprefix("rgb(").split(",")[0])
        assert (first < 64) == (scheme == "dark")
        assert browser.trouble == []
        hosts = {urlsplit(url).netloc for url in browser.asked if url != "about:blank"}
        assert hosts == {urlsplit(server.url).netloc}
    trap.setblocking(False)
    with pytest.raises(BlockingIOError):
        trap.accept()


def test_a_page_looks_the_same_when_it_is_seen_again(server: Server, browser: Browser) -> None:
    """The browser has kept it, and is told that it has not changed."""
    browser.look_as("light", 390)
    before = len(server.log)
    seen = []
    for _ in range(2):
        browser.go(server.url + "woks.md")
        assert browser.trouble == []
        seen.append(browser.picture())
    assert seen[0] == seen[1]
    assert '" 304 0 ' in server.told('/woks.md HTTP/1.1" 304', before)


def test_it_can_be_used_by_keyboard_alone(server: Server, browser: Browser) -> None:
    """First is the link to the text, then the field, the search box, and what was found."""
    browser.look_as("light", 1280)
    browser.go(server.url)
    browser.press("Tab")
    assert browser.find(f"{FOCUS}.textContent") == "Skip to the text"
    assert browser.find(f"{FOCUS}.getBoundingClientRect().left") >= 0
    assert browser.find(f"getComputedStyle({FOCUS}).outlineStyle") == "solid"
    browser.press("Enter")
    assert browser.find(f"{FOCUS}.tagName") == "MAIN"
    browser.press("Tab", "Tab")
    assert browser.find(f"{FOCUS}.textContent") == "woks"
    browser.go(server.url)
    browser.press("Tab", "Tab", "Tab")
    assert browser.find(f"{FOCUS}.labels[0].textContent") == "Search"
    browser.press_and_go("iron", "Enter")
    assert browser.find("location.search") == "?q=iron"
    browser.press("Tab", "Tab", "Tab", "Tab", "Tab")
    assert browser.find(f"{FOCUS}.textContent") == "Woks"
    browser.press_and_go("Enter")
    assert browser.find("location.pathname") == "/woks.md"
    assert browser.trouble == []


def test_a_link_leads_to_a_heading(server: Server, browser: Browser) -> None:
    """By its words."""
    browser.look_as("light", 390)
    browser.go(server.url + "rich.md#far-below")
    assert browser.find("scrollY") > 844
    assert browser.find("document.querySelector(':target').textContent") == "Far below"
