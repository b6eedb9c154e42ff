"""The HTTP API: routes in ``routers/``, JSON bodies in ``schemas/``, error responses in ``problems``."""
