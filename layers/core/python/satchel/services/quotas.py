"""Report a user's quotas (``GET /api/me``)."""

from dataclasses import dataclass

from satchel.domain.files import Usage
from satchel.domain.quotas import QuotaReport, Quotas, QuotaUse, end_of_minute
from satchel.domain.users import Identity
from satchel.ports.quotas import QuotaCounts
from satchel.ports.system import Clock


@dataclass(frozen=True)
class ReadQuotas:
    """Read how much of each quota a user uses."""

    counts: QuotaCounts
    quotas: Quotas
    clock: Clock

    def __call__(self, who: Identity, usage: Usage) -> QuotaReport:
        """Return all quotas of the user. ``usage`` is the user's storage usage."""
        now, limits = self.clock.now(), self.quotas
        active = self.counts.read(who.name, now)
        return QuotaReport(
            open_sessions=QuotaUse(limit=limits.open_sessions, used=active.open_sessions),
            turns_per_minute=QuotaUse(
                limit=limits.turns_per_minute, used=active.turns_in_minute, resets_at=end_of_minute(now)
            ),
            running_calls=QuotaUse(limit=limits.running_calls, used=active.running_calls),
            uploads=QuotaUse(limit=limits.uploads, used=active.uploads),
            stored_bytes=QuotaUse(limit=limits.stored_bytes, used=usage.bytes + active.upload_bytes),
        )
