"""Run a request with an idempotency key once, and answer its repetitions with what it has created."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from satchel.domain.errors import IdempotencyKeyReused, RequestRunning
from satchel.domain.users import Identity
from satchel.ports.requests import KeyedRequest, RequestKeys
from satchel.ports.system import Clock

T = TypeVar("T")


@dataclass(frozen=True)
class RunOnce:
    """Run requests that create something. A repeated request reads what the first one created, as it is now."""

    keys: RequestKeys
    clock: Clock

    def __call__(
        self,
        who: Identity,
        key: str | None,
        request: tuple[str, str | bytes],
        create: Callable[[], tuple[str, T]],
        read: Callable[[str], T],
    ) -> T:
        """Return the result of ``create``, which also returns an id; for a repeated request, of ``read`` with this id.

        ``request`` is the operation and the content of the request. Without a key, call ``create``. Raise
        IdempotencyKeyReused if the key was used for another content, or RequestRunning. A failed request frees its key.
        """
        if key is None:
            return create()[1]
        operation, content = request
        keyed = KeyedRequest(who.name, _digest(operation, key), _digest(content))
        earlier = self.keys.claim(keyed, self.clock.now())
        if earlier is None:
            return self._create(keyed, create)
        if earlier.content != keyed.content:
            raise IdempotencyKeyReused("This Idempotency-Key was used for another request.")
        if earlier.resource is None:
            raise RequestRunning
        return read(earlier.resource)

    def _create(self, keyed: KeyedRequest, create: Callable[[], tuple[str, T]]) -> T:
        try:
            resource, result = create()
        except Exception:
            self.keys.release(keyed)
            raise
        self.keys.finish(keyed, resource)
        return result


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8) + content)
    return digest.hexdigest()
