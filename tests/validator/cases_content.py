"""What obeys and breaks MF801, MF805 and MF806: pages, and the places of what is found in them."""

from __future__ import annotations

from typing import NamedTuple


class Reviewed(NamedTuple):
    """A text after clean frontmatter, and what a review finds in it.

    Attributes:
        rule: the requirement the text is about.
        what: what is special about it.
        body: the text, which begins in line 7.
        found: line, column and a part of the message of each finding, in order.
    """

    rule: str
    what: str
    body: str
    found: tuple[tuple[int, int, str], ...] = ()


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


def _selectors(data: bytes) -> str:
    return "".join(chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in data)


def _flag(region: str) -> str:
    return f"\U0001f3f4{_tags(region)}\U000e007f"


URL_ATTRIBUTES = (
    "action", "background", "cite", "classid", "codebase", "data", "formaction", "from", "href",
    "imagesrcset", "longdesc", "manifest", "ping", "poster", "profile", "src", "srcset", "to",
    "values", "xlink:href", "XML:base",
)  # fmt: skip

INVISIBLE = (
    Reviewed("MF801", "letters of any script, and visible signs", "Стал, стаํล, 鋼, é, –\n"),
    Reviewed(
        "MF801",
        "zero width",
        "St\u200bee\u200dl\n",
        ((7, 3, "U+200B ZERO WIDTH SPACE"), (7, 6, "U+200D")),
    ),
    Reviewed(
        "MF801",
        "a run is one finding",
        "a\n\u202e\u2066\u200b\n",
        ((8, 1, "3 characters in a row: U+202E RIGHT-TO-LEFT OVERRIDE, U+2066"),),
    ),
    Reviewed(
        "MF801",
        "every kind but few names",
        "a\u061c\u200e\u2060\u206a\ufffb\u180e",
        ((7, 2, "and 2 others"),),
    ),
    Reviewed("MF801", "a mark within the text", "a\ufeff", ((7, 2, "U+FEFF"),)),
    Reviewed("MF801", "tags spell", f"pan{_tags('hello')}", ((7, 4, "the tags spell `hello`"),)),
    Reviewed("MF801", "flags", f"{_flag('gbeng')}{_flag('gbsct')}{_flag('gbwls')}"),
    Reviewed("MF801", "no such flag", _flag("usca"), ((7, 2, "the tags spell `usca`"),)),
    Reviewed("MF801", "more after a flag", f"{_flag('gbwls')}{_tags('x')}", ((7, 8, "U+E0078"),)),
    Reviewed("MF801", "tags of a flag without the flag", _tags("gbeng"), ((7, 1, "`gbeng`"),)),
    Reviewed("MF801", "one selector", "\u2764\ufe0f \u845b\U000e0100"),
    *(
        Reviewed("MF801", f"selector after U+{ord(base[0]):04X}", base)
        for base in (
            "1\ufe0f\u20e3",
            "\u203c\ufe0f",
            "\u2194\ufe0e",
            "\U0001f3fb\ufe0f",
            "\U0001fbff\ufe0f",
            "\u8fbb\ufe00",
            "0\ufe00",
            "\u3001\ufe01",
            "\u2205\ufe00",
            "\U0001d49c\ufe01",
            "\u1000\ufe00",
            "\ua856\ufe00",
            "\U00013000\ufe06",
            "\u1820\u180b",
            "\u1820\u180f",
        )
    ),
    *(
        Reviewed("MF801", f"no selector after U+{ord(base[0]):04X}", base, ((7, 2, "VARIATION"),))
        for base in (
            "a\U000e0158",
            "\u0430\ufe0f",
            "\u3042\U000e0100",
            "\u845b\ufe0f",
            "\u845b\u180b",
            "\u2764\U000e0100",
            "\u2764\ufe00",
            "\u2205\ufe03",
            "\U00013000\ufe07",
            "a\u180b",
            "1\ufe00",
            "\u1820\ufe0f",
            " \ufe0f",
            "a\u180f",
            "\U0001d4cf\ufe00",
        )
    ),
    Reviewed("MF801", "a selector at the beginning of a line", "\ufe0f", ((7, 1, "U+FE0F"),)),
    Reviewed(
        "MF801",
        "text hidden one selector after each letter",
        "".join(f"a{_selectors(bytes([byte]))}" for byte in b"hi!"),
        ((7, 2, "U+E0158"), (7, 4, "U+E0159"), (7, 6, "U+E0111")),
    ),
    *(
        Reviewed(
            "MF801",
            f"U+{code:04X}, which is not shown",
            f"a{chr(code)}b",
            ((7, 2, f"U+{code:04X}"),),
        )
        for code in (
            0xAD,
            0x34F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            0x2065,
            0x3164,
            0xFFA0,
            0xFFF0,
            0xFFF8,
            0x1BCA0,
            0x1BCA3,
            0x1D173,
            0x1D17A,
            0xE0080,
            0xE00FF,
            0xE01F0,
            0xE0FFF,
        )
    ),
    *(
        Reviewed("MF801", f"U+{code:04X}, which is shown", f"a{chr(code)}b")
        for code in (
            0xAC,
            0xAE,
            0x34E,
            0x350,
            0x115E,
            0x1161,
            0x17B3,
            0x17B6,
            0x180A,
            0x3163,
            0x3165,
            0xFF9F,
            0xFFA1,
            0xFFFC,
            0x1BC9F,
            0x1D172,
            0x1D17B,
        )
    ),
    Reviewed("MF801", "a joiner of marks", "\u05d0\u05b7\u034f\u05b8"),
    Reviewed("MF801", "joiners of marks in a row", "\u05b7\u034f\u034f\u05b8", ((7, 2, "2 char"),)),
    Reviewed("MF801", "Mongolian vowels", "\u182d\u180e\u1820 \u182d\u180b\u180e\u1820"),
    Reviewed("MF801", "a vowel separator before a blank", "\u182d\u180e ", ((7, 2, "U+180E"),)),
    Reviewed("MF801", "a joiner between Han letters", "\u845b\u200d\u845b", ((7, 2, "U+200D"),)),
    Reviewed("MF801", "a joiner between syllables", "\uac00\u200c\uac00", ((7, 2, "U+200C"),)),
    Reviewed(
        "MF801", "a joiner beside a vowel not shown", "\u1780\u200c\u17b4", ((7, 2, "2 char"),)
    ),
    Reviewed(
        "MF801",
        "selectors carry bytes",
        f"\u2764{_selectors(b'call home')}",
        ((7, 2, "the variation selectors carry `call home`"),),
    ),
    Reviewed("MF801", "two selectors that say nothing", "a\ufe00\ufe0f", ((7, 2, "2 characters"),)),
    Reviewed("MF801", "joiners between letters", "\u0646\u200c\u0645 \u0d28\u0d4d\u200d\u0d31"),
    Reviewed("MF801", "a joiner beside a blank", "\u0646\u200c ", ((7, 2, "U+200C"),)),
    Reviewed("MF801", "a joiner between Latin letters", "a\u200cb", ((7, 2, "U+200C"),)),
    Reviewed("MF801", "joiners that end the text", "\u0646\u200d", ((7, 2, "U+200D"),)),
    Reviewed(
        "MF801",
        "joined emoji",
        "\U0001f469\u200d\U0001f373 \U0001f3c3\U0001f3fd\u200d\u2640\ufe0f "
        "\u2764\ufe0f\u200d\U0001f525",
    ),
    Reviewed("MF801", "no joiner of emoji", "\U0001f469\u200c\U0001f373", ((7, 2, "U+200C"),)),
    Reviewed("MF801", "emoji and a letter", "\U0001f469\u200da", ((7, 2, "U+200D"),)),
    Reviewed(
        "MF801", "a selector out of place joins nothing", "a\ufe0f\u200d\U0001f525", ((7, 2, "2 "),)
    ),
    Reviewed(
        "MF801",
        "selectors are no letters that joiners could join",
        "\u0646\ufe0f\u200c\ufe0f",
        ((7, 2, "3 characters"),),
    ),
)

