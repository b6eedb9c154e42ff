"""What is asked of AWS: every request of a client while a test looks on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Request = tuple[str, dict[str, Any]]
"""The operation's name, and its parameters."""


@contextmanager
def recorded(*clients: Any) -> Iterator[list[Request]]:  # noqa: ANN401  (a boto3 client of any service)
    """Give the list of requests, which grows."""
    requests: list[Request] = []

    def note(params: dict[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401  (botocore's own)
        requests.append((model.name, params))

    for client in clients:
        client.meta.events.register("before-parameter-build", note)
    try:
        yield requests
    finally:
        for client in clients:
            client.meta.events.unregister("before-parameter-build", note)
