"""A callback or a beat that comes before its task has begun to wait is not lost.

Patches ``CallbackEndpoint.setup_heartbeat_endpoint`` and ``.notify_heartbeat``. moto starts to listen when the Lambda
function that was given the token has returned; what was sent earlier, by the function itself or by a quick worker,
wakes nobody. Without this such a task ends as timed out, and an early beat is answered with InvalidToken.
"""

from functools import cache

from moto.stepfunctions.parser.asl.eval.callback.callback import CallbackEndpoint, HeartbeatEndpoint

from local.aws.seams.patching import original, replace

_setup = original(CallbackEndpoint, "setup_heartbeat_endpoint")
_beat = original(HeartbeatEndpoint, "notify")


@cache
def install() -> None:
    """Patch moto."""
    replace(CallbackEndpoint, "setup_heartbeat_endpoint", _setup_and_catch_up)
    replace(CallbackEndpoint, "notify_heartbeat", _notify_heartbeat)


def _setup_and_catch_up(self: CallbackEndpoint, heartbeat_seconds: int) -> HeartbeatEndpoint:
    endpoint: HeartbeatEndpoint = _setup(self, heartbeat_seconds)
    if self.get_outcome() is not None:
        self.interrupt_all()
    return endpoint


def _notify_heartbeat(self: CallbackEndpoint) -> bool:
    """Accept a beat that nobody listens to: the time to the next is only counted from when the task waits."""
    if self._heartbeat_endpoint is not None:
        _beat(self._heartbeat_endpoint)
    return True
