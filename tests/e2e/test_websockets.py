"""WebSocket: events arrive as they happen, and a client that reconnects gets each event exactly once."""

import json
import math
import random
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.e2e.conftest import SIGN_INS, NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient

LINES, SECONDS = 180, 8
CONNECTIONS, PINGS = 150, 1000
DISCONNECTS = 50
MAX_TURN_SECONDS = 180  # on a busy machine; the turn is cancelled after the last disconnect
MAX_LIFETIME, MAX_MESSAGES = 0.1, 4  # of a connection that gets disconnected
TIMEOUT_SECONDS = MAX_TURN_SECONDS + 60.0  # no event comes between the last line and the last disconnect


@contextmanager
def connected(user: UserClient) -> Iterator[ClientConnection]:
    """Connect with a new ticket. Messages are received, and pings answered, also while no test reads them."""
    ticket = user.request("POST", "/api/ws-ticket").json()
    url = f"{ticket['url']}?ticket={ticket['ticket']}"
    with connect(
        url,
        open_timeout=TIMEOUT_SECONDS,
        additional_headers=user.headers,
        origin=Origin(user.url),
        max_queue=None,
    ) as connection:
        yield connection


def send(connection: ClientConnection, **message: object) -> None:
    connection.send(json.dumps(message))


def receive(connection: ClientConnection, seconds: float = TIMEOUT_SECONDS) -> Json:
    message: Json = json.loads(connection.recv(seconds))
    return message


@dataclass
class Follower:
    """Follows one turn. ``events`` has all events so far, in the order of arrival."""

    user: UserClient
    session_id: str
    turn_id: str
    events: list[Json] = field(default_factory=list)
    after: int = 0
    done: bool = False
    disconnects: int = 0

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.session_id}/turns/{self.turn_id}/events"

    def add(self, page: Json) -> None:
        self.events += page["events"]
        self.after, self.done = page["next"], page["done"]

    def listen(self, seconds: float = TIMEOUT_SECONDS) -> None:
        """Listen on one connection until the turn ends, or disconnect after a random time or number of messages."""
        lifetime, messages_left = TIMEOUT_SECONDS, math.inf
        if seconds < TIMEOUT_SECONDS:
            lifetime = random.uniform(0, seconds)  # noqa: S311  (no secret)
            messages_left = random.randint(0, MAX_MESSAGES)  # noqa: S311  (no secret)
        with connected(self.user) as connection:
            send(connection, action="subscribe", session_id=self.session_id, turn_id=self.turn_id, after=self.after)
            with suppress(TimeoutError):
                while messages_left > 0:
                    message = receive(connection, lifetime)
                    messages_left -= 1
                    if message["type"] == "events":
                        self.add(message)
                    if self.done:
                        return
            connection.socket.shutdown(socket.SHUT_RDWR)
            self.disconnects += 1

    def poll(self, seconds: float = TIMEOUT_SECONDS) -> None:
        """Poll once, and disconnect when the time is up."""
        lifetime = random.uniform(0.001, seconds) if seconds < TIMEOUT_SECONDS else TIMEOUT_SECONDS  # noqa: S311  (no secret)
        try:
            response = self.user.request("GET", self.path, params={"after": self.after, "wait": 20}, timeout=lifetime)
        except httpx2.TimeoutException:
            self.disconnects += 1
        else:
            self.add(response.json())

    def follow_with_disconnects(self, method: Callable[[float], None]) -> list[Json]:
        """Disconnect at random ``DISCONNECTS`` times, then follow to the end. Return all events."""
        while not self.done:
            method(MAX_LIFETIME if self.disconnects < DISCONNECTS else TIMEOUT_SECONDS)
        return self.events

    def follow(self) -> list[Json]:
        self.listen()
        return self.events


@pytest.mark.timeout(2 * MAX_TURN_SECONDS)
def test_clients_that_reconnect_get_the_same_events_as_one_that_stays_connected(new_user: NewUser) -> None:
    user = new_user()
    session_id = user.create_session()
    user.ask(session_id, '/trial.wait {"seconds": 0}')  # so that the server is warm
    call = {"lines": LINES, "seconds": SECONDS, "then_wait": MAX_TURN_SECONDS}
    turn = user.start_turn(session_id, f"/trial.log_lines {json.dumps(call)}")
    stable, unstable_socket, unstable_poll = (Follower(user, session_id, turn["turn_id"]) for _ in range(3))
    with ThreadPoolExecutor(3) as pool:
        futures = [
            pool.submit(stable.follow),
            pool.submit(unstable_socket.follow_with_disconnects, unstable_socket.listen),
            pool.submit(unstable_poll.follow_with_disconnects, unstable_poll.poll),
        ]
        deadline = time.monotonic() + MAX_TURN_SECONDS
        while min(unstable_socket.disconnects, unstable_poll.disconnects) < DISCONNECTS or stable.after < LINES:
            assert time.monotonic() < deadline, "too few disconnects"
            time.sleep(0.05)
        user.request("DELETE", stable.path.removesuffix("/events"))
        by_socket, by_unstable_socket, by_unstable_poll = (future.result() for future in futures)
    polled = user.events(session_id, turn["turn_id"])
    assert [event["seq"] for event in polled] == list(range(1, len(polled) + 1))
    assert len(polled) > LINES
    assert polled == by_socket
    assert polled == by_unstable_socket
    assert polled == by_unstable_poll
    assert (stable.disconnects, unstable_socket.disconnects, unstable_poll.disconnects) == (0, DISCONNECTS, DISCONNECTS)


