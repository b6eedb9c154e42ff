"""Issue the tokens with which dashboards identify their user, and publish the keys that verify them."""

from collections.abc import Callable
from dataclasses import dataclass

from satchel.domain.canvas import origin_of
from satchel.domain.dashboard_tokens import DASHBOARD_TOKEN_SECONDS, DashboardClaims, PublicKey
from satchel.domain.ids import CanvasId, SessionId, UserName, new_id
from satchel.domain.responses import ResponseCanvas
from satchel.domain.sessions import SessionStatus
from satchel.ports.links import DashboardSigner
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock

_TOKEN_ID_KIND = "j"  # noqa: S105  (the kind of an id)


@dataclass(frozen=True)
class DashboardTokens:
    """Issues the tokens of dashboards. ``issuer`` is the deployment's public URL."""

    sessions: Sessions
    signer: DashboardSigner
    clock: Clock
    entropy: Callable[[int], bytes]
    issuer: str

    def __call__(
        self, user: UserName, session_id: SessionId, canvas: ResponseCanvas, tool_token: str | None
    ) -> str | None:
        """Return the tool's own token if it set one, otherwise a signed token that is valid for five minutes.

        Return None if the dashboard wants no token, or if the session is missing or has ended.
        """
        session = self.sessions.get(user, session_id) if canvas.wants_token else None
        if session is None or session.status is SessionStatus.ENDED:
            return None
        return tool_token or self.signer.sign(self._claims(user, session_id, canvas))

    def public_keys(self) -> list[PublicKey]:
        """Return the keys that verify signed tokens. During a key rotation there are several."""
        return self.signer.public_keys()

    def _claims(self, user: UserName, session_id: SessionId, canvas: ResponseCanvas) -> DashboardClaims:
        now = self.clock.now()
        issued_at = int(now.timestamp())
        return DashboardClaims(
            iss=self.issuer,
            aud=origin_of(canvas.url) or "",
            sub=user,
            sid=session_id,
            canvas_id=CanvasId(canvas.id),
            iat=issued_at,
            exp=issued_at + DASHBOARD_TOKEN_SECONDS,
            jti=new_id(_TOKEN_ID_KIND, now, self.entropy(10)),
        )
