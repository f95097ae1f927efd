"""Certificates for a server on loopback, of an authority that no one else knows."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority and a certificate of it for loopback.

    Attributes:
        context: for `FaultyHttp(tls=...)`.
        ca_file: what a client has to trust, as for REQUESTS_CA_BUNDLE.
    """

    context: ssl.SSLContext
    ca_file: Path


def authority(folder: Path, *names: str) -> Authority:
    """A new authority, whose file is put into a folder.

    Arguments:
        folder: where to put it.
        names: what the certificate is for; none: 127.0.0.1 and localhost.
    """
    import trustme  # slow to import

    made = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.issue_cert(*(names or ("127.0.0.1", "localhost"))).configure_cert(context)
    ca_file = folder / "ca.pem"
    made.cert_pem.write_to_path(str(ca_file))
    return Authority(context, ca_file)
