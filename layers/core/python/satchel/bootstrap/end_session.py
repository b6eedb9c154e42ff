"""What the end_session function is made of."""

from functools import lru_cache

from satchel.bootstrap.clearing import clear_session
from satchel.bootstrap.storage import storage
from satchel.domain.sessions import Session
from satchel.services.sessions.clear_session import ClearSession


@lru_cache
def build() -> ClearSession:
    """Return the use case, wired."""
    return clear_session()


def find(user: str, session_id: str) -> Session | None:
    """Return the session that is to be cleared."""
    return storage().sessions.get(user, session_id)