ACTIVE = (
    Reviewed(
        "MF805", "harmless HTML", "H<sub>2</sub>O <b class='x'>a</b> <https://example.com/> 1 <2\n"
    ),
    Reviewed("MF805", "an element", "a <SCRIPT>x</script>\n", ((7, 3, "the element `script`"),)),
    Reviewed(
        "MF805",
        "each element",
        "<iframe><object><embed><form>\n<base><meta><link/><style >\n",
        tuple((7, at, "element") for at in (1, 9, 17, 24))
        + tuple((8, at, "element") for at in (1, 7, 13, 20)),
    ),
    Reviewed("MF805", "names that begin like one", "<scripts> <form-x> <linked>\n"),
    Reviewed("MF805", "in code", "`<script>`\n\n```\n<script>\n```\n\n    <script>\n"),
    Reviewed("MF805", "in a comment", "<!-- <script> -->\n"),
    Reviewed("MF805", "after a whole comment", "<!--> <script> -->\n", ((7, 7, "`script`"),)),
    Reviewed(
        "MF805",
        "attributes",
        "<img src=\"a>b\" onError = 'x'\n onload=y>",
        ((7, 16, "`onError`"), (8, 2, "`onload`")),
    ),
    Reviewed(
        "MF805",
        "attributes that are no handlers and hold no URLs",
        "<img alt='Data: the table of pans' title='javascript: a language'>\n"
        "<x once=1 only=1 on=1 onto=1 on2345=1 online=1 onset=1 Ongoing=1 on-click=1>\n",
    ),
    Reviewed(
        "MF805",
        "each attribute that holds a URL",
        "".join(f"<x {name}=data:x>\n" for name in URL_ATTRIBUTES),
        tuple((7 + n, 4, f"`{name}`") for n, name in enumerate(URL_ATTRIBUTES)),
    ),
    Reviewed("MF805", "a new handler", "<x onnewevent=1>", ((7, 4, "`onnewevent`"),)),
    Reviewed("MF805", "words that are no attribute", "once = 1, a <b once more> and one\n"),
    Reviewed("MF805", "a tag ends at a blank line", "a <b\n\nonce=1>\n"),
    Reviewed(
        "MF805",
        "links",
        "[a](javascript:x) ![b](data:image/png;base64,AA) [c](https://example.com/)\n\n"
        "[d]: VBScript:x\n",
        ((7, 5, "`javascript`"), (7, 24, "`data`"), (9, 6, "`vbscript`")),
    ),
    Reviewed(
        "MF805",
        "schemes in disguise",
        "[a](<java\tscript:x>) [b](&#106;avascript:x) <javascript:x>\n",
        ((7, 6, "`javascript`"), (7, 26, "`javascript`"), (7, 46, "`javascript`")),
    ),
    Reviewed(
        "MF805",
        "attributes with such a URL",
        "<a href=' java&#10;script:x'>a</a> <img src=data:x>",
        ((7, 4, "`href`"), (7, 41, "`src`")),
    ),
    Reviewed("MF805", "a link in code", "`[a](javascript:x)` [b](datafile:x)\n"),
)

