"""A real Chromium, without a screen, that is told what to do through a pipe."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
SECONDS = 60
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-dev-shm-usage", "--disable-extensions",
    "--disable-sync", "--no-first-run", "--remote-debugging-pipe", "about:blank",
)  # fmt: skip
_START = """
import fcntl, os, sys
to, back = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(to, 3)
os.dup2(back, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads from 3 and writes to 4."""

_KEYS = {"Tab": (9, ""), "Enter": (13, "\r")}


class Browser:
    """One tab, and what happened in it.

    Attributes:
        trouble: what the console said, and dialogs that were opened.
        asked: the addresses that were asked for.
    """

    def __init__(self, to: int, back: int) -> None:
        """Open the tab."""
        self._to = to
        self._back = back
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._loaded = 0
        self.trouble: list[str] = []
        self.asked: list[str] = []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **parameters: object) -> dict[str, Any]:
        """Give an order, and wait until it is done."""
        self._number += 1
        order = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            order["sessionId"] = self._session
        os.write(self._to, json.dumps(order).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def _message(self) -> dict[str, Any]:
        last = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            assert select.select([self._back], [], [], max(0, last - time.monotonic()))[0], "hangs"
            got = os.read(self._back, 1 << 20)
            assert got, "the browser has ended"
            self._buffer += got
        raw, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        told = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.asked.append(told["request"]["url"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.trouble.append(raw.decode())
            case "Page.javascriptDialogOpening":
                self.trouble.append(raw.decode())
            case "Page.loadEventFired":
                self._loaded += 1
        return message

    def look_as(self, scheme: str, width: int) -> None:
        """Be light or dark, and so wide."""
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=844, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.tell("Emulation.setEmulatedMedia", features=[feature])

    def go(self, url: str) -> None:
        """Go to a page, as if nothing had been shown before, and wait until it is there."""
        self.trouble.clear()
        self.asked.clear()
        for each in ("about:blank", url):
            before = self._loaded
            self.tell("Page.navigate", url=each)
            self.loaded(before)

    def loaded(self, before: int) -> None:
        """Wait until one more page is there than were before."""
        while self._loaded <= before:
            self._message()

    def press(self, *keys: str) -> None:
        """Press keys, one after the other; a text is typed."""
        for key in keys:
            if key not in _KEYS:
                self.tell("Input.insertText", text=key)
                continue
            code, text = _KEYS[key]
            told = {"key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}
            self.tell("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **told)
            self.tell("Input.dispatchKeyEvent", type="keyUp", **told)

    def press_and_go(self, *keys: str) -> None:
        """Press keys that lead to another page, and wait until it is there."""
        before = self._loaded
        self.press(*keys)
        self.loaded(before)

    def find(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.tell("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def picture(self) -> bytes:
        """What is to be seen, as PNG."""
        return base64.b64decode(self.tell("Page.captureScreenshot")["data"])


@contextmanager
def browsing(profile: Path) -> Iterator[Browser]:
    """A browser; it is ended by its id."""
    assert PROGRAM is not None
    (theirs_in, to), (back, theirs_out) = os.pipe(), os.pipe()
    try:
        command = [sys.executable, "-c", _START, str(theirs_in), str(theirs_out), PROGRAM]
        with subprocess.Popen(
            [*command, f"--user-data-dir={profile}", *_OPTIONS],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            os.close(theirs_in)
            os.close(theirs_out)
            try:
                yield Browser(to, back)
            finally:
                process.terminate()
    finally:
        os.close(to)
        os.close(back)
