"""In-memory idempotency keys."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.domain.ids import IdBody
from satchel.ports.requests import EarlierRequest, KeyedRequest


@dataclass
class _Stored:
    request: EarlierRequest
    id_body: IdBody
    at: datetime
    has_failed: bool = False


class FakeRequestKeys:
    """Implements ``ports.requests.RequestKeys``."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str], _Stored] = {}

    def claim(self, request: KeyedRequest, id_body: IdBody, now: datetime) -> IdBody | EarlierRequest:
        key = request.user, request.key
        earlier = self._requests.get(key)
        if earlier is not None and now - earlier.at <= timedelta(days=1):
            runs = not earlier.has_failed and now - earlier.at <= timedelta(minutes=1)
            if runs or earlier.request.resource is not None:
                return earlier.request
            id_body = earlier.id_body if earlier.request.content == request.content else id_body
        self._requests[key] = _Stored(EarlierRequest(request.content), id_body, now)
        return id_body

    def finish(self, request: KeyedRequest, resource: str) -> None:
        self._requests[request.user, request.key].request = EarlierRequest(request.content, resource)

    def release(self, request: KeyedRequest) -> None:
        self._requests[request.user, request.key].has_failed = True
