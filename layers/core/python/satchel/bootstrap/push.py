"""What the push function is made of."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.api_gateway import GatewayMailbox
from satchel.bootstrap.observed import about_turns
from satchel.bootstrap.storage import storage
from satchel.entrypoints.stream import StreamBatch
from satchel.services.connections.push_events import PushEvents
from satchel.settings import PushSettings


@lru_cache
def build() -> StreamBatch:
    """Return what takes batches of the stream, wired."""
    kept = storage()
    mailbox = GatewayMailbox(clients.socket_api(PushSettings().socket_endpoint))
    return StreamBatch(about_turns(PushEvents(kept.subscriptions, kept.connections, kept.turns, kept.events, mailbox)))
