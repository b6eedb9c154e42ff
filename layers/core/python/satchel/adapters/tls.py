"""The TLS settings of outgoing connections."""

from functools import cache
from ssl import SSLContext

import httpx2


@cache
def tls_context() -> SSLContext:
    """Return the process's TLS context. Creating one reads all certificates, which takes longer than a request."""
    return httpx2.create_ssl_context()
