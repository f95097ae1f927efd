"""The rules, in one file for each hundred of requirements."""

from . import archives, container, frontmatter, listings, pages

__all__ = ["archives", "container", "frontmatter", "listings", "pages"]
