"""Events come over a connection as they happen, and whoever loses it misses nothing and gets nothing twice."""

import json
import math
import random
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person
from tests.e2e.system import System

LINES, SECONDS = 180, 8
CUTS = 50
LONG = 180  # seconds, on a busy machine; the turn is cancelled as soon as all were cut often enough
LONGEST, MAX_MESSAGES = 0.1, 4  # that a connection lives and brings which is cut
PATIENCE = 60.0


@contextmanager
def connected(person: Person) -> Iterator[ClientConnection]:
    """Connect with a new ticket."""
    given = person.call("POST", "/api/ws-ticket").json()
    with connect(f"{given['url']}?ticket={given['ticket']}", open_timeout=PATIENCE) as way:
        yield way


def say(way: ClientConnection, **message: object) -> None:
    way.send(json.dumps(message))


def hear(way: ClientConnection, seconds: float = PATIENCE) -> Json:
    heard: Json = json.loads(way.recv(seconds))
    return heard


@dataclass
class Follower:
    """Somebody who follows one turn; ``heard`` is all that came, in the order in which it came."""

    person: Person
    session_id: str
    turn_id: str
    heard: list[Json] = field(default_factory=list)
    after: int = 0
    done: bool = False
    cuts: int = 0

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.session_id}/turns/{self.turn_id}/events"

    def take(self, page: Json) -> None:
        self.heard += page["events"]
        self.after, self.done = page["next"], page["done"]

    def listen(self, seconds: float = PATIENCE) -> None:
        """Listen over one connection to the end, or cut it: somewhere between two messages, or in a silence."""
        life, most = PATIENCE, math.inf
        if seconds < PATIENCE:
            life, most = random.uniform(0, seconds), random.randint(0, MAX_MESSAGES)  # noqa: S311  (no secret)
        with connected(self.person) as way:
            say(way, action="subscribe", session_id=self.session_id, turn_id=self.turn_id, after=self.after)
            with suppress(TimeoutError):
                while most > 0:
                    message = hear(way, life)
                    most -= 1
                    if message["type"] == "events":
                        self.take(message)
                    if self.done:
                        return
            way.socket.shutdown(socket.SHUT_RDWR)
            self.cuts += 1

    def poll(self, seconds: float = PATIENCE) -> None:
        """Ask once, and hang up when the time is up."""
        life = random.uniform(0.001, seconds) if seconds < PATIENCE else PATIENCE  # noqa: S311  (the same)
        try:
            answer = self.person.call("GET", self.path, params={"after": self.after, "wait": 20}, timeout=life)
        except httpx2.TimeoutException:
            self.cuts += 1
        else:
            self.take(answer.json())

    def cut_again_and_again(self, follow: Callable[[float], None]) -> list[Json]:
        """Lose the connection at random until it was often enough, and then follow to the end."""
        while not self.done:
            follow(LONGEST if self.cuts < CUTS else PATIENCE)
        return self.heard

    def uncut(self) -> list[Json]:
        self.listen()
        return self.heard


@pytest.mark.timeout(2 * LONG)
def test_who_is_cut_off_again_and_again_has_the_same_events_as_who_never_was(somebody: Somebody) -> None:
    person = somebody()
    session_id = person.session()
    person.ask(session_id, '/trial.wait {"seconds": 0}')  # so that the server is warm
    call = {"lines": LINES, "seconds": SECONDS, "linger": LONG}
    turn = person.start(session_id, f"/trial.chatter {json.dumps(call)}")
    whole, cut_socket, cut_poll = (Follower(person, session_id, turn["turn_id"]) for _ in range(3))
    with ThreadPoolExecutor(3) as pool:
        followed = [
            pool.submit(whole.uncut),
            pool.submit(cut_socket.cut_again_and_again, cut_socket.listen),
            pool.submit(cut_poll.cut_again_and_again, cut_poll.poll),
        ]
        deadline = time.monotonic() + LONG
        while min(cut_socket.cuts, cut_poll.cuts) < CUTS or whole.after < LINES:
            assert time.monotonic() < deadline, "it was not cut often enough"
            time.sleep(0.05)
        person.call("DELETE", whole.path.removesuffix("/events"))
        by_socket, by_cut_socket, by_cut_poll = (each.result() for each in followed)
    polled = person.events(session_id, turn["turn_id"])
    assert [event["seq"] for event in polled] == list(range(1, len(polled) + 1))
    assert len(polled) > LINES
    assert polled == by_socket
    assert polled == by_cut_socket
    assert polled == by_cut_poll
    assert (whole.cuts, cut_socket.cuts, cut_poll.cuts) == (0, CUTS, CUTS)


