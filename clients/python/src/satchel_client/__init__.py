"""Client of Satchel's API: `Client` with threads, `AsyncClient` with asyncio. `models` has the responses and events.

Imports point one way: client → turns → files → http → runtime | _protocol → errors; all of them use models → _base.
`_sync` and `models` are generated.
"""

from satchel_client._async.client import AsyncClient
from satchel_client._async.files import AsyncFiles
from satchel_client._async.turns import AsyncSession, AsyncTurn
from satchel_client._base import UnknownEvent
from satchel_client._sync.client import Client
from satchel_client._sync.files import Files
from satchel_client._sync.turns import Event, Session, Turn
from satchel_client.errors import (
    ApiError,
    ConnectionLost,
    FileChanged,
    FileReplaced,
    InvalidUrl,
    SatchelError,
    UnexpectedResponse,
    Unreachable,
)

__all__ = [
    "ApiError",
    "AsyncClient",
    "AsyncFiles",
    "AsyncSession",
    "AsyncTurn",
    "Client",
    "ConnectionLost",
    "Event",
    "FileChanged",
    "FileReplaced",
    "Files",
    "InvalidUrl",
    "SatchelError",
    "Session",
    "Turn",
    "UnexpectedResponse",
    "UnknownEvent",
    "Unreachable",
]
