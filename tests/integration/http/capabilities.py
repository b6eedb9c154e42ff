"""Forty ways in which a capability is good for nothing, told apart by nobody."""

import base64
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt
from starlette.testclient import TestClient

from satchel.domain.files import FileRecord
from satchel.domain.links import CanvasClaims, Claims, EraseClaims
from tests.integration.aws.makers import a_file, a_session, fresh
from tests.integration.http.world import World

STRANGER = "mallory@example.com"


@dataclass(frozen=True)
class Scene:
    """A file of a session, with a capability that is good."""

    world: World
    http: TestClient
    file: FileRecord
    claims: Claims

    def sign(self, **other: object) -> str:
        return self.world.signer.sign(self.claims.model_copy(update=other))

    def payload(self, **other: object) -> dict[str, object]:
        return jwt.decode(self.sign(), options={"verify_signature": False}) | other

    def forge(self, key: str | None = None, algorithm: str = "HS256", kid: object = None, **other: object) -> str:
        keys = self.world.keys
        headers = {"kid": keys.newest if kid is None else kid}
        return jwt.encode(self.payload(**other), key or keys.keys[keys.newest], algorithm, headers)

    def again(self, **given: Any) -> tuple[FileRecord, Claims]:  # noqa: ANN401  (fields of a file)
        """Another file, of the same session, with its own good claims."""
        user, session_id = self.file.user, self.file.session_id
        file = self.world.files.keep(a_file(user, session_id, f"{os.urandom(4).hex()}.csv", **given))
        return file, self.claims.model_copy(update={"file_key": file.file_key})


Shown = tuple[str, str]
"""For which file a token is shown, and the token."""
Case = Callable[[Scene], Shown]


def _token(make: Callable[[Scene], str]) -> Case:
    return lambda scene: (scene.file.file_key, make(scene))


def _changed(token: str, place: int) -> str:
    parts = token.split(".")
    middle = len(parts[place]) // 2
    other = "A" if parts[place][middle] != "A" else "B"
    parts[place] = parts[place][:middle] + other + parts[place][middle + 1 :]
    return ".".join(parts)


def _unsigned(scene: Scene) -> str:
    parts = ({"alg": "none", "typ": "JWT", "kid": scene.world.keys.newest}, scene.payload())
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def _canvas(scene: Scene) -> str:
    said = scene.claims
    return scene.world.signer.sign(
        CanvasClaims(canvas_id="c", owner=said.owner, session_id=said.session_id, epoch=1, exp=said.exp)
    )


def _erasure(scene: Scene) -> str:
    return scene.world.signer.sign(EraseClaims(owner=scene.claims.owner, exp=scene.claims.exp))


def _deleted(scene: Scene) -> Shown:
    file, claims = scene.again()
    scene.world.files.remove(file)
    return file.file_key, scene.world.signer.sign(claims)


def _deleted_over_http(scene: Scene) -> Shown:
    file, claims = scene.again()
    assert scene.http.delete(f"/api/files/{file.file_key}").status_code == 204
    return file.file_key, scene.world.signer.sign(claims)


def _expired_file(scene: Scene) -> Shown:
    file, claims = scene.again(expires_at=int(scene.world.clock.now().timestamp()))
    return file.file_key, scene.world.signer.sign(claims)


def _ended_session(scene: Scene) -> Shown:
    session = a_session(scene.file.user)
    scene.world.sessions.create(session)
    file = scene.world.files.keep(a_file(session.user, session.session_id, "a.csv"))
    said = {"file_key": file.file_key, "session_id": session.session_id, "epoch": session.epoch}
    token = scene.world.signer.sign(scene.claims.model_copy(update=said))
    assert scene.http.delete(f"/api/sessions/{session.session_id}").status_code == 204
    return file.file_key, token


def _shared(scene: Scene, revoke: Callable[[str], str]) -> Shown:
    link = scene.http.post(f"/api/files/{scene.file.file_key}/link").json()
    assert scene.http.delete(revoke(link["link_id"])).is_success
    return scene.file.file_key, link["url"].partition("token=")[2]


def _of_another_file(scene: Scene) -> str:
    _, claims = scene.again()
    return scene.world.signer.sign(claims)


CASES: dict[str, Case] = {
    "forged with another key": _token(lambda s: s.forge(key="x" * 64)),
    "forged under a key id that is not ours": _token(lambda s: s.forge(kid="k9")),
    "forged under no key id": _token(lambda s: s.forge(kid="")),
    "forged under a key id that is a list": _token(lambda s: s.forge(key="x" * 64, kid="k1,k2")),
    "not signed": _token(_unsigned),
    "signed by another algorithm": _token(lambda s: s.forge(algorithm="HS512")),
    "signed by yet another algorithm": _token(lambda s: s.forge(algorithm="HS384")),
    "expired a second ago": _token(lambda s: s.sign(exp=s.claims.exp - 301)),
    "expired now": _token(lambda s: s.sign(exp=s.claims.exp - 300)),
    "expired long ago": _token(lambda s: s.sign(exp=1)),
    "never ending": _token(lambda s: s.forge(exp="never")),
    "without an end": _token(lambda s: s.forge(exp=None)),
    "altered header": _token(lambda s: _changed(s.sign(), 0)),
    "altered claims": _token(lambda s: _changed(s.sign(), 1)),
    "altered signature": _token(lambda s: _changed(s.sign(), 2)),
    "cut short": _token(lambda s: s.sign()[:-1]),
    "without a signature": _token(lambda s: s.sign().rpartition(".")[0] + "."),
    "of another owner": _token(lambda s: s.sign(owner=STRANGER)),
    "of another owner without a session": _token(lambda s: s.sign(owner=STRANGER, session_id="", epoch=0)),
    "of an owner who cannot be": _token(lambda s: s.forge(sub="../root")),
    "of another file": _token(_of_another_file),
    "shown for another file": lambda s: (s.again()[0].file_key, s.sign()),
    "shown for no file": lambda s: (fresh("f"), s.sign()),
    "shown for what is no key": lambda s: ("uploads", s.sign()),
    "of a file that never was": lambda s: (key := fresh("f"), s.sign(file_key=key)),
    "for a canvas": _token(_canvas),
    "for an erasure": _token(_erasure),
    "for an audience that is not ours": _token(lambda s: s.forge(aud="admin")),
    "for two audiences": _token(lambda s: s.forge(aud=["ui", "tool"])),
    "version not made yet": _token(lambda s: s.sign(version=2)),
    "version before the first": _token(lambda s: s.sign(version=0)),
    "version that is no number": _token(lambda s: s.forge(ver="1.0.0")),
    "deleted file": _deleted,
    "file deleted by its owner": _deleted_over_http,
    "expired file": _expired_file,
    "ended session": _ended_session,
    "session that is not the file's": _token(lambda s: s.sign(session_id="", epoch=0)),
    "epoch to come": _token(lambda s: s.sign(epoch=2)),
    "revoked link": lambda s: _shared(s, lambda link_id: f"/api/links/{link_id}"),
    "revoked with all links": lambda s: _shared(s, lambda _: "/api/links"),
}
