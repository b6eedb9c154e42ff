"""In-memory idempotency keys."""

from datetime import datetime, timedelta

from satchel.ports.requests import EarlierRequest, KeyedRequest


class FakeRequestKeys:
    """Implements ``ports.requests.RequestKeys``."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str], tuple[EarlierRequest, datetime]] = {}

    def claim(self, request: KeyedRequest, now: datetime) -> EarlierRequest | None:
        stored = self._requests.get((request.user, request.key))
        if stored is not None:
            earlier, at = stored
            age = now - at
            if age <= (timedelta(minutes=1) if earlier.resource is None else timedelta(days=1)):
                return earlier
        self._requests[request.user, request.key] = EarlierRequest(request.content, None), now
        return None

    def finish(self, request: KeyedRequest, resource: str) -> None:
        key = request.user, request.key
        self._requests[key] = EarlierRequest(request.content, resource), self._requests[key][1]

    def release(self, request: KeyedRequest) -> None:
        self._requests.pop((request.user, request.key), None)
