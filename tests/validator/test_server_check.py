"""Each rule on servers lets a good one through, and tells what is wrong with others."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.readers.servers.http_parts import Reply
from tests.readers.servers.tls import Authority, authority
from tests.validator.cases_servers import CASES, Case, gives
from tests.validator.fields import page
from tests.validator.schemas import assert_fits_schema
from tests.validator.served_field import PAGES, ServedField, as_json, good, html, served_field

from memoryfield_readers import LocationError, SourceUnavailable, visible
from memoryfield_spec import UnknownRequirement
from memoryfield_validator import NotChecked
from memoryfield_validator.server_check import check_server, server_checked, server_rules

RULES = ("MF701", "MF702", "MF703", "MF704", "MF705", "MF706", "MF707", "MF708")


def test_every_rule_on_servers_is_there() -> None:
    """All of them are run, in order, unless some are ignored."""
    assert tuple(rule.id for rule, _ in server_rules()) == RULES
    assert [rule.id for rule, _ in server_rules(select=["MF70"], ignore=["MF706"])] == [
        id for id in RULES if id != "MF706"
    ]


def test_a_good_server_has_no_finding() -> None:
    """Nothing is found, all was asked, and the pin is that of the field."""
    with served_field() as server:
        report = server.check()
        checked = server_checked(server.root, storage_options={"anon": True})
    assert (report.findings, report.unread) == ((), ())
    assert report.digest == server.digest
    assert report.pages == len(PAGES)
    assert_fits_schema(report)
    assert checked.report == report
    assert checked.notes[0].startswith(f"checked {', '.join(RULES)} in ")


def test_as_many_requests_as_are_told() -> None:
    """The number that is told is that of the requests which the server saw."""
    with served_field() as server:
        notes = server_checked(server.root, storage_options={"anon": True}).notes
        assert notes[0].endswith(f" in {len(server.asked())} requests")
        assert {request.method for request in server.asked()} == {"GET"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.what}")
def test_server_gives_the_expected_findings(case: Case) -> None:
    """The rule tells what is wrong, where, at its level, in lines that a terminal can show."""
    with served_field() as server:
        case.make(server)
        report = server.check(case.rule)
    found = [each for each in report.findings if each.rule == case.rule]
    assert found == list(report.findings)
    if case.times < 0:
        assert found
    else:
        assert len(found) == case.times, found
    assert any(
        case.says in each.message and each.file == (case.file or each.file) for each in found
    )
    assert {each.level for each in found} == {server_rules(select=[case.rule])[0][0].level}
    for each in found:
        assert visible(each.message) == each.message
        assert each.hint
    assert_fits_schema(report)


def test_each_rule_is_broken_in_three_ways_at_least() -> None:
    """No rule is there whose findings were never seen."""
    ways = Counter(case.rule for case in CASES)
    assert set(ways) == set(RULES)
    assert min(ways.values()) >= 3


def without_archive(server: ServedField) -> None:
    del server.files["/memoryfield.zip"]


def list_in_html(server: ServedField) -> None:
    links = "".join(f'<a href="{name}">{name}</a>' for name in [*PAGES, "plan.bin"])
    server.answers["/"] = lambda request: html(links)


def list_in_a_page(server: ServedField) -> None:
    links = "".join(f"- [{name}]({name})\n" for name in PAGES)
    server.files["/listing.md"] = good(links.encode(), "text/markdown")


@pytest.mark.parametrize("names", [list_in_html, list_in_a_page])
def test_pages_are_known_without_an_archive(names: object) -> None:
    """A list names them, too; then the missing archive is all there is to say."""
    with served_field() as server:
        without_archive(server)
        names(server)  # type: ignore[operator]
        report = server.check()
    assert [each.rule for each in report.findings] == ["MF703"]
    assert report.pages >= len(PAGES)
    assert report.digest is not None


def test_pages_are_known_by_a_search() -> None:
    """Where nothing lists them, a search for what all names have in them does."""
    with served_field() as server:
        without_archive(server)
        report = server.check()
    assert [each.rule for each in report.findings] == ["MF703"]
    assert (report.pages, report.digest, report.unread) == (len(PAGES), None, ())


def test_no_search_is_none_that_fails() -> None:
    """A server that offers no search says 404, and breaks nothing."""
    with served_field() as server:
        server.changed_query(lambda query: Reply(404, {}, b""))
        checked = server_checked(server.root, storage_options={"anon": True})
    assert checked.report is not None
    assert checked.report.findings == ()
    assert any("no search is offered" in note for note in checked.notes)


def test_nothing_names_the_pages() -> None:
    """Where no page can be known, that is told as something that could not be checked."""
    with served_field() as server:
        without_archive(server)
        server.changed_query(lambda query: Reply(404, {}, b""))
        report = server.check()
    assert [each.rule for each in report.findings] == ["MF703"]
    assert [type(error) for error in report.unread] == [type(report.unread[0])]
    assert "nothing says which pages there are" in report.unread[0].message


def test_field_without_an_introduction() -> None:
    """No `index.md`, and so nothing at the root, is nothing wrong."""
    with served_field(pages={"index.md": "# I\n", "a.md": page()}) as server:
        for path in ("/", "/index.md"):
            del server.files[path]
        server.files["/memoryfield.zip"] = ServedField.files_of({"a.md": page()})
        report = server.check("MF701", "MF702", "MF703", "MF708")
    assert report.findings == ()


def test_odd_names_are_asked_for_encoded() -> None:
    """Names with blanks, marks and other scripts are pages like others."""
    names = ("über uns.md", "50%.md", "a#b?.md", "漢字.md", "a+b&c.md")
    pages = {"index.md": "# I\n"} | {name: page(number=n) for n, name in enumerate(names, 1)}
    with served_field(pages=pages) as server:
        report = server.check()
    assert (report.findings, report.unread, report.pages) == ((), (), len(pages))


def test_a_field_that_changes_meanwhile_is_no_fault() -> None:
    """If the archive is another one at the end, that is told, and not as a finding."""
    with served_field() as server:
        old = server.files["/memoryfield.zip"]
        server.files["/heat.md"] = good(b"# New\n", "text/markdown")
        server.fail("/memoryfield.zip", lambda request, reply, wire: Reply(
            200, {"Content-Type": "application/zip"}, old.body), times=1)  # type: ignore[union-attr] # fmt: skip
        server.files["/memoryfield.zip"] = ServedField.files_of({**PAGES, "heat.md": "# New\n"})
        report = server.check("MF703")
    assert report.findings == ()
    assert ["changed" in error.message for error in report.unread] == [True]


def test_more_results_than_pages_that_match_are_welcome() -> None:
    """A better search may find more, without scores, with keys of its own."""
    with served_field() as server:
        everything = [{"filename": each["filename"], "frontmatter": each["frontmatter"], "x": 1}
                      for each in server.results("")]  # fmt: skip
        server.changed_query(lambda query: as_json({"results": everything, "took": 3}))
        assert server.check("MF704", "MF705").findings == ()


def test_a_busy_server_is_asked_again() -> None:
    """A server that asks to wait for a moment is waited for."""
    busy = Reply(503, {"Retry-After": "0"}, b"")
    with served_field() as server:
        for path in ("/", "/heat.md", "/search"):
            server.fail(path, lambda request, reply, wire: busy, times=2)
        report = server.check("MF701", "MF702", "MF704", "MF705")
    assert (report.findings, report.unread) == ((), ())


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority for this machine."""
    return authority(tmp_path_factory.mktemp("tls"))


