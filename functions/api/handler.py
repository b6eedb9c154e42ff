"""The HTTP API behind API Gateway."""

from functools import lru_cache
from typing import Any

from mangum import Mangum

from satchel.bootstrap.api import build
from satchel.bootstrap.observed import observed


@lru_cache
def application() -> Mangum:
    """Return the application; like every function it makes its clients for its first event, not when it is imported."""
    return Mangum(build(), lifespan="off")


@observed("api")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  (as Mangum takes it)
    """Answer one request."""
    return application()(event, context)
