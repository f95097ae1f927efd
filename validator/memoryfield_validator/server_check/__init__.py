"""A live server judged by what the standard says of HTTP (MF7xx): the same reports as for a field.

from memoryfield_validator.server_check import check_server

report = check_server("https://example.org/cookware/")
print(report.verdict, report.digest)
"""

from __future__ import annotations

from .checking import SERVER_SECONDS, check_server, server_checked
from .registering import NotOfServer, server_rules

__all__ = ["SERVER_SECONDS", "NotOfServer", "check_server", "server_checked", "server_rules"]
