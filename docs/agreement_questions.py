"""Questions on which implementations are known to differ, and how the standard settles them.

`docs/who_agrees.py` shows each with the cases that decide it; one whose cases the suite does not
have is left out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the answer of the standard, and the cases that decide it.

    Attributes:
        asked: the question, in one line.
        settled: what the standard says, in one or two sentences.
        requirements: the ids that say so.
        cases: the ids of the cases.
    """

    asked: str
    settled: str
    requirements: tuple[str, ...]
    cases: tuple[str, ...]


QUESTIONS = (
    Question(
        "Is a folder without a page a field?",
        "No: there is at least one `.md` file at the root. Files in sub-directories do not count.",
        ("MF101",),
        ("mf101-empty-field", "mf101-attachments-alone", "mf101-page-in-one-folder"),
    ),
    Question(
        "Is `a--b.md` a good page name?",
        "Yes: lower-case letters, digits and hyphens, with a letter or digit at both ends. How "
        "many hyphens follow one another is not limited.",
        ("MF201",),
        ("mf201-hyphens-in-a-row", "mf201-hyphen-at-an-end"),
    ),
    Question(
        "Is a file with a bad name, or with bad content, a page?",
        "Yes: every `.md` file at the root is one. A fault is reported, and the page is read.",
        ("MF901", "MF902"),
        ("mf901-capitals", "mf901-blanks", "mf902-not-utf-8", "mf902-bad-pages-among-others"),
    ),
    Question(
        "Is a sync-conflict copy or a hidden file an error?",
        "No: it is debris. Readers ignore it, and validators tell of it below level error.",
        ("MF104", "MF901"),
        ("mf104-sync-conflict", "mf104-hidden-files"),
    ),
    Question(
        "Is a missing `summary` an error?",
        "No: it is no field that this standard expects. `mf lint` rates it as an error of its own "
        "(`missing-summary`), a convention that its adapter leaves out.",
        ("MF303",),
        ("mf101-one-page",),
    ),
    Question(
        "Is a missing `title`, `uuid`, `created` or `updated` an error?",
        "No: it is a warning.",
        ("MF303",),
        ("mf303-each-field", "mf204-empty-block"),
    ),
    Question(
        "Is a link out of the root an error?",
        "The draft does not speak of links. By this standard it is one, and the link is not "
        "followed. A link to a regular file within the root is fine in a folder.",
        ("MF105",),
        ("mf105-link-out", "mf105-absolute-link", "mf105-link-to-file", "mf105-link-to-nowhere"),
    ),
    Question(
        "Is an empty frontmatter block an error, and one that does not parse?",
        "An empty block is parsed, and is no error. One that does not parse is.",
        ("MF204", "MF301"),
        ("mf204-empty-block", "mf204-broken-block", "mf301-quote-left-open"),
    ),
    Question(
        "Is a page that begins with a Markdown rule an error?",
        "No: prose between two rules is no frontmatter. Neither is an opening line that is never "
        "closed and has no `key:` line after it. Such a page is read whole.",
        ("MF302",),
        ("mf302-rule-alone", "mf302-no-key-lines", "mf302-closed-without-fields"),
    ),
    Question(
        "Is a title that YAML takes for a number an error?",
        "The draft does not speak of types. By this standard it is one: the title that the author "
        "sees is not the one that a reader gets.",
        ("MF305",),
        ("mf305-titles-that-are-no-text",),
    ),
    Question(
        "Does an index have to be one of a certain model?",
        "No: its name begins with the full code of its model, whichever that is. memoryfield-tool "
        "asks for `nomic-embed-text-v1.5`. Nearly all indexes in the cases of the hundreds 5xx "
        "have another name, so that this one rule of it decides those cases.",
        ("MF502",),
        ("mf502-version-behind-an-at", "mf502-model-family", "mf502-no-model"),
    ),
    Question(
        "Is an archive refused if two readers could see two archives in it?",
        "The draft asks for a valid ZIP file, and does not speak of such archives. By this "
        "standard they are refused.",
        ("MF603", "MF604", "MF605", "MF606"),
        ("mf603-climbs-out", "mf604-page-twice", "mf605-symbolic-link", "mf606-two-archives"),
    ),
)
