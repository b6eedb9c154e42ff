"""The clock that calls the sweep, in the place of EventBridge."""

import threading
from collections.abc import Callable
from typing import Self

from local import settings
from local.aws.seams.lambda_invoke import HOST


def sweep() -> None:
    """Call the sweep and do not wait for it."""
    HOST.invoke_later(f"{settings.NAME}-expire", {})


class Ticker:
    """Does something every so many seconds in a thread of its own, from the first interval on, until it is left."""

    def __init__(self, do: Callable[[], None], seconds: float) -> None:
        self._do = do
        self._seconds = seconds
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def __enter__(self) -> Self:
        """Begin to wait."""
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop, once what is being done is done."""
        self._left.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._left.wait(self._seconds):
            self._do()