HOSTS = (
    Reviewed(
        "MF806", "one script", "https://example.com/ https://пример.рф/ https://παράδειγμα.gr\n"
    ),
    Reviewed(
        "MF806",
        "a letter of another script",
        "see (https://ex\u0430mple.com/a)\n",
        ((7, 6, "mixes scripts (Cyrillic, Latin) in `ex\u0430mple`: U+0430"),),
    ),
    Reviewed(
        "MF806",
        "in the form for the wire",
        "https://xn--exmple-4nf.com/",
        ((7, 1, "that is `ex\u0430mple`"),),
    ),
    Reviewed("MF806", "a form that cannot be decoded", "https://xn--99999999999.com/"),
    Reviewed(
        "MF806",
        "scripts that go together",
        "https://a\u30a2\u3042\u4e9c.jp https://a\u4e9c\u3105.tw https://a\ud55c\u4e9c.kr",
    ),
    Reviewed(
        "MF806", "scripts that do not", "https://\u3042\ud55c.jp", ((7, 1, "(Hangul, Hiragana)"),)
    ),
    Reviewed(
        "MF806",
        "Latin by its looks",
        "https://\u0440\u0430\u0443.com https://\u0420\u0410\u0423.com",
        ((7, 1, "has Cyrillic letters alone"), (7, 17, "look like Latin")),
    ),
    Reviewed("MF806", "digits and hyphens are of no script", "https://\u043f\u0430\u043d-24.com"),
    Reviewed("MF806", "not in the host", "https://user\u0430:x@example.com:80/\u0430bc"),
    Reviewed("MF806", "percent-encoded", "https://ex%D0%B0mple.com", ((7, 1, "U+0430"),)),
    Reviewed(
        "MF806",
        "one finding a URL",
        "https://a\u0430.b\u0431.com ftp://a\u0430",
        ((7, 1, ""), (7, 19, "")),
    ),
)

CASES = (*INVISIBLE, *ACTIVE, *HOSTS)
