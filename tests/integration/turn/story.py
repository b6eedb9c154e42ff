"""A hundred turns of twenty people, followed over connections; whatever function is at work fails now and then.

Who tries again what a function failed at:

- a state of the machine: the machine, as its Retry says; what Approval and Dispatch fail at ends the call, not the turn
- the runner, which dies without a word: nobody; its heartbeat is missed, and the call has crashed
- the API: who asked, with the same idempotency key
- push: the stream that called it
- sockets: who connects or subscribes, with the cursor
- the sweep (expire) and refresh: the next round of their clocks
- end_session and erase, which nobody waits for: the sweep
- rotate: Secrets Manager, each step
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from local.emulator.runners.context import Handler
from satchel.bootstrap.functions import use_cases
from satchel.domain.calls import Decision
from satchel.domain.ids import SessionId
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from tests.integration.turn import beside
from tests.integration.turn.faults import Faults, Of, Work
from tests.integration.turn.following import Json, Page, connection_of, until_taken
from tests.integration.turn.model import Plan
from tests.integration.turn.turns import Asker, Turns, handler_of

TURNS, ASKERS, LEAVERS = 100, 20, 12
API, RUNNER = "api", "run-bench"
ROUNDS = 12  # of a clock at least, and rotations of the keys: more than it takes to meet every fault once
STATES = {
    "think": Work(2, 8),
    "approval": Work(1, 4),
    "dispatch": Work(2, 9),
    RUNNER: Work(2, 6),
    "normalize": Work(2, 13),
    "finish": Work(1, 7),
}
BESIDE = {
    "push": Work(1, 5),
    "sockets": Work(1, 2),
    "end_session": Work(1, 3),
    "erase": Work(1, 4),
    "expire": Work(1, 5),
    "refresh": Work(1, 1),
    "rotate": Work(4, 1),
}
WORKS = {API: Work(1, 2), **STATES, **BESIDE}


def _first_record(event: Any) -> str:  # noqa: ANN401  (a batch of the stream)
    return str(event["Records"][0]["dynamodb"]["SequenceNumber"])


def _asked(event: Any) -> str:  # noqa: ANN401  (an event of the gateway)
    context = event["requestContext"]
    return f"{connection_of(context['connectionId'])} {context['routeKey']} {event.get('body')}"


_OF: Mapping[str, Of] = {
    "push": _first_record,
    "sockets": _asked,
    "end_session": lambda event: str(event["session_id"]),
    "erase": lambda event: str(event["user"]),
    "expire": lambda event: str(event["round"]),
    "refresh": lambda event: str(event["round"]),
    "rotate": lambda event: str(event["ClientRequestToken"]),
}


class Story:
    """``told`` are the turns as they ended, ``heard`` what came of each over its person's connection."""

    def __init__(self, turns: Turns, faults: Faults) -> None:
        self.turns = turns
        self.faults = faults
        self.askers = [turns.asker() for _ in range(ASKERS)]
        self.leavers = [turns.asker() for _ in range(LEAVERS)]
        self.pages = [Page(asker, f"{number}") for number, asker in enumerate(self.askers)]
        self.heard: dict[str, list[Json]] = {}
        for asker in self.askers:
            beside.leave_files(asker)
        self.told = self._tell()
        self.answers = [turns.response(turn) for turn in self.told]

    def _tell(self) -> list[Turn]:
        with ExitStack() as stack:
            for function in STATES:
                stack.enter_context(self.turns.instead(function, self._failing(function)))
            for function in BESIDE:
                beside.replace(function, self._failing(function))
            for clock in ("expire", "refresh"):
                stack.enter_context(beside.ticking(clock, ROUNDS))
            with ThreadPoolExecutor(2 * ASKERS) as pool:
                rotations = pool.submit(beside.rotated, ROUNDS)
                leaving = [pool.submit(self._leave, asker) for asker in self.leavers]
                told = [turn for ended in pool.map(self._ask, self.askers, self.pages) for turn in ended]
                for each in (rotations, *leaving):
                    each.result()
        return told

    def _failing(self, function: str) -> Handler:
        if function in STATES:
            faulty = self.faults.handler(function, handler_of(function), dies=function == RUNNER)
            return agreed(faulty) if function == "approval" else faulty
        faulty = self.faults.handler(function, handler_of(function), _OF[function])
        return beside.until_done(faulty) if function == "rotate" else faulty

    def _ask(self, asker: Asker, page: Page) -> list[Turn]:
        """One after the other: each needs the session that the one before must have freed. Then it is ended."""
        told = [self._turn(asker, page, number) for number in range(TURNS // ASKERS)]
        page.hang_up()
        self._api(f"end {asker.session_id}", lambda: use_cases().end_session(asker.who, SessionId(asker.session_id)))
        return told

    def _turn(self, asker: Asker, page: Page, number: int) -> Turn:
        key = f"{asker.session_id}-{number}"
        turn: Turn = self._api(key, lambda: self.turns.begin(asker, plan(number), key))
        self.heard[turn.turn_id] = page.follow(turn)
        return self.turns.end(turn)

    def _leave(self, asker: Asker) -> None:
        """Have everything deleted; what the function fails at, the sweep goes on with."""
        use_cases().upload_file(asker.who, "mine.txt", b"text", None, SessionId(asker.session_id))
        token = use_cases().request_erasure.ask(asker.who).token
        self._api(f"erase {asker.who.name}", lambda: use_cases().request_erasure.confirm(asker.who, token))

    def _api(self, thing: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401  (whatever it answers)
        return until_taken(lambda: self.faults.meet(API, thing, work))

    def of(self, asker: Asker) -> list[FinalResponse]:
        return [answer for answer in self.answers if answer.session_id == asker.session_id]

    def until_erased(self, leaver: Asker) -> None:
        """Wait for the end; where a sweep failed in the midst, the next one would come back to it after a quarter."""
        user = leaver.who.name

        def erased() -> bool:
            erasure = use_cases().ports.erasures.get(user)
            assert erasure is not None
            return erasure.finished_at is not None or beside.call("erase", {"user": user}).failed

        self.turns.wait(erased)


def plan(number: int) -> Plan:
    """A file that every turn of the session writes anew; every other turn, after asking, beside one of its own."""
    own, shared = {"name": f"{number}.txt", "text": f"{number}"}, {"name": "shared.txt", "text": f"shared {number}"}
    return [[("write", own), ("ask", shared)]] if number % 2 else [[("write", shared)]]


def agreed(asking: Handler) -> Handler:
    """Have the owner say yes as soon as he is asked."""

    def ask(event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda handler)
        asked = asking(event, context)
        who, yes = Identity(name=event["user"]), Decision(approved=True)
        use_cases().decide_approval(who, event["session_id"], event["turn_id"], event["call_id"], yes)
        return asked

    return ask
