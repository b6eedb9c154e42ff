"""Forty invalid download links. The API must answer all of them in the same way."""

import base64
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt
from starlette.testclient import TestClient

from satchel.domain.dashboard_tokens import DashboardClaims
from satchel.domain.files import FileRecord
from satchel.domain.links import Claims, EraseClaims
from tests.integration.aws.factories import make_file, make_session, random_id
from tests.integration.http.backend import Backend

OTHER_USER = "mallory@example.com"


@dataclass(frozen=True)
class ValidLink:
    """A file of a session and the claims of a valid link to it, from which the cases derive invalid links."""

    backend: Backend
    http: TestClient
    file: FileRecord
    claims: Claims

    def sign(self, **changes: object) -> str:
        """Return a token with changed claims and a valid signature."""
        return self.backend.signer.sign(self.claims.model_copy(update=changes))

    def payload(self, **changes: object) -> dict[str, object]:
        return jwt.decode(self.sign(), options={"verify_signature": False}) | changes

    def forge(self, key: str | None = None, algorithm: str = "HS256", kid: object = None, **changes: object) -> str:
        """Return a token with any claims, key, algorithm and key id."""
        keys = self.backend.keys
        headers = {"kid": keys.newest if kid is None else kid}
        return jwt.encode(self.payload(**changes), key or keys.keys[keys.newest], algorithm, headers)

    def add_file(self, **fields: Any) -> tuple[FileRecord, Claims]:  # noqa: ANN401  (fields of a file)
        """Create another file of the session, and return it with valid claims."""
        user, session_id = self.file.user, self.file.session_id
        file = self.backend.files.save(make_file(user, session_id, f"{os.urandom(4).hex()}.csv", **fields))
        return file, self.claims.model_copy(update={"file_key": file.file_key})


InvalidLink = tuple[str, str]
"""The file key and the token of a link."""
Case = Callable[[ValidLink], InvalidLink]


def _token(make: Callable[[ValidLink], str]) -> Case:
    return lambda valid: (valid.file.file_key, make(valid))


def _alter(token: str, part: int) -> str:
    parts = token.split(".")
    middle = len(parts[part]) // 2
    other = "A" if parts[part][middle] != "A" else "B"
    parts[part] = parts[part][:middle] + other + parts[part][middle + 1 :]
    return ".".join(parts)


def _unsigned_token(valid: ValidLink) -> str:
    parts = ({"alg": "none", "typ": "JWT", "kid": valid.backend.keys.newest}, valid.payload())
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def _canvas_token(valid: ValidLink) -> str:
    claims = valid.claims
    return valid.backend.dashboard_signer.sign(
        DashboardClaims(
            iss="http://api.example",
            aud=claims.audience,
            sub=claims.owner,
            sid=claims.session_id,
            canvas_id="c",
            iat=0,
            exp=claims.exp,
            jti="j",
        )
    )


def _erasure_token(valid: ValidLink) -> str:
    return valid.backend.signer.sign(EraseClaims(owner=valid.claims.owner, exp=valid.claims.exp))


def _deleted_file(valid: ValidLink) -> InvalidLink:
    file, claims = valid.add_file()
    valid.backend.files.remove(file)
    return file.file_key, valid.backend.signer.sign(claims)


def _file_deleted_by_owner(valid: ValidLink) -> InvalidLink:
    file, claims = valid.add_file()
    assert valid.http.delete(f"/api/files/{file.file_key}").status_code == 204
    return file.file_key, valid.backend.signer.sign(claims)


def _expired_file(valid: ValidLink) -> InvalidLink:
    file, claims = valid.add_file(expires_at=int(valid.backend.clock.now().timestamp()))
    return file.file_key, valid.backend.signer.sign(claims)


def _ended_session(valid: ValidLink) -> InvalidLink:
    session = make_session(valid.file.user)
    valid.backend.sessions.create(session)
    file = valid.backend.files.save(make_file(session.user, session.session_id, "a.csv"))
    changes = {"file_key": file.file_key, "session_id": session.session_id, "epoch": session.epoch}
    token = valid.backend.signer.sign(valid.claims.model_copy(update=changes))
    assert valid.http.delete(f"/api/sessions/{session.session_id}").status_code == 204
    return file.file_key, token


def _revoked(valid: ValidLink, revoke: Callable[[str], str]) -> InvalidLink:
    shared = valid.http.post(f"/api/files/{valid.file.file_key}/link").json()
    assert valid.http.delete(revoke(shared["link_id"])).is_success
    return valid.file.file_key, shared["url"].partition("token=")[2]


def _token_of_another_file(valid: ValidLink) -> str:
    _, claims = valid.add_file()
    return valid.backend.signer.sign(claims)


CASES: dict[str, Case] = {
    "signed with another key": _token(lambda s: s.forge(key="x" * 64)),
    "signed with an unknown key id": _token(lambda s: s.forge(kid="k9")),
    "signed with an empty key id": _token(lambda s: s.forge(kid="")),
    "signed with a list of key ids": _token(lambda s: s.forge(key="x" * 64, kid="k1,k2")),
    "not signed": _token(_unsigned_token),
    "signed with HS512": _token(lambda s: s.forge(algorithm="HS512")),
    "signed with HS384": _token(lambda s: s.forge(algorithm="HS384")),
    "expired a second ago": _token(lambda s: s.sign(exp=s.claims.exp - 301)),
    "expired now": _token(lambda s: s.sign(exp=s.claims.exp - 300)),
    "expired long ago": _token(lambda s: s.sign(exp=1)),
    "expiry that is not a number": _token(lambda s: s.forge(exp="never")),
    "without an expiry": _token(lambda s: s.forge(exp=None)),
    "altered header": _token(lambda s: _alter(s.sign(), 0)),
    "altered claims": _token(lambda s: _alter(s.sign(), 1)),
    "altered signature": _token(lambda s: _alter(s.sign(), 2)),
    "truncated": _token(lambda s: s.sign()[:-1]),
    "without a signature": _token(lambda s: s.sign().rpartition(".")[0] + "."),
    "of another owner": _token(lambda s: s.sign(owner=OTHER_USER)),
    "of another owner without a session": _token(lambda s: s.sign(owner=OTHER_USER, session_id="", epoch=0)),
    "of an invalid owner": _token(lambda s: s.forge(sub="../root")),
    "of another file": _token(_token_of_another_file),
    "used for another file": lambda s: (s.add_file()[0].file_key, s.sign()),
    "used for a missing file": lambda s: (random_id("f"), s.sign()),
    "used for an invalid key": lambda s: ("uploads", s.sign()),
    "of a missing file": lambda s: (key := random_id("f"), s.sign(file_key=key)),
    "for a canvas": _token(_canvas_token),
    "for an erasure": _token(_erasure_token),
    "for an unknown audience": _token(lambda s: s.forge(aud="admin")),
    "for two audiences": _token(lambda s: s.forge(aud=["ui", "tool"])),
    "version that does not exist yet": _token(lambda s: s.sign(version=2)),
    "version before the first": _token(lambda s: s.sign(version=0)),
    "version that is not a number": _token(lambda s: s.forge(ver="1.0.0")),
    "deleted file": _deleted_file,
    "file deleted by its owner": _file_deleted_by_owner,
    "expired file": _expired_file,
    "ended session": _ended_session,
    "of another session": _token(lambda s: s.sign(session_id="", epoch=0)),
    "future epoch": _token(lambda s: s.sign(epoch=2)),
    "revoked link": lambda s: _revoked(s, lambda link_id: f"/api/links/{link_id}"),
    "revoked with all links": lambda s: _revoked(s, lambda _: "/api/links"),
}
