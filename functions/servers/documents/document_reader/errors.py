"""The errors of the documents server. Each message has a code, the problem and a way out."""

from enum import StrEnum


class Code(StrEnum):
    """Reasons why a document, or the requested part of it, cannot be read."""

    NOT_FOUND = "E_NOT_FOUND"
    EMPTY = "E_EMPTY"
    ENCRYPTED = "E_ENCRYPTED"
    DAMAGED = "E_DAMAGED"
    UNKNOWN_KIND = "E_UNKNOWN_KIND"
    NOT_A_PICTURE = "E_NOT_A_PICTURE"
    IS_A_PICTURE = "E_IS_A_PICTURE"
    TOO_LARGE = "E_TOO_LARGE"
    TOO_SLOW = "E_TOO_SLOW"
    BAD_RANGE = "E_BAD_RANGE"
    BAD_PATTERN = "E_BAD_PATTERN"


class DocumentError(Exception):
    """A document cannot be read, or a request names a part that does not exist."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
