"""Randomness that counts: every id of a test is known, and one made later sorts later."""


class FakeEntropy:
    """Stands in for ``os.urandom``."""

    def __init__(self) -> None:
        self._given = 0

    def __call__(self, size: int) -> bytes:
        self._given += 1
        return self._given.to_bytes(size, "big")
