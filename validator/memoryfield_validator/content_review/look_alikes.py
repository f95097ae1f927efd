"""Letters and signs that look like Latin ones, by a table of those that do in most fonts."""

from __future__ import annotations

LOOK_LATIN = {
    # Cyrillic
    **dict(
        zip(
            "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458",
            "aeopcyxsij",
            strict=True,
        )
    ),
    **dict(zip("\u04af\u04bb\u04cf\u0475\u0501\u051b\u051d", "yhlvdqw", strict=True)),
    # Greek
    **dict(zip("\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03f2\u03f3", "aikvopucj", strict=True)),
}
"""Small letters, which host names have."""

MORE_LIKE_LATIN = {
    # Cyrillic: capitals, and a small one that is like its Latin neighbour in running text alone
    **dict(
        zip(
            "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e",
            "ABESIJKMHO",
            strict=True,
        )
    ),
    **dict(
        zip(
            "\u0420\u0421\u0422\u0423\u0425\u04ae\u0474\u050c\u051a\u051c\u043a",
            "PCTYXYVGQWk",
            strict=True,
        )
    ),
    # Greek capitals
    **dict(zip("\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d", "ABEZHIKMN", strict=True)),
    **dict(zip("\u039f\u03a1\u03a4\u03a5\u03a7\u03f9\u037f", "OPTYXCJ", strict=True)),
    # Armenian
    **dict(zip("\u0585\u057d\u0570\u0578\u0581", "ouhng", strict=True)),
    # Latin letters of the phonetic alphabet, and without a dot
    **dict(zip("\u0251\u0261\u0131\u0237", "agij", strict=True)),
    # hyphens, dashes and the minus
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    # quotation marks
    **dict.fromkeys("\u2018\u2019\u02bc\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u2033", '"'),
    # division and fraction slash, colons and stops
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u02d0\u2236\u0589", ":"),
    "\u2024": ".",
    "\u201a": ",",
    "\u037e": ";",
}
"""What looks Latin in running text besides."""

LOOK_THE_SAME = {**dict.fromkeys("1I|", "l"), "0": "O"}
"""ASCII characters that many fonts do not tell apart from others."""
