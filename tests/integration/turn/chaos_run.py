"""A hundred turns of twenty users, followed over WebSocket connections, while all functions fail now and then.

Retries after a failure:

- a state of the state machine: its Retry; a failure of Dispatch ends the call, not the turn
- the runner, whose process dies: none; its heartbeat is missing, and the call has crashed
- the API: the client, with the same idempotency key
- push: the stream that invoked it
- sockets: the client that connects or subscribes, with its cursor
- the sweep (expire) and refresh: the next round of their schedules
- end_session and erase, which are invoked asynchronously: the sweep
- rotate: Secrets Manager, for each step
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from zlib import crc32

import pytest

from local.emulator.runners.context import Handler
from satchel.adapters.dynamodb.steps import DynamoSteps
from satchel.bootstrap.functions import use_cases
from satchel.domain.calls import Decision
from satchel.domain.errors import InputClosed
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.inputs import InputAnswer
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from tests.integration.turn import background_functions
from tests.integration.turn.event_follower import EventFollower, Json, connection_name, retry
from tests.integration.turn.fakes import Script
from tests.integration.turn.faults import FaultInjector, FindSubject, Workload
from tests.integration.turn.turn_driver import TurnDriver, UserSession, real_handler

QUESTIONS: dict[int, list[tuple[str, dict[str, Any] | str]]] = {0: [("inquire", {})], 2: [("interview", {})]}
TURNS, SESSIONS, ERASED_USERS = 100, 20, 12
API, RUNNER = "api", "run-bench"
MIN_ROUNDS = 12  # of a schedule, and key rotations: enough for every fault to occur
STATES = {
    "think": Workload(2, 4),
    "dispatch": Workload(2, 12),
    RUNNER: Workload(2, 6),
    "finish": Workload(1, 4),
}
BACKGROUND = {
    "push": Workload(1, 5),
    "sockets": Workload(1, 2),
    "end_session": Workload(1, 3),
    "erase": Workload(1, 4),
    "expire": Workload(1, 5),
    "refresh": Workload(1, 1),
    "rotate": Workload(4, 1),
}
WORKLOADS = {API: Workload(1, 2), **STATES, **BACKGROUND}


def _first_sequence_number(event: Any) -> str:  # noqa: ANN401  (a batch of the stream)
    return str(event["Records"][0]["dynamodb"]["SequenceNumber"])


def _websocket_request(event: Any) -> str:  # noqa: ANN401  (an event of the gateway)
    context = event["requestContext"]
    return f"{connection_name(context['connectionId'])} {context['routeKey']} {event.get('body')}"


_SUBJECTS: Mapping[str, FindSubject] = {
    "push": _first_sequence_number,
    "sockets": _websocket_request,
    "end_session": lambda event: str(event["session_id"]),
    "erase": lambda event: str(event["user"]),
    "expire": lambda event: str(event["round"]),
    "refresh": lambda event: str(event["round"]),
    "rotate": lambda event: str(event["ClientRequestToken"]),
}


class ChaosRun:
    """``finished_turns`` are all turns after their end, ``received_events`` the events that their users received."""

    def __init__(self, turns: TurnDriver, faults: FaultInjector) -> None:
        self.turns = turns
        self.faults = faults
        self.sessions = [turns.new_session() for _ in range(SESSIONS)]
        self.erased_users = [turns.new_session() for _ in range(ERASED_USERS)]
        self.followers = [EventFollower(session, f"{number}") for number, session in enumerate(self.sessions)]
        self.received_events: dict[str, list[Json]] = {}
        for session in self.sessions:
            background_functions.leave_files(session)
        self.finished_turns = self._run()
        self.responses = [turns.response(turn) for turn in self.finished_turns]

    def _run(self) -> list[Turn]:
        with ExitStack() as stack:
            for function in STATES:
                stack.enter_context(self.turns.replaced(function, self._inject_faults(function)))
            stack.enter_context(_half_of_the_turns_end_in_finish())
            for function in BACKGROUND:
                background_functions.replace(function, self._inject_faults(function))
            for function in ("expire", "refresh"):
                stack.enter_context(background_functions.invoked_repeatedly(function, MIN_ROUNDS))
            with ThreadPoolExecutor(2 * SESSIONS) as pool:
                rotations = pool.submit(background_functions.rotate_keys, MIN_ROUNDS)
                erasures = [pool.submit(self._erase_user, session) for session in self.erased_users]
                turns_by_session = list(pool.map(self._run_session, self.sessions, self.followers))
                for each in (rotations, *erasures):
                    each.result()
        return [turn for turns in turns_by_session for turn in turns]

    def _inject_faults(self, function: str) -> Handler:
        if function in STATES:
            faulty = self.faults.handler(function, real_handler(function), dies=function == RUNNER)
            return approve_automatically(faulty) if function == "dispatch" else faulty
        faulty = self.faults.handler(function, real_handler(function), _SUBJECTS[function])
        return background_functions.retry_until_success(faulty) if function == "rotate" else faulty

    def _run_session(self, session: UserSession, follower: EventFollower) -> list[Turn]:
        """Run all turns of a session one after the other, each after the previous one released the session. End it."""
        finished_turns = [self._run_turn(session, follower, number) for number in range(TURNS // SESSIONS)]
        follower.disconnect()
        self._call_api(
            f"end {session.session_id}", lambda: use_cases().end_session(session.user, SessionId(session.session_id))
        )
        return finished_turns

    def _run_turn(self, session: UserSession, follower: EventFollower, number: int) -> Turn:
        key = f"{session.session_id}-{number}"
        turn: Turn = self._call_api(key, lambda: self.turns.start(session, make_script(number), key))
        self.received_events[turn.turn_id] = follower.follow(turn, lambda event: self._answer(session, turn, event))
        return self.turns.wait_for_end(turn)

    def _answer(self, session: UserSession, turn: Turn, event: Json) -> None:
        """Answer the question in an event, if it is one. The call may have failed in the meantime."""
        if event["type"] != "input_requested":
            return
        content = {"name": turn.turn_id} if event["schema"]["properties"] else {}
        reply = InputAnswer(input_id=event["input_id"], action="accept", content=content)
        ids = turn.session_id, turn.turn_id, event["call_id"]
        with suppress(InputClosed):
            self._call_api(f"answer {event['input_id']} {event['call_id']}", lambda: self._send(session, ids, reply))

    @staticmethod
    def _send(session: UserSession, ids: tuple[SessionId, TurnId, CallId], reply: InputAnswer) -> None:
        use_cases().answer_input(session.user, *ids, reply)

    def _erase_user(self, session: UserSession) -> None:
        """Request the deletion of all data of a user. After a failure of the function, the sweep continues it."""
        use_cases().upload_file(session.user, "mine.txt", b"text", None, SessionId(session.session_id))
        token = use_cases().request_erasure.request(session.user).token
        self._call_api(f"erase {session.user.name}", lambda: use_cases().request_erasure.confirm(session.user, token))

    def _call_api(self, subject: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401  (any result)
        return retry(lambda: self.faults.run(API, subject, work))

    def responses_of(self, session: UserSession) -> list[FinalResponse]:
        return [response for response in self.responses if response.session_id == session.session_id]

    def wait_until_erased(self, erased_user: UserSession) -> None:
        """Wait for the end of the deletion. Invoke the function directly: a sweep would retry only after 15 minutes."""
        user = erased_user.user.name

        def is_erased() -> bool:
            erasure = use_cases().ports.erasures.get(user)
            assert erasure is not None
            return erasure.finished_at is not None or background_functions.call("erase", {"user": user}).failed

        self.turns.wait_until(is_erased)


@contextmanager
def _half_of_the_turns_end_in_finish() -> Iterator[None]:
    """For every second turn, let Think find that another writer has changed the turn, so that Finish ends it."""
    save_answer = DynamoSteps.save_answer

    def save(self: DynamoSteps, turn: Turn, *rest: Any) -> bool:  # noqa: ANN401  (what Think passes)
        return crc32(turn.turn_id.encode()) % 2 == 0 and save_answer(self, turn, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DynamoSteps, "save_answer", save)
        yield


def make_script(number: int) -> Script:
    """Write a file that all turns share; in every second turn only with approval, and a file of its own as well.

    In two of three other turns, a second tool asks the user: after its end, or while it runs.
    """
    own, shared = {"name": f"{number}.txt", "text": f"{number}"}, {"name": "shared.txt", "text": f"shared {number}"}
    if number % 2:
        return [[("write", own), ("ask", shared)]]
    return [[("write", shared), *QUESTIONS.get(number, [])]]


def approve_automatically(handler: Handler) -> Handler:
    """Wrap the handler of Dispatch so that the user approves each call at once."""

    def run(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        result = handler(event, context)
        if not event.get("approval") or "task_token" not in event:
            return result
        ids = Identity(name=event["user"]), event["session_id"], event["turn_id"], event["call_id"]
        digest = use_cases().read_approval(*ids).digest
        use_cases().decide_approval(*ids, Decision(approved=True, digest=digest))
        return result

    return run
