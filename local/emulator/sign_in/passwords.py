"""Hash and verify passwords with Argon2id, with the parameters that argon2-cffi takes from RFC 9106."""

import secrets
import unicodedata
from base64 import b64encode

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from argon2.low_level import ARGON2_VERSION

MIN_CHARS = 12
MAX_CHARS = 1000  # longer texts would only cost time


class InvalidPassword(ValueError):
    """The password is too short or too long. The message says which lengths are allowed."""


class Passwords:
    """Hashes and verifies passwords. Either takes about a tenth of a second and 64 MiB of memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._unknown = _random_hash(self._hasher)

    def hash(self, password: str) -> str:
        """Return the hash to store. Raise InvalidPassword."""
        if not MIN_CHARS <= len(password) <= MAX_CHARS:
            raise InvalidPassword(f"a password has {MIN_CHARS} to {MAX_CHARS} characters")
        return self._hasher.hash(_normalize(password))

    def verify(self, stored: str | None, password: str) -> bool:
        """Return True if the password has this hash. ``stored`` is None for an unknown account: always False."""
        try:
            self._hasher.verify(stored or self._unknown, _normalize(password))
        except VerifyMismatchError:
            return False
        return stored is not None


def _random_hash(hasher: PasswordHasher) -> str:
    """Return a hash that no known password has, in the same form as all others, without the work of hashing.

    It is verified in place of the hash of an unknown account, so that the time does not reveal which accounts exist.
    """
    parameters = f"m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}"
    salt, digest = (
        b64encode(secrets.token_bytes(length)).decode().rstrip("=") for length in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v={ARGON2_VERSION}${parameters}${salt}${digest}"


def _normalize(password: str) -> bytes:
    """Return the bytes to hash. Keyboards send the same accented letter as one or as two code points."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
