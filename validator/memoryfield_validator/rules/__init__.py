"""The rules, in one file for each hundred of requirements."""

from . import archives, container, content, frontmatter, indexes, listings, pages

__all__ = ["archives", "container", "content", "frontmatter", "indexes", "listings", "pages"]
