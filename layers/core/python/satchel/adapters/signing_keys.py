"""The keys of capabilities, as they lie in the secret, and how they are changed."""

import json
import re
from dataclasses import dataclass

_LEAST_KEY = 32  # what RFC 7518 §3.2 asks of HS256, in bytes
_KID = re.compile(r"k[0-9]{1,9}")


@dataclass(frozen=True)
class SigningKeys:
    """The newest key signs; all of them read."""

    newest: str
    keys: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "SigningKeys":
        """Read the secret ``{"newest": kid, kid: key, …}``: flat, since that is what CloudFormation can generate.

        Raises ValueError for any other.
        """
        stored = json.loads(text)
        if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
            raise ValueError("the secret of the signing keys has another form")
        newest = stored.pop("newest", None)
        if newest not in stored:
            raise ValueError("the newest signing key is not among the keys")
        if any(len(key) < _LEAST_KEY for key in stored.values()):
            raise ValueError(f"a signing key has fewer than {_LEAST_KEY} characters")
        return cls(newest=newest, keys=stored)

    def text(self) -> str:
        """Return the secret."""
        return json.dumps({"newest": self.newest, **self.keys})

    def rotated(self, fresh: tuple[str, str]) -> "SigningKeys":
        """Return the keys after a change: the one that signed still reads, the one before it reads no more.

        The key that will sign after the next change is there already, so that every process knows a key long before
        the first token comes that it signed: they read the secret anew every few minutes, not all at once. A secret
        that has one key only (a new one) has none prepared; then both of ``fresh`` are used, otherwise the first.
        Raises ValueError where keys have names of another form.
        """
        if not _KID.fullmatch(self.newest):
            raise ValueError(f"the newest signing key is called {self.newest}, not k and a number")
        made = iter(fresh)
        number = int(self.newest[1:]) + 1
        newest, prepared = f"k{number}", f"k{number + 1}"
        signing = self.keys.get(newest) or next(made)
        return SigningKeys(
            newest=newest,
            keys={self.newest: self.keys[self.newest], newest: signing, prepared: next(made)},
        )
