"""Run a request with an idempotency key once, and answer its repetitions with what it has created."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from satchel.domain.errors import IdempotencyKeyReused, RequestRunning
from satchel.domain.ids import IdBody, new_id_body
from satchel.domain.users import Identity
from satchel.ports.requests import EarlierRequest, KeyedRequest, RequestKeys
from satchel.ports.system import Clock

T = TypeVar("T")


@dataclass(frozen=True)
class RunOnce:
    """Run requests that create something. A repeated request reads what the first one created, as it is now.

    The id is stored with the key before anything is created with it. So the repetition of an interrupted request finds
    what that one has created, or completes it.
    """

    keys: RequestKeys
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(
        self,
        who: Identity,
        key: str | None,
        request: tuple[str, str | bytes],
        create: Callable[[IdBody | None], tuple[str, T]],
        read: Callable[[str], T],
    ) -> T:
        """Return the result of ``create``, which also returns an id; for a repeated request, of ``read`` with this id.

        ``create`` gets the id of what it creates, without the first letter. If this exists already, it returns it.
        ``request`` is the operation and the content of the request. Without a key, ``create`` gets None. Raise
        IdempotencyKeyReused if the key was used for another content, or RequestRunning. A failed request frees its key.
        """
        if key is None:
            return create(None)[1]
        operation, content = request
        keyed = KeyedRequest(who.name, _digest(operation, key), _digest(content))
        now = self.clock.now()
        earlier = self.keys.claim(keyed, new_id_body(now, self.entropy(10)), now)
        if not isinstance(earlier, EarlierRequest):
            return self._create(keyed, lambda: create(earlier))
        if earlier.content != keyed.content:
            raise IdempotencyKeyReused("This Idempotency-Key was used for another request.")
        if earlier.resource is None:
            raise RequestRunning
        return read(earlier.resource)

    def _create(self, keyed: KeyedRequest, create: Callable[[], tuple[str, T]]) -> T:
        try:
            resource, result = create()
            self.keys.finish(keyed, resource)
        except Exception:
            self.keys.release(keyed)
            raise
        return result


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8) + content)
    return digest.hexdigest()
