"""A small world of fakes, and what has happened in it before a test begins."""

import io
from datetime import timedelta
from typing import Any

from satchel.contract import safe_name
from satchel.domain.calls import Call, CallResult, RunnerReport, StoredFile
from satchel.domain.conversation import ModelReply
from satchel.domain.files import FileRecord
from satchel.domain.ids import call_id, object_id
from satchel.domain.object_keys import Kind, object_key, outcome_key
from satchel.domain.sessions import Session, Turn
from satchel.domain.steps import CallStep, Failure, TurnStep
from satchel.domain.users import Identity
from satchel.services.calls.runner_report import store_outcome
from satchel.services.turns.take_turn import TurnRequest
from tests.unit.services.scenery import ALICE
from tests.unit.services.wiring import Wiring


class World(Wiring):
    """Everything in it is public: tests read the fakes."""

    def session(self, who: Identity = ALICE) -> Session:
        """Start a session."""
        return self.use_cases.start_session(who)

    def turn(
        self,
        session: Session,
        message: str = "Hello",
        who: Identity = ALICE,
        tools: list[str] | None = None,
        files: list[str] | None = None,
    ) -> Turn:
        """Take a message."""
        return self.use_cases.start_turn(
            who, session.session_id, TurnRequest(message=message, tools=tools, files=files or [])
        )

    def upload(
        self, name: str, body: bytes = b"a,b\n1,2\n", session: Session | None = None, who: Identity = ALICE
    ) -> FileRecord:
        """Upload a file, a second after whatever happened before."""
        self.clock.travel(1)
        return self.use_cases.upload_file(who, name, body, None, session.session_id if session else None)

    def expiring(self, record: FileRecord, after: timedelta = timedelta(hours=1)) -> FileRecord:
        """Let a file expire after a while, as if it had been made so."""
        at = int((self.clock.now() + after).timestamp())
        return self.files.write(record.model_copy(update={"expires_at": at}))

    def call(
        self, turn: Turn, tool: str = "report.echo", arguments: str = "{}", round_number: int = 0, index: int = 0
    ) -> Call:
        """Write a call that the model asked for."""
        call = Call(
            call_id=call_id(turn.turn_id, round_number, index),
            turn_id=turn.turn_id,
            session_id=turn.session_id,
            user=turn.user,
            tool=tool,
            arguments=arguments,
            ref=f"ref-{round_number}-{index}",
            round=round_number,
            index=index,
        )
        self.calls.add([call])
        return call

    def seen(self, call: Call) -> Call:
        """Return a call as it is kept now."""
        kept = self.calls.get(call.turn_id, call.call_id)
        assert kept is not None
        return kept

    def stored(
        self, call: Call, name: str, body: bytes = b"<p>", index: int = 0, mime: str = "text/html", **said: object
    ) -> StoredFile:
        """Put a file where a runner puts it, and return what the runner says of it."""
        deferred = said.pop("deferred", False) is True
        kind: Kind = "deferred" if deferred else "artifacts"
        key = object_key(call.user, kind, object_id(call.call_id, index), safe_name(name))
        self.put(key, body, mime)
        return StoredFile(
            object_id=object_id(call.call_id, index),
            key=key,
            name=safe_name(name),
            raw_name=name,
            mime=mime,
            size=len(body),
            index=index,
            deferred=deferred,
            artifact={"name": name, "mime": mime, **said},
        )

    def put(self, key: str, body: bytes, mime: str = "text/plain") -> None:
        """Put an object into the store."""
        self.store.put(key, io.BytesIO(body), mime)

    def hand_over(self, call: Call, outcome: RunnerReport) -> None:
        """Store an outcome as a runner does."""
        store_outcome(self.store, outcome_key(call.user, call.turn_id, call.call_id), outcome)

    def settle(self, call: Call, outcome: RunnerReport | None = None, failure: Failure | None = None) -> CallResult:
        """Let a call end, with or without an outcome, and return what it came to."""
        if outcome is not None:
            self.hand_over(call, outcome)
        self.use_cases.record_tool_result(call_step(call, failure=failure))
        settled = self.seen(call).settled
        assert settled is not None
        return settled

    def complete(self, turn: Turn, text: str = "Done.") -> None:
        """Let the model say its last word, and the turn end."""
        self.model.replies.append(ModelReply(text=text))
        step = self.use_cases.think(turn_step(turn))
        self.use_cases.finish_turn(TurnStep.model_validate(step.model_dump()))


def turn_step(turn: Turn, round_number: int = 0, failure: Failure | None = None) -> TurnStep:
    """Return what the state machine hands on for a turn."""
    return TurnStep(
        user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, round=round_number, failure=failure
    )


def call_step(call: Call, task_token: str | None = None, failure: Failure | None = None) -> CallStep:
    """Return what the state machine hands on for a call."""
    known: dict[str, Any] = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})
    return CallStep(**known, task_token=task_token, failure=failure)