def test_over_tls(trusted: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """With TLS everything is asked for as without, by hand, too."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted.ca_file))
    with served_field(tls=trusted.context) as server:
        report = server.check()
        tried = [each for each in server.asked() if "passwd" in each.path]
    assert (report.findings, report.unread) == ((), ())
    assert report.digest == server.digest
    assert len(tried) > 15


def test_a_server_that_sends_on_to_tls(trusted: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server that it leads to is the one that is checked, in paths that leave it, too."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted.ca_file))
    with served_field(tls=trusted.context) as server, served_field() as front:
        front.change("*", lambda request, reply: Reply(
            301, {"Location": server.base + request.path}, b""))  # fmt: skip
        gives("etc/passwd", b"root:x:0:0:")(server)
        checked = server_checked(front.root, select=["MF706"], storage_options={"anon": True})
    assert checked.report is not None
    assert checked.report.findings
    assert any("sent us on to" in note for note in checked.notes)


@pytest.mark.parametrize(
    "url",
    ["/tmp", "s3://bucket/field/", "http://127.0.0.1/x.zip", "http://127.0.0.1/a.md", "ftp://x/"],
)
def test_what_is_no_address_of_a_field(url: str) -> None:
    """Anything but the address of a served field is refused before anyone is asked."""
    with pytest.raises(LocationError):
        check_server(url)


def test_nobody_there() -> None:
    """A server that does not answer is an error, and no report."""
    with served_field() as server:
        url = server.root
    with pytest.raises(SourceUnavailable):
        check_server(url, storage_options={"retries": 0})
    assert server_checked(url, storage_options={"retries": 0}).report is None


@pytest.mark.parametrize("pattern", ["MF3", "MF901"])
def test_rules_on_other_things_cannot_be_selected(pattern: str) -> None:
    """A rule that is not on servers would pass for checked."""
    with pytest.raises(NotChecked, match="on a server"):
        check_server("http://127.0.0.1:9/", select=[pattern])
    with pytest.raises(UnknownRequirement):
        check_server("http://127.0.0.1:9/", ignore=["MF999"])
