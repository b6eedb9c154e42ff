"""The functions that nobody waits for: called with an event by other functions, or by the clock."""

from importlib import import_module
from typing import Any, cast

from infra import limits
from local import settings
from local.aws import resources
from local.runners.context import Handler, LambdaContext
from satchel.adapters.user_area import LocalUserArea

_SECONDS = {
    "erase": limits.ERASE_SECONDS,
    "end_session": limits.CLEAR_SECONDS,
    "expire": limits.SWEEP_SECONDS,
}


def create_background(role: str) -> None:
    """Create each function of ``functions/{folder}``, in process, as ``{NAME}-{folder}``."""
    for folder, seconds in _SECONDS.items():
        handler: Handler = import_module(f"functions.{folder}.handler").handler
        if folder == "end_session":
            handler = _leaving_the_corner(handler)
        resources.create_function(f"{settings.NAME}-{folder}", handler, role=role, timeout=seconds)


def _leaving_the_corner(end_session: Handler) -> Handler:
    """All runners share ``/tmp`` here: what the session's tools left there ends with it.

    On Lambda each environment has a ``/tmp`` of its own that no function can reach; it is cleared by the person's next
    call from another session, and goes with the environment.
    """

    def handle(event: object, context: LambdaContext) -> object:
        ended = cast("dict[str, Any]", event)
        LocalUserArea().leave(ended["user"], ended["session_id"])
        return end_session(event, context)

    return handle