@pytest.fixture
def turn(new_user: NewUser) -> Follower:
    """A follower of a turn that has ended."""
    user = new_user()
    session_id = user.create_session()
    response = user.ask(session_id, "Hello")
    return Follower(user, session_id, response["turn_id"])


def test_ended_turn_is_sent_from_any_cursor(turn: Follower) -> None:
    events = turn.user.events(turn.session_id, turn.turn_id)
    for after in range(len(events) + 1):
        follower = Follower(turn.user, turn.session_id, turn.turn_id, after=after)
        assert follower.follow() == events[after:]


@SIGN_INS
def test_turn_of_another_user_cannot_be_followed(turn: Follower, new_user: NewUser) -> None:
    stranger = new_user()
    own = stranger.create_session()
    with connected(stranger) as connection:
        send(connection, action="subscribe", session_id=turn.session_id, turn_id=turn.turn_id)
        other_users = receive(connection)
        send(connection, action="subscribe", session_id=f"s{'0' * 26}", turn_id=turn.turn_id)
        absent = receive(connection)
        send(connection, action="subscribe", session_id=own, turn_id=turn.turn_id)
        other_session = receive(connection)
        send(connection, action="ping")
        assert receive(connection) == {"type": "pong"}  # nothing was sent in between
    assert other_users | {"session_id": ""} == absent | {"session_id": ""}
    assert (other_users["error_code"], other_session["error_code"]) == ("E_SESSION_NOT_FOUND", "E_TURN_NOT_FOUND")


def receive_until_silent(connection: ClientConnection) -> Iterator[Json]:
    """Yield messages until none arrives for half a second."""
    with suppress(TimeoutError):
        while True:
            yield receive(connection, 0.5)


def test_connection_follows_several_turns_and_unsubscribe_stops_one_of_them(turn: Follower) -> None:
    user = turn.user
    session_id = user.create_session()
    with connected(user) as connection:
        running = user.start_turn(session_id, '/trial.wait {"seconds": 60}')["turn_id"]
        send(connection, action="subscribe", session_id=session_id, turn_id=running)
        send(connection, action="unsubscribe", turn_id=running)
        send(connection, action="subscribe", session_id=turn.session_id, turn_id=turn.turn_id)
        message = receive(connection)
        while not (message["type"] == "events" and message["turn_id"] == turn.turn_id and message["done"]):
            message = receive(connection)
        assert user.request("DELETE", f"/api/sessions/{session_id}/turns/{running}").is_success
        late = list(receive_until_silent(connection))  # the first events may have been on their way
        assert not [message for message in late if message["turn_id"] == running and message.get("done")]


def test_150_connections_and_1000_pings_of_one_user_disturb_nobody(new_user: NewUser) -> None:
    user, other = new_user(), new_user()
    with ExitStack() as stack:
        connections = [stack.enter_context(connected(user)) for _ in range(CONNECTIONS)]
        for _ in range(PINGS):
            send(connections[0], action="ping")
        assert other.ask(other.create_session(), "hello")["status"] == "complete"
        assert [receive(connections[0]) for _ in range(PINGS)] == [{"type": "pong"}] * PINGS
        for connection in connections:
            send(connection, action="ping")
        assert [receive(connection) for connection in connections] == [{"type": "pong"}] * CONNECTIONS


def test_ticket_works_once_and_is_not_logged(new_user: NewUser, system: SystemProcess) -> None:
    ticket = new_user().request("POST", "/api/ws-ticket").json()
    url = f"{ticket['url']}?ticket={ticket['ticket']}"
    with connect(url, open_timeout=TIMEOUT_SECONDS), pytest.raises(InvalidStatus) as rejected:
        connect(url, open_timeout=TIMEOUT_SECONDS).close()
    assert rejected.value.response.status_code == httpx2.codes.FORBIDDEN
    assert ticket["ticket"] not in system.output()


def test_connection_without_a_ticket_or_from_another_origin_is_rejected(new_user: NewUser) -> None:
    ticket = new_user().request("POST", "/api/ws-ticket").json()
    valid = f"{ticket['url']}?ticket={ticket['ticket']}"
    for url, origin in [(ticket["url"], None), (valid[:-1], None), (valid, "http://evil.example")]:
        with pytest.raises(InvalidStatus) as rejected:
            connect(url, open_timeout=TIMEOUT_SECONDS, origin=origin).close()  # type: ignore[arg-type]  # a str is accepted
        assert rejected.value.response.status_code == httpx2.codes.FORBIDDEN


def test_message_above_the_limit_closes_the_connection(new_user: NewUser) -> None:
    with connected(new_user()) as connection:
        connection.send("x" * (129 << 10))
        with pytest.raises(ConnectionClosed):
            connection.recv(TIMEOUT_SECONDS)
