"""Names of the environment variables without which programs reach nothing behind a proxy of an organization."""

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")

CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
"""Variables with the path of the certificates that connections must trust. Servers can read these paths."""

NETWORK = (*_PROXIES, *map(str.lower, _PROXIES), *CERTIFICATES, "UV_SYSTEM_CERTS", "UV_NATIVE_TLS")
"""Variables that all servers with a network inherit."""
