"""What is deleted in the background, by functions of their own: ended sessions, everything of a person."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LambdaClearing:
    """Implements ``ports.going.Clearing``."""

    client: "LambdaClient"
    function: str

    def start(self, user: str, session_id: str) -> None:
        """Invoke the function and return at once; where it cannot be invoked now, the sweep clears the session."""
        _invoke(self.client, self.function, {"user": user, "session_id": session_id})


@dataclass(frozen=True)
class LambdaErasing:
    """Implements ``ports.erasing.Erasing``."""

    client: "LambdaClient"
    function: str

    def start(self, user: str) -> None:
        """Invoke the function and return at once; where it cannot be invoked now, the sweep sees to it."""
        _invoke(self.client, self.function, {"user": user})


def _invoke(client: "LambdaClient", function: str, event: Mapping[str, str]) -> None:
    try:
        client.invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(event).encode())
    except (ClientError, BotoCoreError):
        logger.warning("left to the sweep", extra=dict(event), exc_info=True)
