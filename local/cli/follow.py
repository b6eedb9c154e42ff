"""Following a turn to its end over a connection that may break."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from local.cli.api import ApiClient
from local.cli.errors import CliError
from local.cli.wire import TurnEvent, TurnStarted

WAIT_SECONDS = 20  # a long poll; under the 30 s at which gateways give up
PAUSES = (0.5, 1, 2, 4, 8)  # seconds before each further try: enough for a server that is restarted

Result = TypeVar("Result")
Sleep = Callable[[float], None]


def follow(client: ApiClient, turn: TurnStarted, sleep: Sleep) -> Iterator[TurnEvent]:
    """Give every event of the turn once, in order, until it has ended.

    The cursor makes a broken connection harmless: the next request continues behind what was last given.
    """
    after, done = 0, False
    while not done:
        page = patiently(partial(client.events, turn, after=after, wait=WAIT_SECONDS), sleep)
        yield from page.events
        after, done = page.next, page.done


def patiently(ask: Callable[[], Result], sleep: Sleep) -> Result:
    """Ask again, a few times and more slowly each time, while the error is one that passes."""
    for pause in PAUSES:
        try:
            return ask()
        except CliError as error:
            if not error.retryable:
                raise
        sleep(pause)
    return ask()
