"""Whose certificates are trusted: what the environment says, or those that certifi knows."""

from __future__ import annotations

import os
import ssl

from .exchange import TimedTlsSocket
from .failures import Broken

_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
"""A file or folder of certificates, the first that is set; it stands in place of the others."""


def tls_context() -> ssl.SSLContext:
    """How TLS is spoken, by sockets that keep to their time.

    Raises:
        Broken: the file that the environment names cannot be used.
    """
    from requests.utils import DEFAULT_CA_BUNDLE_PATH
    from urllib3.util.ssl_ import create_urllib3_context

    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    context.sslsocket_class = TimedTlsSocket
    named = next((name for name in _VARIABLES if os.environ.get(name)), None)
    path = os.environ[named] if named else DEFAULT_CA_BUNDLE_PATH
    try:
        if os.path.isdir(path):
            context.load_verify_locations(capath=path)
        else:
            context.load_verify_locations(cafile=path)
    except (OSError, ValueError):  # ssl.SSLError is an OSError
        raise Broken(
            f"the certificates that {named or 'certifi'} names cannot be used", passing=False
        ) from None
    return context
