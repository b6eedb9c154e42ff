"""Open a capability: decide whether this token may fetch this file now."""

from dataclasses import dataclass

from satchel.domain.capabilities import Claims
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.links import opened
from satchel.ports.clock import Clock
from satchel.ports.links import Standings
from satchel.ports.signer import Signer

# Looked for in the place of what a token that is not ours does not say.
_NOBODY = Claims(file_key="f" + "0" * 26, version=0, owner="nobody", session_id="", epoch=0, audience="ui", exp=0)


@dataclass(frozen=True)
class Attempt:
    """What came of showing a token: what it says, if it is ours and for this file, and what it opens, if anything."""

    claims: Claims | None
    file: FileRecord | None


@dataclass(frozen=True)
class OpenLink:
    """The records are read each time, whoever asks with whatever: every refusal costs the same and says the same."""

    signer: Signer
    standings: Standings
    clock: Clock

    def attempt(self, file_key: str, token: str) -> Attempt:
        """Show a token for a file."""
        said = self.signer.read(token, ("ui", "tool"))
        claims = said if said is not None and said.file_key == file_key else None
        [standing] = self.standings.look([claims or _NOBODY])
        return Attempt(claims, opened(claims, standing, self.clock.now()) if claims else None)

    def __call__(self, file_key: str, token: str) -> FileRecord:
        """Return the version that the token was made for. Raises LinkNotFound for every refusal."""
        file = self.attempt(file_key, token).file
        if file is None:
            raise LinkNotFound
        return file
