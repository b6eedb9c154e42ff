"""The Lambda function behind the HTTP API: passes requests to the FastAPI application."""

from functools import lru_cache
from typing import Any

from satchel.bootstrap.api import build_app
from satchel.bootstrap.observed import observed

# isort: split
from mangum import Mangum  # after ``satchel.bootstrap``, which first sets up the garbage collector and pydantic


@lru_cache
def application() -> Mangum:
    """Return the FastAPI application. It is built for the first request, not at import, for fast cold starts."""
    return Mangum(build_app(), lifespan="off")


@observed("api")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  (Mangum's type for a Lambda context)
    """Answer one HTTP request."""
    return application()(event, context)
