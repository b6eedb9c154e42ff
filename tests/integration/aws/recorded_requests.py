"""Records the requests that boto3 clients send."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Request = tuple[str, dict[str, Any]]
"""An operation's name and its parameters."""


@contextmanager
def record_requests(*clients: Any) -> Iterator[list[Request]]:  # noqa: ANN401  (a boto3 client of any service)
    """Yield a list to which each request of these clients is added."""
    requests: list[Request] = []

    def record(params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401  (botocore's own)
        requests.append((model.name, params))

    for client in clients:
        client.meta.events.register("before-parameter-build", record)
    try:
        yield requests
    finally:
        for client in clients:
            client.meta.events.unregister("before-parameter-build", record)
