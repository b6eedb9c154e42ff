"""The HTTP API: routes are in ``routers/``, JSON bodies in ``schemas/``, error responses in ``problems``."""
