"""Slow down the guessing of passwords: after some failures, each further one doubles the wait, up to a maximum."""

import ipaddress
import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_MAX_KEYS = 10_000
_IPV6_PREFIX = 64  # one customer of an Internet provider has at least this network


@dataclass(frozen=True)
class Rule:
    """``free`` failures cost nothing. Each further one doubles the wait, from one second up to ``max_seconds``.

    ``forget_seconds`` after the last failure, all are forgotten.
    """

    free: int
    max_seconds: float
    forget_seconds: float

    def wait_after(self, failures: int) -> float:
        """Return the seconds to wait after this number of failures."""
        exponent = failures - self.free - 1
        if exponent < 0:
            return 0.0
        return self.max_seconds if exponent > math.log2(self.max_seconds) else 2.0**exponent


# The wait of an account stays short, so that failures on purpose lock no user out. A single address, which
# waits longer, has few attempts on any account.
ACCOUNT_RULE = Rule(free=5, max_seconds=60, forget_seconds=24 * 3600)
ADDRESS_RULE = Rule(free=10, max_seconds=900, forget_seconds=24 * 3600)


@dataclass
class _Record:
    failures: int = 0
    last: float = 0.0
    blocked_until: float = 0.0


class _Counter:
    """Failures by key. It forgets the keys that failed the longest time ago if there are too many."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def __len__(self) -> int:
        return len(self._records)

    def wait(self, key: str, now: float) -> float:
        record = self._records.get(key)
        return max(0.0, record.blocked_until - now) if record else 0.0

    def fail(self, key: str, now: float) -> None:
        record = self._records.pop(key, None)
        if record is None or now - record.last >= self._rule.forget_seconds:
            record = _Record()
        record.failures += 1
        record.last, record.blocked_until = now, now + self._rule.wait_after(record.failures)
        self._records[key] = record
        if len(self._records) > _MAX_KEYS:
            self._records.popitem(last=False)

    def take_back(self, key: str) -> None:
        if record := self._records.get(key):
            record.failures -= 1
            record.blocked_until = 0.0

    def clear(self, key: str) -> None:
        self._records.pop(key, None)


class Throttle:
    """Counts failed sign-ins by account and by address. Thread-safe. ``clock`` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._accounts = _Counter(ACCOUNT_RULE)
        self._addresses = _Counter(ADDRESS_RULE)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of remembered accounts and addresses."""
        with self._lock:
            return len(self._accounts) + len(self._addresses)

    def begin(self, account: str, address: str) -> int:
        """Return the whole seconds to wait before an attempt, or 0 and count the attempt as failed.

        An attempt counts when it begins, so that attempts at the same time cannot all be the first. One that has to
        wait is not counted, because it tests no password.
        """
        network = _network(address)
        with self._lock:
            now = self._clock()
            wait = max(self._accounts.wait(account, now), self._addresses.wait(network, now))
            if not wait:
                self._accounts.fail(account, now)
                self._addresses.fail(network, now)
            return math.ceil(wait)

    def succeed(self, account: str, address: str) -> None:
        """Forget the failures of the account, and this attempt of the address.

        The earlier failures of the address stay: otherwise an attacker with an account of their own could reset them.
        """
        with self._lock:
            self._accounts.clear(account)
            self._addresses.take_back(_network(address))


def _network(address: str) -> str:
    """Return the address, or the network of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed), _IPV6_PREFIX), strict=False))
    return str(parsed)
