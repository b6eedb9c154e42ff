"""Limit each user's rate of requests, in the memory of this process.

Each user has a token bucket, stored as one number: the time at which the bucket is full again (GCRA, the generic cell
rate algorithm). Own code, because libraries such as ``limits`` import stores and helpers that each cold start of the
API would pay for.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from satchel.domain.errors import TooManyRequests
from satchel.domain.ids import UserName

BURST_SECONDS = 5
"""A user who was idle may send the requests of this many seconds at once."""

_SECOND = 1_000_000_000  # in nanoseconds; sums of floats would be off by a request
_MAX_USERS = 10_000


class RequestRates:
    """Count the requests of each user. ``now`` returns nanoseconds of a clock that never goes back."""

    def __init__(
        self, per_second: int, now: Callable[[], int] = time.monotonic_ns, *, max_users: int = _MAX_USERS
    ) -> None:
        self._per_second = per_second
        self._interval = _SECOND // per_second
        self._now = now
        self._max_users = max_users
        self._full_at: OrderedDict[UserName, int] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, user: UserName) -> None:
        """Count a request. Raise TooManyRequests if the user's bucket is empty; such a request takes nothing."""
        with self._lock:
            now = self._now()
            full_at = max(self._full_at.setdefault(user, now), now) + self._interval
            self._full_at.move_to_end(user)
            if (excess := full_at - now - BURST_SECONDS * _SECOND) > 0:
                raise TooManyRequests(self._per_second, -(-excess // _SECOND))
            self._full_at[user] = full_at
            if len(self._full_at) > self._max_users:
                self._full_at.popitem(last=False)
