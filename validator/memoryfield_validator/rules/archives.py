"""6xx: archives. The reader finds the faults as it opens and reads; here they become findings."""

from __future__ import annotations

from shlex import quote

from memoryfield_readers import ARCHIVE_SUFFIX, shown

from ..registry import Findings, Rule, field_rule
from ..review import Review


@field_rule("MF601")  # a whole, valid ZIP file
@field_rule("MF603")  # plain relative names
@field_rule("MF604")  # no name twice
@field_rule("MF605")  # nothing but plain files, stored or deflated
@field_rule("MF606")  # one archive to every reader
@field_rule("MF607")  # within limits, whatever the source
@field_rule("MF609")  # names in UTF-8 or ASCII
def container_faults(rule: Rule, review: Review) -> Findings:
    """The faults that the reader found, each under its own requirement."""
    for fault in dict.fromkeys(review.faults):
        if fault.rule == rule.id:
            yield rule.finding(fault.entry, fault.message, hint=fault.hint)


@field_rule("MF602")
def archive_name(rule: Rule, review: Review) -> Findings:
    """An archive's name ends in `.memoryfield.zip`; one that has no name is let be."""
    name = review.field.archive_name
    if any(fault.rule == "MF601" for fault in review.field.faults):
        return  # it is no archive, whatever its name
    if name and not name.endswith(ARCHIVE_SUFFIX):
        better = f"{review.field.name}{ARCHIVE_SUFFIX}"
        yield rule.finding(
            None,
            f"the archive is named {shown(name)}",
            hint=f"rename it to {shown(better)}",
        )


@field_rule("MF608")
def not_wrapped(rule: Rule, review: Review) -> Findings:
    """The pages are not all wrapped in one top folder."""
    folder = review.wrapper
    if folder is None:
        return
    count = len(review.nested_pages)
    pages = f"all {count} pages are" if count > 1 else "the only page is"
    yield rule.finding(
        None,
        f"{pages} wrapped in the folder {shown(folder + '/')}",
        hint=f"zip the contents of {shown(folder)}, not the folder: "
        f"(cd {quote(folder)} && zip -X {quote(f'../{folder}{ARCHIVE_SUFFIX}')} *)",
    )