@pytest.fixture
def turn(somebody: Somebody) -> Follower:
    """A turn that has ended."""
    person = somebody()
    session_id = person.session()
    response = person.ask(session_id, "Hello")
    return Follower(person, session_id, response["turn_id"])


def test_a_turn_that_has_ended_is_told_from_any_cursor_on(turn: Follower) -> None:
    events = turn.person.events(turn.session_id, turn.turn_id)
    for after in range(len(events) + 1):
        follower = Follower(turn.person, turn.session_id, turn.turn_id, after=after)
        assert follower.uncut() == events[after:]


def test_a_turn_of_somebody_else_cannot_be_followed(turn: Follower, somebody: Somebody) -> None:
    stranger = somebody()
    own = stranger.session()
    with connected(stranger) as way:
        say(way, action="subscribe", session_id=turn.session_id, turn_id=turn.turn_id)
        foreign = hear(way)
        say(way, action="subscribe", session_id=f"s{'0' * 26}", turn_id=turn.turn_id)
        absent = hear(way)
        say(way, action="subscribe", session_id=own, turn_id=turn.turn_id)
        elsewhere = hear(way)
        say(way, action="ping")
        assert hear(way) == {"type": "pong"}  # nothing was sent in between
    assert foreign | {"session_id": ""} == absent | {"session_id": ""}
    assert (foreign["error_code"], elsewhere["error_code"]) == ("E_SESSION_NOT_FOUND", "E_TURN_NOT_FOUND")


def test_one_connection_follows_several_turns_and_stops_where_it_is_told_to(turn: Follower) -> None:
    person = turn.person
    session_id = person.session()
    with connected(person) as way:
        running = person.start(session_id, '/trial.wait {"seconds": 1}')["turn_id"]
        say(way, action="subscribe", session_id=session_id, turn_id=running)
        say(way, action="unsubscribe", turn_id=running)
        say(way, action="subscribe", session_id=turn.session_id, turn_id=turn.turn_id)
        message = hear(way)
        while not (message["type"] == "events" and message["turn_id"] == turn.turn_id and message["done"]):
            message = hear(way)
        person.wait_for(session_id, running)
        with pytest.raises(TimeoutError):
            hear(way, 0.5)


def test_a_ticket_works_once_and_is_never_logged(somebody: Somebody, system: System) -> None:
    given = somebody().call("POST", "/api/ws-ticket").json()
    address = f"{given['url']}?ticket={given['ticket']}"
    with connect(address), pytest.raises(InvalidStatus) as refused:
        connect(address).close()
    assert refused.value.response.status_code == httpx2.codes.FORBIDDEN
    assert given["ticket"] not in system.said()


def test_without_a_ticket_and_from_another_site_nobody_connects(somebody: Somebody) -> None:
    given = somebody().call("POST", "/api/ws-ticket").json()
    good = f"{given['url']}?ticket={given['ticket']}"
    for address, origin in [(given["url"], None), (good[:-1], None), (good, "http://evil.example")]:
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin=origin).close()  # type: ignore[arg-type]  # a text is one, too
        assert refused.value.response.status_code == httpx2.codes.FORBIDDEN


def test_a_message_above_the_limit_ends_the_connection(somebody: Somebody) -> None:
    with connected(somebody()) as way:
        way.send("x" * (129 << 10))
        with pytest.raises(ConnectionClosed):
            way.recv(PATIENCE)
