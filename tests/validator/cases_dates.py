"""What obeys and breaks MF304 and MF308 to MF310: the datetimes of frontmatter."""

from __future__ import annotations

from tests.validator.cases import Case, Found, error, one, warning
from tests.validator.fields import page

_EARLY = "'0001-01-01T00:00:00Z'"
_DATE = "a date alone: the time and the UTC offset are missing"
_OFFSET = "without a UTC offset"
_FORM = "not in the form of RFC 3339"
_WAY_OUT = {
    _DATE: "Add the time and the UTC offset",
    _OFFSET: "add the UTC offset, such as `Z` or `+02:00`",
    _FORM: "write it as `2026-03-01T09:00:00Z`",
}
_NO_MOMENT = "which is no ISO 8601 date or datetime"


def _bare(name: str, text: str, line: int) -> Found:
    says = f"`{name}` is a bare YAML date"
    return error("MF304", line, 10, says=says, hint=f"quote it: {name}: '{text}'", fixable=True)


def _no_date(text: str, line: int = 4, name: str = "updated") -> Found:
    return error("MF308", line, 10, says=f"`{name}` is `{text}`, {_NO_MOMENT}")


def _incomplete(text: str, why: str, line: int = 4, name: str = "updated") -> Found:
    return warning("MF309", line, 10, says=f"`{name}` is `{text}`, {why}", hint=_WAY_OUT[why])


def _updated(rule: str, text: str, *found: Found, source: str | None = None) -> Case:
    """A page with some text for `updated`, quoted, in line 4; `created` is long before."""
    return one(rule, text, page(created=_EARLY, updated=source or f"'{text}'"), *found)


BARE = (
    one("MF304", "quoted", page()),
    one(
        "MF304",
        "a text that is no date to YAML",
        page(updated="2026-08-22T14:30Z"),
        _incomplete("2026-08-22T14:30Z", _FORM),
    ),
    one("MF304", "in other fields", page(more="date: 2026-01-01\nx: {created: 2026-01-01}\n")),
    one("MF304", "a tag for text", page(updated="!!str 2026-08-22T14:30:00Z")),
    one(
        "MF304",
        "both",
        page(created="2026-03-01T09:00:00Z", updated="2026-08-22 14:30:00+02:00"),
        _bare("created", "2026-03-01T09:00:00Z", 3),
        _bare("updated", "2026-08-22 14:30:00+02:00", 4),
    ),
    one(
        "MF304",
        "a date alone",
        page(created="2026-02-05"),
        _bare("created", "2026-02-05", 3),
        _incomplete("2026-02-05", _DATE, 3, "created"),
    ),
    one(
        "MF304",
        "a day that never was",
        page(created="2026-02-30"),
        _bare("created", "2026-02-30", 3),
        _no_date("2026-02-30", 3, "created"),
    ),
    one(
        "MF304",
        "an offset that is none",
        page(created="2026-02-01T00:00:00+99:00"),
        _bare("created", "2026-02-01T00:00:00+99:00", 3),
        _no_date("2026-02-01T00:00:00+99:00", 3, "created"),
    ),
    one(
        "MF304",
        "one digit of a month",
        page(created="2026-2-1 0:00:00"),
        _bare("created", "2026-2-1 0:00:00", 3),
        _no_date("2026-2-1 0:00:00", 3, "created"),
    ),
    one(
        "MF304",
        "a comment that is cut off",
        page(created="2026-02-05 # or so"),
        _bare("created", "2026-02-05", 3),
        _incomplete("2026-02-05", _DATE, 3, "created"),
        warning("MF305", 3, 10, says=("`2026-02-05`", "`# or so`"), hint="quote the whole value"),
    ),
    one(
        "MF304",
        "in CRLF, after a mark",
        "\ufeff" + page(created="2026-02-05T00:00:00Z").replace("\n", "\r\n"),
        _bare("created", "2026-02-05T00:00:00Z", 3),
        warning("MF207", 1, 1, says="byte-order", fixable=True),
    ),
)

VALID = (
    *(
        _updated("MF308", text)
        for text in (
            "2026-08-22T14:30:00Z",
            "2026-08-22t14:30:00z",
            "2026-08-22 14:30:00-00:00",
            "2024-02-29T00:00:00Z",
            "2000-02-29T00:00:00Z",
            "2016-12-31T23:59:60Z",
            "2016-12-31T18:59:60.9-05:00",
            "9999-12-31T23:59:59Z",
            "2026-08-22T14:30:00.123456789Z",
            "2026-08-22T14:30:00+23:59",
            "2026-03-29T02:30:00+01:00",
            "2026-10-25T02:30:00+02:00",
            "2026-08-22T14:30:00+05:45",
        )
    ),
    *(
        _updated("MF308", text, _incomplete(text, why))
        for text, why in (
            ("2026-08-22", _DATE),
            ("2024-02-29", _DATE),
            ("2026-08-22T14", _OFFSET),
            ("2026-08-22 14:30", _OFFSET),
            ("2026-08-22T14:30:00", _OFFSET),
            ("2026-08-22T14:30:00,5", _OFFSET),
            ("2026-08-22T14:30:00,5Z", _FORM),
            ("2026-08-22T14Z", _FORM),
            ("2026-08-22T14:30Z", _FORM),
            ("2026-08-22T14:30:00+02", _FORM),
            ("2026-08-22T14:30:00+0200", _FORM),
        )
    ),
    *(
        _updated("MF308", text, _no_date(text))
        for text in (
            "",
            "2026",
            "2026-08",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-02-30T00:00:00Z",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "0000-01-01",
            "10000-01-01",
            "-2026-01-01",
            "+2026-01-01",
            "26-08-22",
            "2026-W10-1",
            "2026-W10",
            "2026-233",
            "20260822",
            "20260822T143000Z",
            "2026-08-22T1430Z",
            "22/08/2026",
            "2026-08-22T24:00:00Z",
            "2026-08-22T14:60:00Z",
            "2026-08-22T14:30:60Z",
            "2016-12-31T23:59:61Z",
            "2026-08-22T14:30:00+24:00",
            "2026-08-22T14:30:00+02:60",
            "2026-08-22T14:30:00.Z",
            "2026-08-22T",
            "2026-08-22T14:30:00 Z",
            " 2026-08-22",
            "2026-08-22 ",
            "2026-08-22  14:30",
            "2026-08-22T14:30:00+2",
            "2026-08-22T14:30:00Z+02:00",
            "2026-08-22Z",
            "2026-08-22+02:00",
            "yesterday",
            "２０２６-08-22",
            "2026-08-22T14:3",
            "2026-08-22T14.5Z",
            "2026-08-22T14:30.5Z",
            "2026-08-22_14:30",
        )
    ),
    _updated("MF308", r"2026-08-22\n", _no_date(r"2026-08-22\n"), source=r'"2026-08-22\n"'),
)

