"""The interpreter makes a boto3 client for a service once, not for each task.

Patches ``boto_client_for``, which its users have imported by name. Without it every task pays 10 to 60 ms for a client.
"""

import threading
from functools import cache

from botocore.client import BaseClient
from moto.stepfunctions.parser.asl.utils import boto_client

from local.emulator.aws.moto_patches.patching import replace_everywhere

_original = boto_client.boto_client_for
_clients: dict[tuple[str, str], BaseClient] = {}
_making = threading.Lock()


@cache
def install() -> None:
    """Patch moto."""
    replace_everywhere("moto.stepfunctions.parser", "boto_client_for", _original, _client_for)


def forget() -> None:
    """Make new clients from now on: the old ones belong to a cloud that has stopped."""
    with _making:
        _clients.clear()


def _client_for(region: str, service: str, state_credentials: object = None) -> BaseClient:
    with _making:
        key = (region, service)
        if key not in _clients:
            _clients[key] = _original(region=region, service=service, state_credentials=state_credentials)
        return _clients[key]