COMPLETE = (
    one("MF309", "full datetimes", page()),
    one("MF309", "what is no date at all", page(created="'x'"), _no_date("x", 3, "created")),
    one(
        "MF309",
        "created and updated",
        page(created="'2026-08-22'", updated="'2026-08-22T14:30'"),
        _incomplete("2026-08-22", _DATE, 3, "created"),
        _incomplete("2026-08-22T14:30", _OFFSET),
    ),
)


def _order(created: str, updated: str, *why: str, before: bool = False) -> Case:
    """A page with both values, and why `created` and `updated` are incomplete, if they are."""
    found = [
        _incomplete(text, reason, line, name)
        for name, line, text, reason in (
            ("created", 3, created, why[0] if why else ""),
            ("updated", 4, updated, why[-1] if why else ""),
        )
        if reason
    ]
    if before:
        says = f"`updated` (`{updated}`) is before `created` (`{created}`)"
        found.append(warning("MF310", 4, 10, says=says))
    return one(
        "MF310",
        f"{created} and {updated}",
        page(created=f"'{created}'", updated=f"'{updated}'"),
        *found,
    )


ORDER = (
    _order("2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"),
    _order("2026-03-01T09:00:00Z", "2026-03-01T04:00:00-05:00"),
    _order("2026-03-01T09:00:00Z", "2026-03-01T08:59:59.999Z", before=True),
    _order("2026-03-01T09:00:00Z", "2026-03-01T09:00:00+01:00", before=True),
    _order("2026-10-25T02:30:00+02:00", "2026-10-25T02:10:00+01:00"),
    _order("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z", before=True),
    _order("2017-01-01T00:00:00Z", "2016-12-31T23:59:60Z", before=True),
    _order("2026-01-01T00:00:00Z", "0001-01-01T00:00:00+05:00", before=True),
    _order("9999-12-31T23:59:59-05:00", "2026-01-01T00:00:00Z", before=True),
    _order("2026-03-01", "2026-03-01", _DATE),
    _order("2026-03-02", "2026-03-01", _DATE, before=True),
    _order("2026-03-01T09:00", "2026-03-01T08:59", _OFFSET, before=True),
    _order("2026-03-01T09:00", "2026-03-01", _OFFSET, _DATE),
    _order("2026-03-01T09:00", "2026-02-28", _OFFSET, _DATE, before=True),
    _order("2026-03-01", "2026-02-28T23:59", _DATE, _OFFSET, before=True),
    _order("2026-03-01T09:00:00Z", "2026-02-28T21:00:00", "", _OFFSET),
    _order("2026-03-01T09:00:00Z", "2026-02-28T20:59:59", "", _OFFSET, before=True),
    _order("2026-03-01T09:00:00", "2026-02-28T19:00:00Z", _OFFSET, ""),
    _order("2026-03-01T09:00:00", "2026-02-28T18:59:59Z", _OFFSET, "", before=True),
    _order("2026-03-01T09:00:00Z", "2026-02-28", "", _DATE),
    _order("2026-03-01T12:00:00Z", "2026-02-28", "", _DATE, before=True),
    _order("2026-03-01T11:59:59Z", "2026-02-28", "", _DATE),
    _order("2026-03-01", "2026-02-28T09:59:59Z", _DATE, "", before=True),
    _order("2026-03-01", "2026-02-28T10:00:00Z", _DATE, ""),
    _order("9999-12-31", "9999-12-31T00:00:00Z", _DATE, ""),
    one(
        "MF310",
        "one of them is missing",
        page(created=None),
        warning("MF303", 1, 1, says="`created`", fixable=True),
    ),
    one(
        "MF310",
        "one of them is no date",
        page(created="'2027-13-01'"),
        _no_date("2027-13-01", 3, "created"),
    ),
    one(
        "MF310",
        "bare dates",
        page(created="2026-03-02T00:00:00Z", updated="2026-03-01T00:00:00Z"),
        _bare("created", "2026-03-02T00:00:00Z", 3),
        _bare("updated", "2026-03-01T00:00:00Z", 4),
        warning("MF310", 4, 10, says="is before"),
    ),
)

CASES = (*BARE, *VALID, *COMPLETE, *ORDER)
